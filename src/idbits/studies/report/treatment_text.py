"""What reaches the goal, in sentences, as a table and as a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idbits.render.attributes import plain_attribute
from idbits.render.blocks import TableBlock
from idbits.render.numbers import bits, count, percent, share
from idbits.render.page import Figure, Section, named, shortened
from idbits.studies.advise.charts import trade_off_chart
from idbits.studies.advise.result import Advice, GoalTreatment, TreatmentPoint
from idbits.studies.advise.text import publish_sentence, spread_points
from idbits.studies.report.findings import treatments_finding
from idbits.studies.report.text import without_options
from idbits.studies.shared.beside import few_names
from idbits.studies.shared.goal_words import goal_in_words, least_group
from idbits.studies.shared.plans import ALL
from idbits.wording import counted

if TYPE_CHECKING:
    from idbits.studies.report.result import Report, Treatments

__all__ = ["advice_of", "changes_section", "goal_name", "reached_sentence", "treatment_commands"]

_NAME = 48
_SHOWN_COLUMNS = 40


def advice_of(report: Report) -> tuple[str, ...]:
    """Return what reaches the goal and what it costs, in sentences."""
    treatments, measurement = report.treatments, report.measurement
    advice, unit = treatments.advice, measurement.unit
    if advice is None:
        return (f"We looked for no treatment: {without_options(treatments.reason or '')}.",)
    first, *others = [item.treatment for item in treatments.suggested]
    sentences = [f"The goal is that {goal_in_words(first.goal, unit, named)}. {reached_sentence(first, advice)}"]
    sentences += [f"{_heading(item, advice)}: {_decapitalised(reached_sentence(item, advice))}" for item in others]
    if measurement.groups is not None:
        sentences.append(
            f"Groups within each {named(measurement.groups.by)} were not treated; to treat them, add it to the columns "
            "that someone may know."
        )
    if treatments.dropped:
        names = few_names([named(name) for name in treatments.dropped])
        sentences.append(f"Leave {names} out of the treated table: their values tell most {unit} apart by themselves.")
    if treatments.kept:
        names = few_names([named(name) for name in treatments.kept])
        sentences.append(f"The treated table keeps {names}, although most {unit} have a value of their own there.")
    return (*sentences, _searched(advice))


def _heading(treatment: GoalTreatment, advice: Advice) -> str:
    least = least_group(treatment.goal)
    return f"For groups of at least {advice.unit.counted(least or 0)}"


def reached_sentence(treatment: GoalTreatment, advice: Advice) -> str:
    """Say which treatment reaches a goal and what then is left, or why none does."""
    best, unit = treatment.best, advice.unit
    least = least_group(treatment.goal) or 0
    if least > advice.n_rows:
        return f"The table has only {unit.counted(advice.n_rows)}, so no group can have {count(least)}."
    if not treatment.reached:
        limit = percent(treatment.withhold_limit)
        return (
            f"No treatment that we tried reaches it while withholding at most {limit} of the {unit}. "
            f"{publish_sentence(advice, best, named)}"
        )
    if best.columns == advice.as_is.columns and not best.withheld:
        return "The table meets it as it is."
    return f"{publish_sentence(advice, best, named)} {_after(best, advice)}"


def _after(point: TreatmentPoint, advice: Advice) -> str:
    now, then, unit = advice.as_is.figures, point.figures, advice.unit
    unique = then["singletons"]
    who = f"{unit.counted(unique)} {'is' if unique == 1 else 'are'}" if unique else f"{unit.nobody.lower()} is"
    instead = f" instead of {count(now['singletons'])}" if now["singletons"] != unique else ""
    return (
        f"Then {who} unique{instead}, the smallest group has {unit.counted(then['k_min'])}, and "
        f"{bits(then['entropy_bits'])} bits are given away instead of {bits(now['entropy_bits'])}."
    )


def _decapitalised(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _searched(advice: Advice) -> str:
    nodes = advice.nodes
    if advice.optimal:
        which = "no other one reaches the goal with less detail lost" if advice.reached else "none reaches the goal"
        return f"We compared {counted(nodes.lattice, 'treatment')} of the columns; {which}."
    return (
        f"We tried {count(nodes.measured)} of {counted(nodes.lattice, 'treatment')} of the columns; others may lose "
        "less detail."
    )


def changes_section(report: Report) -> Section | None:
    """Return what each goal takes, and the frontier of risk and detail; None if no treatment was looked for."""
    treatments = report.treatments
    advice = treatments.advice
    if advice is None:
        return None
    unit = advice.unit
    text = (
        f"A treatment makes columns coarser and withholds {unit} in groups that are still too small. Detail lost is "
        f"the share of the precision of the columns that is gone: 0% for the table as it is, 100% if all are given "
        f"up. Withheld {unit} lose all their detail.",
    )
    figures = (_frontier(treatments, advice),) if len(advice.points) > 1 else ()
    tables = (_goals_table(treatments, advice), *_columns_table(treatments, advice))
    return Section("changes", treatments_finding(advice), text, figures, tables, topic="Treatments")


def _goals_table(treatments: Treatments, advice: Advice) -> TableBlock:
    unit = advice.unit
    rows = [_figures_row("as it is", advice.as_is, advice)]
    for item in treatments.suggested:
        found = item.treatment
        reached = "" if found.reached else " (closest; not reached)"
        rows.append(_figures_row(f"{goal_name(found, advice)}{reached}", found.best, advice))
    heads = ("to reach", f"withheld {unit}", "detail lost", "bits", f"unique {unit}", "below 5", "smallest group")
    return TableBlock(
        "What each goal takes",
        heads,
        rows,
        caption=f"Figures are those of the {unit} that are kept. below 5: {unit} in groups smaller than 5.",
        emphasis=(1,),
    )


def goal_name(treatment: GoalTreatment, advice: Advice) -> str:
    """Return a goal in a few words."""
    least = least_group(treatment.goal)
    if least is not None:
        return f"groups of at least {count(least)}"
    return shortened(goal_in_words(treatment.goal, advice.unit), 2 * _NAME)


def _figures_row(name: str, point: TreatmentPoint, advice: Advice) -> list[str]:
    figures = point.figures
    return [name, count(point.withheld), share(advice.detail_lost(point)), bits(figures["entropy_bits"]),
            count(figures["singletons"]), count(figures["people_below"].get("5")), count(figures["k_min"])]  # fmt: skip


def _columns_table(treatments: Treatments, advice: Advice) -> tuple[TableBlock, ...]:
    """Return what becomes of each column that any of the treatments changes."""
    shown = [item.treatment for item in treatments.suggested]
    rows = []
    for index, ladder in enumerate(advice.ladders):
        levels = [item.best.levels[index] for item in shown if item.best.levels is not None]
        if any(levels):
            cells = [_becomes(item.best, index, advice) for item in shown]
            rows.append([shortened(plain_attribute(ladder.column), _NAME), count(ladder.values[0]), *cells])
    if not rows:
        return ()
    unchanged = len(advice.ladders) - len(rows)
    more = [f"{counted(unchanged, 'other column')} without change."] if unchanged else []
    more += [f"{counted(len(rows) - _SHOWN_COLUMNS, 'more column')} not shown."] if len(rows) > _SHOWN_COLUMNS else []
    return (
        TableBlock(
            "What becomes of the columns",
            ("column", "values now", *(goal_name(item, advice) for item in shown)),
            rows[:_SHOWN_COLUMNS],
            left=(0, *range(2, 2 + len(shown))),
            caption=" ".join(more),
        ),
    )


def _becomes(point: TreatmentPoint, index: int, advice: Advice) -> str:
    ladder = advice.ladders[index]
    if point.levels is None or point.columns is None or not point.levels[index]:
        return "no change"
    level = point.levels[index]
    if ladder.views[level] == ALL:
        return "given up"
    return f"{shortened(plain_attribute(point.columns[index]), _NAME)} ({counted(ladder.values[level], 'value')})"


def _frontier(treatments: Treatments, advice: Advice) -> Figure:
    reached = [item.treatment for item in treatments.suggested if item.treatment.reached]
    return trade_off_chart(advice, reached).with_table(_frontier_table(advice))


def _frontier_table(advice: Advice) -> TableBlock:
    points = [advice.points[index] for index in spread_points(advice)]
    rows = [
        [
            _changed(point, advice),
            count(point.withheld),
            share(advice.detail_lost(point)),
            count(point.figures["people_below"].get("5")),
        ]
        for point in points
    ]
    unit = advice.unit
    rest = len(advice.points) - len(points)
    return TableBlock(
        "Risk against detail",
        ("treatment", f"withheld {unit}", "detail lost", "below 5"),
        rows,
        caption=f"{counted(rest, 'more treatment')} not shown." if rest > 0 else "",
    )


def _changed(point: TreatmentPoint, advice: Advice) -> str:
    """Return what a treatment does, short enough for a table."""
    changed = [
        f"no {shortened(ladder.column, _NAME)}"
        if ladder.views[level] == ALL
        else shortened(plain_attribute(name), _NAME)
        for name, ladder, level in zip(point.columns or (), advice.ladders, point.levels or (), strict=True)
        if level
    ]
    return ", ".join(changed) or "as it is"


def treatment_commands(report: Report) -> list[tuple[str, str]]:
    """Return the commands that carry out the treatments, each with what it does."""
    treatments = report.treatments
    if treatments.advice is None:
        return []
    rows = [("All treatments", treatments.command)] if treatments.command is not None else []
    for item in treatments.suggested:
        name = f"Treat for {goal_name(item.treatment, treatments.advice)}"
        rows += [(name, command) for command in item.commands]
    return rows
