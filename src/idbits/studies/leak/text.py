"""What the answer of ``idbits leak`` looks like: the verdict, then why, then what it cannot show and what helps."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from idbits.render.blocks import Block, Command, Items, Level, Paragraph, Verdict
from idbits.render.numbers import bits, count, decimal, probability, share
from idbits.studies.leak.result import Leak
from idbits.studies.leak.tables import (
    dependence_table,
    irregularity_table,
    matches_table,
    scales_table,
    unchanged_table,
)
from idbits.wording import counted, joined

__all__ = ["change_sentence", "leak_blocks", "leak_verdict", "null_sentences"]

_NAMED = 5


def leak_blocks(leak: Leak) -> list[Block]:
    """Return the blocks of an answer."""
    blocks: list[Block] = [leak_verdict(leak)]
    if leak.columns:
        blocks += [dependence_table(leak), unchanged_table(leak)]
    if leak.matches:
        blocks.append(matches_table(leak))
    blocks += [irregularity_table(leak), Paragraph(change_sentence(leak))]
    if leak.scales:
        blocks.append(scales_table(leak))
    if leak.conditional is not None:
        before, after = bits(leak.conditional.original_bits), bits(leak.conditional.released_bits)
        blocks.append(
            Paragraph(f"Conditional permutation entropy (the next pattern, one known): {before} bits, then {after}.")
        )
    blocks.append(Items("With what the release was compared", tuple(null_sentences(leak))))
    blocks.append(Items("What this can and cannot show", tuple(_limits(leak))))
    if leak.verdict == "leaks":
        blocks.append(Items("What helps", tuple(_help(leak))))
    command = _next(leak)
    if command is not None:
        blocks.append(command)
    return blocks


def leak_verdict(leak: Leak) -> Verdict:
    """Say whether the release leaks."""
    level = f"chance of a false alarm: {share(leak.error_rate)} for the whole table"
    if leak.verdict == "leaks":
        return Verdict(Level.BAD, "The release leaks", " ".join(_evidence(leak, level)))
    if leak.verdict == "undecided":
        because = leak.undecided_because or ""
        return Verdict(Level.WARN, "Undecided", because[:1].upper() + because[1:] + ".")
    whose = "its original" if leak.columns else "any original column"
    sentence = (
        f"No released column tells more of {whose} than chance would, among {counted(leak.n_rows, 'row')} "
        f"({level}). That is no proof that there is no leak."
    )
    return Verdict(Level.GOOD, "No leak seen", sentence)


def _evidence(leak: Leak, level: str) -> list[str]:
    """Return why a release leaks, sentence by sentence."""
    names = leak.leaking
    sentences = []
    if names:
        verb = "tells" if len(names) == 1 else "tell"
        sentences.append(
            f"{count(len(names))} of {counted(len(leak.columns), 'released column')} {verb} more of the original than "
            f"chance would ({_listed(names)}; {level})."
        )
    elif leak.together is not None and leak.together.leaks:
        sentences.append(
            f"All columns together, as one sequence, tell more of the original than chance would ({level})."
        )
    if leak.rows_leak:
        sentences.append(_unchanged(leak))
    if leak.matches:
        sentences.append(_matched(leak))
    if leak.rearranged:
        sentences.append("The release holds exactly the rows of the original, rearranged.")
    return sentences


def _listed(names: Sequence[str]) -> str:
    return joined(names) if len(names) <= _NAMED else f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"


def _matched(leak: Leak) -> str:
    names = _listed([f"{match.released} matches {match.original}" for match in leak.matches])
    verb = "matches an original column" if len(leak.matches) == 1 else "match original columns"
    return f"{counted(len(leak.matches), 'released column')} {verb} of another name ({names})."


def _unchanged(leak: Leak) -> str:
    part = share(leak.rows_unchanged / leak.n_rows)
    bound = "about" if leak.rows_unchanged_null == "shifts" else "at most"
    return (
        f"{count(leak.rows_unchanged)} of {counted(leak.n_rows, 'row')} ({part}) came through unchanged; chance would "
        f"give {decimal(leak.rows_unchanged_by_chance)} (probability of as many: {bound} "
        f"{probability(leak.rows_unchanged_probability)})."
    )


def change_sentence(leak: Leak) -> str:
    """Say what S4's figures conclude."""
    if leak.change == "undecided":
        return (
            "Risk by these figures: undecided. rho is at its ceiling, where it is the same for all data and says "
            "nothing; the verdict rests on the columns alone."
        )
    words = {
        "none": f"stays. The degrees differ by no more than {leak.tolerance:g}",
        "rises": "rises. The release is more regular than the original",
        "falls": "falls. The release is more irregular than the original",
    }
    return f"Risk by these figures: {words[leak.change]}. They look at each table alone and are not the verdict."


def null_sentences(leak: Leak) -> list[str]:
    """Say what chance was taken to be, and why."""
    compared = [*leak.columns, *([leak.together] if leak.together is not None else [])]
    shifted = [column.column for column in compared if column.null == "shifts"]
    changes = [column.column for column in compared if column.null == "differences"]
    if not compared:
        return [
            "With the whole release in random order (shuffles), or moved along the rows (shifts) where neighbouring "
            "rows resemble each other in both columns."
        ]
    sentences = []
    if len(shifted) + len(changes) < len(compared):
        others = "The other columns: with" if shifted or changes else "With"
        sentences.append(f"{others} the same release in random order (shuffles): its rows could stand in any order.")
    if changes:
        sentences.insert(
            0,
            f"{_listed(changes)}: by the changes from row to row. Neighbouring rows resemble each other in both tables "
            "and the level may wander (a unit root is not rejected), as it does in columns without any link.",
        )
    if shifted:
        sentences.insert(
            0,
            f"{_listed(shifted)}: with the same release moved along the rows (shifts), because neighbouring rows "
            "resemble each other in both tables.",
        )
    return sentences


def _limits(leak: Leak) -> list[str]:
    sentences = [
        "Permutation entropy looks at each table alone: a copy or a reversible shuffle looks private to it, and a rho "
        "at its ceiling says nothing at all. The verdict is taken from the table of columns.",
        _compared_sentence(leak),
    ]
    if leak.reduction != "none":
        sentences.append("Several columns became one sequence for rho: information was lost on the way.")
    if any("text" in (column.original_kind, column.released_kind) for column in leak.columns):
        sentences.append("Text counts by its rank in the alphabet; linear and dist are then of ranks.")
    nulls = sum(column.nulls + column.released_nulls for column in leak.columns)
    if nulls:
        sentences.append(
            f"{counted(nulls, 'empty cell')}: a value of its own, ranked below all others; linear and dist leave such "
            "rows out."
        )
    return sentences


def _compared_sentence(leak: Leak) -> str:
    if leak.pairs_compared:
        return (
            "Columns are compared row by row, those of the same name closely, all others by equal values, rank and a "
            "coarse grid. What only several columns tell in combination, and dependence too weak for this many rows "
            "are not seen."
        )
    return (
        "A column is compared with the column of the same name, row by row. What columns of different names tell of "
        "each other, and dependence too weak for this many rows are not seen."
    )


def _help(leak: Leak) -> list[str]:
    worst = [column for column in leak.columns if column.leaks]
    sentences = []
    if worst:
        strongest = max(worst, key=lambda column: (column.mic or 0.0, column.mutual_information_bits))
        sentences.append(f"Leave {strongest.column} out, draw it anew, or add more noise to it; then measure again.")
    if leak.matches:
        sentences.append("Another name for a column protects nobody: leave it out, or draw it anew.")
    if leak.rows_leak:
        sentences.append("Rows that came through unchanged need no attack: start with those.")
    if leak.rearranged:
        sentences.append("Another order of rows protects nobody: what the rows hold must change.")
    if not sentences:
        sentences.append("Add more noise, or draw the columns anew; then measure again.")
    return sentences


def _next(leak: Leak) -> Command | None:
    if leak.original is None or leak.released is None or leak.original == "-" or leak.released == "-":
        return None
    files = f"idbits leak {shlex.quote(leak.original)} {shlex.quote(leak.released)}"
    if leak.saturated and leak.order > 3 and leak.n_rows > 50:
        return Command("Next: a shorter pattern, whose rho is not at its ceiling", f"{files} --order 3")
    return None
