"""Every answer that idbits exports: attributes, tables, saving, pickling, equality, and what a notebook shows."""

import dataclasses
import inspect
import json
import pickle
import re
import sys
from datetime import datetime
from typing import Any

import pandas
import polars
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from real_answers import ANSWERS, CLASSES, HEIGHTS, PEOPLE, QID, VISITS, answer

import idbits
from idbits.errors import InputError
from idbits.studies.advise.treatment_figures import TreatmentFigures
from idbits.studies.disclosure.options import DisclosureOptions
from idbits.studies.gain.figures import GainFigures
from idbits.studies.link.options import LinkOptions
from idbits.studies.link.reading import PairedReading
from idbits.studies.measure.options import MeasureOptions
from idbits.studies.overlap.options import OverlapOptions
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.serialisation import plain

every_answer = pytest.mark.parametrize("name", ANSWERS)


def test_there_is_an_answer_of_every_class() -> None:
    assert {name.split()[0] for name in ANSWERS} == set(CLASSES)
    for name in ANSWERS:
        assert type(answer(name)) is CLASSES[name.split()[0]]


@every_answer
def test_every_public_attribute_can_be_read_and_listed(name: str) -> None:
    result = answer(name)
    names = [field.name for field in dataclasses.fields(result)]  # type: ignore[arg-type]
    names += [key for key, value in inspect.getmembers(type(result)) if isinstance(value, property)]
    assert set(names) <= set(dir(result))
    for attribute in names:
        getattr(result, attribute)
    with pytest.raises(AttributeError):
        _ = result.entropy_bit  # type: ignore[attr-defined]


@every_answer
def test_every_key_is_an_attribute_with_the_same_content(name: str) -> None:
    result = answer(name)
    data = result.to_dict()
    assert set(data) <= set(dir(result))
    for key, value in data.items():
        # Lists and objects of JSON are objects of Python, such as a Spectrum.
        if not isinstance(value, list | dict | None):
            assert plain(getattr(result, key)) == value, key


@pytest.mark.parametrize(("kind", "figures"), [(idbits.Measurement, Figures), (idbits.Gain, GainFigures)])
def test_every_figure_is_an_attribute_of_the_answer_itself(kind: type, figures: type) -> None:
    public = {name for name in dir(figures) if not name.startswith("_")}
    made_of_tables = {"of", "merged", "json_keys", "_saved_fields", "to_dict"}
    assert public - made_of_tables <= set(dir(kind))
    for name in Figures.json_keys if figures is Figures else [field.name for field in dataclasses.fields(figures)]:
        attribute = name.lstrip("*?").rpartition("=")[2]
        assert inspect.getdoc(getattr(kind, attribute)), attribute


def test_figures_of_the_answer_are_those_of_its_figures() -> None:
    for name in ("Measurement", "Gain"):
        result: Any = answer(name)
        for key, value in inspect.getmembers(type(result.figures)):
            if (isinstance(value, property) or inspect.ismemberdescriptor(value)) and key != "reasons":
                assert getattr(result, key) == getattr(result.figures, key), key


@every_answer
def test_a_saved_answer_comes_back(name: str) -> None:
    result = answer(name)
    for data in (result.to_dict(), json.loads(result.to_json())):
        back = type(result).from_dict(data)
        assert back == result
        assert hash(back) == hash(result)
        assert back.to_json() == result.to_json()
        assert back.verdict == result.verdict
        assert (back.verdict.level, back.verdict.reasons) == (result.verdict.level, result.verdict.reasons)
        assert back.to_arrow().equals(result.to_arrow())
        assert repr(back).startswith(type(result).__name__)


@every_answer
def test_a_saved_answer_shows_its_verdict_and_says_that_it_is_saved(name: str) -> None:
    result = answer(name)
    back = type(result).from_dict(result.to_dict())
    for shown in (str(back), back._repr_html_()):
        assert "This is a saved answer" in shown
    assert str(back.verdict.title) in str(back).replace("\n", " ")


@every_answer
def test_the_fields_of_a_saved_answer_are_those_of_the_answer(name: str) -> None:
    """Fields that a key is written from come back as they were, not only as the same data."""
    result = answer(name)
    back = type(result).from_dict(result.to_dict())
    for entry in getattr(result, "json_keys", ()):
        field = entry.lstrip("*?").rpartition("=")[2]
        if field in {item.name for item in dataclasses.fields(result)}:  # type: ignore[arg-type]
            assert type(getattr(back, field)) is type(getattr(result, field)), field


@every_answer
def test_an_answer_can_be_pickled(name: str) -> None:
    result = answer(name)
    _ = result.verdict, str(result), result._repr_html_()
    back = pickle.loads(pickle.dumps(result))
    assert back == result
    assert str(back) == str(result)
    saved = type(result).from_dict(result.to_dict())
    assert pickle.loads(pickle.dumps(saved)) == saved


@every_answer
def test_repr_is_one_short_line(name: str) -> None:
    shown = repr(answer(name))
    assert shown.startswith(f"{type(answer(name)).__name__}(")
    assert "\n" not in shown
    assert len(shown) < 400


@every_answer
def test_frames_have_the_rows_of_the_arrow_table(name: str) -> None:
    result = answer(name)
    table = result.to_arrow()
    assert isinstance(table, pa.Table)
    assert table.num_columns > 0
    frame, other = result.to_pandas(), result.to_polars()
    assert isinstance(frame, pandas.DataFrame)
    assert isinstance(other, polars.DataFrame)
    assert list(frame.columns) == other.columns == table.column_names
    assert len(frame) == other.height == table.num_rows
    assert other.to_dicts() == table.to_pylist()


@every_answer
def test_columns_of_tables_have_types_whatever_is_missing(name: str) -> None:
    table = answer(name).to_arrow()
    assert [column.name for column in table.schema if pa.types.is_null(column.type)] == []
    frame = answer(name).to_pandas()
    for column in table.schema:
        values = table[column.name].to_pylist()
        kinds = {pa.int64(): "int64", pa.bool_(): "bool", pa.float64(): "float64"}
        if column.type in kinds:
            expected = kinds[column.type] if None not in values else {"int64": "Int64", "bool": "boolean"}
            dtype = str(frame[column.name].dtype)
            assert dtype == (expected if isinstance(expected, str) else expected.get(kinds[column.type], "float64"))
            shown = [None if pandas.isna(value) else value for value in frame[column.name]]
            assert shown == [None if value != value else value for value in values]


def test_figures_that_do_not_exist_are_numbers_all_the_same() -> None:
    figures = idbits.population(pa.table({"zip": ["1011"]}), qid=["zip"], people=1000).to_arrow()
    assert figures["value"].null_count == figures.num_rows
    assert figures.schema.field("value").type == pa.float64()


def test_dates_are_dates() -> None:
    days, weeks = answer("Events").to_arrow(), answer("Events by week").to_arrow()
    assert [str(day) for day in days["date"].to_pylist()] == [row.date for row in answer("Events").days]
    assert days.schema.field("date").type == weeks.schema.field("date").type == pa.date32()
    monthly = idbits.events(VISITS, "patient", "date:month", "place").to_arrow()
    assert monthly.schema.field("date").type == pa.string()
    (at,) = answer("DecisionLog").to_arrow()["at"].to_pylist()
    assert at == datetime.fromisoformat(answer("DecisionLog").records[0].at)
    assert str(answer("Events").to_pandas()["date"].dtype).startswith("datetime64")


def test_objects_that_no_row_has_are_columns_all_the_same() -> None:
    """The columns of an object do not depend on whether one of the rows has it."""
    with_near = idbits.disclosure(HEIGHTS, ["weight"], "height", near={"height": 5}).to_arrow()
    without = idbits.disclosure(HEIGHTS, ["weight"], "height").to_arrow()
    assert with_near.column_names == without.column_names
    assert with_near.schema.types == without.schema.types
    assert without["near_mean"].to_pylist() == [None]


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_without_a_package_its_frame_is_a_clear_error(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"to_{package}\(\) needs the package {package}; install it, or use to_arrow"):
        getattr(answer("Measurement"), f"to_{package}")()


def test_tables_without_rows_have_their_columns() -> None:
    table = answer("ZoneOverlap without groups").to_arrow()
    assert (table.num_rows, table.column_names) == (0, ["people", "groups"])


def test_the_same_question_has_the_same_answer() -> None:
    """The time that an answer took is not a part of what it says."""
    for name in ("Advice", "Measurement", "Gain", "Report"):
        again = ANSWERS[name]()
        assert again == answer(name)
        assert hash(again) == hash(answer(name))
    assert idbits.advise(PEOPLE, QID, goal="k_min >= 2") != answer("Advice")


def test_repr_is_one_short_line_whatever_the_names() -> None:
    names = [f"{'long ' * 40}\n{index}" for index in range(12)]
    table = pa.table({name: ["a", "b", "b"] for name in names})
    answers = [
        idbits.measure(table, names),
        idbits.measure(table, [names[:1]] * 40),
        idbits.disclosure(table, names[1:], names[:1]),
        idbits.gain(table, columns=names),
        idbits.link(table, table, names),
    ]
    for result in answers:
        assert "\n" not in repr(result)
        assert len(repr(result)) < 3_000
    assert repr(answer("Disclosure")).endswith(", n_rows=300, certain_people={'gender': 246})")


def test_figures_and_losses_of_a_treatment_are_attributes() -> None:
    advice = answer("Advice")
    assert isinstance(advice, idbits.Advice)
    for point in (advice.best, *advice.points, idbits.Advice.from_dict(advice.to_dict()).best):
        attributes = {name: getattr(point, name) for name in dir(TreatmentFigures) if not name.startswith("_")}
        of_losses = {name: value for name, value in attributes.items() if name.endswith("_loss")}
        names = {name.removesuffix("_loss") for name in of_losses}
        assert names == point.loss.keys() - {"model"}
        assert all(value == point.loss[name.removesuffix("_loss")] for name, value in of_losses.items())
        figures = {name: value for name, value in attributes.items() if name not in {*of_losses, "figures", "loss"}}
        assert figures == point.figures


def test_different_answers_are_not_equal() -> None:
    first, second = answer("Measurement"), answer("Measurement by category")
    assert first != second
    assert first != answer("Gain")
    assert first != first.to_dict()
    assert first == idbits.measure(PEOPLE.to_pandas(), QID)


@every_answer
def test_data_of_something_else_are_refused(name: str) -> None:
    kind = type(answer(name))
    for wrong in ({}, {"schema": "idbits/1", "command": "nothing"}, {"schema": "other/1"}, {"verdict": "fine"}):
        with pytest.raises(InputError):
            kind.from_dict(wrong)
    with pytest.raises(InputError, match="a saved answer is a dict"):
        kind.from_dict([answer(name).to_dict()])  # type: ignore[arg-type]
    other = "Leak" if kind is not idbits.Leak else "Gain"
    with pytest.raises(InputError, match=f"this is an answer of idbits {type(answer(other)).command}"):
        kind.from_dict(json.loads(answer(other).to_json()))


@pytest.mark.parametrize("name", ["Measurement by category", "Measurement of people", "Gain", "Disclosure", "Advice"])
def test_every_key_that_is_wrong_or_missing_is_refused_or_harmless(name: str) -> None:
    result = answer(name)
    whole = json.loads(result.to_json())
    refused: list[str] = []
    for key in whole:
        for changed in ({**whole, key: [{"x": None}]}, {other: each for other, each in whole.items() if other != key}):
            try:
                json.loads(type(result).from_dict(changed).to_json())
            except InputError as error:
                refused.append(str(error))
    assert len(refused) > len(whole) / 2
    assert all("\n" not in message and len(message) < 200 for message in refused)


VALUES = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from([None, "x", "y"])), min_size=1, max_size=12)


@settings(max_examples=12)
@given(VALUES)
def test_measurements_of_any_table_come_back(rows: list[tuple[str, str | None]]) -> None:
    first, second = zip(*rows, strict=True)
    table = pa.table({"a": pa.array(first, pa.string()), "b": pa.array(second, pa.string())})
    for qid in (["a"], ["a", "b"]):
        result = idbits.measure(table, qid)
        back = idbits.Measurement.from_dict(json.loads(result.to_json()))
        assert back == result
        assert back.figures == result.figures
        assert back.sizes == result.sizes
    gain = idbits.gain(table, columns=["a", "b"])
    assert idbits.Gain.from_dict(gain.to_dict()).figures == gain.figures


@every_answer
def test_notebooks_name_arguments_instead_of_options(name: str) -> None:
    result = answer(name)
    shown = re.sub(r"<style>.*?</style>", "", result._repr_html_(), flags=re.DOTALL)
    # What print shows wraps long lines and has lines of dashes.
    for text in (shown, " ".join(str(result).split())):
        assert re.findall(r"(?<![\w<!-])--[a-z][a-z-]*", text) == []
        assert re.findall(r"\bidbits [a-z]+", re.sub("<[^>]*>", "|", text)) == []


def test_verdicts_name_arguments_and_json_names_options() -> None:
    result = answer("Linkage")
    back = idbits.Linkage.from_dict(result.to_dict())
    for linkage in (result, back, pickle.loads(pickle.dumps(result))):
        for reasons in (linkage.verdict_reasons, linkage.verdict.reasons, linkage.verdict.more):
            assert reasons[-1].endswith("(coverage=, truth=).")
        assert linkage.to_dict()["verdict_reasons"][-1].endswith("(--coverage, --truth).")  # type: ignore[index,union-attr,call-overload]


def test_a_notebook_suggests_a_call_that_works() -> None:
    result = answer("Measurement")
    assert isinstance(result, idbits.Measurement)
    assert result.next_command == "idbits.advise(frame, ['birthdate:year', 'zip:prefix1', 'gender'])"


def test_the_verdict_is_a_text_with_a_level_and_reasons() -> None:
    verdict = answer("Measurement").verdict
    assert verdict == "Do not hand this over as it is"
    assert (str(verdict.level), verdict.title) == ("bad", str(verdict))
    assert verdict.sentence.startswith("220 of 300 rows")
    assert answer("Measurement").to_dict()["verdict_reasons"] == list(verdict.reasons)
    assert not answer("Inspection").verdict
    leak = answer("Leak").verdict
    assert (leak, leak.title) != (leak, str(leak))
    assert pickle.loads(pickle.dumps(leak)).title == leak.title


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (idbits.measure, MeasureOptions),
        (idbits.disclosure, DisclosureOptions),
        (idbits.link, LinkOptions),
        (idbits.overlap, OverlapOptions),
    ],
)
def test_types_of_keyword_arguments_are_those_of_the_function(function: Any, options: Any) -> None:
    """Overloads name the keywords by a typed dictionary, which must not differ from the function."""
    parameters = inspect.signature(function).parameters
    keywords = {
        name: item.annotation for name, item in parameters.items() if item.kind is inspect.Parameter.KEYWORD_ONLY
    }
    own = {name: hint for name, hint in options.__annotations__.items() if name not in PairedReading.__annotations__}
    # Overloads have these themselves: they decide the class of the answer.
    for decisive in ("original", "zones"):
        keywords.pop(decisive, None)
    assert {name: hint.__forward_arg__ for name, hint in own.items()} == keywords


def test_a_saved_report_has_no_page() -> None:
    report = answer("Report")
    assert isinstance(report, idbits.Report)
    back = idbits.Report.from_dict(report.to_dict())
    for method in (back.to_html, back.to_markdown):
        with pytest.raises(InputError, match="a saved report has no page; make it again: "):
            method()
    assert back.measurement == report.measurement
    assert back.treatments.advice == report.treatments.advice


def test_a_saved_advice_has_no_plan() -> None:
    back = idbits.Advice.from_dict(answer("Advice").to_dict())
    with pytest.raises(InputError, match="a saved answer has no plans"):
        _ = back.plan


def test_classes_of_answers_do_not_define_equality_themselves() -> None:
    for kind in CLASSES.values():
        assert kind.__eq__ is Answer.__eq__
        assert kind.__hash__ is Answer.__hash__
