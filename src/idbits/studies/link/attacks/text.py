"""How the answer of an attack on synthetic data is shown."""

from __future__ import annotations

from idbits.measures.linkage.success_rates import Risk
from idbits.render.blocks import Block, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import count, share
from idbits.studies.link.attacks.result import SyntheticAttack
from idbits.studies.shared.presentation import show
from idbits.studies.shared.rules_table import rules_table
from idbits.wording import joined

__all__ = ["EXPERIMENTAL", "attack_in_words", "attack_not_assessed", "attack_verdict", "rates_table"]

EXPERIMENTAL = "Experimental: the method may change."
"""The caution in every answer about synthetic data."""


@show.register
def _(answer: SyntheticAttack) -> list[Block]:
    return [
        attack_verdict(answer),
        *rules_table(answer.rules),
        rates_table(answer),
        Paragraph(EXPERIMENTAL),
        Items("Not assessed", attack_not_assessed(answer)),
    ]


def attack_verdict(answer: SyntheticAttack) -> Verdict:
    """Say whether the synthetic data give away the people they were made from; a failed attack proves nothing."""
    # The middle of Wilson's interval: not the share of the attacks that were tried.
    estimated = f"We estimate that {share(answer.rate.value)} of attacks by {answer.attack} succeed"
    what = f"{estimated} ({count(answer.n_attacks)} tried)"
    if not answer.is_better_than_guessing:
        return Verdict(
            Level.UNDECIDED,
            "The attack failed",
            f"{what}, no more than {share(answer.baseline.value)} by guessing.",
            ("This does not show that the data are safe: another attack may succeed.",),
        )
    guessing = f"{what}; guessing succeeds in {share(answer.baseline.value)}."
    if answer.control is None or answer.risk is None:
        title = "The attack succeeds on some people"
        why = (
            "Without a control table, this includes what the data tell about everyone, even people they never saw."
            if answer.control is None
            else "It always succeeds on people whom the data never saw, so nothing remains to be measured."
        )
        return Verdict(Level.WARN, title, guessing, (why,))
    beyond = (
        f"On people whom the data never saw, {share(answer.control.value)} succeed: a risk of {_interval(answer.risk)} "
        "remains that comes from the original people."
    )
    if answer.risk.low > 0:
        return Verdict(Level.BAD, "The synthetic data give away people they were made from", guessing, (beyond,))
    title = "The attack succeeds no more often on original people than on others"
    return Verdict(Level.WARN, title, guessing, (beyond, "This does not show that the data are safe."))


def rates_table(answer: SyntheticAttack) -> TableBlock:
    """Return the success on original people, on others, and by guessing."""
    rows = [["on original people", _interval(answer.rate)]]
    if answer.control is not None:
        rows.append(["on people whom the data never saw", _interval(answer.control)])
    rows.append(["by guessing", _interval(answer.baseline)])
    if answer.control is not None and answer.risk is not None:
        rows.append(["risk that remains for original people", _interval(answer.risk)])
    return TableBlock(
        "How often the attack succeeds", ("", "share (95% interval)"), rows, caption=attack_in_words(answer)
    )


def attack_in_words(answer: SyntheticAttack) -> str:
    """Say what an attack does."""
    if answer.attack == "linkability":
        assert answer.left is not None
        assert answer.right is not None
        nearest = "record" if answer.neighbours == 1 else f"{count(answer.neighbours or 1)} records"
        return (
            f"An attack links {joined(answer.left)} of a person with {joined(answer.right)} by the nearest synthetic "
            f"{nearest} of each."
        )
    if answer.attack == "inference":
        return f"An attack guesses {answer.infer} of a person from the nearest synthetic record."
    return "An attack is a condition on three columns that one synthetic record meets; it succeeds if one person does."


def _interval(risk: Risk) -> str:
    return f"{share(risk.value)} ({share(risk.low)} to {share(risk.high)})"


def attack_not_assessed(answer: SyntheticAttack) -> tuple[str, ...]:
    """Say what an attack does not cover."""
    sentences = ["Rows that a filter excludes (--where)."] if answer.filtered else []
    others = [name for name in ("singling-out", "linkability", "inference") if name != answer.attack]
    return (*sentences, f"Other attacks ({joined(others)}), other columns, and attackers who know the generator.")
