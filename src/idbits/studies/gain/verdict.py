"""The verdict on information gain: who is identifiable, and which column gives away most."""

from __future__ import annotations

from idbits.render.blocks import Level, Verdict
from idbits.render.numbers import count, decimal, share, stated_bits
from idbits.studies.gain.figures import GainFigures
from idbits.studies.gain.result import Gain
from idbits.studies.shared.beside import records_not_people, verdict_beside
from idbits.studies.shared.units import Unit
from idbits.wording import counted, joined

__all__ = ["gain_verdict"]

_MANY = 0.01


def gain_verdict(gain: Gain) -> Verdict:
    """Say who is identifiable, which column gives away most, and what else in the table identifies people."""
    found = _of_features(gain)
    if gain.unit is Unit.RECORDS and gain.beside.persons:
        found = records_not_people(gain.beside, gain.figures.n_rows, found.sentence)
    return verdict_beside(found, gain.beside)


def _of_features(gain: Gain) -> Verdict:
    figures, unit = gain.figures, gain.unit
    if not figures.rig["max"]:
        words = _attacker(gain)
        sentence = f"{words[0].upper()}{words[1:]} learns nothing from this table that they did not expect."
        return _nobody(gain, "An attacker learns nothing", sentence)
    part = figures.people_at_threshold / figures.n_people
    about_column = _column(gain)
    threshold = f"{decimal(figures.threshold)} bit{'' if figures.threshold == 1 else 's'} per {unit.singular}"
    if not figures.people_at_threshold:
        sentence = (
            f"{unit.nobody} reaches the threshold of {threshold}: the highest value (PIF) is {decimal(figures.pif)}, "
            f"reached by {_part_of(figures, figures.rows_at_pif, unit)}. {about_column}"
        )
        return _nobody(gain, f"{unit.nobody} stands out", sentence)
    level, title = (
        (Level.BAD, "Do not hand this over as it is") if part >= _MANY else (Level.WARN, f"Some {unit} stand out")
    )
    verb = "reaches" if figures.people_at_threshold == 1 else "reach"
    reached = f"{_part_of(figures, figures.people_at_threshold, unit)} {verb} the threshold of {threshold}"
    sentence = (
        f"{about_column} {reached}; the highest value (PIF) is {decimal(figures.pif)}, reached by "
        f"{count(figures.rows_at_pif)} of them."
    )
    return Verdict(level, title, sentence)


def _nobody(gain: Gain, title: str, sentence: str) -> Verdict:
    """Return the best verdict only if an attacker who knows all records of a person finds nobody either."""
    alone = gain.people.unique_by_all_records if gain.people is not None else None
    if not alone:
        return Verdict(Level.GOOD, title, sentence)
    found = f"{count(alone)} of {Unit.PEOPLE.counted(gain.figures.n_people)} ({share(alone / gain.figures.n_people)})"
    more = f"An attacker who knows all records of a person finds {found}."
    return Verdict(Level.WARN, "Some people can be singled out by all their records", sentence, (more,))


def _part_of(figures: GainFigures, number: int, unit: Unit) -> str:
    return f"{count(number)} of {unit.counted(figures.n_people)} ({share(number / figures.n_people)})"


def _column(gain: Gain) -> str:
    top = gain.figures.ranked()[0]
    part = f", {share(top.share)} of all bits learnt" if len(gain.figures.features) > 1 else ""
    return (
        f"The column {top.column} gives away most: {_attacker(gain)} learns "
        f"{stated_bits(top.mean_cig_bits)} bits about it on average{part}."
    )


def _attacker(gain: Gain) -> str:
    """Return the attacker as the subject of a sentence."""
    one = gain.records.singular
    if gain.subsets is not None:
        known = gain.subsets.n_known
        return f"someone who knows {counted(known, 'other column') if known else 'no other column'} of a {one}"
    if gain.known:
        return f"someone who knows a {one}'s {joined(gain.known)}"
    return f"someone who knows all other columns of a {one}"
