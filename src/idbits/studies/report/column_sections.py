"""The section of a report about columns: each by itself, on top of the others, and in combinations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from idbits.render.blocks import Table
from idbits.render.numbers import bits, count, share
from idbits.render.page import Figure, Section, named, shortened
from idbits.studies.columns.figures import Contribution, Subset
from idbits.studies.columns.result import ColumnSubsets
from idbits.studies.columns.text import columns_verdict, minimal_block
from idbits.studies.report import charts as charts_report
from idbits.wording import counted

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["columns_section", "combinations", "renamed"]

_SHOWN_COLUMNS = 40
_DRAWN_COLUMNS = 15
_SHOWN_SETS = 5
_NAME = 48
_NAME_AMONG_OTHERS = 32
_NAMED = 6


def columns_section(report: Report) -> Section:
    """Return what each column gives away by itself, on top of all others, and in combinations."""
    text: tuple[str, ...] = (
        "A column with many bits tells people apart by itself. One that adds little says what the others say already.",
    )
    drawn, tables = [_single_columns(report)], []
    if report.columns is not None:
        sentences, by_size, smallest = combinations(report.columns)
        text += sentences
        drawn.append(by_size)
        tables = smallest
    elif len(report.measurement.qid) > 1:
        text += (f"Combinations of columns were not looked at: {report.columns_reason}.",)
    return Section("columns", "Which columns do it", text, tuple(drawn), tables=tuple(tables))


def combinations(answer: ColumnSubsets) -> tuple[tuple[str, ...], Figure, list[Table]]:
    """Return what combinations of columns do: in sentences, by their size, and the smallest that reach a share."""
    told = renamed(answer, named)
    sentences = [columns_verdict(told).sentence]
    if answer.left_out:
        sentences.append(f"{counted(len(answer.left_out), 'column')} were left out of combinations.")
    if not answer.complete:
        sentences.append("There are more combinations than were counted; others may do it, too.")
    shown = renamed(answer, lambda name: shortened(name, _NAME_AMONG_OTHERS))
    tables = []
    for place, entry in enumerate(shown.minimal):
        block = minimal_block(entry, shown, _SHOWN_SETS)
        if place and entry.sets and entry.sets == shown.minimal[0].sets:
            sentences.append("The same combinations make everyone unique.")
        elif isinstance(block, Table):
            tables.append(block)
        elif place:
            # Of the first share, the verdict on the combinations says it already.
            sentences.append(block.text)
    return tuple(sentences), _by_size(shown), tables


def _by_size(answer: ColumnSubsets) -> Figure:
    """Return the most telling combination of each number of columns."""
    best: dict[int, Subset] = {}
    for subset in answer.subsets:
        size = len(subset.columns)
        # Of more than 10 columns, sizes between what was searched and all of them are there by chance.
        if answer.max_size < size < len(answer.candidates):
            continue
        if size not in best or subset.figures.singletons > best[size].figures.singletons:
            best[size] = subset
    found = [(size, best[size]) for size in sorted(best)]
    n = answer.n_rows
    table = Table(
        "The combination of each size that singles out most people",
        ("columns", "which", "bits", "unique", "k"),
        [[count(size), _few(one.columns), bits(one.figures.entropy_bits), share(one.figures.singletons / n),
          count(one.figures.k_min)] for size, one in found],
        left=(1,),
        caption="unique: people who are alone. k: people in the smallest set.",
    )  # fmt: skip
    last, everything = found[-1]
    steps = [f"{share(one.figures.singletons / n)} by {size}" for size, one in found[:3] if size < last]
    all_of_them = f"{share(everything.figures.singletons / n)} by {'all ' if last > 1 else ''}{count(last)}"
    words = f"People singled out by the most telling columns: {', '.join([*steps, all_of_them])}."
    chart = charts_report.people_by_columns([(size, one.figures.singletons / n) for size, one in found])
    return Figure(chart, words, table)


def _few(names: tuple[str, ...]) -> str:
    if len(names) <= _NAMED:
        return " + ".join(names)
    return f"{' + '.join(names[: _NAMED - 1])} + {len(names) - _NAMED + 1} more"


def renamed(answer: ColumnSubsets, rename: Callable[[str], str]) -> ColumnSubsets:
    """Return an answer with other names for its columns, for places where the whole names do not fit."""
    names = {name: rename(name) for name in answer.candidates}

    def subset(one: Subset) -> Subset:
        return replace(one, columns=tuple(names.get(name, rename(name)) for name in one.columns))

    return replace(
        answer,
        candidates=tuple(names.values()),
        subsets=tuple(map(subset, answer.subsets)),
        minimal=tuple(replace(entry, sets=tuple(map(subset, entry.sets))) for entry in answer.minimal),
        contribution=tuple(
            replace(part, column=names.get(part.column, rename(part.column))) for part in answer.contribution
        ),
    )


def _single_columns(report: Report) -> Figure:
    measurement = report.measurement
    figures = measurement.figures
    parts = {part.column: part for part in report.columns.contribution} if report.columns is not None else {}
    ranked = sorted(measurement.columns, key=lambda pair: -pair[1].entropy_bits)
    together = [("together", figures)] if len(ranked) > 1 else []
    cells = [
        [shortened(name, _NAME), bits(own.entropy_bits), *_parts(parts.get(name), report.columns),
         share(own.share(own.singletons)), count(own.people_below["5"]), count(own.k_min), count(own.n_sets)]
        for name, own in [*ranked[:_SHOWN_COLUMNS], *together]
    ]  # fmt: skip
    rest = len(ranked) - _SHOWN_COLUMNS
    left_out = f" {counted(rest, 'more column')}: see --format json." if rest > 0 else ""
    how = (
        f" Parts are estimated from {report.columns.orders} orders." if report.columns and report.columns.orders else ""
    )
    table = Table(
        "What the columns give away",
        ("column", "bits", "adds", "part", "without", "unique", "below 5", "k", "values"),
        cells,
        caption="bits: by itself. adds: on top of all other columns. part: its fair part of the whole (Shapley). "
        "without: people who are alone when it is left out. unique: people who are the only one with their value. "
        f"k: people with the rarest value.{how}{left_out}",
        emphasis=(len(cells) - 1,) if together else (),
    )
    added = {name: part.conditional_bits for name, part in parts.items()}
    top, own = ranked[0]
    words = f"{named(top)} alone gives away {bits(own.entropy_bits)} bits"
    words += (
        f"; all together {bits(figures.entropy_bits)} of {bits(figures.max_entropy_bits)} (dashed line)."
        if together
        else "."
    )
    words += " The thin bar is what a column adds to all others." if added else ""
    words += f" Drawn are the {_DRAWN_COLUMNS} columns with most bits." if len(ranked) > _DRAWN_COLUMNS else ""
    drawn = [(name, own.entropy_bits, added.get(name)) for name, own in ranked[:_DRAWN_COLUMNS]]
    drawn += [(name, item.entropy_bits, None) for name, item in together]
    return Figure(charts_report.bits_of_columns(drawn, figures.max_entropy_bits), words, table)


def _parts(part: Contribution | None, answer: ColumnSubsets | None) -> list[str]:
    if part is None or answer is None:
        return ["-", "-", "-"]
    without = part.singletons_without
    return [
        bits(part.conditional_bits),
        bits(part.shapley_bits),
        share(without / answer.n_rows if without is not None else None),
    ]
