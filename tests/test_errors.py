"""Errors: one tree, an exit code each, and a sentence that helps."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import idbits
from idbits import errors
from idbits.errors import ColumnNotFoundError, DataError, EngineError, IdbitsError, InputError, NotEstimableError
from idbits.wording import listed_names, near_names


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [(IdbitsError, 3), (InputError, 2), (DataError, 3), (EngineError, 3), (NotEstimableError, 3)],
)
def test_wrong_questions_exit_with_2_and_what_cannot_be_measured_with_3(
    error: type[IdbitsError], exit_code: int
) -> None:
    assert error("a sentence").exit_code == exit_code
    assert issubclass(error, IdbitsError)


def test_every_error_is_exported_and_drawn_in_the_tree() -> None:
    found = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
    assert found <= set(errors.__all__)
    assert all(name in str(errors.__doc__) for name in found)


@pytest.mark.parametrize("error", [InputError, DataError, NotEstimableError])
def test_bad_values_are_value_errors(error: type[IdbitsError]) -> None:
    assert issubclass(error, ValueError)


@pytest.mark.parametrize(
    "error",
    [
        ColumnNotFoundError("brithdate", ["birthdate", "zip"]),
        errors.RefusedError("small_groups", "a group is too small"),
        errors.EntryNotFoundError("no entry"),
        errors.UnreadDatesError("dates", "99.99"),
        InputError("a sentence"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_of_other_processes_arrive_as_they_were(error: IdbitsError) -> None:
    error.add_note("in a worker")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is type(error)
        assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))


def test_a_missing_column_is_a_wrong_question_and_a_key_error() -> None:
    error = ColumnNotFoundError("brithdate", ["birthdate", "zip"])
    assert isinstance(error, InputError)
    assert isinstance(error, KeyError)
    assert error.exit_code == 2
    assert error.name == "brithdate"
    assert error.columns == ("birthdate", "zip")


def test_a_missing_column_reads_as_a_sentence_and_not_as_a_quoted_key() -> None:
    error = ColumnNotFoundError("it's", ["zip"])
    assert str(error).startswith('no column named "it\'s"')


def test_a_missing_column_does_not_list_names_that_may_be_cells() -> None:
    # In a file without a header the names are the first row.
    assert "1985" not in str(ColumnNotFoundError("income", ["1985-01-01", "Ann"]))


def test_columns_may_come_from_an_iterator() -> None:
    error = ColumnNotFoundError("zpi", iter(["zip", "sex"]))
    assert error.columns == ("zip", "sex")
    assert str(error).endswith('did you mean "zip"?')


@pytest.mark.parametrize(
    ("name", "names", "end"),
    [
        ("brithdate", ["zip", "birthdate"], '; did you mean "birthdate"?'),
        ("ZIP", ["zip", "sex"], '; did you mean "zip"?'),
        ("STRASSE", ["Straße", "Ort"], '; did you mean "Straße"?'),
        ("income", ["zip", "sex"], ""),
        ("income", [], ""),
    ],
    ids=["near", "other case", "folded letters", "none near", "no columns"],
)
def test_near_names_are_offered(name: str, names: list[str], end: str) -> None:
    assert near_names(name, names) == end


@pytest.mark.parametrize(("columns", "end"), [(8, '"c7"'), (9, '"c7" and 1 more'), (10_000, '"c7" and 9992 more')])
def test_long_lists_of_names_are_cut(columns: int, end: str) -> None:
    ending = listed_names(f"c{number}" for number in range(columns))
    assert ending.endswith(end)
    assert ending.count('"') == 16


def test_no_names_are_no_list() -> None:
    assert listed_names([]) == ""


def test_at_most_three_near_names_are_offered() -> None:
    ending = near_names("zip", [f"zip{number}" for number in range(9)])
    assert ending.count('"') == 6
    assert ending.count(" or ") == 2


@pytest.mark.parametrize(
    ("study", "options"),
    [
        (idbits.measure, {"qid": "Kovacs Ilon"}),
        (idbits.measure, {"qid": "1985-03-0"}),
        (idbits.measure, {"qid": "1011", "where": "\"Kovacs Ilon\" = 'x'"}),
        (idbits.measure, {"qid": "1011", "person": "Kovacs Ilon"}),
        (idbits.events, {"person": "1011", "time": "1985-03-0"}),
        (idbits.report, {"qid": "1011", "sensitive": "Kovacs Ilon"}),
    ],
)
def test_no_cell_of_a_first_row_is_suggested_as_a_column(
    study: Callable[..., object], options: dict[str, str], tmp_path: Path
) -> None:
    lines = ["Kovacs Ilona,1985-03-04,1011", *(f"Nagy {i},19{10 + i}-01-02,{1000 + i % 7}" for i in range(30))]
    (tmp_path / "headless.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match="column") as raised:
        study(tmp_path / "headless.csv", **options)
    assert "Ilona" not in str(raised.value)
    assert "03-04" not in str(raised.value)


def test_a_name_that_begins_with_a_digit_is_suggested_if_it_is_known_to_be_a_name(tmp_path: Path) -> None:
    rows = "".join(f"{20 + n},a{n % 3}\n" for n in range(30))
    (tmp_path / "survey.csv").write_text(f"1. Age,2. Town\n{rows}")
    with pytest.raises(InputError, match=r'did you mean "1\. Age"'):
        idbits.measure(tmp_path / "survey.csv", ["1. Agee"])
