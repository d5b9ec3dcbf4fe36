"""The figures compile to charts, offline, with hostile names and without data."""

import json

import pytest
import vl_convert

from idbits.studies.gain import charts as charts_gain

NAMES = ['zip "code"', "a.b[0]", "<script>", "größe"]
CHARTS = {
    "heat map": charts_gain.heat_map(NAMES, [(1, [0.5, 3.0, 0.0, 12.0]), (2, [0.1, 0.0, 0.0, 7.5])]),
    "people above": charts_gain.people_above({"this table": [(0.0, 100), (1.0, 20), (2.0, 0)]}),
    "two versions": charts_gain.people_above({"original": [(0.0, 100), (9.0, 0)], "treated": [(0.0, 80), (3.0, 0)]}),
    "sweep": charts_gain.sweep_curve([("age", 1.0, 9.5), ("age:band5", 0.7, 8.0), ("age:band10", None, 7.0)]),
    "growth": charts_gain.growth_curve([("zip", 0.0, 0.0), ("age", 4.5, 6.0)], 1.0),
}


@pytest.mark.parametrize("name", CHARTS)
def test_charts_compile(name: str) -> None:
    chart = json.loads(json.dumps(CHARTS[name], allow_nan=False))
    picture = vl_convert.vegalite_to_svg(chart, vl_version="5.20", allowed_base_urls=[])
    assert picture.startswith("<svg")
    assert picture.count("<path") > 2
    assert "undefined" not in picture
    assert "NaN" not in picture


def test_the_threshold_is_on_the_axis_of_pif() -> None:
    (first, _) = CHARTS["growth"]["layer"]
    assert [layer["mark"]["type"] for layer in first["layer"]] == ["line", "rule"]
    assert first["layer"][1]["encoding"]["y"]["datum"] == 1.0


def test_names_are_data_and_nothing_else() -> None:
    chart = CHARTS["heat map"]
    encoding = json.dumps(chart["encoding"])
    assert not any(json.dumps(name)[1:-1] in encoding for name in NAMES)
