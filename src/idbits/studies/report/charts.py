"""The charts of a report by name: those of its page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from idbits.render.described_chart import DescribedChart
from idbits.render.size_bars import SizeBarsDrawing
from idbits.studies.advise.charts import trade_off_chart
from idbits.studies.columns.charts import left_out_chart, sizes_chart
from idbits.studies.disclosure import charts as disclosure_charts
from idbits.studies.gain import charts as gain_charts
from idbits.studies.measure import charts as measure_charts
from idbits.studies.population import charts as population_charts
from idbits.studies.report.checks import goal_size
from idbits.studies.report.reach import size_bars

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["added_bits", "charts_of"]


def charts_of(report: Report) -> dict[str, DescribedChart]:
    """Return the charts of the page, the main one first; those of a part begin with its name."""
    measurement, bars = report.measurement, size_bars(report)
    charts = measure_charts.charts_of(measurement)
    charts["shares"] = measure_charts.shares_chart(measurement, goal_size(report))
    charts["columns"] = measure_charts.columns_chart(measurement, added_bits(report))
    if bars is not None:
        charts["sizes"] = DescribedChart(SizeBarsDrawing(bars), bars.words, bars.title)
    advice = report.treatments.advice
    if advice is not None and len(advice.points) > 1:
        reached = [item.treatment for item in report.treatments.suggested if item.treatment.reached]
        charts["frontier"] = trade_off_chart(advice, reached)
    if report.columns is not None:
        charts["columns: sizes"] = sizes_chart(report.columns)
        left_out = left_out_chart(report.columns, dict(measurement.columns))
        charts |= {"columns: left_out": left_out} if left_out is not None else {}
    if report.disclosure is not None:
        shown = disclosure_charts.charts_of(report.disclosure)
        charts |= {name: chart for name, chart in shown.items() if not name.endswith(": bits")}
    if report.population is not None:
        charts |= _within("population", population_charts.charts_of(report.population))
    if report.gain is not None:
        # The page shows one table; what a comparison and a growth show is in the answer itself.
        gain = replace(report.gain, comparison=None, growth=None)
        charts |= _within("gain", gain_charts.charts_of(gain))
    return charts


def added_bits(report: Report) -> dict[str, float | None]:
    """Return the bits that each column adds to all others, where combinations were counted."""
    return {part.column: part.conditional_bits for part in report.columns.contribution} if report.columns else {}


def _within(part: str, charts: dict[str, DescribedChart]) -> dict[str, DescribedChart]:
    return {f"{part}: {name}": chart for name, chart in charts.items()}
