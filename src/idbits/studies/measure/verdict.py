"""The verdict: the answer in one sentence that nobody has to be a statistician to read."""

from __future__ import annotations

from idbits.render.blocks import Level, Verdict
from idbits.render.numbers import bits_of, count, share
from idbits.studies.measure.result import Measurement
from idbits.studies.shared.figures import Figures
from idbits.wording import counted, joined

__all__ = ["standing", "verdict"]

_MANY = 0.01
_SMALL = 5


def verdict(measurement: Measurement) -> Verdict:
    """Say whether the columns single people out; what is unbounded or hidden in groups is never passed over."""
    figures, population = measurement.figures, measurement.population
    columns = joined(measurement.qid)
    among = "the population" if population is not None else "the table"
    subject = "Together they give" if len(measurement.qid) > 1 else "It gives"
    away = f"away {bits_of(figures.entropy_bits, figures.max_entropy_bits)} bits that single out everyone."
    gives = f"{subject} {away}"
    if population is not None and population.unbounded_people:
        records = counted(population.unbounded_people, "record")
        sentence = (
            f"The population holds nobody like {records} of the release: what they give away is unbounded. "
            f"{'The other one gives' if figures.n_rows == 1 else 'The others give'} {away}"
        )
        return Verdict(Level.BAD, "Do not hand this over as it is", sentence)
    alone, small = figures.singletons, figures.people_below[str(_SMALL)]
    groups = measurement.groups
    within = groups.singletons if groups is not None else 0
    if alone or within:
        title, level = _ALONE[figures.share(max(alone, within)) >= _MANY]
        places = [f"{_some(alone, figures)} alone in {among} with their {columns}."] if alone else []
        if groups is not None and within > alone:
            places.append(f"{_some(within, figures)} alone with their {columns} within their {groups.by}.")
        return Verdict(level, title, " ".join([*places, gives]))
    small_within = groups.people_below(str(_SMALL)) if groups is not None else 0
    if small or small_within:
        set_of = f"in a set of fewer than {_SMALL} with the same {columns}"
        places = [f"Nobody is alone in {among}, but {_some(small, figures)} {set_of}."] if small else []
        if groups is not None and small_within > small:
            nobody = "" if small else "Nobody is alone, but "
            places.append(f"{nobody}{_some(small_within, figures)} {set_of} within their {groups.by}.")
        return Verdict(Level.WARN, "Some people are in very small groups", " ".join([*places, gives]))
    sentence = (
        f"Everyone in the table ({count(figures.n_rows)}) shares their {columns} with at least "
        f"{counted(figures.k_min - 1, 'other')} in {among}. {gives}"
    )
    return Verdict(Level.GOOD, "Nobody stands out by these columns", sentence)


_ALONE = {True: ("Do not hand this over as it is", Level.BAD), False: ("Some people can be singled out", Level.WARN)}


def standing(figures: Figures) -> int:
    """Return how good a table looks on its own, as the verdict has it: 0 is worst, 3 is nobody stands out.

    >>> from idbits.counts import Spectrum
    >>> [standing(Figures.of(Spectrum.of(pairs))) for pairs in ({1: 1, 9: 1}, {1: 1, 999: 1}, {2: 1, 9: 1}, {9: 1})]
    [0, 1, 2, 3]
    """
    if figures.singletons:
        return 0 if figures.share(figures.singletons) >= _MANY else 1
    return 2 if figures.people_below[str(_SMALL)] else 3


def _some(people: int, figures: Figures) -> str:
    verb = "is" if people == 1 else "are"
    return f"{count(people)} of {count(figures.n_rows)} people ({share(figures.share(people))}) {verb}"
