"""Priors from any source, and errors about priors that cannot be used."""

import math

import pyarrow
import pytest

import idbits
from idbits.errors import DataError, InputError, NotEstimableError

FRAME = pyarrow.table({"age": ["21", "21", "34", "38"], "sex": ["F", "M", "F", "F"]})
COUNTS = {"21": 10, "34": 30, "38": 40, "50": 20}


def surprisals(answer):
    """With only one column, the gain is that of its distribution over the prior."""
    return answer.features[0].mean_cig_bits


def expected(counts):
    total = sum(counts.values())
    found = {"21": 0.5, "34": 0.25, "38": 0.25}
    return math.fsum(p * math.log2(p / (counts[value] / total)) for value, p in found.items())


@pytest.mark.parametrize(
    "prior",
    [
        {"age": list(COUNTS), "count": list(COUNTS.values())},
        {"value": list(COUNTS), "probability": [0.1, 0.3, 0.4, 0.2]},
        {"n": list(COUNTS.values()), "whatever": list(COUNTS)},
        {"age": list(COUNTS), "sex": ["all"] * 4, "population": list(COUNTS.values())},
        {"age": [age for age, k in COUNTS.items() for _ in range(k)]},
        {"age": [*COUNTS, "21"], "x": [4, 30, 40, 20, 6]},
    ],
)
def test_shapes_of_priors(prior):
    answer = idbits.gain(FRAME, columns="age", prior={"age": pyarrow.table(prior)})
    assert surprisals(answer) == pytest.approx(expected(COUNTS), abs=1e-12)
    assert answer.features[0].prior == "population"


def test_a_prior_from_a_file_with_coarser_ages(tmp_path):
    path = tmp_path / "ages.csv"
    path.write_text("age;count\n" + "".join(f"{age};{k}\n" for age, k in COUNTS.items()))
    answer = idbits.gain(FRAME, columns="age:band10", prior={"age": path})
    shares = {20: 0.1, 30: 0.7}
    assert surprisals(answer) == pytest.approx(0.5 * math.log2(0.5 / shares[20]) + 0.5 * math.log2(0.5 / shares[30]))
    coarse = tmp_path / "bands.csv"
    coarse.write_text("age:band10;count\n20;1\n30;7\n50;2\n")
    assert surprisals(idbits.gain(FRAME, columns="age:band10", prior={"age:band10": coarse})) == surprisals(answer)


def test_a_value_without_probability_is_an_error_with_numbers():
    prior = pyarrow.table({"age": ["21", "34"], "count": [1, 1]})
    with pytest.raises(DataError, match=r'"age" lacks 1 value .*\(1 row\).*smoothing=') as raised:
        idbits.gain(FRAME, prior={"age": prior})
    assert "38" not in str(raised.value)
    zero = pyarrow.table({"age": ["21", "34", "38"], "count": [0, 1, 1]})
    with pytest.raises(DataError, match="2 rows"):
        idbits.gain(FRAME, prior={"age": zero})


def test_smoothing_is_recorded():
    prior = pyarrow.table({"age": ["21", "34"], "count": [1, 1]})
    answer = idbits.gain(FRAME, columns="age", prior={"age": prior}, smoothing=0.1)
    assert answer.smoothing == {"share": 0.1, "missing": [{"column": "age", "values": 1, "people": 1}]}
    shares = {"21": 0.9 * 0.5 + 0.1 * 0.5, "34": 0.9 * 0.5 + 0.1 * 0.25, "38": 0.1 * 0.25}
    found = {"21": 0.5, "34": 0.25, "38": 0.25}
    assert surprisals(answer) == pytest.approx(math.fsum(p * math.log2(p / shares[v]) for v, p in found.items()))
    assert "the prior of age lacks 1 value that 1 of the rows" in " ".join(str(answer).split())


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ({"age": ["21"], "probability": [0.7]}, "add up to 0.7"),
        ({"age": ["21", "34"], "percent": [60.5, 39.5]}, "add up to 100"),
        ({"age": ["21"], "count": ["many"]}, "must be a number of at least 0"),
        ({"age": ["21"], "count": [-1]}, "must be a number of at least 0"),
        ({"age": ["21"], "count": ["1e999999999"]}, "must be a number of at least 0"),
    ],
)
def test_priors_that_are_none(prior, words):
    with pytest.raises(DataError, match=words):
        idbits.gain(FRAME, prior={"age": pyarrow.table(prior)})


@pytest.mark.parametrize(
    "prior",
    [{"one": ["21"], "two": ["x"], "three": ["y"]}, {"age": ["21"], "one": [1], "two": [2]},
     {"age": ["21"], "count": [1], "share": [1.0]}],
)  # fmt: skip
def test_priors_whose_columns_cannot_be_told(prior):
    with pytest.raises(InputError, match="the prior of"):
        idbits.gain(FRAME, prior={"age": pyarrow.table(prior)})


def test_priors_of_nobody_and_of_nothing():
    with pytest.raises(NotEstimableError, match="no people"):
        idbits.gain(FRAME, prior={"age": pyarrow.table({"age": ["21"], "count": [0]})})
    with pytest.raises(InputError, match='prior: "zip"'):
        idbits.gain(FRAME, prior={"zip": pyarrow.table({"zip": ["1"]})})
    with pytest.raises(InputError, match="top"):
        idbits.gain(FRAME, columns="age:top1", prior={"age": pyarrow.table({"age": ["21"]})})
    with pytest.raises(InputError, match="smoothing="):
        idbits.gain(FRAME, smoothing=0.1)


def test_a_gain_of_just_one_bit_is_not_above_one_bit():
    people = pyarrow.table({"age": ["21"] * 5, "sex": ["F", "M", "X", "X", "X"]})
    prior = pyarrow.table({"sex": ["Y", "Z"], "count": [10, 2]})
    # Half of the prior is the table itself, so everyone gains log2(p / (p / 2)).
    answer = idbits.gain(people, prior={"sex": prior}, smoothing=0.5)
    assert answer.rig["max"] == pytest.approx(1, abs=1e-12)
    assert answer.figures.rig_curve[-1] == (1.0, 0)


def test_what_is_said_of_poor_tables_holds_with_a_prior():
    one = pyarrow.table({"age": ["21"], "sex": ["F"]})
    prior = {"age": pyarrow.table({"age": ["21", "34"], "count": [1, 3]})}
    answer = idbits.gain(one, columns="age,sex", prior=prior)
    assert (answer.rig["max"], answer.notes) == (2.0, ())
    assert "only one person" in idbits.gain(one, columns="age,sex").notes[0]
    empty = pyarrow.table({"age": pyarrow.array([None, None], pyarrow.string()), "sex": ["F", "M"]})
    prior = {"age": pyarrow.table({"age": [None, "34"], "count": [1, 3]})}
    answer = idbits.gain(empty, columns="age,sex", prior=prior)
    assert answer.features[0].mean_cig_bits == 2.0
    assert answer.notes == ('column "age" has only missing values',)


def test_a_pif_just_at_the_threshold_is_at_it_everywhere():
    # log2 5 + log2 (16 / 5) is 4, and slightly less in floats.
    frame = pyarrow.table({"a": ["x"], "b": ["u"]})
    priors = {
        "a": pyarrow.table({"a": ["x", "y"], "count": [1, 4]}),
        "b": pyarrow.table({"b": ["u", "v"], "count": [5, 11]}),
    }
    answer = idbits.gain(frame, prior=priors, threshold=4.0, growth="given")
    assert answer.pif == pytest.approx(4, abs=1e-12)
    assert answer.people_at_threshold == 1
    assert answer.growth.steps[-1].reached
    assert "The PIF is equal to the threshold of 4." in " ".join(str(answer).split())
