"""The charts of links in a report, in the colours of the page."""

from __future__ import annotations

from idbits.render.blocks import TableBlock
from idbits.render.numbers import count
from idbits.render.page import Figure
from idbits.studies.link.charts import candidate_rows, charts_of
from idbits.studies.link.result import Linkage
from idbits.studies.link.text import calibration_table, mean_claim_table

__all__ = ["link_figures"]


def link_figures(answer: Linkage) -> tuple[Figure, ...]:
    """Return the charts that an answer has; tables of the section have the numbers of the first and the third."""
    tables = {
        "candidates": _candidates_table(answer),
        "claims": next(iter(mean_claim_table(answer)), None),
        "calibration": calibration_table(answer) if answer.calibration is not None else None,
    }
    return tuple(chart.with_table(tables.get(name)) for name, chart in charts_of(answer).items())


def _candidates_table(answer: Linkage) -> TableBlock:
    rows = [(label.replace("-", " to "), number) for label, number in candidate_rows(answer)]
    return TableBlock(
        "Records by the number of people who fit",
        ("people who fit", "records"),
        [[label, count(number)] for label, number in rows],
    )
