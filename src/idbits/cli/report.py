"""``idbits report``: a one-page report for decision makers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from idbits.cli import options
from idbits.cli.output import check_place, keep_sources, print_text
from idbits.cli.progress import progress_on_stderr
from idbits.cli.table_columns import complete_columns

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["report_command"]

_FORMATS = {"html": (".html", ".htm"), "md": (".md", ".markdown"), "json": (".json",), "pdf": (".pdf",)}
_WRITTEN_TO_FILES = {"html": "web page", "pdf": "PDF"}


@options.sharing
def report_command(
    source: options.Source,
    reading: options.Reading,
    output: options.Output,
    cluster: options.Cluster,
    qid: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns that someone may know, e.g. birthdate,zip,gender.",
            metavar="A,B,..",
            autocompletion=complete_columns,
        ),
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Also show group sizes within each category of this column.", metavar="COL")
    ] = None,
    population: options.Population = None,
    population_count: options.PopulationCount = None,
    population_table: options.PopulationTable = None,
    missing: options.Missing = "error",
    person: options.Person = None,
    knows: options.Knows = "one-record",
    null_person: options.NullPerson = "error",
    multiset: options.Multiset = False,
    household: options.Household = None,
    rows_are_people: options.RowsArePeople = False,
    population_person: options.PopulationPerson = None,
    people: options.People = None,
    fraction: options.SampleFraction = None,
    weight: options.SampleWeight = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            help="A column that must not be learnt (repeatable).", metavar="COL", autocompletion=complete_columns
        ),
    ] = None,
    features: Annotated[str | None, typer.Option(help="More columns for information gain.", metavar="A,B,..")] = None,
    goal: Annotated[
        list[str] | None,
        typer.Option(help='A rule that a treatment has to reach; default "k_min >= 5" (repeatable).', metavar="RULE"),
    ] = None,
    withhold: Annotated[
        str, typer.Option(help="The most people that a treatment may leave out, e.g. 4%.", metavar="SHARE")
    ] = "5%",
    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="A column that a treatment must not change (repeatable).",
            metavar="COL",
            autocompletion=complete_columns,
        ),
    ] = None,
    sections: Annotated[
        str | None, typer.Option(help="The sections to show; all that apply by default.", metavar="A,B,..")
    ] = None,
    format: Annotated[  # noqa: A002 (the option is called so)
        str | None, typer.Option(help="html, md, json or pdf; by default taken from the file name.", metavar="KIND")
    ] = None,
    include: Annotated[
        list[str] | None, typer.Option(help="A saved answer (--json -o FILE) to include (repeatable).", metavar="FILE")
    ] = None,
    about: Annotated[
        Path | None,
        typer.Option(help="A TOML file for the head: dataset, purpose, recipient, legal_basis, ..", metavar="FILE"),
    ] = None,
    decision: Annotated[
        Path | None, typer.Option(help="Show the recorded decision (decisions.jsonl).", metavar="FILE")
    ] = None,
    internal: Annotated[bool, typer.Option("--internal", help="Mark every page as internal.")] = False,
    reveal: options.Reveal = False,
    seed: options.Seed = 0,
) -> None:
    """Write a one-page report for decision makers.

    Shows the verdict, charts, what helps and what was not assessed.

    Examples:
        idbits report people.csv --qid birthdate,zip,gender -o report.html
        idbits report people.csv --qid birthdate,zip,gender --about about.toml -o report.pdf
        idbits report people.csv --qid age,zip --goal "k_min >= 10" --withhold 2% -o report.md
    """
    from idbits.errors import InputError
    from idbits.render.text import safe
    from idbits.studies.report.study import report
    from idbits.values.attributes import split_names

    reading |= cluster
    keep_sources(source, population, *(include or []))
    check_place(output)
    kind = _kind(format, output)
    if qid and len(qid) > 1:
        raise InputError("a report takes one --qid; write one report for each")
    if kind in _WRITTEN_TO_FILES and output.out is None and sys.stdout.isatty():
        raise InputError(
            f"the report is a {_WRITTEN_TO_FILES[kind]}: say where to write it, for example -o report.{kind}"
        )
    if kind == "pdf":
        from idbits.render.pdf import check_pdf

        check_pdf()
    with progress_on_stderr(quiet=output.quiet) as progress:
        reading["progress"] = progress
        answer = report(
            source, qid[0] if qid else None, by, person, population=population, population_count=population_count,
            population_table=population_table, population_person=population_person, missing=missing, knows=knows,
            null_person=null_person, multiset=multiset, household=household, rows_are_people=rows_are_people,
            people=people, fraction=fraction, weight=weight,
            sensitive=[name for names in sensitive or [] for name in split_names(names)],
            features=features, goal=goal or None, withhold=withhold, keep=keep or (), sections=sections,
            include=include or (), about=about, decision=decision, internal=internal, reveal=reveal, seed=seed,
            **reading,
        )  # fmt: skip
        with progress.step("drawing the report"):
            content = _written(answer, kind)
    print_text(content, answer.notes, output)
    if output.out is not None and not output.quiet and sys.stderr.isatty():
        sys.stderr.write(f"{answer.verdict.title}. Report written to {safe(str(output.out))}.\n")
        for command in answer.next_commands:
            sys.stderr.write(f"  {safe(command)}\n")


def _kind(asked: str | None, output: options.Output) -> str:
    """Return the format: the one given, the one of the file's ending, or a web page."""
    from idbits.errors import InputError
    from idbits.render.text import safe

    if asked is not None and asked not in _FORMATS:
        raise InputError("--format must be html, md, json or pdf")
    suffix = output.out.suffix.lower() if output.out is not None else ""
    kind = next((kind for kind, endings in _FORMATS.items() if suffix in endings), None)
    name = safe(str(output.out))
    # The ending must not mislead the person who opens the file.
    if suffix and kind is None and asked is None and not output.json:
        endings = ", ".join(ending for endings in _FORMATS.values() for ending in endings)
        raise InputError(f'"{name}": the name of a report must end in one of {endings} (--out)')
    if output.json and asked not in (None, "json"):
        raise InputError(f"--json and --format {asked} contradict each other")
    wanted = "json" if output.json else asked or kind or "html"
    # --format allows other endings, but only a PDF is called so, and no PDF is called otherwise.
    if "pdf" in (wanted, kind) and wanted != kind and suffix:
        option = "--json" if output.json else f"--format {wanted}"
        raise InputError(f'"{name}": with {option} the name of a report must end in {_FORMATS[wanted][0]} (--out)')
    return wanted


def _written(answer: Report, kind: str) -> str | bytes:
    if kind == "json":
        return answer.to_json() + "\n"
    if kind == "pdf":
        return answer.to_pdf()
    return answer.to_markdown() if kind == "md" else answer.to_html()
