"""The question of ``idbits advise``: what it may change, what has to be reached, and how long it may search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from idbits.errors import InputError
from idbits.measures.treatment.complete import RiskAxis
from idbits.studies.shared.goals import GoalRule
from idbits.studies.shared.treatments.ladders import LadderRequest
from idbits.wording import near_names

__all__ = ["ENTROPY_KEPT", "LOSSES", "METHODS", "AdviceEffort", "AdviceQuestion", "parse_risk"]

ENTROPY_KEPT, MONOTONE = "entropy:kept", "discernibility:monotone"
LOSSES = (
    "cells", "cells:geometric", "entropy", ENTROPY_KEPT, "discernibility", MONOTONE, "class_size", "mutual",
)  # fmt: skip
"""The losses that can steer a search."""
METHODS = ("nodes", "local", "sets", "all")
_RISKS = ("people_below", "mean_risk", "singletons", "entropy_bits")
_MOST_PASSES = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceEffort:
    """How much is tried, the same on every machine; an answer that is part of a report tries less.

    Attributes:
        max_rows: the most rows that are visited, over all treatments; None for no limit.
        most_points: the most treatments of the frontier with all their figures.
        most_pair_rows: the most rows times squared columns for which relationships are tested.
        most_relations: the most pairs of views that are tested for a relationship.
        with_alternatives: whether groups of similar people are tried, too.
    """

    max_rows: int | None = None
    most_points: int = 300
    most_pair_rows: int = 40_000_000
    most_relations: int = 10**9
    with_alternatives: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceQuestion:
    """What is asked.

    Attributes:
        rules: the goal.
        withhold: the largest share of people that may be withheld.
        sensitive: the sensitive columns, in the order of their figures.
        ladders: what the user said about the ladders.
        loss: the loss to minimise.
        method: ``nodes``, ``local``, ``sets`` or ``all``.
        use_for: a column that the treated table should still predict.
        risk: the risk axis of the frontier.
        ranks: an order of the values of sensitive columns.
        max_nodes: the largest lattice that is searched completely.
        max_seconds: when to stop searching.
        max_cells: the most cells that are fetched from a database.
        passes: the most passes of ``local``.
        effort: how much is tried.
    """

    rules: tuple[GoalRule, ...]
    withhold: Fraction
    sensitive: tuple[str, ...] = ()
    ladders: LadderRequest = field(default_factory=LadderRequest)
    loss: str = "cells"
    method: str = "nodes"
    use_for: str | None = None
    risk: RiskAxis = field(default_factory=RiskAxis)
    ranks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    max_nodes: int = 50_000
    max_seconds: float | None = None
    max_cells: int = 10**8
    passes: int = 10
    seed: int = 0
    effort: AdviceEffort = field(default_factory=AdviceEffort)

    def check(self) -> None:
        """Refuse wrong values and options that cannot be combined."""
        if self.loss not in LOSSES:
            hint = near_names(self.loss, LOSSES) or f"; choose {', '.join(LOSSES[:-1])} or {LOSSES[-1]}"
            if self.loss == "model":
                hint = ": a prediction is tried for the treatments on the frontier; name the column with --use-for"
            raise InputError(f'"{self.loss}" is not a loss that can be minimised{hint} (--loss)')
        if self.method not in METHODS:
            raise InputError(f"the method must be {', '.join(METHODS[:-1])} or {METHODS[-1]} (--method)")
        if self.loss in (ENTROPY_KEPT, MONOTONE) and self.withhold > Fraction(1, 2):
            raise InputError(
                f'"{self.loss}" ignores people who are withheld, so more than half of them must not be; lower '
                "--withhold, or choose another --loss"
            )
        for name, value, least in (("--max-nodes", self.max_nodes, 1), ("--max-cells", self.max_cells, 1)):
            if value < least:
                raise InputError(f"{name} must be at least {least}")
        if self.max_seconds is not None and not 0 < self.max_seconds < 10**7:
            raise InputError("the time limit must be a number of seconds above 0 (--max-seconds)")
        if not 1 <= self.passes <= _MOST_PASSES:
            raise InputError(f"the number of passes must be 1 to {_MOST_PASSES:,} (--passes)")


def parse_risk(text: str) -> RiskAxis:
    """Return the risk axis of a frontier.

    >>> parse_risk("people_below.3"), parse_risk("mean_risk")
    (RiskAxis(figure='people_below', number=3), RiskAxis(figure='mean_risk', number=None))
    """
    figure, dot, number = text.partition(".")
    if figure not in _RISKS or (figure == "people_below") != bool(dot) or (dot and not number.isdigit()):
        raise InputError(
            f'"{text}" is not a risk; choose people_below.5 (or another size), mean_risk, singletons or entropy_bits '
            "(--risk)"
        )
    return RiskAxis(figure, int(number) if dot else None)
