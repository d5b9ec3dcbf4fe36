"""The answer about columns as text: the verdict, which columns, what each adds, and what to do next."""

from __future__ import annotations

from idbits.measures.entropy import bits_about_person
from idbits.render.blocks import Block, Command, Items, Paragraph, TableBlock
from idbits.render.numbers import bits, bits_of, count, decimal, percent, rough, share
from idbits.studies.columns.result import ColumnPeople, ColumnSubsets, Minimal, Subset
from idbits.studies.columns.verdict import columns_verdict, up_to
from idbits.studies.shared.persons import rows_without_person
from idbits.studies.shared.presentation import show
from idbits.studies.shared.roles import shown_role
from idbits.studies.shared.units import Unit
from idbits.wording import counted, counted_people, joined

__all__ = ["columns_verdict", "contribution_table", "minimal_block"]

_SHOWN = 12
_LONG = 8
_NAMES = ("columns", "bits", "unique", "smallest group", "distinction", "separation")


@show.register
def _(answer: ColumnSubsets) -> list[Block]:
    blocks: list[Block] = [columns_verdict(answer)]
    if answer.chosen is not None:
        blocks.append(Paragraph(answer.chosen.sentence))
    if answer.people is not None:
        blocks.append(Paragraph(_people(answer, answer.people)))
    if answer.left_out:
        blocks.append(_left_out(answer))
    blocks += [minimal_block(entry, answer) for entry in answer.minimal]
    blocks.append(contribution_table(answer))
    blocks.append(_subsets(answer))
    if answer.budget is not None:
        blocks.append(_budget(answer))
    if answer.records is not None:
        blocks.append(_records(answer))
    if answer.internal:
        blocks.append(Paragraph("INTERNAL: the file of records shows values (--reveal). Do not pass it on."))
    if answer.not_searched:
        blocks.append(Items("Not searched", _not_searched(answer)))
    blocks.append(Items("Not assessed", _not_assessed(answer)))
    if answer.next_command is not None:
        blocks.append(Command("Next", answer.next_command))
    return blocks


def _left_out(answer: ColumnSubsets) -> TableBlock:
    return TableBlock(
        "Columns left out",
        ("column", "looks like", "why"),
        [[column.column, shown_role(column.role), column.reason] for column in answer.left_out],
        left=(0, 1, 2),
        caption="These are guesses. To include a column, name it with --candidates.",
    )


def _together(subset: Subset, answer: ColumnSubsets) -> str:
    everything = len(subset.columns) == len(answer.candidates) > _LONG
    return f"all {count(len(subset.columns))} columns" if everything else " + ".join(subset.columns)


def _row(subset: Subset, answer: ColumnSubsets) -> list[str]:
    figures = subset.figures
    exist = not answer.groups_overlap
    return [
        _together(subset, answer),
        bits(figures.entropy_bits),
        share(figures.singletons / answer.n_people),
        count(figures.k_min),
        *([share(figures.distinction), share(figures.separation)] if exist else []),
    ]


def minimal_block(entry: Minimal, answer: ColumnSubsets, most: int = _SHOWN) -> TableBlock | Paragraph:
    """Return the smallest combinations that reach a share, or a sentence if there are none."""
    unit = answer.unit
    everyone = entry.share == 1
    done = f"make {unit.everyone} unique" if everyone else f"single out at least {percent(entry.share)} of {unit}"
    if not entry.sets:
        together = answer.together
        if together is not None and together.singletons < entry.people:
            left = answer.n_people - together.singletons
            more = f": with all of them, {unit.counted(left)} {'is' if left == 1 else 'are'} not unique"
            return Paragraph(f"No combination of these columns can {done}{more}.")
        searched = "We found" if entry.complete else "So far we have found"
        return Paragraph(f"{searched} no combination{up_to(answer)} that can {done}.")
    rows = [_row(subset, answer)[:4] for subset in entry.sets[:most]]
    hidden = len(entry.sets) - most
    captions = ["Each of them needs all its columns."]
    captions += [f"{count(hidden)} more in --json."] if hidden > 0 else []
    if not entry.complete:
        captions.append("There may be others: we did not search everything.")
    title = f"The smallest combinations{up_to(answer)} that {done}"
    return TableBlock(title, _NAMES[:4], rows, caption=" ".join(captions))


def contribution_table(answer: ColumnSubsets) -> TableBlock:
    """Return what each column gives away, most first."""
    together, unit = answer.together.entropy_bits if answer.together is not None else None, answer.unit
    rows = []
    ranked = sorted(answer.contribution, key=lambda part: -(part.shapley_bits or part.entropy_bits or 0.0))
    for part in ranked:
        fair = part.shapley_bits
        error = f" ±{bits(part.shapley_error_bits)}" if answer.orders and part.shapley_error_bits is not None else ""
        rows.append(
            [
                part.column,
                bits(part.entropy_bits),
                bits(part.conditional_bits),
                bits(fair) + error,
                share(fair / together) if fair is not None and together else "-",
                share(part.singletons_without / answer.n_people if part.singletons_without is not None else None),
            ]
        )
    whole = ""
    if together is not None:
        most = bits_about_person(answer.n_people)
        whole = f" Together these columns give away {bits_of(together, most)} bits that single out {unit.everyone}."
    how = f" Parts are estimated from {answer.orders} orders of the columns, ± standard error." if answer.orders else ""
    return TableBlock(
        "What each column gives away",
        ("column", "by itself", "added", "part", "share", "unique without"),
        rows,
        caption="by itself: bits of this column. added: bits it adds when all others are known. part, share: its fair "
        f"part of the total, in bits and in percent (Shapley). unique without: share of {unit} {unit.who} stay unique "
        f"without this column.{whole}{how}",
    )


def _subsets(answer: ColumnSubsets) -> TableBlock:
    chosen = list(answer.subsets)
    title = "Combinations, most bits first"
    if len(chosen) > _SHOWN:
        # The combinations with the most bits overall are nearly the same; the best of each size tell more.
        by_size: dict[int, list[Subset]] = {}
        for subset in chosen:
            by_size.setdefault(len(subset.columns), []).append(subset)
        sizes = [size for size in sorted(by_size) if size <= _SHOWN // 2 or size == max(by_size)]
        chosen = [subset for size in sizes for subset in by_size[size][:2]]
        title = "The most identifying combinations of each size"
    hidden = answer.n_counted - len(chosen)
    listed = "all" if len(answer.subsets) == answer.n_counted else f"{len(answer.subsets):,}"
    more = f" We counted {counted(hidden, 'more combination')}; --json lists {listed} of them." if hidden > 0 else ""
    return TableBlock(
        title,
        _NAMES[:4] if answer.groups_overlap else _NAMES,
        [_row(subset, answer) for subset in chosen],
        caption=f"unique: share of {answer.unit}.{_of_groups(answer)}{more}",
    )


def _of_groups(answer: ColumnSubsets) -> str:
    """Explain the figures that exist only if groups do not overlap."""
    people = answer.people
    if answer.groups_overlap:
        return ""
    if people is not None and people.has_several_rows:
        return (
            " distinction: distinct sets of records as a share of all people. separation: share of pairs of people "
            "whose sets of records differ."
        )
    pairs = f"share of pairs of {answer.unit} whose values differ."
    rows = Unit.RECORDS if answer.unit is Unit.RECORDS else Unit.ROWS
    return f" distinction: distinct {rows} as a share of all {rows}. separation: {pairs}"


_KNOWN = {
    "one-record": "one record of each person, the most telling one",
    "any-record": "one record of each person, drawn at random: numbers of people are expectations",
    "all-records": "all records of each person",
}


def _people(answer: ColumnSubsets, people: ColumnPeople) -> str:
    """Say who the people are, and what the attacker knows of their records."""
    sentences = []
    if people.has_several_rows:
        rows = people.rows_per_person
        sentences += [
            f"{counted(answer.n_rows, 'record')} of {counted_people(answer.n_people)}, {count(rows.min)} to "
            f"{count(rows.max)} per person (median {decimal(rows.median)}).",
            f"We assume that the attacker knows {_KNOWN[people.knows]} (--knows).",
        ]
    else:
        sentences.append(f"Everyone has one row: no {people.person} occurs twice.")
    return " ".join([*sentences, *rows_without_person(people.rows_without_person, people.person, people.null_person)])


def _budget(answer: ColumnSubsets) -> Block:
    budget = answer.budget
    assert budget is not None
    limits = (
        [f"at most {decimal(budget.max_bits)} bit{'' if budget.max_bits == 1 else 's'}"]
        if budget.max_bits is not None
        else []
    )
    limits += [f"at least {answer.unit.counted(budget.min_k)} in each group"] if budget.min_k is not None else []
    within = joined(limits)
    if not budget.sets:
        return Paragraph(f"No column can be released with {within}.")
    rows = [
        [*_row(subset, answer)[:4], "yes" if sure else "not known"]
        for subset, sure in zip(budget.sets[:_SHOWN], budget.proven, strict=False)
    ]
    hidden = len(budget.sets) - _SHOWN
    more = f" {count(hidden)} more in --json." if hidden > 0 else ""
    return TableBlock(
        f"Columns that can be released together with {within}",
        (*_NAMES[:4], "largest"),
        rows,
        left=(0, 4),
        caption=f"largest: no column can be added. Any part of a combination fits too.{more}",
    )


def _records(answer: ColumnSubsets) -> Paragraph:
    records = answer.records
    assert records is not None
    by_size = [
        f"{count(rows)} by {'one column' if size == 1 else f'{size} columns'}"
        for size, rows in enumerate(records.smallest, start=1)
        if rows
    ]
    sizes = f" ({joined(by_size)})" if by_size else ""
    return Paragraph(
        f"{count(records.with_uniques)} of {counted(records.rows, 'record')} can be singled out by up to "
        f"{counted(records.max_size, 'column')}{sizes}. {records.file} has the score of each record and the reason."
    )


def _not_searched(answer: ColumnSubsets) -> tuple[str, ...]:
    sentences = []
    for part in answer.not_searched:
        size = f"{part.size} to {part.to_size}" if part.to_size > part.size else f"{part.size}"
        number = count(part.sets) if part.sets < 10**15 else f"about {rough(part.sets)}"
        sentences.append(f"{number} combinations of {size} columns: {part.reason}.")
    return tuple(sentences)


def _not_assessed(answer: ColumnSubsets) -> tuple[str, ...]:
    sentences = []
    if answer.left_out:
        names = counted(len(answer.left_out), "column")
        sentences.append(f"{names} left out above: each one that someone knows adds bits.")
    sentences.append("Coarser columns, such as --candidates birthdate:year.")
    sentences.append("Whether the table is a sample: others outside the table may share these values.")
    if answer.unit is not Unit.PEOPLE:
        sentences.append(answer.unit.unknown_people)
    elif answer.people is not None and answer.people.knows_one_of_several:
        sentences.append("An attacker who knows more than one record of a person (--knows all-records).")
    return tuple(sentences)
