"""Groups of 2 and 3 people by interval width (S2 6.3.1), and anonymity among suspects (S2 2.2)."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idbits import predict
from idbits.errors import InputError
from idbits.measures.simulation import simulated_sets


def test_shares_by_width_are_those_of_seeded_draws() -> None:
    k, draws = 12, 40_000
    for text, sample in (
        ("normal:mean=70,sd=5", lambda random: random.normal(70, 5, (draws, k))),
        ("exponential:mean=3", lambda random: random.exponential(3, (draws, k))),
    ):
        for width in (0.3, 1.0, 4.0):
            cells = np.floor(sample(np.random.default_rng(7)) / width).astype(int)
            counted = [Counter(Counter(row).values()) for row in cells.tolist()]
            for size in predict.width(text, [width], k).widths[0].sizes:
                found = np.array([one[size.j] for one in counted])
                error = 4 * found.std() / math.sqrt(draws) + 1e-9
                assert size.sets.exact == pytest.approx(found.mean(), abs=error)
                assert size.share.exact == pytest.approx(size.sets.exact * size.j / k, rel=1e-12)


def test_two_people_and_three_are_by_hand() -> None:
    # Ten equal cells: three people differ with chance 0.72, two of them share with 0.27, all with 0.01.
    row = predict.width("uniform:low=0,high=10", [1], 3).widths[0]
    assert [size.share.exact for size in row.sizes] == pytest.approx([0.81, 0.18, 0.01])
    assert [size.sets.exact for size in row.sizes] == pytest.approx([3 * 0.72 + 0.27, 0.27, 0.01])
    assert row.mean == row.sizes[0].sets
    assert [size.j for size in predict.width("uniform:low=0,high=10", [1], 2).widths[0].sizes] == [1, 2]
    assert [size.j for size in predict.width("uniform:low=0,high=10", [1], 1).widths[0].sizes] == [1]


def test_the_expansions_of_6_3_1_near_the_exact_shares_as_they_say() -> None:
    """phi_2 is off by the third order of the width, phi_3 too: half the width, an eighth of the error."""
    errors = []
    for width in (0.04, 0.02):
        sizes = predict.width("normal:sd=5.289", [width], 10).widths[0].sizes
        assert [one.name for one in sizes[1].share.approximations] == ["first order in d", "second order in d"]
        assert [one.name for one in sizes[2].share.approximations] == ["second order in d"]
        errors.append([sizes[1].share.approximations[1].error, sizes[2].share.approximations[0].error])
    for wide, narrow in zip(*errors, strict=True):
        assert wide / narrow == pytest.approx(8, rel=0.05)
    pairs = 9 * 0.02 / (2 * 5.289 * math.sqrt(math.pi))
    triples = 9 * 8 * 0.02**2 / (math.sqrt(3) * 2 * math.pi * 5.289**2)
    sizes = predict.width("normal:sd=5.289", [0.02], 10).widths[0].sizes
    assert sizes[1].share.approximations[0].value == pytest.approx(pairs)
    assert sizes[1].share.approximations[1].value == pytest.approx(pairs - triples)
    assert sizes[2].share.approximations[0].value == pytest.approx(triples / 2)


def test_two_attributes_have_groups_too() -> None:
    row = predict.correlated([5, 4], 0.6, [2, 2], 3).widths[0]
    assert sum(size.share.exact for size in row.sizes) == pytest.approx(1)
    near = predict.correlated([5, 4], 0.99999999, [1, 1], 10).widths[0]
    assert near.sizes[1].sets.exact is None
    assert near.sizes[1].sets.low < near.sizes[1].sets.estimate < near.sizes[1].sets.high
    assert near.sizes[1].share.estimate == pytest.approx(near.sizes[1].sets.estimate / 5)


def test_simulated_groups_lie_around_the_exact_ones() -> None:
    random = np.random.default_rng(3)
    values = random.integers(0, 6, (200, 9))
    counted = simulated_sets(lambda _, shape: values[: shape[0]], 9, 200, seed=0, largest=4)
    for place, row in enumerate(values.tolist()):
        sizes = Counter(Counter(row).values())
        assert counted[:, place].tolist() == [sizes[j] for j in (1, 2, 3, 4)]
    assert simulated_sets(lambda _, shape: np.zeros(shape, int), 2, 3, seed=0, largest=3).tolist() == [
        [0] * 3,
        [1] * 3,
        [0] * 3,
    ]


def test_the_values_of_a_table_have_groups() -> None:
    table = pyarrow.table({"x": [0.0, 1.0, 2.0, 3.0]})
    answer = predict.width(table, [2], 2, attribute="x")
    assert [size.share.exact for size in answer.widths[0].sizes] == [0.5, 0.5]
    data = json.loads(answer.to_json())["widths"][0]["sizes"]
    assert [row["j"] for row in data] == [1, 2]
    assert data[1]["sets"]["exact"] == 0.5
    assert "People in groups of 2 and 3 by interval width" in str(answer)


def test_the_example_of_s2_2_2_1() -> None:
    found = predict.suspects(probabilities=[0.5, *[0.5 / 9] * 9])
    # Printed: 3.32, 2.58 and 0.77 (cut off: it is 0.778).
    assert f"{found.max_entropy_bits:.2f}" == "3.32"
    assert f"{found.entropy_bits:.2f}" == "2.58"
    assert math.floor(100 * found.degree_of_anonymity) / 100 == 0.77
    assert found.entropy_bits == pytest.approx(0.5 + 0.5 * math.log2(18))
    assert found.effective_suspects == pytest.approx(6)
    assert (found.best_guess, found.renyi_bits["inf"]) == (0.5, 1.0)
    assert found.to_dict()["min_entropy_bits"] == 1.0


def test_ends_of_the_scale() -> None:
    certain = predict.suspects(probabilities=[0, 1, 0])
    assert (certain.degree_of_anonymity, certain.effective_suspects, certain.best_guess) == (0.0, 1.0, 1.0)
    assert (certain.n_suspects, certain.n_ruled_out) == (3, 2)
    even = predict.suspects(values=10**6)
    assert (even.degree_of_anonymity, even.effective_suspects) == (1.0, 10**6)
    assert predict.suspects(probabilities=[1 / 3] * 3).degree_of_anonymity == 1.0
    one = predict.suspects(probabilities=[1.0])
    assert one.degree_of_anonymity is None
    assert json.loads(one.to_json())["reasons"]["degree_of_anonymity"]
    ruled_out = predict.suspects(probabilities=[0.5, 0.5], values=4)
    assert (ruled_out.n_ruled_out, ruled_out.degree_of_anonymity) == (2, 0.5)


@settings(deadline=None)
@given(st.lists(st.integers(0, 50), min_size=2, max_size=12).filter(any))
def test_weights_are_scaled_and_entropies_fall_with_the_order(weights: list[int]) -> None:
    found = predict.suspects(weights=weights)
    shares = [Fraction(weight, sum(weights)) for weight in weights]
    bits = -sum(float(p) * math.log2(p) for p in shares if p)
    assert found.entropy_bits == pytest.approx(bits, abs=1e-12)
    assert found.degree_of_anonymity == pytest.approx(bits / math.log2(len(weights)), abs=1e-12)
    assert 0 <= found.degree_of_anonymity <= 1
    assert found.best_guess == pytest.approx(float(max(shares)))
    orders = list(found.renyi_bits.values())
    assert orders == sorted(orders, reverse=True)
    assert found.renyi_bits["2"] == pytest.approx(-math.log2(sum(p * p for p in shares)), abs=1e-12)
    assert found.renyi_bits["0"] == pytest.approx(math.log2(sum(p > 0 for p in shares)), abs=1e-12)
    text = predict.suspects(weights=",".join(map(str, weights)))
    assert text.to_dict() == found.to_dict()


def test_suspects_of_a_table() -> None:
    table = pyarrow.table({"sender": ["a", "a", "b", "c"], "n": [1, 1, 1, 1]})
    found = predict.suspects(distribution=table, attributes="sender")
    assert (found.entropy_bits, found.best_guess, found.n_suspects) == (1.5, 0.5, 3)


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"probabilities": []},
        {"probabilities": [0.5, 0.4]},
        {"probabilities": [1.5, -0.5]},
        {"probabilities": "half"},
        {"weights": []},
        {"weights": [0, 0]},
        {"weights": [1, -1]},
        {"weights": [1, math.nan]},
        {"weights": [1, 1], "probabilities": [0.5, 0.5]},
        {"weights": [1, 1, 1], "values": 2},
        {"weights": [1, 1, 1], "values": 10**400},
        {"values": 0},
        {"values": 5, "kappa": 0.1},
    ],
)
def test_bad_suspects(asked: dict[str, object]) -> None:
    with pytest.raises(InputError):
        predict.suspects(**asked)  # type: ignore[arg-type]
