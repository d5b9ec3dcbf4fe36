"""Measuring a table for the page Measure, in the process of the work: the report, its parts and its main figures."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from idbits.errors import DataError, InputError
from idbits.progress import Progress
from idbits.render.numbers import bar_share, count
from idbits.render.page import plain
from idbits.render.scales import coordinate
from idbits.studies.report.checks import checked_rows, goal_size
from idbits.studies.report.result import Report
from idbits.studies.report.study import decision_about, report
from idbits.studies.report.text import without_options
from idbits.studies.shared.figures import SMALL_GROUP

if TYPE_CHECKING:
    from idbits.reading import Reading
    from idbits.studies.shared.serialisation import Json, JsonObject
    from idbits.web.work.worker import RecordOnPage, ReportTask

__all__ = ["measure_table", "sections_of"]

_BAR_UNITS = 1000.0
_MOST_SUGGESTED = 3


def measure_table(task: ReportTask, progress: Progress) -> JsonObject:
    """Measure a table; return the report as a part of a page, as a file, and as data."""
    from idbits.web.work.worker import report_body

    reading: Reading = {**task["reading"], "progress": progress}
    reveal, population = task["reveal"], task["population"]
    answer = report(
        task["source"],
        task["qid"],
        task["by"],
        population=population["source"] if population is not None else None,
        population_count=population["count"] if population is not None else None,
        # People who are not in the population are counted, and nobody is refused because of them.
        missing="unbounded" if population is not None else "error",
        people=task["people"],
        fraction=task["fraction"],
        sensitive=task["sensitive"] or None,
        **task["persons"],
        internal=reveal,
        reveal=reveal,
        **reading,
    )
    if task["decision"] is not None:
        answer = _with_record(answer, task["decision"])
    with progress.step("drawing the report"):
        html = answer.to_html()
        return {
            "title": answer.page.title,
            "part": report_body(html),
            "html": html,
            "made_at": answer.made_at.isoformat(),
            "json": answer.to_json(),
            "level": str(answer.verdict.level),
            "verdict": answer.verdict.title,
            "notes": list(answer.notes),
            "sections": {**sections_of(html, [section.name for section in answer.page.sections])},
            "answer": _main_figures(answer),
        }


def _with_record(answer: Report, shown: RecordOnPage) -> Report:
    """Return the report with a recorded decision about the same data and figures in its box."""
    try:
        return replace(answer, decision=decision_about(answer, shown["folder"], shown["number"]))
    except InputError:
        raise DataError(
            "the table has changed since the decision, or the decision is about other rows, people or columns"
        ) from None


def sections_of(html: str, names: list[str]) -> dict[str, str]:
    """Return the sections of a page by their names; everything from a table in them is escaped.

    >>> sections_of('<main><section id="a">1</section><div><section id="b">2</section></div></main>', ["a", "b"])
    {'a': '<section id="a">1</section>', 'b': '<section id="b">2</section>'}
    """
    starts = [html.index(f'<section id="{name}"') for name in names]
    ends = [*starts[1:], html.index("</main>")]
    return {
        name: html[start : html.rindex("</section>", start, end) + len("</section>")]
        for name, start, end in zip(names, starts, ends, strict=True)
    }


def _main_figures(answer: Report) -> JsonObject:
    """Return what the tabs of the answer show besides sections: texts, and nothing from the rows of the table."""
    measurement = answer.measurement
    figures, people = measurement.figures, measurement.people
    checks: list[Json] = [{key: plain(str(text)) for key, text in asdict(row).items()} for row in checked_rows(answer)]
    return {
        "reasons": [plain(reason) for reason in answer.verdict.reasons],
        "unit": str(measurement.unit),
        "people": measurement.unit.counted(figures.n_people),
        "n_unique": count(figures.singletons),
        "unique": f"{count(figures.singletons)} of {measurement.unit.counted(figures.n_people)} "
        f"{'is' if figures.singletons == 1 else 'are'} unique",
        "bar": _bar(answer),
        "goal": count(goal_size(answer)),
        "checks": checks,
        "leave_out": _leave_out(answer),
        "has_several_rows": people is not None and people.has_several_rows,
        "treatment_reason": _reason(answer.treatments.reason),
        "learnt_reason": _reason(answer.disclosure_reason),
        "population_reason": _reason(answer.population_reason),
        "secrets": [column.column for column in answer.disclosure.sensitive] if answer.disclosure else [],
    }


def _reason(reason: str | None) -> str | None:
    return without_options(reason) if reason is not None else None


def _bar(answer: Report) -> list[Json]:
    """Return unique people, those in other small groups and the rest, as parts of a bar."""
    figures, unit = answer.measurement.figures, answer.measurement.unit
    n, unique, below = figures.n_people, figures.singletons, figures.people_below[str(SMALL_GROUP)]
    parts = (
        ("risk", unique, f"unique {unit.singular if unique == 1 else unit}"),
        ("risk2", below - unique, f"in groups of 2 to {SMALL_GROUP - 1}"),
        ("goal", n - below, f"in groups of {SMALL_GROUP} or more"),
    )
    bar: list[Json] = []
    start = 0.0
    for meaning, number, label in parts:
        width = _BAR_UNITS * number / n
        bar.append(
            {
                "meaning": meaning,
                "share": bar_share(number / n) if number else "0%",
                "label": f"{count(number)} {label}",
                "start": coordinate(start),
                "width": coordinate(width),
            }
        )
        start += width
    return bar


def _leave_out(answer: Report) -> list[Json]:
    """Return the columns whose absence leaves the fewest unique people, if it helps."""
    if answer.columns is None:
        return []
    unique, unit = answer.measurement.figures.singletons, answer.measurement.unit
    helping = [
        (row.singletons_without, row.column)
        for row in answer.columns.contribution
        if row.singletons_without is not None and row.singletons_without < unique
    ]
    return [
        {"column": column, "unique": f"{count(left)} unique {unit.singular if left == 1 else unit}"}
        for left, column in sorted(helping)[:_MOST_SUGGESTED]
    ]
