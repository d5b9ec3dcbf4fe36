"""Charts of answers: they show the figures, in both themes, and load nothing."""

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas
import pytest
from real_answers import ANSWERS, PEOPLE, QID, answer

import idbits
from idbits.errors import InputError
from idbits.render.frontier import FrontierChart
from idbits.studies.disclosure.charts import value_chart

WITHOUT_CHART = {
    "Check", "DecisionCheck", "DecisionLog", "GroupPrediction", "Inspection", "RecordedDecision", "Release",
    "SuspectsPrediction", "TreatedFile", "UniquenessPrediction", "ZoneOverlap without groups",
}  # fmt: skip
DRAWN = [name for name in ANSWERS if name not in WITHOUT_CHART]


def values_in(chart: Any) -> list[Any]:
    """Return the rows of all data of a specification."""
    if isinstance(chart, dict):
        own = chart.get("data", {}).get("values", []) if isinstance(chart.get("data"), dict) else []
        return own + [row for key, part in chart.items() if key != "data" for row in values_in(part)]
    return [row for part in chart for row in values_in(part)] if isinstance(chart, list) else []


@pytest.mark.parametrize("name", DRAWN)
def test_every_chart_is_drawn_in_both_themes(name: str) -> None:
    result = answer(name)
    assert result.plot_names
    assert result.plot().name == result.plot_names[0]
    for chosen in result.plot_names:
        light, dark = result.plot(chosen), result.plot(chosen, theme="dark")
        assert values_in(light.to_vega_lite())
        drawn = light.to_svg(), dark.to_svg()
        for svg in drawn:
            root = ElementTree.fromstring(svg)
            assert root.get("role") == "img"
            assert root.get("aria-label") == light.alternative_text
            assert light.alternative_text.startswith(f"{light.title}. ")
            assert light.words.endswith(".")
            assert not re.search("[\u2066-\u2069]", light.alternative_text)
            assert "var(" not in svg
            assert not re.search(r"(?:href|src)=\"(?!#)", svg)
            assert float(root.get("width", "0")) > 100 < float(root.get("height", "0")) + 60
        assert drawn[0] != drawn[1]
        assert light._repr_svg_() == drawn[0]


@pytest.mark.parametrize("name", sorted(WITHOUT_CHART))
def test_answers_without_a_chart_say_so(name: str) -> None:
    assert answer(name).plot_names == ()
    with pytest.raises(InputError, match=f"^this answer of idbits {answer(name).command} has no chart$"):
        answer(name).plot()


def test_a_chart_shows_the_figures_of_the_answer() -> None:
    result = answer("Measurement")
    assert isinstance(result, idbits.Measurement)
    sizes = values_in(result.plot("sizes").to_vega_lite())
    assert sum(row["people"] for row in sizes) == result.n_people
    assert sizes[0] == {
        "table": "As it is", "size": "1", "people": result.singletons, "share": result.singletons / 300,
        "shown": "73.3%", "meaning": "r1",
    }  # fmt: skip
    assert result.singletons == 220
    assert sum(row["people"] for row in sizes[:2]) == result.people_below["5"]
    shares = values_in(result.plot("shares").to_vega_lite())
    assert [row["share"] for row in shares] == [220 / 300, 80 / 300]
    bits = values_in(result.plot("bits").to_vega_lite())
    known = {f"at least {row.bits} bits": row.share for row in result.gain_table}
    assert {row["name"]: row["value"] for row in bits}.items() <= known.items()
    assert max(row["value"] for row in bits) == 1
    columns = values_in(result.plot("columns").to_vega_lite())
    assert {row["name"]: row["value"] for row in columns} == {
        **{name: figures.entropy_bits for name, figures in result.columns},
        "together": result.entropy_bits,
    }


def test_names_that_look_like_colours_and_tags_stay_as_they_are() -> None:
    """Names and values of a table are shown as they are, and never become a part of the drawing."""
    names = ["var(--ink)", "var(--nothing)", "#2166ac", 'id="a" url(#b)', "</svg><script>alert(1)</script>", "a.b[0]"]
    rows = {name: [f"{name}{row * step % 7}" for row in range(40)] for step, name in enumerate(names, 1)}
    result = idbits.measure(pandas.DataFrame(rows), qid=names)
    chart = result.plot("columns")
    for theme in ("light", "dark"):
        drawn = chart.with_theme(theme)
        assert {row["name"] for row in values_in(drawn.to_vega_lite()) if "name" in row} == {*names, "together"}
        root = ElementTree.fromstring(drawn.to_svg())
        texts = {"".join(part.itertext()).strip() for part in root.iter() if part.tag.endswith("}text")}
        assert set(names) <= texts
        assert not [part.tag for part in root.iter() if part.tag.endswith("}script")]
    values = idbits.disclosure(pandas.DataFrame(rows), qid=["#2166ac"], sensitive=["var(--ink)"])
    for name in values.plot_names:
        assert "var(--ink)" in json.dumps(values.plot(name).to_vega_lite())


@pytest.mark.parametrize(
    "part",
    [
        {"data": {"url": "file:///etc/hosts"}},
        {"encoding": {"url": {"field": "a"}}},
        {"encoding": {"href": {"value": "javascript:alert(1)"}}},
        {"layer": [{"mark": {"type": "image", "url": "https://chart.example/a.png"}}]},
        {"transform": [{"lookup": "a", "from": {"data": {"url": "https://chart.example/a.csv"}, "key": "a"}}]},
    ],
)
def test_a_chart_that_loads_something_is_refused(part: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r'remove the keys "url" and "href"$'):
        idbits.Chart("own", {"data": {"values": [{"a": 1}]}, "mark": "bar", **part})


def test_columns_may_have_any_name() -> None:
    rows = {"url": ["a", "b"] * 20, "href": ["c", "d"] * 20}
    result = idbits.measure(pandas.DataFrame(rows), qid=["url", "href"])
    assert all(result.plot(name).to_vega_lite() for name in result.plot_names)


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\u2028", "\ufffe"])
def test_characters_that_no_drawing_can_have_are_shown_by_their_codes(character: str) -> None:
    """The library that draws charts would end the process."""
    name = f"a{character}b"
    rows = pandas.DataFrame({name: ["a", "b"] * 20, "other": [row % 7 for row in range(40)]})
    answers = [
        idbits.measure(rows, qid=[name, "other"], by=name),
        idbits.columns(rows, columns=[name, "other"]),
        idbits.gain(rows, columns=[name, "other"]),
        idbits.disclosure(rows, qid=["other"], sensitive=[name]),
    ]
    for chart in (result.plot(each) for result in answers for each in result.plot_names):
        ElementTree.fromstring(chart.to_svg())
        assert character not in json.dumps(chart.to_vega_lite(), ensure_ascii=False)
    assert ascii(character)[1:-1] in answers[-1].plot().to_svg()
    assert idbits.report(rows, [name, "other"], sections=["bits", "columns", "gain"]).to_html()


def test_a_chart_is_saved_by_the_end_of_its_name(tmp_path: Path) -> None:
    chart = answer("Measurement").plot()
    for name in ("chart.svg", "chart.png", "chart.json"):
        chart.save(tmp_path / name)
    assert (tmp_path / "chart.svg").read_text() == chart.to_svg()
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((tmp_path / "chart.json").read_text()) == chart.to_vega_lite()
    with pytest.raises(InputError, match=r"must end with \.svg, \.png or \.json"):
        chart.save(tmp_path / "chart.jpeg")


def test_themes_and_names_that_do_not_exist() -> None:
    with pytest.raises(InputError, match='no theme is named "pink"; choose light or dark'):
        answer("Measurement").plot(theme="pink")
    with pytest.raises(InputError, match='no chart is named "size"'):
        answer("Measurement").plot("size")
    with pytest.raises(InputError, match='no size is named "huge"; choose wide or narrow'):
        answer("Measurement").plot(size="huge")
    with pytest.raises(InputError, match="scale must be above 0"):
        answer("Measurement").plot().to_png(scale=0)


def test_a_chart_in_another_theme_has_the_same_data_on_another_paper() -> None:
    light = answer("Gain").plot()
    dark = light.with_theme("dark")
    assert repr(light) == "Chart(name='columns', title='What is learnt about each column', theme='light')"
    assert values_in(light.to_vega_lite()) == values_in(dark.to_vega_lite())
    papers = [chart.to_vega_lite()["config"]["background"] for chart in (light, dark)]
    assert papers == ["#ffffff", "#15181d"]


def test_ids_of_two_charts_on_one_page_differ() -> None:
    charts = [answer("Measurement").plot(name).to_svg() for name in ("sizes", "bits")]
    first, second = ({*re.findall(r'\bid="([^"]*)"', svg)} for svg in charts)
    assert not first & second
    for svg, ids in zip(charts, (first, second), strict=True):
        assert {*re.findall(r"url\(#([^)]*)\)", svg)} <= ids


@pytest.mark.parametrize("name", DRAWN)
def test_saved_answers_draw_the_same_charts(name: str) -> None:
    result = answer(name)
    back = type(result).from_dict(json.loads(result.to_json()))
    # Values of sensitive columns are shown, but not saved.
    assert back.plot_names == tuple(each for each in result.plot_names if not each.endswith(": values"))
    for chosen in back.plot_names:
        if name == "Report" and chosen == "sizes":
            # The groups of the treated table are not saved: the chart shows the table as it is.
            assert {row["table"] for row in values_in(back.plot(chosen).to_vega_lite())} == {"As it is"}
            continue
        assert back.plot(chosen).to_vega_lite() == result.plot(chosen).to_vega_lite(), chosen
        assert back.plot(chosen).to_svg() == result.plot(chosen).to_svg(), chosen


def test_treatments_without_risk_have_risk_0_in_the_data_of_a_logarithmic_axis() -> None:
    result = answer("Advice")
    assert isinstance(result, idbits.Advice)
    rows = values_in(result.charts()["frontier"])
    assert min(row["place"] for row in rows) > 0
    assert [row["risk"] for row in rows if "text" in row] == [result.best.risk] * 2 == [0.0] * 2
    assert {row["risk"] for row in rows} >= {point.risk for point in result.points}


@pytest.mark.parametrize(
    ("risk", "limit", "line"),
    [("entropy_bits", "3", 3.0), ("singletons", "30", 0.1), ("people_below.5", "5%", 0.05), ("mean_risk", "0.1", 0.1)],
)
def test_the_line_of_a_goal_is_where_the_goal_is(risk: str, limit: str, line: float) -> None:
    advice = idbits.advise(PEOPLE, QID, goal=f"{risk} <= {limit}", risk=risk)
    (drawn,) = (row for row in values_in(advice.charts()["frontier"]) if "loss" not in row)
    assert drawn["risk"] == line


@pytest.mark.parametrize("loss", ["cells", "cells:geometric", "entropy", "class_size", "discernibility"])
@pytest.mark.parametrize("risk", ["entropy_bits", "singletons", "people_below.10", "mean_risk"])
def test_the_frontier_of_any_risk_and_loss_has_its_points(risk: str, loss: str) -> None:
    advice = idbits.advise(PEOPLE, QID, goal="k_min >= 3", risk=risk, loss=loss)
    chart = advice.plot()
    rows = values_in(chart.to_vega_lite())
    named = {row["words"].partition(":")[0]: row for row in rows if "words" in row}
    assert named["As it is"]["risk"] == advice.as_is.risk
    assert named["Groups of 3"]["risk"] == advice.best.risk
    assert {row["risk"] for row in rows} >= {point.risk for point in advice.points if point.risk == 0}
    assert f"{chart.title}. Risk against " in chart.alternative_text
    ElementTree.fromstring(chart.to_svg())


def test_the_frontier_of_an_earlier_version_has_the_treatments_that_it_saved() -> None:
    result = answer("Advice")
    assert isinstance(result, idbits.Advice)
    data = {key: value for key, value in result.to_dict().items() if key not in ("frontier", "measured_points")}
    old, new = idbits.Advice.from_dict(data).plot().drawing, result.plot().drawing
    assert isinstance(old, FrontierChart)
    assert isinstance(new, FrontierChart)
    assert (old.best, old.marked) == (new.best, new.marked)
    assert (len(old.cloud), len(new.cloud) > 0) == (0, True)


def words_of(result: Any, name: str) -> str:
    """Return what a chart shows, without the marks around names."""
    return re.sub("[\u2068\u2069]", "", result.plot(name).alternative_text)


def test_one_of_a_kind_is_singular() -> None:
    alone = pandas.DataFrame({"zip": ["1", "1", "2", "2"], "ill": ["a", "a", "b", "b"]})
    assert words_of(idbits.columns(alone, candidates=["zip"]), "subsets").endswith(
        ". 1 combination by the number of columns and the bits given away."
    )


def test_the_words_about_bits_of_a_sensitive_value_have_the_most_bits() -> None:
    for values, ends in (
        (2, "100% of the rows gives away at least 1 bit."),
        (4, "100% of the rows gives away at least 2 bits."),
    ):
        table = pandas.DataFrame(
            {"zip": [row % values for row in range(40)], "ill": [row % values for row in range(40)]}
        )
        given = idbits.disclosure(table, qid=["zip"], sensitive=["ill"])
        assert words_of(given, "ill: bits").endswith(ends)


def test_the_column_named_has_the_most_bits_even_if_its_fair_part_is_not_the_largest() -> None:
    # The second column repeats the first, so both share one fair part.
    rows = range(12)
    table = pandas.DataFrame(
        {"a": [row % 4 for row in rows], "b": [row % 4 for row in rows], "c": [row // 4 for row in rows]}
    )
    result = idbits.columns(table, candidates=["a", "b", "c"])
    assert max(result.contribution, key=lambda part: part.shapley_bits or 0.0).column == "c"
    assert words_of(result, "contribution").endswith("a gives away the most bits by itself: 2.00.")


def test_the_heat_table_says_which_columns_it_leaves_out() -> None:
    wide = pandas.DataFrame({f"c{number}": [number, 0, 1] for number in range(9)})
    words = words_of(idbits.gain(wide, columns=list(wide)), "rows")
    assert words.endswith("The chart shows the 8 columns with the largest gain.")
    assert "The chart shows" not in words_of(idbits.gain(wide, columns=["c1", "c2"]), "rows")


def test_rows_that_look_alike_are_not_drawn_as_one() -> None:
    long = "the_answer_of_a_respondent_to_question_number_{}_about_housing_and_income_last_year"
    table = pandas.DataFrame({long.format(number): [number, 0, 1, 2] for number in (17, 18)})
    result = idbits.gain(table, columns=list(table))
    columns = [row["name"] for row in values_in(result.plot("columns").to_vega_lite())]
    assert len(set(columns)) == 2
    assert len({row["name"] for row in values_in(result.plot("rows").to_vega_lite())}) == 2


def test_a_column_named_together_is_a_column() -> None:
    table = pandas.DataFrame({"together": ["a", "b", "c", "d"], "sex": ["M", "M", "F", "F"]})
    rows = values_in(idbits.measure(table, qid=["together", "sex"]).plot("columns").to_vega_lite())
    assert [(row["name"], row["meaning"]) for row in rows] == [
        ("together", "c1"),
        ("sex", "c1"),
        ("all together", "ink"),
    ]


def test_a_missing_value_and_the_word_for_it_are_two_rows() -> None:
    table = pandas.DataFrame({"zip": ["1"] * 20 + ["2"] * 20, "ill": ["(empty)"] * 20 + [None] * 20})
    given = idbits.disclosure(table, qid=["zip"], sensitive=["ill"])
    assert len({row["value"] for row in value_chart(given.sensitive[0])["data"]["values"]}) == 2
    assert len({row["name"] for row in values_in(given.plot("ill: values").to_vega_lite())}) == 2


def test_a_question_named_everyone_is_a_question(tmp_path: Path) -> None:
    asked = tmp_path / "asked.toml"
    asked.write_text('population = 100\n[[questions]]\nname = "everyone"\nfactor = 2\n', "utf-8", newline="\n")
    rows = values_in(idbits.questionnaire(asked).plot("people").to_vega_lite())
    assert [row["people"] for row in rows if row["question"] == "1. everyone"] == [100.0] * 3


def test_words_say_that_a_chart_leaves_values_or_sizes_out() -> None:
    many = pandas.DataFrame({"zip": [row % 2 for row in range(390)], "ill": [f"ill {row % 13}" for row in range(390)]})
    given = idbits.disclosure(many, qid=["zip"], sensitive=["ill"])
    assert words_of(given, "ill: values").endswith("The chart shows the first 12 of 13.")
    # Each postcode is a town and a few people of the centre.
    around = [{"town": f"t{size}", "post": f"p{size}", "n": 500} for size in range(1, 31)]
    centre = [{"town": "centre", "post": f"p{size}", "n": size} for size in range(1, 31)]
    zones = idbits.overlap(pandas.DataFrame(around + centre), zones="town,post", count="n", below=50)
    assert words_of(zones, zones.plot_names[0]).endswith("30 in all. The chart shows the 20 smallest sizes.")
