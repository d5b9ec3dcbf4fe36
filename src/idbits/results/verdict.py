"""The verdict: the answer in one sentence that nobody has to be a statistician to read."""

from __future__ import annotations

from collections.abc import Iterable

from idbits.render.blocks import Level, Verdict
from idbits.render.numbers import bits_of, count, share
from idbits.results.measurement import Measurement

__all__ = ["joined", "verdict"]

_MANY = 0.01
_SMALL = 5


def verdict(measurement: Measurement) -> Verdict:
    """Say whether the columns single people out."""
    figures = measurement.figures
    columns = joined(measurement.qid)
    among = "the population" if measurement.population is not None else "the table"
    subject = "Together they give" if len(measurement.qid) > 1 else "It gives"
    told = bits_of(figures.entropy_bits, figures.max_entropy_bits)
    gives = f"{subject} away {told} bits that single out everyone."
    everyone = f"{count(figures.n_rows)} {'people' if figures.n_rows != 1 else 'person'}"
    alone, small = figures.singletons, figures.people_below[str(_SMALL)]
    if alone:
        are = "is" if alone == 1 else "are"
        sentence = (
            f"{count(alone)} of {everyone} ({share(figures.share(alone))}) {are} the only one in {among} with their "
            f"{columns}. {gives}"
        )
        if figures.share(alone) >= _MANY:
            return Verdict(Level.BAD, "Do not hand this over as it is", sentence)
        return Verdict(Level.WARN, "Some people can be singled out", sentence)
    if small:
        sentence = (
            f"Nobody is alone, but {count(small)} of {everyone} ({share(figures.share(small))}) share their {columns} "
            f"with fewer than {_SMALL - 1} others in {among}. {gives}"
        )
        return Verdict(Level.WARN, "Some people are in very small groups", sentence)
    sentence = (
        f"Each of {everyone} shares their {columns} with at least {count(figures.k_min - 1)} others in {among}. {gives}"
    )
    return Verdict(Level.GOOD, "Nobody stands out by these columns", sentence)


def joined(words: Iterable[str]) -> str:
    """Join words as a sentence does.

    >>> joined(["birthdate", "zip", "gender"])
    'birthdate, zip and gender'
    """
    *most, last = list(words)
    return f"{', '.join(most)} and {last}" if most else last
