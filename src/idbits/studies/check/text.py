"""How a check is shown: whether the data may be handed over, then each rule with its figure."""

from __future__ import annotations

from idbits.render.blocks import Block, Command, Items, Level, TableBlock, Verdict
from idbits.studies.check.result import Check, Outcome, PassingTreatment
from idbits.studies.shared.presentation import show
from idbits.studies.shared.rules import shown_figure
from idbits.wording import counted, joined

__all__ = ["outcome_sentence"]

_MEANINGS = {
    "FAIL": "broken",
    "WARN": "broken (warning only)",
    "WAIVED": "waived",
    "ERROR": "not measured",
}


@show.register
def _(check: Check) -> list[Block]:
    rows = [[rule.word, rule.dataset, rule.rule, _value(rule), rule.reason or ""] for rule in check.rules]
    bad = tuple(index for index, rule in enumerate(check.rules) if rule.word in ("ERROR", "FAIL"))
    columns: tuple[str, ...] = ("", "dataset", "rule", "value", "why")
    left: tuple[int, ...] = (0, 1, 2, 4)
    if not any(row[4] for row in rows):
        columns, left, rows = columns[:4], left[:3], [row[:4] for row in rows]
    blocks: list[Block] = [_verdict(check), TableBlock("Rules", columns, rows, left=left, emphasis=bad)]
    for treatment in check.treatments:
        blocks += _treatment(treatment)
    if check.compared:
        blocks.append(Items("Changed since the baseline", check.changes or ("no changes",)))
    return blocks


def _treatment(treatment: PassingTreatment) -> list[Block]:
    """Say what would pass, with the commands that do it."""
    title = f"What would make {treatment.dataset} pass"
    if not treatment.commands:
        return [Items(title, (f"not found: {treatment.reason}",))]
    items = [f"leave out {joined(treatment.dropped)}"] if treatment.dropped else []
    if treatment.columns:
        withheld = f"{treatment.withheld:,} of {counted(treatment.n_people, 'row')}"
        items.append(f"release {joined(treatment.columns)}, and withhold {withheld}")
    if treatment.kept:
        kept = joined(treatment.kept)
        items.append(f"keep {kept}, as the policy allows, although most rows have a value of their own there")
    if treatment.needs_other_qid:
        names = ", ".join(f'"{name}"' for name in treatment.qid)
        items.append(f"in the policy for the treated file, name the columns without views: qid = [{names}]")
    if treatment.other_rules:
        items.append(f"no treatment was sought for {joined(treatment.other_rules)}")
    words = ("Do this", "Then")
    commands = [Command(word, command) for word, command in zip(words, treatment.commands, strict=False)]
    return [Items(title, tuple(items)), *commands]


def outcome_sentence(outcome: Outcome) -> str:
    """Return the outcome of a rule in one line."""
    sentence = f"{outcome.rule}: the value is {_value(outcome)}"
    return f"{sentence} ({outcome.reason})" if outcome.reason is not None else sentence


def _verdict(check: Check) -> Verdict:
    words = [rule.word for rule in check.rules]
    exceptions = [f"{words.count(word)} {meaning}" for word, meaning in _MEANINGS.items() if word in words]
    sentence = f"{counted(len(words), 'rule')} checked: {', '.join(exceptions or ['all met'])}."
    if "ERROR" in words:
        return Verdict(Level.BAD, "Some rules could not be measured", sentence)
    if "FAIL" in words:
        return Verdict(Level.BAD, "Do not hand this over", sentence)
    return Verdict(Level.WARN if exceptions else Level.GOOD, "This may be handed over", sentence)


def _value(rule: Outcome) -> str:
    """Return the value with enough digits to show on which side of the limit it is."""
    return shown_figure(rule.value, rule.limit, percent=rule.percent)
