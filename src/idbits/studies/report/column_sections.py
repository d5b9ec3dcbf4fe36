"""The section of a report about columns: what each gives away, and which combinations make people unique."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from idbits.render.blocks import TableBlock
from idbits.render.dot_pairs import DotPair, DotPairs
from idbits.render.labelled_bars import BarRow, LabelledBars
from idbits.render.numbers import bar_share, bits, count, nearest, share
from idbits.render.page import Figure, Section, named, shortened
from idbits.render.scales import round_steps
from idbits.studies.columns.result import ColumnPeople, ColumnSubsets, Contribution, Subset
from idbits.studies.columns.text import columns_verdict, minimal_block
from idbits.studies.measure.result import PeopleFigures
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
_DRAWN_COLUMNS = 15
_SHOWN_SETS = 5
_NAME_AMONG_OTHERS = 32
_NAMED = 6
_LISTED = 3


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
    answer = report.columns
    if answer is None or answer.together is None or not answer.together.singletons:
        return []
    total, unit = answer.together.singletons, answer.unit
    single = dict(report.measurement.columns)
    known = [part for part in answer.contribution if part.singletons_without is not None]
    known.sort(key=lambda part: part.singletons_without or 0)
    if not known or known[0].singletons_without == total:
        return []
    has_values = report.measurement.figures.n_sets is not None
    rows = tuple(
        DotPair(
            shortened(part.column, _NAME), part.singletons_without or 0, total, count(part.singletons_without),
            columns=(*([count(single[part.column].n_sets)] if has_values else []),
                     bits(single[part.column].entropy_bits)),
        )
        for part in known[:_DRAWN_COLUMNS]
    )  # fmt: skip
    ticks = [(step, count(nearest(step))) for step in round_steps(total, 4) if step == nearest(step)]
    chart = DotPairs(
        rows, ("unique without this column", f"unique with all {count(len(answer.candidates))}: {count(total)}"),
        ("r1", "i3", "r2l"), (*ticks, *([(total, "")] if ticks[-1][0] < total else [])),
        (*(["values"] if has_values else []), "bits by itself"),
    )  # fmt: skip
    top = known[0]
    words = (
        f"Without {named(top.column)}, {unit.counted(top.singletons_without or 0)} would be unique instead of "
        f"{count(total)}. The longer the bar, the more a column matters."
    )
    rest = len(known) - _DRAWN_COLUMNS
    words += f" The chart shows the {_DRAWN_COLUMNS} columns that matter most." if rest > 0 else ""
    # The table of single columns has the numbers.
    return [Figure(chart, words, None, f"Unique {unit} when one column is left out")]


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
    unit = answer.unit
    best: dict[int, Subset] = {}
    for subset in answer.subsets:
        size = len(subset.columns)
        # With more than 10 columns, sizes above the searched ones were counted by chance only.
        if answer.max_size < size < len(answer.candidates):
            continue
        if size not in best or subset.figures.singletons > best[size].figures.singletons:
            best[size] = subset
    by_size = [(size, best[size]) for size in sorted(best)]
    n = answer.n_people
    table = TableBlock(
        f"The combination of each size that makes most {unit} unique",
        ("columns", "which", "bits", "unique", "smallest group"),
        [[count(size), _few(subset.columns), bits(subset.figures.entropy_bits), share(subset.figures.singletons / n),
          count(subset.figures.k_min)] for size, subset in by_size],
        left=(1,),
        caption=f"unique: share of {_unique(unit, answer.people, 'values')}.",
    )  # fmt: skip
    last, everything = by_size[-1]
    steps = [f"{share(subset.figures.singletons / n)} by {size}" for size, subset in by_size[:3] if size < last]
    all_of_them = f"{share(everything.figures.singletons / n)} by {'all ' if last > 1 else ''}{count(last)}"
    words = f"Largest share of {unit} that columns make unique, by their number: {', '.join([*steps, all_of_them])}."
    chart = LabelledBars(
        tuple(
            BarRow(name, subset.figures.singletons, bar_share(subset.figures.singletons / n), "r1",
                   count(subset.figures.singletons), str(size))
            for name, (size, subset) in zip(_growing([subset.columns for _, subset in by_size]), by_size, strict=True)
        )
    )  # fmt: skip
    return Figure(chart, words, table, "How many columns someone must know")


def _growing(sets: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the names of sets of columns; of one that contains the set before it, only what is added.

    >>> _growing([("a",), ("b", "c"), ("b", "c", "d"), ("a", "b", "c", "d", "e", "f", "g", "h")])
    ['a', 'b, c', '+ d', '+ a, e, f and 2 more']
    """
    names, before = [], frozenset[str]()
    for columns in sets:
        added = [column for column in columns if column not in before] if before and before <= set(columns) else None
        names.append(f"+ {_listed(added)}" if added else _listed(columns))
        before = frozenset(columns)
    return names


def _listed(names: Sequence[str]) -> str:
    few = ", ".join(names[:_LISTED])
    return f"{few} and {len(names) - _LISTED} more" if len(names) > _LISTED else few


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
    added = {name: part.conditional_bits for name, part in parts.items()}
    top, single = ranked[0]
    words = f"{named(top)} by itself gives away {bits(single.entropy_bits)} bits"
    words += f"; all together {bits(figures.entropy_bits)} of {bits(figures.max_entropy_bits)}." if together else "."
    words += " adds: the bits that a column adds to all others." if added else ""
    if any((added.get(name) or 0.0) > single.entropy_bits for name, single in ranked[:_DRAWN_COLUMNS]):
        # Only possible if groups overlap: entropy is subadditive otherwise.
        words += (
            " That may be more than it gives away by itself, because a record can tell more by all columns together."
        )
    words += (
        f" The chart shows the {_DRAWN_COLUMNS} columns with the most bits." if len(ranked) > _DRAWN_COLUMNS else ""
    )
    drawn = [(name, single.entropy_bits, added.get(name)) for name, single in ranked[:_DRAWN_COLUMNS]]
    drawn += [(name, item.entropy_bits, None) for name, item in together]
    chart = LabelledBars(
        tuple(
            BarRow(shortened(name, _NAME), value, f"{bits(value)} bits", "c1" if name != "together" else "ink",
                   f"adds {bits(added_bits)}" if added_bits is not None else "")
            for name, value, added_bits in drawn
        )
    )  # fmt: skip
    return Figure(chart, words, table, "What each column gives away by itself")


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
