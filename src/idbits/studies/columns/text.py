"""The answer about columns as text: the verdict, which columns, what each adds, and what to do next."""

from __future__ import annotations

from idbits.measures.entropy import bits_about_person
from idbits.render.blocks import Block, Command, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import bits, bits_of, count, decimal, percent, rough, share
from idbits.studies.columns.result import ColumnSubsets, Minimal, Subset
from idbits.studies.shared.presentation import show
from idbits.studies.shared.roles import shown_role
from idbits.wording import counted, joined

__all__ = ["columns_verdict", "contribution_table", "minimal_block"]

_SHOWN = 12
_LONG = 8
_MANY = 0.01
_HARDLY = 0.9
_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
_NAMES = ("columns", "bits", "unique", "smallest group", "distinction", "separation")


@show.register
def _(answer: ColumnSubsets) -> list[Block]:
    blocks: list[Block] = [columns_verdict(answer)]
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


def columns_verdict(answer: ColumnSubsets) -> Verdict:
    """Say how few columns single out how many people, and which is worth dropping."""
    entry, unit = answer.minimal[0], answer.unit
    n = answer.n_rows
    so_far = f"Incomplete: {answer.stopped}. So far: " if answer.stopped is not None else ""
    if entry.sets:
        best = entry.sets[0]
        size = len(best.columns)
        number = _NUMBERS[size] if size < len(_NUMBERS) else count(size)
        subject = f"{number} columns, {joined(best.columns)}," if size > 1 else f"One column, {best.columns[0]},"
        verb = "single" if size > 1 else "singles"
        people = unit.everyone if best.figures.singletons == n else f"{share(best.figures.singletons / n)} of {unit}"
        sentence = f"{subject} {verb} out {people}."
        others = len(entry.sets) - 1
        if others:
            verb = "singles" if others == 1 else "single"
            least = "" if entry.complete else "At least "
            number = f" {least}{counted(others, 'other minimal combination')}{_up_to(answer)}"
            sentence += f"{number} {verb} out at least {percent(entry.share)}."
        sentence += _give_up(answer)
        return Verdict(Level.BAD, "Do not hand these columns over together", so_far + sentence)
    if answer.together is None:
        sentence = f"we found no combination that singles out {percent(entry.share)} of {unit}."
        return Verdict(Level.WARN, "Not everything was counted", so_far + sentence)
    together = answer.together
    alone = together.singletons
    which = _which(answer, entry)
    n_columns = len(answer.candidates)
    all_of_them = {1: "it", 2: "both together"}.get(n_columns, f"all {count(n_columns)} together")
    verb = "singles" if n_columns == 1 else "single"
    people = f"{share(alone / n)} of {unit}" if alone else unit.nobody.lower()
    sentence = f"{so_far}{which} {percent(entry.share)} of {unit}; {all_of_them} {verb} out {people}."
    if alone / n >= _MANY:
        return Verdict(Level.BAD, "Do not hand these columns over together", sentence + _give_up(answer))
    if alone:
        return Verdict(Level.WARN, f"Some {unit} can be singled out", sentence + _give_up(answer))
    return Verdict(
        Level.GOOD,
        f"{unit.nobody} is unique with these columns",
        f"{sentence} The smallest group has {unit.counted(together.k_min)}.",
    )


def _give_up(answer: ColumnSubsets) -> str:
    """Say which column is worth dropping, if any makes a difference."""
    known = [part for part in answer.contribution if part.singletons_without is not None]
    if answer.together is None or len(known) < 2:
        return ""
    best = min(known, key=lambda part: part.singletons_without or 0)
    left = best.singletons_without or 0
    if left > _HARDLY * answer.together.singletons:
        return " Dropping one column hardly helps."
    rest = f"{share(left / answer.n_rows)} of {answer.unit}"
    return f" Dropping {best.column} helps most: the others together single out {rest}."


def counted_k(k: int) -> str:
    """Return a group size in words."""
    return "1 person" if k == 1 else f"{count(k)} people"


def _which(answer: ColumnSubsets, entry: Minimal) -> str:
    if len(answer.candidates) == 1:
        return f"The column {answer.candidates[0]} does not single out"
    assert answer.together is not None
    if answer.together.singletons < entry.people or answer.every_subset:
        return "No combination of these columns singles out"
    return f"No combination we counted, of up to {answer.max_size} columns, singles out"


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
    return [
        _together(subset, answer),
        bits(figures.entropy_bits),
        share(figures.singletons / answer.n_rows),
        count(figures.k_min),
        share(figures.distinction),
        share(figures.separation),
    ]


def minimal_block(entry: Minimal, answer: ColumnSubsets, most: int = _SHOWN) -> TableBlock | Paragraph:
    """Return the smallest combinations that reach a share, or a sentence if there are none."""
    everyone = entry.share == 1
    unit = answer.unit
    done = f"make {unit.everyone} unique" if everyone else f"single out at least {percent(entry.share)} of {unit}"
    if not entry.sets:
        together = answer.together
        if together is not None and together.singletons < entry.people:
            left = answer.n_rows - together.singletons
            more = f": with all of them, {unit.counted(left)} {'is' if left == 1 else 'are'} not unique"
            return Paragraph(f"No combination of these columns can {done}{more}.")
        searched = "We found" if entry.complete else "So far we have found"
        return Paragraph(f"{searched} no combination{_up_to(answer)} that can {done}.")
    rows = [_row(subset, answer)[:4] for subset in entry.sets[:most]]
    hidden = len(entry.sets) - most
    captions = ["Each of them needs all its columns."]
    captions += [f"{count(hidden)} more in --json."] if hidden > 0 else []
    if not entry.complete:
        captions.append("There may be others: we did not search everything.")
    title = f"The smallest combinations{_up_to(answer)} that {done}"
    return TableBlock(title, _NAMES[:4], rows, caption=" ".join(captions))


def _up_to(answer: ColumnSubsets) -> str:
    """Return the phrase for the largest combinations searched; empty if all were counted."""
    return "" if answer.every_subset else f" of up to {counted(answer.max_size, 'column')}"


def contribution_table(answer: ColumnSubsets) -> TableBlock:
    """Return what each column gives away, most first."""
    together = answer.together.entropy_bits if answer.together is not None else None
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
                share(part.singletons_without / answer.n_rows if part.singletons_without is not None else None),
            ]
        )
    whole = ""
    if together is not None:
        most = bits_about_person(answer.n_rows)
        whole = f" Together these columns give away {bits_of(together, most)} bits that single out everyone."
    how = f" Parts are estimated from {answer.orders} orders of the columns, ± standard error." if answer.orders else ""
    return TableBlock(
        "What each column gives away",
        ("column", "by itself", "added", "part", "share", "unique without"),
        rows,
        caption="by itself: bits of this column. added: bits it adds when all others are known. part, share: its fair "
        "part of the total, in bits and in percent (Shapley). unique without: share of people who stay unique without "
        f"this column.{whole}{how}",
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
        _NAMES,
        [_row(subset, answer) for subset in chosen],
        caption="unique: share of people. distinction: distinct rows as a share of all rows. separation: share of "
        f"pairs of people whose values differ.{more}",
    )


def _budget(answer: ColumnSubsets) -> Block:
    budget = answer.budget
    assert budget is not None
    limits = (
        [f"at most {decimal(budget.max_bits)} bit{'' if budget.max_bits == 1 else 's'}"]
        if budget.max_bits is not None
        else []
    )
    limits += [f"at least {counted_k(budget.min_k)} in each group"] if budget.min_k is not None else []
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
    sentences.append("Whether a person has more than one row.")
    return tuple(sentences)
