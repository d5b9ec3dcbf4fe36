"""Parts of several predictions as text: quantities with their approximations, and what meets a target."""

from __future__ import annotations

import math
from collections.abc import Sequence

from idbits.render.blocks import Block, Level, TableBlock, Verdict
from idbits.render.numbers import chance, count, decimal, share, signed, significant
from idbits.studies.predict.result import Quantity, TargetAnswer

__all__ = ["ASSUMED", "as_share", "misses_target", "quantities_table", "target_blocks", "unique_level", "unique_title"]

ASSUMED = (
    "People's values are independent of each other. Within families, schools and neighbourhoods they are not.",
    "Future data follow the distribution given here.",
)
_TARGET_FROM_KAPPA = "Only kappa is known, so this is an approximation."
_ROUGH = (
    "rough: not reliable here; it may be off by more than 10% (a chance by more than one percentage point). "
    "error: formula minus exact value."
)
_HARDLY_ANYONE = 0.05


def unique_level(part: float) -> Level:
    """Return how bad a share of unique people is."""
    return Level.BAD if part >= 0.2 else Level.WARN if part >= 0.01 else Level.GOOD


def unique_title(mean: float, k: int, about: str = "") -> str:
    """Return the expected number of unique people as a headline."""
    if mean == 0:
        return f"expect none of {count(k)} people to be unique"
    if mean < _HARDLY_ANYONE:
        return f"expect hardly anyone of {count(k)} people to be unique"
    return f"expect {about}{decimal(mean)} of {count(k)} people to be unique ({share(mean / k)})"


def quantities_table(
    named: Sequence[tuple[str, Quantity | None]], title: str = "How it was computed", *, are_chances: bool = False
) -> TableBlock:
    """Return a table of each quantity's exact value, with its approximations below."""
    rows: list[list[str]] = []
    rough = False
    for name, quantity in named:
        if quantity is None:
            continue
        text = _as_chance(quantity.exact, quantity.log10) if are_chances else decimal(quantity.exact)
        if quantity.estimate is not None:
            text = f"{decimal(quantity.estimate)} ({decimal(quantity.low)} to {decimal(quantity.high)})"
        how = "exact" if quantity.exact is not None else f"no exact value: {quantity.reason}"
        rows.append([name, how, text, "", ""])
        for approximation in quantity.approximations:
            shown = _as_chance(approximation.value) if are_chances else decimal(approximation.value)
            mark = "" if approximation.trusted else "rough"
            rough = rough or not approximation.trusted
            rows.append(["", approximation.name, shown, signed(approximation.error, as_share=are_chances), mark])
    return TableBlock(
        title,
        ("", "method", "value", "error", ""),
        rows,
        left=(0, 1, 4),
        caption=_ROUGH if rough else "error: formula minus exact value.",
    )


def _as_chance(value: float | None, log10: float | None = None) -> str:
    if value is not None and (value < 0 or value > 1):
        return significant(value, 3)
    return chance(value, log10)


def as_share(value: float) -> str:
    """Return a share as a formula gives it, even if it is below 0 or above 1."""
    return chance(value) if 0 <= value <= 1 else signed(value, as_share=True)


def misses_target(target: TargetAnswer | None) -> bool:
    """Whether the requested view misses the target and another was chosen: figures of the first would mislead."""
    return target is not None and target.chosen is not None and target.meets is False


def target_blocks(target: TargetAnswer | None, what: str = "view") -> list[Block]:
    """Return what meets a target, and what was tried."""
    if target is None:
        return []
    blocks: list[Block] = []
    if target.ranges:
        about = "" if target.exact else "about "
        sentence = _for_all(target.ranges) + ("" if target.exact else f" {_TARGET_FROM_KAPPA}")
        blocks.append(Verdict(Level.GOOD, f"{target.text} is met by {_ranges(target.ranges, about)}", sentence))
    elif target.chosen is not None:
        side, narrower = ("from", "narrower") if target.protects else ("up to", "wider")
        title = f"{target.text} is met {side} width {target.chosen}{' upwards' if target.protects else ''}"
        sentence = f"We found no {narrower} intervals that meet the target."
        if what != "width":
            title = f"{target.text} is met by {target.chosen}"
            sentence = f"It is the {'finest' if target.protects else 'coarsest'} view that meets the target."
            if misses_target(target):
                sentence += f" To see its figures, use --distribution FILE:{target.chosen}."
        blocks.append(Verdict(Level.GOOD, title, sentence))
    elif target.meets is not None:
        level = Level.GOOD if target.meets else Level.WARN
        outcome = "is met" if target.meets else "is not met"
        sentence = "Omit --k to see which group sizes meet it."
        sentence += "" if target.exact else f" {_TARGET_FROM_KAPPA}"
        blocks.append(Verdict(level, f"{target.text} {outcome}", sentence))
    if target.options and target.chosen is not None:
        rows = [
            [name, decimal(value) if value > 1 else chance(value), "yes" if met else "no"]
            for name, value, met in target.options
        ]
        blocks.append(TableBlock("What we tried", (what, "value", "meets the target"), rows, left=(0, 2)))
    return blocks


def _ranges(ranges: Sequence[tuple[int, float]], about: str) -> str:
    parts = []
    for low, high in ranges:
        if high == low:
            parts.append(count(low))
        else:
            parts.append(f"{count(low)} or more" if math.isinf(high) else f"{count(low)} to {count(int(high))}")
    people = "person" if ranges == ((1, 1),) else "people"
    return f"groups of {about}{' and '.join(parts)} {people}"


def _for_all(ranges: Sequence[tuple[int, float]]) -> str:
    low, high = ranges[-1]
    every = len(ranges) == 1 and low == 1 and math.isinf(high)
    return "Every group size meets the target." if every else "No other group size meets the target."
