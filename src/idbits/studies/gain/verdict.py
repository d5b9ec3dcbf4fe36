"""The verdict on information gain: which column, and how many people, are the problem."""

from __future__ import annotations

from idbits.render.blocks import Level, Verdict
from idbits.render.numbers import bits, count, decimal, share
from idbits.studies.gain.figures import GainFigures
from idbits.studies.gain.result import Gain
from idbits.wording import counted, joined

__all__ = ["attacker_words", "gain_verdict"]

_MANY = 0.01


def gain_verdict(gain: Gain) -> Verdict:
    """Say who is identifiable and which column tells most."""
    figures = gain.figures
    if not figures.rig["max"]:
        words = attacker_words(gain)
        sentence = f"{words[0].upper()}{words[1:]} learns nothing from this table beyond what is expected anyway."
        return Verdict(Level.GOOD, "Nothing is learnt", sentence)
    part = figures.people_at_threshold / figures.n_rows
    told = _column(gain)
    threshold = f"{decimal(figures.threshold)} bit{'' if figures.threshold == 1 else 's'}"
    if not figures.people_at_threshold:
        sentence = (
            f"Nobody reaches the threshold of {threshold} per person: the PIF is {decimal(figures.pif)}, set by "
            f"{_people(figures, figures.rows_at_pif)}. {told}"
        )
        return Verdict(Level.GOOD, "Nobody stands out by what can be learnt", sentence)
    level, title = (
        (Level.BAD, "Do not hand this over as it is") if part >= _MANY else (Level.WARN, "Some people stand out")
    )
    are = "is" if figures.people_at_threshold == 1 else "are"
    sentence = (
        f"{told} {_people(figures, figures.people_at_threshold)} {are} at or above the threshold of {threshold} per "
        f"person; the PIF is {decimal(figures.pif)}, set by {count(figures.rows_at_pif)} of them."
    )
    return Verdict(level, title, sentence)


def _people(figures: GainFigures, number: int) -> str:
    return f"{count(number)} of {count(figures.n_rows)} people ({share(number / figures.n_rows)})"


def _column(gain: Gain) -> str:
    top = gain.figures.ranked()[0]
    part = f", {share(top.share)} of all that is learnt" if len(gain.figures.features) > 1 else ""
    return (
        f"{top.column} is the column that gives away most: {attacker_words(gain)} learns "
        f"{bits(top.mean_cig_bits)} bits about it on average{part}."
    )


def attacker_words(gain: Gain) -> str:
    """Say who attacks, as the subject of a sentence."""
    if gain.subsets is not None:
        known = gain.subsets.n_known
        return f"someone who knows {counted(known, 'other column') if known else 'no other column'} of a person"
    if gain.known:
        return f"someone who knows a person's {joined(gain.known)}"
    return "someone who knows all other columns of a person"
