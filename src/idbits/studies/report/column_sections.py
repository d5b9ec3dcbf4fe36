"""The section of a report about columns: what each gives away, and which combinations make people unique."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from idbits.render.blocks import TableBlock
from idbits.render.numbers import bits, count, share
from idbits.render.page import Figure, Section, named, shortened
from idbits.studies.columns.charts import best_of_each_size, left_out_chart, sizes_chart
from idbits.studies.columns.result import ColumnPeople, ColumnSubsets, Contribution, Subset
from idbits.studies.columns.text import columns_verdict, minimal_block
from idbits.studies.measure.charts import columns_chart
from idbits.studies.measure.result import PeopleFigures
from idbits.studies.report.charts import added_bits
from idbits.studies.report.findings import columns_finding
from idbits.studies.shared.beside import NOTHING_BESIDE
from idbits.studies.shared.figures import MainFigures
from idbits.studies.shared.units import Unit
from idbits.wording import counted

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["columns_section", "combinations", "renamed"]

_NAME = 48
_SHOWN_COLUMNS = 40
_SHOWN_SETS = 5
_NAME_AMONG_OTHERS = 32
_NAMED = 6


def columns_section(report: Report) -> Section:
    """Return what each column gives away by itself, on top of all others, and in combinations."""
    unit = report.measurement.unit
    repeats = " A column that adds little repeats the others." if report.columns is not None else ""
    text: tuple[str, ...] = (f"A column with many bits distinguishes {unit} by itself.{repeats}",)
    drawn, tables = [], []
    if report.columns is not None:
        sentences, by_size, smallest = combinations(report.columns)
        text += sentences
        drawn = [*_left_out_one_by_one(report), by_size]
        tables = smallest
    elif len(report.measurement.qid) > 1:
        text += (f"Combinations of columns were not assessed: {report.columns_reason}.",)
    finding = columns_finding(report.measurement, report.columns)
    drawn.append(_single_columns(report))
    return Section("columns", finding, text, tuple(drawn), tables=tuple(tables), topic="Columns")


def _left_out_one_by_one(report: Report) -> list[Figure]:
    """Return how many are still unique if one column is left out; nothing if that changes nothing."""
    chart = left_out_chart(report.columns, dict(report.measurement.columns)) if report.columns is not None else None
    # The table of single columns has the numbers.
    return [chart.with_table(None)] if chart is not None else []


def combinations(answer: ColumnSubsets) -> tuple[tuple[str, ...], Figure, list[TableBlock]]:
    """Return combinations of columns: in sentences, by size, and the smallest that reach a share."""
    unit = answer.unit
    renamed_answer = renamed(answer, named)
    sentences = [columns_verdict(replace(renamed_answer, beside=NOTHING_BESIDE)).sentence]
    if answer.left_out:
        sentences.append(f"{counted(len(answer.left_out), 'column')} were not combined with others.")
    if not answer.complete:
        sentences.append(f"We did not count all combinations; others may make as many {unit} unique.")
    shown = renamed(answer, lambda name: shortened(name, _NAME_AMONG_OTHERS))
    tables = []
    for index, entry in enumerate(shown.minimal):
        block = minimal_block(entry, shown, _SHOWN_SETS)
        if index and entry.sets and entry.sets == shown.minimal[0].sets:
            sentences.append(f"The same combinations make {unit.everyone} unique.")
        elif isinstance(block, TableBlock):
            tables.append(block)
        elif index:
            # The verdict on the combinations covers the first share.
            sentences.append(block.text)
    return tuple(sentences), _by_size(shown), tables


def _by_size(answer: ColumnSubsets) -> Figure:
    """Return the combination of each size that makes most people or rows unique."""
    unit, n = answer.unit, answer.n_people
    table = TableBlock(
        f"The combination of each size that makes most {unit} unique",
        ("columns", "which", "bits", "unique", "smallest group"),
        [[count(size), _few(subset.columns), bits(subset.figures.entropy_bits), share(subset.figures.singletons / n),
          count(subset.figures.k_min)] for size, subset in best_of_each_size(answer)],
        left=(1,),
        caption=f"unique: share of {_unique(unit, answer.people, 'values')}.",
    )  # fmt: skip
    return sizes_chart(answer).with_table(table)


_UNIQUE_RECORDS = {
    "one-record": "people with a record whose {values} nobody else has",
    "any-record": "people whose record, drawn at random, has {values} that nobody else has (expected)",
    "all-records": "people whose set of records nobody else has",
}


def _unique(unit: Unit, people: ColumnPeople | PeopleFigures | None, values: str) -> str:
    """Say who is unique; the attacker decides if people have several rows."""
    if people is not None and people.has_several_rows:
        return _UNIQUE_RECORDS[people.knows].format(values=values)
    return f"{unit} whose {values} {unit.nobody_else} has"


def _few(names: tuple[str, ...]) -> str:
    if len(names) <= _NAMED:
        return " + ".join(names)
    return f"{' + '.join(names[: _NAMED - 1])} + {len(names) - _NAMED + 1} more"


def renamed(answer: ColumnSubsets, rename: Callable[[str], str]) -> ColumnSubsets:
    """Return an answer with other names for its columns, for use where the whole names do not fit."""
    names = {name: rename(name) for name in answer.candidates}

    def with_names(subset: Subset) -> Subset:
        return replace(subset, columns=tuple(names.get(name, rename(name)) for name in subset.columns))

    return replace(
        answer,
        candidates=tuple(names.values()),
        subsets=tuple(map(with_names, answer.subsets)),
        minimal=tuple(replace(entry, sets=tuple(map(with_names, entry.sets))) for entry in answer.minimal),
        contribution=tuple(
            replace(part, column=names.get(part.column, rename(part.column))) for part in answer.contribution
        ),
    )


def _single_columns(report: Report) -> Figure:
    measurement = report.measurement
    figures = measurement.figures
    parts = {part.column: part for part in report.columns.contribution} if report.columns is not None else {}
    ranked = sorted(measurement.columns, key=lambda pair: -pair[1].entropy_bits)
    together: list[tuple[str, MainFigures]] = [("together", figures)] if len(ranked) > 1 else []
    table = _single_columns_table(report, [*ranked[:_SHOWN_COLUMNS], *together], len(ranked) - _SHOWN_COLUMNS, parts)
    return columns_chart(measurement, added_bits(report)).with_table(table)


def _single_columns_table(
    report: Report, shown: list[tuple[str, MainFigures]], rest: int, parts: dict[str, Contribution]
) -> TableBlock:
    """Return the figures of each column; what it adds to the others only if combinations were counted."""
    answer, unit = report.columns, report.measurement.unit
    cells = [
        [shortened(name, _NAME), bits(single.entropy_bits),
         *(_parts(parts.get(name), answer) if answer is not None else []),
         share(single.share(single.singletons)), count(single.people_below["5"]), count(single.k_min),
         *([count(single.n_sets)] if report.measurement.figures.n_sets is not None else [])]
        for name, single in shown
    ]  # fmt: skip
    added, captions = [], ["bits: of the column by itself."]
    if answer is not None:
        added = ["adds", "part", "without"]
        captions.append(
            "adds: bits added to all other columns. part: its share of all bits (Shapley). "
            f"without: {unit} still unique if it is left out."
        )
    alone = _unique(unit, report.measurement.people, "value")
    captions.append(f"unique: {alone}. below 5: {unit} in groups smaller than 5.")
    captions += [f"Parts are estimated from {answer.orders} random orders."] if answer and answer.orders else []
    captions += [f"{counted(rest, 'more column')} not shown."] if rest > 0 else []
    values = ["values"] if report.measurement.figures.n_sets is not None else []
    return TableBlock(
        "What the columns give away",
        ("column", "bits", *added, "unique", "below 5", "smallest group", *values),
        cells,
        caption=" ".join(captions),
        emphasis=(len(cells) - 1,) if len(shown) > 1 else (),
    )


def _parts(part: Contribution | None, answer: ColumnSubsets) -> list[str]:
    if part is None:
        return ["-", "-", "-"]
    without = part.singletons_without
    return [
        bits(part.conditional_bits),
        bits(part.shapley_bits),
        share(without / answer.n_people if without is not None else None),
    ]
