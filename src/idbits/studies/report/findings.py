"""The headings of the evidence: what was found, as a sentence with its figure, right for nobody, one and everybody."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.render.numbers import bar_share, bits, bits_of, count, estimated_share, percent
from idbits.render.page import named
from idbits.studies.advise.result import Advice
from idbits.studies.columns.result import ColumnSubsets
from idbits.studies.disclosure.result import ColumnDisclosure
from idbits.studies.events.result import Events
from idbits.studies.gain.result import Gain, SweepStep
from idbits.studies.leak.result import Leak
from idbits.studies.measure.result import Household, Measurement, PeopleFigures
from idbits.studies.measure.text import KNOWN
from idbits.studies.population.result import PopulationAnswer
from idbits.studies.population.text import population_verdict
from idbits.studies.shared.goal_words import least_group
from idbits.studies.shared.persons import ANY_RECORD
from idbits.studies.shared.units import Unit
from idbits.wording import counted, either, joined

__all__ = [
    "attackers_finding", "bits_finding", "columns_finding", "disclosure_finding", "events_finding", "gain_finding",
    "household_finding", "leak_finding", "population_finding", "subsets_finding", "sweep_finding",
    "treatments_finding", "unique_finding",
]  # fmt: skip


def unique_finding(measurement: Measurement) -> str:
    """Say how many are unique."""
    figures, unit, people = measurement.figures, measurement.unit, measurement.people
    unique, n = figures.singletons, figures.n_people
    where = " in the population" if measurement.population is not None else ""
    if people is not None and people.has_several_rows and people.knows == ANY_RECORD:
        return f"{bar_share(figures.share(unique))} of the people are expected to be unique{where}"
    if not unique:
        return f"{unit.nobody} is unique{where}: the smallest group has {unit.counted(figures.k_min)}"
    if unique == n:
        return f"The only {unit.singular} is unique{where}" if n == 1 else f"{_all(unit)} is unique{where}"
    if unique == 1:
        return f"One {unit.singular} of {count(n)} is unique{where}"
    return f"{bar_share(figures.share(unique))} of the {unit} are unique{where}"


def _all(unit: Unit) -> str:
    return unit.everyone.capitalize()


def attackers_finding(people: PeopleFigures) -> str:
    """Compare how many are unique by what an attacker knows of their records."""
    known = [(KNOWN[each.knows], each.share) for each in people.attackers if each.share is not None]
    if not known:
        return "How many people are unique by their records is not known"
    shares = {part for _, part in known}
    if len(shares) == 1:
        (part,) = shares
        who = "Everyone is" if part == 1 else "Nobody is" if part == 0 else f"{bar_share(part)} of the people are"
        return f"{who} unique, whether an attacker knows {either([words for words, _ in known])}"
    parts = joined(f"{bar_share(part)} by {words}" for words, part in known)
    return f"People who are unique: {parts}"


def household_finding(household: Household) -> str:
    """Say how often a guess finds somebody of a household."""
    return f"A guess finds somebody of a person's household {bar_share(household.risk.mean)} of the time"


def bits_finding(measurement: Measurement, given: str) -> str:
    """Say how many of the bits that single out everyone are given away; ``given``: by what."""
    figures, unit = measurement.figures, measurement.unit
    if not figures.max_entropy_bits:
        return f"There is only one {unit.singular}, so there is nothing to tell apart"
    start = f"{given[0].upper()}{given[1:]}"
    if not figures.entropy_bits:
        return f"No bits are given away: {unit.everyone} has the same values"
    if figures.singletons == figures.n_people:
        return f"{start} all {bits(figures.max_entropy_bits)} bits that single out {unit.everyone}"
    amount, most = bits_of(figures.entropy_bits, figures.max_entropy_bits).split(" of the ")
    return f"{start} {amount} of the {most} bits that single out {unit.everyone}"


def columns_finding(measurement: Measurement, answer: ColumnSubsets | None) -> str:
    """Name the column that makes most of the difference."""
    if answer is None:
        return _single_column(measurement)
    unit, total = answer.unit, answer.together.singletons if answer.together is not None else None
    if total == 0:
        return _no_combination(unit)
    known = [part for part in answer.contribution if part.singletons_without is not None]
    if total is None or not known:
        return _single_column(measurement)
    top = min(known, key=lambda part: part.singletons_without or 0)
    left = top.singletons_without or 0
    if left == total:
        stay = "stays" if total == 1 else "stay"
        return f"No single column matters: without any one of them, {unit.counted(total)} {stay} unique"
    if not left:
        return f"Without {named(top.column)}, {unit.nobody[0].lower()}{unit.nobody[1:]} would be unique"
    return f"Without {named(top.column)}, {count(left)} instead of {unit.counted(total)} would be unique"


def _single_column(measurement: Measurement) -> str:
    name, figures = max(measurement.columns, key=lambda pair: pair[1].entropy_bits)
    if len(measurement.columns) == 1:
        return f"{named(name)} gives away {bits(figures.entropy_bits)} bits"
    return f"{named(name)} gives away the most by itself: {bits(figures.entropy_bits)} bits"


def disclosure_finding(column: ColumnDisclosure, unit: Unit) -> str:
    """Say for how many the group gives a sensitive value away."""
    name = column.column
    if column.is_constant:
        return f"{name} has one value, so nothing is to be learnt"
    given, nearly = column.given_away.in_company, column.nearly_given_away.in_company
    if given == column.n_people:
        return f"The {name} of {unit.everyone} is given away by the group"
    if given:
        return f"The {name} of {count(given)} {unit} ({bar_share(column.share(given))}) is given away by their group"
    # The row of someone who is unique gives everything away, whatever groups do.
    unique = column.top_shares.alone
    if unique == column.n_people:
        return f"{_all(unit)} is unique, so no group hides {name}"
    group = f"No group of several {unit}" if unique else "No group"
    if nearly:
        return f"{group} gives {name} away for certain, but that of {unit.counted(nearly)} nearly does"
    return f"{group} gives {name} away"


def population_finding(answer: PopulationAnswer) -> str:
    """Say which part of those unique here is unique in the population."""
    pi = answer.pi
    if answer.reason is not None or not answer.sample_uniques or answer.estimability == "exact" or pi.value is None:
        return population_verdict(answer).title
    who = f"About {estimated_share(pi.value)} of the {answer.unit} that are unique here"
    if answer.unit is Unit.PEOPLE:
        who = who.replace(" that are", " who are")
    return f"{who} are unique in the population"


def treatments_finding(advice: Advice) -> str:
    """Say what it takes to reach the goal."""
    best, unit, least = advice.best, advice.unit, least_group(advice.goal)
    goal = f"Every group has at least {unit.counted(least)}" if least is not None else "The goal is reached"
    if advice.reached and best.columns == advice.as_is.columns and not best.withheld:
        return f"{goal} as the table is"
    if advice.reached:
        withheld = "nobody" if unit is Unit.PEOPLE else f"no {unit.singular}"
        who = (
            f"{unit.counted(best.withheld)} {'is' if best.withheld == 1 else 'are'}"
            if best.withheld
            else f"{withheld} is"
        )
        return f"{goal} if {bar_share(advice.detail_lost(best))} of the detail is given up and {who} withheld"
    limit = percent(advice.withhold_limit)
    wanted = f"gives every group {unit.counted(least)}" if least is not None else "reaches the goal"
    return f"No treatment we tried {wanted} with at most {limit} of the {unit} withheld"


def gain_finding(gain: Gain) -> str:
    """Say about which column most is learnt from the others."""
    top = gain.figures.ranked()[0]
    if not gain.figures.rig["max"]:
        return "The other columns of a row tell nothing about any of its cells"
    average = "per record on average" if gain.people_have_several_rows else "on average"
    learnt = f"{bits(top.mean_cig_bits)} bits about {named(top.column)} {average}"
    return f"Someone who knows all other columns learns {learnt}"


def sweep_finding(column: str, sweep: Sequence[SweepStep], unit: Unit) -> str:
    """Say how far the gain of the most exposed falls as one column becomes coarser."""
    first, last = bits(sweep[0].rig_p95), bits(sweep[-1].rig_p95)
    who = f"At the coarsest view of {named(column)}, at least 5% of the {unit} have an information gain of"
    return f"{who} {last} bits or more, " + (f"instead of {first}" if first != last else "as they have now")


def _no_combination(unit: Unit) -> str:
    whom = "anybody" if unit is Unit.PEOPLE else f"any {unit.singular}"
    return f"No combination of the columns makes {whom} unique"


def subsets_finding(answer: ColumnSubsets) -> str:
    """Say how many all columns of a saved answer make unique."""
    unit, n_columns = answer.unit, len(answer.candidates)
    total = answer.together.singletons if answer.together is not None else None
    if total is None:
        return "Not all combinations of the columns were counted"
    if not total:
        return _no_combination(unit)
    columns = "The column makes" if n_columns == 1 else f"The {count(n_columns)} columns together make"
    if total == answer.n_people:
        return f"{columns} {unit.everyone} unique"
    return f"{columns} {bar_share(total / answer.n_people)} of the {unit} unique"


def events_finding(answer: Events) -> str:
    """Say how many pairs of events belong to only one person."""
    figures = answer.period
    if not figures.singletons:
        return "No pair of events belongs to only one person"
    if figures.singletons == figures.n_pairs:
        return "Every pair of events belongs to only one person"
    return f"{bar_share(figures.share)} of the pairs of events belong to only one person"


def leak_finding(answer: Leak, title: str) -> str:
    """Say how many columns leak, if any do."""
    if answer.conclusion != "leaks" or not answer.leaking:
        return title
    verb = "reveals" if len(answer.leaking) == 1 else "reveal"
    return f"{title}: {count(len(answer.leaking))} of {counted(len(answer.columns), 'column')} {verb} it"
