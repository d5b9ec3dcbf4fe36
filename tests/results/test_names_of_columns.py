"""Column names as data scientists have them: an index of pandas, an array of NumPy, a tuple, any collection."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from real_answers import HEIGHTS, PEOPLE, RELEASED, VISITS

import idbits
from idbits.errors import InputError
from idbits.studies.shared.presentation import Answer

FRAME = PEOPLE.to_pandas()
PAIR = ["birthdate", "zip"]
Ask = Callable[[Any], Answer]
QUESTIONS: dict[str, tuple[list[str], Ask]] = {
    "measure": (PAIR, lambda names: idbits.measure(FRAME, names)),
    "columns": (PAIR, lambda names: idbits.columns(FRAME, names)),
    "advise": (PAIR, lambda names: idbits.advise(FRAME, names, seed=1)),
    "disclosure": (PAIR, lambda names: idbits.disclosure(FRAME, names, "gender")),
    "sensitive": (PAIR, lambda names: idbits.disclosure(FRAME, ["gender"], names)),
    "gain": (PAIR, lambda names: idbits.gain(FRAME, columns=names)),
    "population": (PAIR, lambda names: idbits.population(FRAME, names, people=5_000)),
    "report": (PAIR, lambda names: idbits.report(FRAME, names, sections=["bits"])),
    "link": (PAIR, lambda names: idbits.link(FRAME, FRAME, names)),
    "overlap": (PAIR, lambda names: idbits.overlap(FRAME, zones=names)),
    "events": (["place"], lambda names: idbits.events(VISITS, "patient", "date", names)),
    "leak": (["height", "weight"], lambda names: idbits.leak(HEIGHTS, RELEASED, columns=names)),
    "randomise": (
        ["height", "weight"],
        lambda names: idbits.randomise(HEIGHTS, mechanism="laplace", epsilon=1.0, columns=names, seed=1),
    ),
}
COLLECTIONS: dict[str, Callable[[list[str]], Any]] = {
    "tuple": tuple,
    "index": pandas.Index,
    "array": np.array,
    "pandas series": pandas.Series,
    "polars series": polars.Series,
    "keys": lambda names: dict.fromkeys(names).keys(),
}


def figures(answer: Answer) -> Any:
    """Return what an answer says, without the time that it took."""
    return {key: value for key, value in answer.to_dict().items() if key not in ("seconds", "advice", "report")}


@pytest.mark.parametrize("question", QUESTIONS)
def test_any_collection_of_names_is_as_good_as_a_list(question: str) -> None:
    names, ask = QUESTIONS[question]
    expected = figures(ask(names))
    for kind, collection in COLLECTIONS.items():
        assert figures(ask(collection(names))) == expected, kind


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("wrong", [5, [5, 6], [None], 1.5], ids=str)
def test_names_that_are_no_texts_are_a_clear_error(question: str, wrong: Any) -> None:
    with pytest.raises(InputError) as caught:
        QUESTIONS[question][1](wrong)
    assert "\n" not in str(caught.value)


def test_a_column_that_is_named_by_a_list_is_a_clear_error() -> None:
    with pytest.raises(InputError, match=r"^a column is named by a text, not by list$"):
        idbits.measure(FRAME, ["zip"], by=["gender"])  # type: ignore[arg-type]


@pytest.mark.parametrize("source", [FRAME["zip"], {"zip": ["1", "2"]}, [{"zip": "1"}], np.zeros((2, 2))])
def test_what_is_no_frame_is_an_error_that_says_what_to_do(source: Any) -> None:
    with pytest.raises(InputError, match="make a frame of it"):
        idbits.measure(source, ["zip"])
