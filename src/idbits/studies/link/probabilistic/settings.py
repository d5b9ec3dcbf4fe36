"""What is asked of probabilistic linkage, with values that are checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from idbits.errors import InputError
from idbits.reading import Names, name_list
from idbits.values.agreement import AgreementLevel, parse_levels
from idbits.wording import near_names

__all__ = ["ProbabilisticSettings", "link_settings", "probabilistic_settings"]

_DEFAULT_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True)
class ProbabilisticSettings:
    """How records are compared.

    Attributes:
        blocks: the columns that are equal in the pairs of each block; none to choose them.
        levels: the levels of some columns.
        threshold: the least probability of a claim.
    """

    blocks: tuple[tuple[str, ...], ...] = ()
    levels: Mapping[str, tuple[AgreementLevel, ...]] = field(default_factory=dict)
    threshold: float = _DEFAULT_THRESHOLD

    def block_indices(self, names: Sequence[str]) -> list[tuple[int, ...]]:
        """Return the blocks as indices of the compared columns."""
        return [tuple(sorted(_index(name, names, "--block") for name in block)) for block in self.blocks]

    def levels_of(self, names: Sequence[str]) -> dict[int, tuple[AgreementLevel, ...]]:
        """Return the levels by the index of the compared column."""
        return {_index(name, names, "--levels"): levels for name, levels in self.levels.items()}


def probabilistic_settings(
    block: Sequence[Names] | str | None, levels: Sequence[str] | str | None, threshold: float | None
) -> ProbabilisticSettings:
    """Check blocks, levels and threshold.

    >>> probabilistic_settings(["zip,sex", "born"], None, None).blocks
    (('zip', 'sex'), ('born',))
    """
    blocks = [tuple(name_list(names)) for names in ([block] if isinstance(block, str) else block or ())]
    for names in blocks:
        if not names or len(set(names)) < len(names):
            raise InputError("a block names each of its columns once (--block)")
    if len(set(map(frozenset, blocks))) < len(blocks):
        raise InputError("a block is given twice (--block)")
    common = set.intersection(*map(set, blocks)) if blocks else set()
    if common:
        raise InputError(
            f'"{min(common)}" is in every block, so nothing says how often it differs for the same person; add a block '
            "without it (--block)"
        )
    parsed = [parse_levels(text) for text in ([levels] if isinstance(levels, str) else levels or ())]
    if len({column for column, _ in parsed}) < len(parsed):
        raise InputError("a column has two lists of levels; give one (--levels)")
    chosen = _DEFAULT_THRESHOLD if threshold is None else threshold
    if not (math.isfinite(chosen) and 0 < chosen < 1):
        raise InputError("--threshold must be between 0 and 1: the least probability of a claim")
    return ProbabilisticSettings(tuple(blocks), dict(parsed), chosen)


def link_settings(
    block: Sequence[Names] | str | None,
    levels: Sequence[str] | str | None,
    threshold: float | None,
    *,
    is_probabilistic: bool,
    coverage: float | None = None,
    sensitive: Names | None = None,
) -> ProbabilisticSettings | None:
    """Return the settings of probabilistic links, None without them; options of other links are refused."""
    if not is_probabilistic:
        for option, value in (("--block", block), ("--levels", levels), ("--threshold", threshold)):
            if value:
                raise InputError(f"{option} is for --probabilistic")
        return None
    if coverage is not None:
        raise InputError("leave out --coverage: with --probabilistic the number of matches is estimated")
    if sensitive:
        raise InputError("--sensitive needs equal or nearly equal values; leave out --probabilistic")
    return probabilistic_settings(block, levels, threshold)


def _index(name: str, names: Sequence[str], option: str) -> int:
    if name not in names:
        raise InputError(f'"{name}" is not compared{near_names(name, names)} ({option} uses columns of --on)')
    return list(names).index(name)
