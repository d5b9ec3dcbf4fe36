"""A report as a page: the verdict and four numbers on top, then the sections that were chosen and apply."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePath

from idbits._version import __version__
from idbits.render.blocks import Block, Command, Heading, Items, Paragraph, TableBlock, Verdict
from idbits.render.numbers import count, share
from idbits.render.page import Page, Section, Term, named, plain, shortened
from idbits.studies.measure.result import Measurement
from idbits.studies.measure.text import not_assessed, verdict
from idbits.studies.report.about import about_terms, decision_terms
from idbits.studies.report.population_section import sample_not_assessed
from idbits.studies.report.result import Report
from idbits.studies.report.tiles import tiles_of
from idbits.studies.shared.beside import ColumnsBeside
from idbits.studies.shared.presentation import show
from idbits.studies.shared.units import Unit
from idbits.wording import counted, joined

__all__ = ["few_names", "page_of", "source_name", "verdict_of", "with_advice_in_section", "without_options"]

_NAMED = 6
_LONGEST_COMMAND = 400
_LONGEST_NOTE = 240
_SHOWN_NOTES = 2


def verdict_of(measurement: Measurement) -> Verdict:
    """Return the verdict, readable with any number of columns and names of any length, and without options."""
    groups = measurement.groups
    found = verdict(
        replace(
            measurement,
            qid=few_names(measurement.qid),
            groups=replace(groups, by=named(groups.by)) if groups is not None else None,
            beside=_named_beside(measurement.beside),
        )
    )
    reasons = [without_options(reason) for reason in found.reasons]
    first, *more = [reason for reason in reasons if not _has_option(reason)] or reasons
    return replace(found, title=plain(found.title), sentence=first, more=tuple(more))


def _named_beside(beside: ColumnsBeside) -> ColumnsBeside:
    return replace(
        beside,
        identifiers=tuple(map(named, beside.identifiers)),
        record_numbers=tuple(map(named, beside.record_numbers)),
        free_text=tuple(map(named, beside.free_text)),
        persons=tuple(replace(candidate, column=named(candidate.column)) for candidate in beside.persons),
    )


def few_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first names and the number of the others.

    >>> [plain(name) for name in few_names(("a", "b", "c", "d", "e", "f", "g", "h"))]
    ['a', 'b', 'c', 'd', 'e', '3 more columns']
    """
    short = [named(name) for name in names]
    if len(short) <= _NAMED:
        return tuple(short)
    return (*short[: _NAMED - 1], f"{len(short) - _NAMED + 1} more columns")


def page_of(report: Report) -> Page:
    """Return the page of a report."""
    # These modules import this one.
    from idbits.studies.report import (
        column_sections,
        disclosure_section,
        gain_sections,
        glossary,
        people_section,
        population_section,
        saved_text,
        treatment_text,
    )
    from idbits.studies.report import sections as main_sections

    measurement = report.measurement
    made = {
        "people": people_section.people_section,
        "bits": main_sections.bits_section,
        "sizes": main_sections.sizes_section,
        "population": population_section.population_section,
        "columns": column_sections.columns_section,
        "changes": treatment_text.changes_section,
        "gain": gain_sections.gain_section,
        "sweep": gain_sections.sweep_section,
    }
    sections: list[Section] = []
    for name in report.sections:
        if name == "disclosure":
            sections += disclosure_section.disclosure_sections(report)
        elif name == "saved":
            sections += saved_text.saved_sections(report.included)
        elif name in made:
            section = made[name](report)
            sections += [section] if section is not None else []
    if measurement.exposed is not None:
        sections.append(main_sections.values_section(measurement))
    sections.append(_not_assessed(report))
    sections += [glossary.glossary(report)] if "glossary" in report.sections else []
    sections += [glossary.method(report)] if "method" in report.sections else []
    columns = joined(few_names(measurement.qid))
    how = ", which we chose by their names and values" if measurement.chosen is not None else ""
    return Page(
        title=f"What {shortened(source_name(report), 80)} gives away about people",
        subject=f"{_counted_subject(measurement)} Columns someone may know{how}: {columns}.",
        verdict=report.page_verdict,
        tiles=tiles_of(measurement),
        advice=treatment_text.advice_of(report),
        sections=tuple(map(_without_options, sections)),
        foot=_foot(report),
        stamp=_STAMP if report.internal else None,
        notes=report.notes,
        head=about_terms(report.about),
        decision=decision_terms(report.decision, report.about),
    )


def with_advice_in_section(page: Page) -> Page:
    """Return a page whose section about treatments starts with the advice; the first page says what it comes to."""
    sections = tuple(
        replace(section, text=(*page.advice, *section.text)) if section.name == "changes" else section
        for section in page.sections
    )
    return replace(page, sections=sections, advice=())


_STAMP = "INTERNAL: this page may show values that few people have. Do not pass it on."


def _counted_subject(measurement: Measurement) -> str:
    """Say how many people or rows the table has, and whether rows were taken for people."""
    figures, people, population = measurement.figures, measurement.people, measurement.population
    number = measurement.unit.counted(figures.n_people)
    if people is not None:
        several = people.has_several_rows
        number += f" with {counted(figures.n_rows, 'record')}" if several else ", each with one row"
    if population is not None and population.unbounded_people:
        number += f" in the population, {count(population.unbounded_people)} not in it"
    assumed = " We assumed one row per person." if measurement.unit is Unit.ROWS else ""
    return f"{number}.{assumed}"


def source_name(report: Report) -> str:
    """Return the name of the table; its path is in the foot."""
    source = report.source
    if source is None:
        return "a table in memory"
    if source == "-":
        return "the table on standard input"
    if "://" in source:
        return report.origin.table or "a database"
    return PurePath(source).name or source


def _not_assessed(report: Report) -> Section:
    measurement = report.measurement
    short = replace(measurement, nulls=_few_nulls({named(name): n for name, n in measurement.nulls.items()}))
    items = _known_beside(measurement)
    items += map(without_options, not_assessed(short, is_known_sample=report.population is not None))
    items += [*sample_not_assessed(report), *_with_more_records(report), *_left_out(report)]
    notes = [without_options(note) for note in report.notes]
    items += [f"While reading: {shortened(note, _LONGEST_NOTE)}." for note in notes[:_SHOWN_NOTES]]
    rest = len(report.notes) - _SHOWN_NOTES
    items += [f"{counted(rest, 'more note')} about reading the table not shown."] if rest > 0 else []
    items.append("The law: these numbers do not decide, and low numbers do not prove that a table is anonymous.")
    return Section("not-assessed", "What these figures do not answer", items=tuple(items), topic="Not assessed")


def _known_beside(measurement: Measurement) -> list[str]:
    """Say how many people are unique if someone knows one more column of the table."""
    if not measurement.added:
        return []
    unit = measurement.unit
    shares = joined(f"{share(row.share)} with {named(row.column)}" for row in measurement.added)
    return [f"Columns that someone may know, too. If one of them is known, this share of {unit} is unique: {shares}."]


def _with_more_records(report: Report) -> list[str]:
    """Say which sections are about one record of a person, if people have several."""
    gain, columns = report.gain, report.columns
    studies = []
    if columns is not None and columns.people is not None and columns.people.knows_one_of_several:
        studies.append("combinations of columns")
    if gain is not None and gain.people_have_several_rows:
        studies.append("information gain")
    if not studies:
        return []
    words = joined(studies)
    return [f"{words[0].upper()}{words[1:]} for an attacker who knows more than one record of a person."]


def _left_out(report: Report) -> list[str]:
    """Say which sections are left out because they cannot be made or have nothing to show, and why."""
    chosen, reasons = set(report.sections), []
    if "disclosure" in chosen and report.disclosure is None:
        reasons.append(("What groups give away", report.disclosure_reason))
    if "population" in chosen and report.population is None:
        reasons.append(("Who is unique in the population", report.population_reason))
    if "changes" in chosen and report.treatments.advice is None:
        reasons.append(("Treatments", report.treatments.reason))
    if "columns" in chosen and report.columns is None and len(report.measurement.qid) > 1:
        reasons.append(("Combinations of columns", report.columns_reason))
    if report.gain_reason is not None:
        reasons.append(("Information gain", report.gain_reason))
    elif "sweep" in chosen and (report.gain is None or not report.gain.sweep):
        reasons.append(("One column coarsened step by step", report.sweep_reason or "no column has a coarser view"))
    return [f"{what}: {without_options(why)}." for what, why in reasons if why is not None]


_OPTION = r"(?:[^()\u2068\u2069]* )?--[a-z][^()\u2068\u2069]*"


def without_options(text: str) -> str:
    """Return a text without hints at options of a command, which readers of the page cannot use.

    >>> without_options("We assumed one row per person (--person names the column that identifies people).")
    'We assumed one row per person.'
    >>> without_options("the first row may be data; if so, add --no-header")
    'the first row may be data'
    >>> without_options("Best first. 3 more in --json. Add --points for others.")
    'Best first. 3 more not shown.'
    """
    text = re.sub(r" in --json\b", " not shown", re.sub(rf" \({_OPTION}\)", "", text))
    sentences = [re.sub(rf"[;:] {_OPTION}?(?=\.?$)", "", sentence) for sentence in re.split(r"(?<=\.) ", text)]
    kept = [sentence for sentence in sentences if not _has_option(sentence)]
    return " ".join(kept or sentences)


def _has_option(text: str) -> bool:
    """Whether a text names an option of a command; a column may be named like one."""
    return re.search(r"(?<!\S)--[a-z]", re.sub("\u2068[^\u2069]*\u2069", "", text)) is not None


def _without_options(section: Section) -> Section:
    """Return a section whose tables have no hints at options; some come from the answers of commands."""

    def cleared(table: TableBlock) -> TableBlock:
        return replace(table, caption=without_options(table.caption))

    figures = tuple(
        replace(figure, table=cleared(figure.table)) if figure.table is not None else figure
        for figure in section.figures
    )
    return replace(section, figures=figures, tables=tuple(map(cleared, section.tables)))


def _few_nulls(nulls: dict[str, int]) -> dict[str, int]:
    with_nulls = sorted(((name, people) for name, people in nulls.items() if people), key=lambda pair: -pair[1])
    few = dict(with_nulls[:_NAMED])
    rest = sum(people for _, people in with_nulls[_NAMED:])
    return few | ({f"{len(with_nulls) - _NAMED} more columns": rest} if rest else {})


def _foot(report: Report) -> tuple[Term, ...]:
    from idbits.studies.report.treatment_text import treatment_commands

    origin = report.origin
    files = "of the file" if origin.files == 1 else f"of the hashes of {counted(origin.files, 'file')}"
    hashed = f"SHA-256 {files}: {origin.sha256}" if origin.sha256 is not None else f"none: {origin.reason}"
    return (
        Term("Command", _cut(origin.command)),
        *(Term(name, _cut(command)) for name, command in treatment_commands(report)),
        Term("Version", f"idbits {__version__}"),
        Term("Seed", str(origin.seed)),
        Term("Input", hashed),
    )


def _cut(command: str) -> str:
    """Return a command short enough for the page; JSON has the whole command."""
    if len(command) <= _LONGEST_COMMAND:
        return command
    return f"{command[:_LONGEST_COMMAND]}… (shortened from {count(len(command))} characters)"


@show.register
def _(report: Report) -> list[Block]:
    """Return the page as blocks without charts, for terminals and notebooks."""
    page = report.page
    verdict_block = replace(
        page.verdict, sentence=plain(page.verdict.sentence), more=tuple(map(plain, page.verdict.more))
    )
    blocks: list[Block] = [verdict_block, Items("At a glance", tuple(f"{t.shown} {t.label}" for t in page.tiles))]
    blocks += [Heading("The smallest change that helps"), *(Paragraph(plain(sentence)) for sentence in page.advice)]
    blocks += [Command("To treat the table", command) for command in report.next_commands]
    blocks += [Paragraph(page.stamp)] if page.stamp else []
    for title, terms in (("About", page.head), ("Decision", page.decision)):
        blocks += [Items(title, tuple(f"{term.name}: {term.meaning or '_' * 40}" for term in terms))] if terms else []
    for section in page.sections:
        blocks.append(Heading(plain(section.heading)))
        blocks += [Paragraph(plain(sentence)) for sentence in section.text]
        blocks += [figure.table for figure in section.figures if figure.table is not None]
        blocks += section.tables
        listed = (*map(plain, section.items), *(f"{term.name}: {term.meaning}" for term in section.terms))
        blocks += [Items("", listed)] if listed else []
    return [*blocks, Items("How this report was made", tuple(f"{term.name}: {term.meaning}" for term in page.foot))]
