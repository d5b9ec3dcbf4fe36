"""How a measurement is shown: the figures of the text are those of the data, and the verdict comes first."""

import re

import pyarrow as pa
import pytest

import idbits
from idbits.render.text import to_text

TABLE = pa.table(
    {
        "zip": [f"{i % 37:04}" for i in range(1500)],
        "age": [i * i % 90 for i in range(1500)],
        "sex": ["F" if i % 3 else "M" for i in range(1500)],
        "town": ["Budapest" if i % 5 else "Szeged" for i in range(1500)],
    }
)


def table_rows(text: str, title: str) -> dict[str, list[str]]:
    """Return the rows of the text table under a title: first cell -> the others."""
    lines = text[text.index(title) :].splitlines()[1:]
    rows = [[cell.strip() for cell in line.split("|")] for line in lines[: lines.index("")] if "|" in line]
    return {row[0]: row[1:] for row in rows}


def wide(answer: idbits.Measurement | idbits.Measurements) -> str:
    """Return the text with each column name on one line."""
    return to_text(answer.blocks(), width=200)


def number(text: str) -> float:
    return float(text.strip("%").replace(",", "")) / (100 if text.endswith("%") else 1)


@pytest.fixture(scope="module")
def answer() -> idbits.Measurement:
    return idbits.measure(TABLE, ["zip", "age", "sex"], by="town", suppress=5, rows_are_people=True)


def test_the_columns_table_says_what_the_data_say(answer: idbits.Measurement) -> None:
    rows = table_rows(wide(answer), "What the columns give away")
    data = answer.to_dict()
    names = rows.pop("column")
    assert set(rows) == {"zip", "age", "sex", "together"}
    for figures in [*data["columns"], {**data, "column": "together"}]:
        shown = dict(zip(names, rows[figures["column"]], strict=True))
        assert number(shown["bits"]) == pytest.approx(figures["entropy_bits"], abs=0.005)
        assert number(shown["unique"]) == pytest.approx(figures["singletons"] / figures["n_rows"], abs=0.00005)
        assert number(shown["below 5"]) == figures["people_below"]["5"]
        assert number(shown["smallest group"]) == figures["k_min"]
        assert number(shown["typical group"]) == pytest.approx(figures["k_hat"], rel=0.005)
        assert number(shown["unique people"]) == figures["singletons"]
        assert number(shown["forced"]) <= figures["guaranteed_singletons"]
        assert number(shown["forced"]) > figures["guaranteed_singletons"] - 1


def test_the_other_tables_say_what_the_data_say(answer: idbits.Measurement) -> None:
    data, text = answer.to_dict(), str(answer)
    exposed = table_rows(text, "Who is most exposed")
    people = {row[0]: number(row[1]) for row in list(exposed.values())[1:]}
    assert people["1"] == data["singletons"]
    assert people["2"] == data["people_exactly"]["2"]
    assert sum(people.values()) == data["n_rows"]
    gain = {row["bits"]: row for row in data["gain_table"]}
    shown = table_rows(text, "How many people give away")
    assert len(shown) > 2
    for bits, row in shown.items():
        if bits != "bits":
            assert number(row[0]) == gain[int(bits)]["people"]
            assert number(row[1]) == pytest.approx(gain[int(bits)]["share"], abs=0.00005)


def test_groups_and_suppression_say_what_the_data_say(answer: idbits.Measurement) -> None:
    data, text = answer.to_dict(), str(answer)
    groups = table_rows(text, "Group sizes within each town")
    for group in data["groups"]:
        row = groups[group["label"]]
        assert number(row[0]) == group["n_rows"]
        assert number(row[1]) == pytest.approx(group["entropy_bits"], abs=0.005)
        assert number(row[3]) == group["set_sizes"]["min"]
        assert number(row[6]) == pytest.approx(group["set_sizes"]["mean"], rel=0.005)
        assert number(row[8]) == group["set_sizes"]["max"]
    assert number(groups["overall"][0]) == data["n_rows"]
    assert f"removes {data['suppression']['withheld_people']:,} people" in " ".join(text.split())


def test_several_say_what_the_data_say() -> None:
    several = idbits.measure(TABLE, [["zip"], ["zip", "age"]], rows_are_people=True)
    text = wide(several)
    for data in several.to_dict()["measurements"]:
        label = " + ".join(data["qid"])
        assert number(table_rows(text, "What each")[label][0]) == pytest.approx(data["entropy_bits"], abs=0.005)
        assert number(table_rows(text, "Sizes of the groups")[label][0]) == data["n_sets"]
        small = [number(cell) for cell in table_rows(text, "People in small groups")[label]]
        assert small == list(data["people_at_most"].values())


@pytest.mark.parametrize(
    ("rows", "beginning"),
    [
        (["a"] * 50 + ["b"] * 50, "Nobody stands out"),
        (["a"] * 50 + ["b"] * 4, "Some people are in very small groups"),
        (["a"] * 500 + ["b"], "Some people can be singled out"),
        (["a"] * 50 + ["b"], "Do not hand this over"),
    ],
)
def test_the_verdict_comes_first(rows: list[str], beginning: str) -> None:
    result = idbits.measure(pa.table({"x": rows}), ["x"], rows_are_people=True)
    assert str(result).startswith(beginning)
    assert beginning in result._repr_html_()


def test_small_sets_within_groups_are_not_passed_over() -> None:
    # Of 40 people with a and 40 with b, 3 each are in the category north.
    table = pa.table({"x": ["a"] * 40 + ["b"] * 40, "place": (["north"] * 3 + ["south"] * 37) * 2})
    text = " ".join(str(idbits.measure(table, ["x"], by="place", rows_are_people=True)).split())
    assert text.startswith("Some people are in very small groups Nobody is unique, but 6 of 80 people (7.50%) are in")
    assert "with the same x within their place." in text


def test_bits_of_an_unbounded_release_are_those_of_the_others() -> None:
    release, population = pa.table({"x": list("aaab")}), pa.table({"x": list("aaaacc")})
    text = " ".join(str(idbits.measure(release, ["x"], population=population, missing="unbounded")).split())
    assert re.search(r"1 record of the release: [^.]*unbounded\. The others give away", text)


def test_the_verdict_counts_right() -> None:
    table = pa.table({"x": list("aaaaaaaab")})
    text = " ".join(str(idbits.measure(table, ["x"], rows_are_people=True)).split())
    assert "1 of 9 people (11.11%) is unique with their x" in text
    text = " ".join(str(idbits.measure(table, ["x"])).split())
    assert "1 of 9 rows (11.11%) is unique with its x" in text


@pytest.mark.parametrize("values", ["ab", "aabb", "aaaaaabbbbbb", "aaaaaab"])
def test_rows_are_never_called_people(values: str) -> None:
    text = str(idbits.measure(pa.table({"x": list(values)}), ["x"], suppress=2))
    figures, _, _ = text.partition("Not assessed")
    assert re.search(r"people|person|[Nn]obody|everyone", figures) is None
    assert idbits.measure(pa.table({"x": list(values)}), ["x"]).to_dict()["unit"] == "rows"


def test_what_was_not_assessed_is_said() -> None:
    answer = idbits.measure(TABLE.append_column("lab", [[number / 7 for number in range(1500)]]), ["zip"])
    text = " ".join(str(answer).split())
    assert {row.column for row in answer.added} == {"age", "sex", "town"}
    assert "If someone knows one more column" in text
    assert "1 other column of the table" in text
    assert "(person= names" in text
    counted = pa.table({"id": ["1", "2", "3"], "x": ["a", "a", None]})
    asked = " ".join(str(idbits.measure(counted, ["x"], person="id", population=counted)).split())
    assert "person=" not in asked
    assert "missing values" in asked
    assert "(x 1)" in asked


def test_what_a_filter_leaves_out_is_said_to_be_left_out() -> None:
    asked = " ".join(str(idbits.measure(TABLE, ["zip"], where="age >= 40", columns=["zip", "age"])).split())
    assert "Rows that the filter excludes (where=)" in asked
    assert "Columns that columns= excludes" in asked
    text = str(idbits.measure(TABLE, ["zip"]))
    assert "where=" not in text
    assert "columns=" not in text


def test_little_is_not_nothing_and_one_is_a_person() -> None:
    """One person of 10,000 differs: 0.0015 bits on average."""
    rare = idbits.measure(pa.table({"a": ["x"] * 9_999 + ["y"]}), ["a"], rows_are_people=True)
    assert "This column gives away <0.01 of the 13.29 bits that single" in rare.to_dict()["verdict_reasons"][0]
    same = idbits.measure(pa.table({"a": ["x"] * 9_999}), ["a"], rows_are_people=True)
    assert "This column gives away 0.00 of the 13.29 bits" in same.to_dict()["verdict_reasons"][0]
    alone = idbits.measure(pa.table({"a": ["x"]}), ["a"], population=pa.table({"a": ["x"]}), rows_are_people=True)
    assert "Group sizes are counted in the population of 1 person." in str(alone)


def test_representations(answer: idbits.Measurement) -> None:
    assert repr(answer).startswith("Measurement(qid=['zip', 'age', 'sex'], n_rows=1500, entropy_bits=")
    several = idbits.measure(TABLE, [["zip"], ["age"]])
    assert repr(several).startswith("Measurements([Measurement(qid=['zip']")
    assert several[1].qid == ("age",)
    html = answer._repr_html_()
    assert html.lstrip().startswith("<div")
    assert html.count("<table") == len(re.findall(r"^[ |]*[-+]+$", str(answer), flags=re.MULTILINE))
    assert f"{answer.singletons:,}" in html


def test_figures_can_be_read_from_the_measurement(answer: idbits.Measurement) -> None:
    assert answer.entropy_bits == answer.to_dict()["entropy_bits"]
    with pytest.raises(AttributeError):
        answer.no_such_figure  # noqa: B018
