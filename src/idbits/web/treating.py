"""Treatments for the app: what reaches a goal, and the treated file with its receipt."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from idbits.errors import NotEstimableError
from idbits.progress import Progress
from idbits.render.numbers import bits, count, share
from idbits.render.page import plain

if TYPE_CHECKING:
    from idbits.reading import Reading
    from idbits.studies.advise.result import GoalTreatment, TreatmentPoint
    from idbits.studies.report.result import Report
    from idbits.studies.shared.serialisation import Json, JsonObject
    from idbits.web.work.worker import ApplyTask, TreatTask

__all__ = ["RECEIPT", "TREATED", "find_treatments", "write_treated"]

_BARS_WORDS = "size-bars-words"
TREATED, RECEIPT = "treated.csv", "treated.csv.receipt.json"


def find_treatments(task: TreatTask, progress: Progress) -> JsonObject:
    """Return the treatments that reach a goal, with their plans, and the other columns of the table."""
    from idbits.engines.open import open_table
    from idbits.reading import open_options
    from idbits.studies.report.study import report

    reading: Reading = {**task["reading"], "progress": progress}
    answer = report(
        task["source"],
        task["qid"],
        goal=task["goal"],
        withhold=task["withhold"],
        keep=task["keep"],
        sections="changes",
        **task["persons"],
        **reading,
    )
    if answer.treatments.advice is None:
        raise NotEstimableError(f"no treatment can be looked for: {answer.treatments.reason}")
    table = open_table(task["source"], open_options(reading))
    try:
        names = list(table.columns)
    finally:
        table.close()
    return _described(answer, names)


def _described(answer: Report, names: list[str]) -> JsonObject:
    from idbits.render.size_bars import narrow_size_bars, wide_size_bars
    from idbits.studies.report.reach import size_bars
    from idbits.studies.report.treatment_text import goal_name, reached_sentence
    from idbits.studies.shared.goal_words import least_group

    advice = answer.treatments.advice
    assert advice is not None
    measured = {planned.column for planned in advice.plan.columns}
    suggested: list[Json] = [
        {
            "name": goal_name(item.treatment, advice),
            "has_short_name": least_group(item.treatment.goal) is not None,
            "sentence": plain(reached_sentence(item.treatment, advice)),
            "reached": item.treatment.reached,
            "figures": _figures(item.treatment.best, advice.n_rows, advice.detail_lost(item.treatment.best)),
            "plan": _plan_text(item.treatment),
            "rest": item.rest,
        }
        for item in answer.treatments.suggested
    ]
    bars = size_bars(answer)
    return {
        "unit": str(advice.unit),
        "bars": {
            "title": bars.title,
            "words": bars.words,
            # The drawings have escaped every text in them.
            "drawn": wide_size_bars(bars, _BARS_WORDS) + narrow_size_bars(bars, _BARS_WORDS),
        }
        if bars is not None
        else None,
        "before": _figures(advice.as_is, advice.n_rows, 0.0),
        "suggested": suggested,
        "others": [name for name in names if name not in measured],
        "identifiers": list(answer.treatments.dropped),
        "kept": list(answer.treatments.kept),
        "json": answer.to_json(),
    }


def _figures(point: TreatmentPoint, n_rows: int, lost: float) -> JsonObject:
    figures = point.figures
    return {
        "rows": count(n_rows - point.withheld),
        "withheld": f"{count(point.withheld)} ({share(point.withheld / n_rows)})",
        "unique": count(figures["singletons"]),
        "below": count(figures["people_below"].get("5")),
        "smallest": count(figures["k_min"]),
        "bits": bits(figures["entropy_bits"]),
        "lost": share(lost),
    }


def write_treated(task: ApplyTask, progress: Progress) -> JsonObject:
    """Write the treated file and its receipt to the folder of this process; the server keeps both."""
    from idbits.studies.apply.study import apply

    folder = Path(tempfile.gettempdir())
    plan = folder / "plan.json"
    plan.write_text(task["plan"], encoding="utf-8", newline="\n")
    reading: Reading = {**task["reading"], "progress": progress}
    persons = {name: value for name, value in task["persons"].items() if name in ("person", "rows_are_people")}
    with progress.step("writing the treated file"):
        treated = apply(
            task["source"],
            plan,
            folder / TREATED,
            drop=task["drop"],
            keep_identifier=task["keep"],
            # A spreadsheet that opens the file must not run its cells.
            safe_csv=True,
            rest=task["rest"],
            **persons,  # type: ignore[arg-type]
            **reading,
        )
    return {
        "files": [TREATED, RECEIPT],
        "withheld": treated.withheld.people,
        "before": _measured(treated.before),
        "after": _measured(treated.after),
        "released": list(treated.released),
        "dropped": list(treated.dropped),
        "not_assessed": list(treated.not_assessed),
        "notes": list(treated.notes),
    }


def _measured(figures: object) -> JsonObject:
    from idbits.studies.shared.figures import Figures

    assert isinstance(figures, Figures)
    return {
        "rows": count(figures.n_rows),
        "unique": count(figures.singletons),
        "below": count(figures.people_below["5"]),
        "smallest": count(figures.k_min),
        "bits": bits(figures.entropy_bits),
    }


def _plan_text(treatment: GoalTreatment) -> str:
    assert treatment.plan is not None
    return treatment.plan.to_json()
