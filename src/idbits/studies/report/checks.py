"""What was checked: each result with its limit and whether it is within it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idbits.render.first_page import CheckedRow, Standing
from idbits.render.numbers import count, estimated_share, share
from idbits.render.page import named
from idbits.studies.disclosure.result import ColumnDisclosure
from idbits.studies.population.result import PopulationAnswer
from idbits.studies.shared.beside import few_names
from idbits.studies.shared.figures import MANY_UNIQUE, SMALL_GROUP
from idbits.studies.shared.goal_words import least_group
from idbits.studies.shared.units import Unit

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["checked_rows", "goal_size", "is_rarely_given_away"]

_MANY_GIVEN_AWAY = 0.01
_NONE = "none"


def goal_size(report: Report) -> int:
    """Return the smallest group that is large enough: the goal, or 5 if the goal is about something else."""
    advice = report.treatments.advice
    goal = least_group(advice.goal) if advice is not None else report.goal_size
    return goal or SMALL_GROUP


def checked_rows(report: Report) -> tuple[CheckedRow, ...]:
    """Return what decides, one row each."""
    rows = [_identifiers(report), _unique(report)]
    if goal_size(report) > 2:
        rows.append(_in_small_groups(report))
    if report.disclosure is not None:
        rows += [_given_away(column) for column in report.disclosure.sensitive]
    elif report.disclosure_reason is not None:
        rows.append(CheckedRow("What groups give away", "not measured", "", "below 1%", Standing.DEPENDS))
    if report.population is not None:
        rows.append(_in_population(report.population))
    elif report.population_reason is not None:
        rows.append(CheckedRow("Unique in the population", "not estimated", "", "below 1%", Standing.DEPENDS))
    return tuple(rows)


def _identifiers(report: Report) -> CheckedRow:
    name, found = "Columns that name a person", report.identifiers
    if found:
        return CheckedRow(name, few_names([named(column) for column in found]), "", _NONE, Standing.OVER)
    if found is None:
        return CheckedRow(name, "not fully checked", "", _NONE, Standing.DEPENDS)
    texts = report.measurement.beside.free_text
    if texts:
        detail = f"but names may occur in {few_names([named(column) for column in texts])}"
        return CheckedRow(name, _NONE, detail, _NONE, Standing.DEPENDS)
    return CheckedRow(name, _NONE, "", _NONE, Standing.WITHIN)


def _unique(report: Report) -> CheckedRow:
    measurement = report.measurement
    unique, where = measurement.figures.singletons, ""
    groups = measurement.groups
    if groups is not None and groups.singletons > unique:
        unique, where = groups.singletons, f"within each {named(groups.by)}"
    if measurement.population is not None and measurement.population.unbounded_people:
        outside = measurement.unit.counted(measurement.population.unbounded_people)
        where = f"{outside} not in the population at all"
    name = f"{measurement.unit.capitalize()} {measurement.unit.who} are unique"
    return _counted(name, unique, where, report)


def _in_small_groups(report: Report) -> CheckedRow:
    measurement, least = report.measurement, goal_size(report)
    small, where = measurement.figures.people_between(1, least - 1), ""
    groups = measurement.groups
    within = sum(row.figures.people_between(1, least - 1) for row in groups.rows) if groups is not None else 0
    if groups is not None and within > small:
        small, where = within, f"within each {named(groups.by)}"
    name = f"{measurement.unit.capitalize()} in groups smaller than {count(least)}"
    return _counted(name, small, where, report)


def _counted(name: str, people: float, where: str, report: Report) -> CheckedRow:
    measurement = report.measurement
    figures = measurement.figures
    detail = f"of {count(figures.n_people)} ({share(figures.share(people))})"
    detail += f", {where}" if where else ""
    unbounded = measurement.population is not None and measurement.population.unbounded_people
    standing = Standing.OVER if people or unbounded else Standing.WITHIN
    if measurement.unit is Unit.RECORDS:
        # Records are not people: nobody knows how many people are behind them.
        standing = Standing.DEPENDS
    return CheckedRow(name, count(people), detail, _NONE, standing)


def is_rarely_given_away(people: int, n_people: int) -> bool:
    """Whether the share of people whose value is given away by their group is within the limit."""
    return not people or people / n_people < _MANY_GIVEN_AWAY


def _given_away(column: ColumnDisclosure) -> CheckedRow:
    name, limit = f"{named(column.column)} given away by groups", "below 1%"
    if column.top_shares.alone == column.n_people:
        return CheckedRow(name, "all unique", "so no group hides it", limit, Standing.OVER)
    people = column.given_away.in_company
    standing = Standing.WITHIN if is_rarely_given_away(people, column.n_people) else Standing.OVER
    return CheckedRow(
        name, count(people), f"of {count(column.n_people)} ({share(column.share(people))})", limit, standing
    )


def _in_population(answer: PopulationAnswer) -> CheckedRow:
    name, limit = "Unique in the population", "below 1%"
    found = answer.unique_share
    if found.value is None:
        return CheckedRow(name, "not estimable", "", limit, Standing.DEPENDS)
    between = ""
    if found.low is not None and found.high is not None and found.low != found.high:
        between = f" ({estimated_share(found.low)} to {estimated_share(found.high)})"
    if found.value >= MANY_UNIQUE:
        standing = Standing.OVER
    else:
        high = found.value if found.high is None else found.high
        standing = Standing.WITHIN if high < MANY_UNIQUE else Standing.DEPENDS
    detail = f"of {count(answer.people)} people{between}"
    return CheckedRow(name, f"about {estimated_share(found.value)}", detail, limit, standing)
