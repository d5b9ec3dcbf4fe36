"""What ``idbits check`` returns: each rule with its figure and limit, and whether the data may be handed over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.serialisation import JsonObject, UncheckedData

__all__ = ["Check", "Outcome", "PassingTreatment"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One rule of one dataset, checked against the data.

    Attributes:
        dataset: the name of the dataset in the policy.
        rule: the rule as the policy has it.
        value: the figure, or a share if the limit is a percentage. None if it could not be measured.
        limit: the limit as a number.
        level: ``fail`` or ``warn``.
        passed: whether the data meet the rule.
        percent: whether the limit is a percentage.
        measured: whether the figure could be measured.
        reason: why there is no value, the columns that break the rule, or the waiver; None if the rule holds.
        causes: the columns that break the rule, if they were found.
        waived_by: who waived the rule, if it is broken and waived; else None.
    """

    json_keys: ClassVar = (
        "dataset", "rule", "value", "limit", "level", "passed", "outcome", "reason", "waived_by",
        "causes",
    )  # fmt: skip

    dataset: str
    rule: str
    value: int | float | None
    limit: float
    level: str
    passed: bool
    percent: bool = False
    measured: bool = True
    reason: str | None = None
    waived_by: str | None = None
    causes: tuple[str, ...] = ()

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return what the outcome and the text of the rule say."""
        return {"measured": data["outcome"] != "error", "percent": str(data["rule"]).rstrip().endswith("%")}

    @property
    def word(self) -> str:
        """PASS, WARN, FAIL, WAIVED, or ERROR if nothing was measured."""
        if not self.measured:
            return "ERROR"
        if self.passed:
            return "PASS"
        if self.waived_by is not None:
            return "WAIVED"
        return "WARN" if self.level == "warn" else "FAIL"

    @property
    def outcome(self) -> str:
        """The word as JSON has it."""
        return self.word.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class PassingTreatment:
    """What would make a dataset pass the rules that can be a goal of ``idbits advise``, and those about columns.

    Attributes:
        goal: the rules that it was sought for.
        columns: the columns someone may know with their views; empty if they can stay as they are.
        qid: the same columns without views, as a policy for the treated file has to name them.
        withheld: the number of people left out.
        dropped: the columns to leave out.
        kept: columns that the policy allows although they tell most people apart.
        other_rules: broken rules that no treatment was sought for.
        commands: what to type.
        reason: why there is no treatment, if there is none.
        needs_other_qid: whether the policy names views, which the treated file already has.
    """

    json_keys: ClassVar = (
        "dataset", "goal", "columns", "qid", "withheld", "n_people", "dropped", "kept", "other_rules",
        "commands", "reason",
    )  # fmt: skip

    dataset: str
    goal: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    qid: tuple[str, ...] = ()
    withheld: int = 0
    n_people: int = 0
    dropped: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    other_rules: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    reason: str | None = None
    needs_other_qid: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Check(Answer):
    """The outcome of a policy.

    Attributes:
        policy: the file of the policy; None in a saved answer.
        figures: the figures of each dataset, the baseline for the next check.
        compared: whether there was a baseline.
        changes: sentences about what changed since the baseline.
        treatments: for each dataset that breaks a rule, the cheapest treatment that would pass.
    """

    command: ClassVar[str] = "check"
    _main_table: ClassVar[str] = "rules"
    _in_repr: ClassVar = ("passed", "broken")
    json_keys: ClassVar = ("passed", "rules", "changes", "treatments", "figures", "notes")

    policy: str = ""
    rules: tuple[Outcome, ...]
    figures: dict[str, JsonObject]
    compared: bool = False
    changes: tuple[str, ...] = ()
    treatments: tuple[PassingTreatment, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def broken(self) -> tuple[str, ...]:
        """The rules that are broken, waived ones included, or could not be measured."""
        return tuple(rule.rule for rule in self.rules if rule.word != "PASS")

    @property
    def measured(self) -> bool:
        """Whether every figure could be measured."""
        return all(rule.measured for rule in self.rules)

    @property
    def passed(self) -> bool:
        """Whether the data may be handed over: all figures measured, and every broken rule waived or only a warning."""
        return all(rule.word not in ("ERROR", "FAIL") for rule in self.rules)

    @property
    def exit_code(self) -> int:
        """0 if the data may be handed over, 1 if a rule is broken, 3 if something could not be measured."""
        return 0 if self.passed else 1 if self.measured else 3
