"""The charts of predictions compile, offline."""

from __future__ import annotations

from typing import Any

import pytest
import vl_convert

import idbits
from idbits import predict

CHARTS = {
    "uniqueness": lambda: predict.uniqueness(23, values=365, chart=True).chart(),
    "uniqueness from kappa": lambda: predict.uniqueness(23, values=365, kappa=0.1, chart=True).chart(),
    "kappa": lambda: predict.singletons(60, probabilities=[0.3, 0.3, 0.2, 0.2], chart=True).chart(),
    "width": lambda: predict.width("normal:sd=5", [0.5, 1, 2], 10, chart=True).chart(),
    "correlated": lambda: predict.correlated([5, 4], 0.5, [[1, 1], [2, 2]], 10, chart=True).chart(),
    "questionnaire": lambda: idbits.questionnaire(
        {"population": 100, "questions": [{"name": "a</script>", "shares": [0.5, 0.5]}, {"name": "b", "share": 0.5}]}
    ).chart(),
}


def numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [one for item in value.values() for one in numbers(item)]
    if isinstance(value, list):
        return [one for item in value for one in numbers(item)]
    return [value] if isinstance(value, float) else []


@pytest.mark.parametrize("name", CHARTS)
def test_the_chart_compiles(name: str) -> None:
    spec = CHARTS[name]()
    assert spec["data"]["values"]
    assert all(number == number and abs(number) < 1e300 for number in numbers(spec))
    svg = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    assert svg.startswith("<svg")
    assert "<path" in svg


def test_no_chart_unless_asked_for() -> None:
    assert predict.uniqueness(23, values=365).chart() is None


def test_the_curve_goes_through_the_answer() -> None:
    answer = predict.uniqueness(23, values=365, chart=True)
    rows = [row for row in answer.chart()["data"]["values"] if row["which"] == "exact" and row["k"] == 23]
    assert [row["chance"] for row in rows] == [answer.probability.exact]
