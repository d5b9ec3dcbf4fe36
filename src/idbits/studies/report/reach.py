"""What reaches the goal, for the first page: the changes one by one, before and after, and people by group size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idbits.render.attributes import plain_attribute
from idbits.render.first_page import BeforeAfter, GoalReach, SizeBars, Standing
from idbits.render.numbers import count, percent, share
from idbits.render.page import named
from idbits.studies.advise.result import Advice, TreatmentPoint, view_of
from idbits.studies.measure import charts
from idbits.studies.measure.charts import TreatedGroups
from idbits.studies.report.checks import goal_size, is_rarely_given_away
from idbits.studies.report.text import without_options
from idbits.studies.shared.beside import few_names
from idbits.studies.shared.goal_words import goal_in_words, least_group
from idbits.studies.shared.plans import ALL
from idbits.wording import counted

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["goal_reach", "size_bars"]

_MOST_CHANGES = 5
_PLACE = "\0"


def goal_reach(report: Report) -> GoalReach:
    """Return which treatment reaches the goal, or why none does."""
    treatments = report.treatments
    advice = treatments.advice
    if advice is None:
        return GoalReach("We looked for no treatment", (f"{_sentence(without_options(treatments.reason or ''))}.",))
    best, unit = advice.best, advice.unit
    least = least_group(advice.goal)
    goal = f"the goal of {unit.counted(least)} per group" if least is not None else "the goal"
    text = [] if least is not None else [f"The goal is that {goal_in_words(advice.goal, unit, named)}."]
    if is_untreated(advice):
        return GoalReach(f"The table reaches {goal} as it is", (*text, "No treatment is needed for it."))
    if advice.reached:
        return GoalReach(f"A treatment reaches {goal}", (*text, _searched(advice)), _changes(report, advice, best),
                         _figures(report, advice, best))  # fmt: skip
    limit = percent(advice.withhold_limit)
    text.append(f"We withheld at most {limit} of the {unit}. The treatment that comes closest:")
    return GoalReach(
        f"No treatment we tried reaches {goal}",
        tuple(text),
        _changes(report, advice, best),
        _figures(report, advice, best),
    )


def is_untreated(advice: Advice) -> bool:
    """Whether the goal is reached without any change."""
    return advice.reached and advice.best.columns == advice.as_is.columns and not advice.best.withheld


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _searched(advice: Advice) -> str:
    nodes, limit = advice.nodes, percent(advice.withhold_limit)
    which = f"the one that loses the least detail with at most {limit} of the {advice.unit} withheld"
    if advice.optimal:
        return f"Of {counted(nodes.lattice, 'treatment')}, {which}:"
    return f"Of {count(nodes.measured)} treatments that we tried ({count(nodes.lattice)} are possible), {which}:"


def _changes(report: Report, advice: Advice, point: TreatmentPoint) -> tuple[str, ...]:
    """Return what becomes of the columns and the people, in few lines."""
    dropped = report.treatments.dropped
    lines = [f"{few_names([named(column) for column in dropped])} left out of the table"] if dropped else []
    views, gone = _views(advice, point)
    room = _MOST_CHANGES - len(lines) - bool(gone)
    if len(views) > room:
        views = [*views[: room - 1], f"{counted(len(views) - room + 1, 'more column')} coarser"]
    lines += views
    lines += [f"{few_names([named(column) for column in gone])} given up"] if gone else []
    if point.withheld:
        part = share(point.withheld / advice.n_rows)
        return (*lines, f"{advice.unit.counted(point.withheld)} ({part}) withheld")
    return (*lines, "Nobody withheld" if advice.unit.nobody == "Nobody" else f"No {advice.unit} withheld")


def _views(advice: Advice, point: TreatmentPoint) -> tuple[list[str], list[str]]:
    """Return the columns that become coarser, each with what it becomes, and those given up."""
    views, gone = [], []
    for name, ladder, level in zip(point.columns or (), advice.ladders, point.levels or (), strict=False):
        if not level:
            continue
        view = view_of(name, ladder.source)
        if view == ALL:
            gone.append(ladder.source)
        elif view.startswith("level "):
            views.append(f"{named(ladder.source)} {counted(level, 'level')} coarser")
        else:
            views.append(plain_attribute(f"{_PLACE}:{view}").replace(_PLACE, named(ladder.source)))
    return views, gone


def _figures(report: Report, advice: Advice, point: TreatmentPoint) -> tuple[BeforeAfter, ...]:
    now, then, unit, least = advice.as_is.figures, point.figures, advice.unit, goal_size(report)
    before, after = _below(advice.as_is, least), _below(point, least)
    smallest = then["k_min"]
    enough = _standing(within=smallest is not None and smallest >= least)
    rows = [
        BeforeAfter("Smallest group", count(now["k_min"]), count(smallest), enough),
        BeforeAfter(f"Unique {unit}", count(now["singletons"]), count(then["singletons"]),
                    _standing(within=not then["singletons"])),
    ]  # fmt: skip
    if least > 2:
        rows.append(BeforeAfter(f"In groups below {count(least)}", count(before), count(after),
                                _standing(within=not after)))  # fmt: skip
    rows += _given_away(report, then["n_people"])
    kept = share(1 - advice.detail_lost(point))
    return (
        *rows,
        BeforeAfter(f"{unit.capitalize()} in the table", count(now["n_people"]), count(then["n_people"])),
        BeforeAfter("Detail kept", "100%", kept),
    )


def _given_away(report: Report, n_treated: int) -> list[BeforeAfter]:
    """Return the shares of people whose sensitive values groups give away, for columns of the treated table."""
    after, dropped = report.treatments.given_away, report.treatments.dropped
    rows = []
    for column in report.disclosure.sensitive if report.disclosure is not None else ():
        if column.column in after and column.column.partition(":")[0] not in dropped and n_treated:
            before, people = column.share(column.given_away.in_company), after[column.column]
            rows.append(
                BeforeAfter(
                    f"{named(column.column)} given away by groups",
                    share(before),
                    share(people / n_treated),
                    _standing(within=is_rarely_given_away(people, n_treated)),
                )
            )
    return rows


def _standing(*, within: bool) -> Standing:
    return Standing.WITHIN if within else Standing.OVER


def _below(point: TreatmentPoint, least: int) -> int:
    spectrum = point.spectrum
    return int(spectrum.people[spectrum.sizes < least].sum()) if spectrum is not None else 0


def size_bars(report: Report) -> SizeBars | None:
    """Return people by the size of their group, as it is and treated; None against a population."""
    advice = report.treatments.advice
    point = advice.best if advice is not None and advice.reached and not is_untreated(advice) else None
    treated = TreatedGroups(point.spectrum, point.figures["n_people"], point.withheld) if point is not None else None
    if treated is not None and treated.spectrum is None and treated.n_people:
        # A saved report has no groups of treated tables.
        treated = None
    is_goal = advice is not None and least_group(advice.goal) is not None
    return charts.size_bars(report.measurement, goal_size(report), treated, is_goal=is_goal)
