"""Information gain equals what the definitions give, row by row, and what piflib gives."""

import math

import numpy as np
import pyarrow
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import idbits

# Computed with piflib 0.1.1 on the toy table: CIG, CSF and both with accuracies and a prior.
TOY = ["gender", "name", "eye_color"]
PRIOR = {"male": 0.49, "female": 0.51}
CIG = [
    [0.22239242133644802, 1.3073549220576042, 1.8073549220576042],
    [0.22239242133644802, 0.30735492205760406, 0.48542682717024166],
    [0.5148736716970261, 0.30735492205760406, 0.48542682717024166],
    [0.22239242133644802, 0.30735492205760406, 0.48542682717024166],
    [0.22239242133644802, 1.3073549220576042, 0.14639087461392286],
    [0.22239242133644802, 0.30735492205760406, 0.14639087461392286],
    [0.5148736716970261, 1.8073549220576042, 0.48542682717024166],
]
CSF = [
    [1 / 7, 0.35714285714285715, 0.7142857142857143],
    [1 / 7, 0.10714285714285715, 0.2857142857142857],
    [0.35714285714285715, 0.0357142857142857, 0.2857142857142857],
    [1 / 7, 0.10714285714285715, 0.2857142857142857],
    [1 / 7, 0.2142857142857143, 0.2142857142857143],
    [1 / 7, 0.0357142857142857, 0.2142857142857143],
    [0.35714285714285715, 0.7142857142857143, 0.2857142857142857],
]
BELIEVED = [
    [0.19532171387848024, 0.7238821603734314, 1.8073549220576042],
    [0.19532171387848024, 0.16546190585439827, 0.48542682717024166],
    [7.215519642971881e-05, 0.16546190585439827, 0.48542682717024166],
    [0.19532171387848024, 0.16546190585439827, 0.48542682717024166],
    [0.19532171387848024, 0.7238821603734314, 0.14639087461392286],
    [0.19532171387848024, 0.16546190585439827, 0.14639087461392286],
    [7.215519642971881e-05, 1.0268352727770824, 0.48542682717024166],
]
WEIGHTS = [0.48289239602820494, 0.6389170323832579, 0.33102476770860256]
ADULT_FIG = {
    "sex": 20512.099010536975,
    "age": 76650.8340740403,
    "race": 18296.97038500548,
    "marital-status": 42047.113228833885,
    "education": 56402.8266426482,
    "native-country": 22637.563167171094,
    "workclass": 30671.414565174295,
    "occupation": 61505.8675024247,
    "salary-class": 18675.99770246295,
}
ADULT_CSF = {"sex": 0.36513633795227846, "age": 0.24109572245073663, "salary-class": 0.3218456068723269}


def assert_near(found, expected, tolerance=1e-12):
    np.testing.assert_allclose(np.array(found), np.array(expected), rtol=0, atol=tolerance)


def test_the_toy_table(shared_data, cells):
    answer = idbits.gain(shared_data / "toy_cig_input.csv", columns=TOY, cells=True)
    assert_near(cells(answer), CIG)
    printed = pyarrow.csv.read_csv(shared_data / "toy_cig_expected_round2.csv").to_pydict()
    assert len(printed) * len(printed["name"]) == 21
    for name, column in printed.items():
        assert [round(bits, 2) for bits in answer.cells.column(name).to_pylist()] == column
    assert answer.rig["p95"] == pytest.approx(3.1782682120936205, abs=1e-12)
    assert answer.rig["p50"] == pytest.approx(1.3076554209248719, abs=1e-12)
    assert_near([feature.weight for feature in answer.features], WEIGHTS)
    assert answer.dependence.dual_total_correlation_bits == pytest.approx(0.8073549220576037, abs=1e-12)
    matrix = answer.dependence.mutual_information_bits
    expected = [0.3059584928680419, 0.07600985366278312, 0.577406282852345]
    assert_near([matrix[0][1], matrix[0][2], matrix[1][2]], expected)


def test_the_toy_table_as_piflib_has_it_otherwise(shared_data, cells):
    toy = shared_data / "toy_cig_input.csv"
    assert_near(cells(idbits.gain(toy, columns=TOY, cells=True, cells_as="csf")), CSF)
    weighted = cells(idbits.gain(toy, columns=TOY, cells=True, cells_as="weighted"))
    assert_near(weighted, np.array(CIG) * WEIGHTS)
    prior = pyarrow.table({"value": list(PRIOR), "probability": list(PRIOR.values())})
    believed = idbits.gain(toy, columns=TOY, prior={"gender": prior}, accuracy={"gender": 0.5, "name": 0.8}, cells=True)
    assert_near(cells(believed), BELIEVED)


def test_adult(shared_data):
    answer = idbits.gain(shared_data / "adult.csv", columns=list(ADULT_FIG), percentile=100)
    for feature in answer.features:
        assert feature.fig_bits == pytest.approx(ADULT_FIG[feature.column], rel=1e-12)
        if feature.column in ADULT_CSF:
            assert feature.mean_csf == pytest.approx(ADULT_CSF[feature.column], abs=1e-12)
    assert answer.rig["p50"] == pytest.approx(9.453535268180932, abs=1e-12)
    assert answer.rig["p95"] == pytest.approx(26.64988326256271, abs=1e-12)
    assert answer.rig["mean"] == pytest.approx(11.517826612237183, abs=1e-12)
    assert answer.percentile_pif == pytest.approx(43.409607380638526, abs=1e-12)
    assert answer.pif == pytest.approx(43.409607380638526, abs=1e-12)
    assert (answer.mics, answer.rows_at_pif) == (1, 1)


values = st.sampled_from(["x", "y", "z", None])
tables = st.integers(2, 4).flatmap(lambda width: st.lists(st.tuples(*[values] * width), min_size=1, max_size=14))


@pytest.mark.big
@settings(max_examples=20)
@given(tables)
def test_random_tables(twin, frame, cells, rows):
    book = twin(rows)
    columns = frame(rows).column_names
    answer = idbits.gain(frame(rows), columns=columns, cells=True)
    expected = book.cells()
    assert_near(cells(answer), expected)
    found = answer.to_dict()
    for key, value in book.figures(expected).items():
        assert found[key] == pytest.approx(value, abs=1e-12), key
    assert_near([feature.weight for feature in answer.features], book.weights())
    assert_near([feature.entropy_bits for feature in answer.features], [book.entropy(j) for j in range(book.width)])
    joint = book.entropy(*range(book.width))
    rest = [book.entropy(*(k for k in range(book.width) if k != j)) for j in range(book.width)]
    assert answer.dependence.joint_entropy_bits == pytest.approx(joint, abs=1e-12)
    singles = math.fsum(book.entropy(j) for j in range(book.width))
    assert answer.dependence.total_correlation_bits == pytest.approx(singles - joint, abs=1e-12)
    conditional = math.fsum(joint - entropy for entropy in rest)
    assert answer.dependence.dual_total_correlation_bits == pytest.approx(joint - conditional, abs=1e-12)
    for one in range(book.width):
        for two in range(book.width):
            shared = book.entropy(one) + book.entropy(two) - book.entropy(one, two)
            assert answer.dependence.mutual_information_bits[one][two] == pytest.approx(shared, abs=1e-12)
    assert_near(cells(idbits.gain(frame(rows), columns=columns, cells=True, cells_as="csf")), book.surprises())


@pytest.mark.big
@settings(max_examples=8)
@given(tables, st.data())
def test_random_attackers(twin, frame, cells, rows, data):
    width = len(rows[0])
    accuracies = {j: data.draw(st.sampled_from([0.0, 0.3, 0.99, 1.0])) for j in range(width)}
    prior = {value: data.draw(st.integers(1, 9)) for value in ["x", "y", "z", None, "elsewhere"]}
    total = sum(prior.values())
    book = twin(rows, {0: {value: k / total for value, k in prior.items()}}, accuracies)
    settings = {
        "prior": {"a": pyarrow.table({"value": list(prior), "n": list(prior.values())})},
        "accuracy": {"abcdefghij"[j]: c for j, c in accuracies.items()},
        "cells": True,
        "columns": list("abcdefghij"[:width]),
    }
    assert_near(cells(idbits.gain(frame(rows), **settings)), book.cells())
    assert_near(cells(idbits.gain(frame(rows), **settings, attacker="named:a,b")), book.cells([0, 1]))
    csf = idbits.gain(frame(rows), **settings, cells_as="csf")
    assert_near(cells(csf), book.surprises())
    n_known = data.draw(st.integers(0, width - 1))
    mean, most = book.over_subsets(n_known)
    answer = idbits.gain(frame(rows), **settings, attacker=f"knows:{n_known}")
    assert_near(cells(answer), mean)
    assert answer.subsets.exact
    assert answer.subsets.n_subsets == answer.subsets.all_subsets == math.comb(width, n_known)
    found = answer.to_dict()
    for key, value in book.figures(mean).items():
        assert found[key] == pytest.approx(value, abs=1e-12), key
    largest = found["maximum"]
    for key, value in book.figures(most).items():
        assert largest[key] == pytest.approx(value, abs=1e-12), key
    assert_near([feature["fig_bits"] for feature in largest["features"]], np.array(most).sum(axis=0), 1e-11)
    assert_near([feature["fig_bits"] for feature in found["features"]], np.array(mean).sum(axis=0), 1e-11)


def test_counted_tables_are_people(frame):
    rows = [("x", "y")] * 3 + [("x", "z")] * 2 + [("w", "z")] * 9
    counted = pyarrow.table({"a": ["x", "w", "x", "u"], "b": ["y", "z", "z", "u"], "n": [3, 9, 2, 0]})
    given_counts = idbits.gain(counted, columns="a,b", count="n").to_dict()
    assert idbits.gain(frame(rows), columns="a,b", rows_are_people=True).to_dict() == given_counts


@pytest.mark.big
def test_many_wide_columns_give_the_same(cells):
    # 40 columns of high cardinality: more than 64 bits, more than two passes.
    draw = np.random.default_rng(1)
    base = draw.integers(0, 5, (300, 3))
    narrow = pyarrow.table({f"c{j}": base[:, j] for j in range(3)})
    copies = {f"d{j}": base[:, j % 3] * 1000 + base[:, (j + 1) % 3] for j in range(37)}
    wide = pyarrow.table({f"c{j}": base[:, j] for j in range(3)} | copies)
    ids = pyarrow.table({"id": draw.permutation(300)} | {f"c{j}": base[:, j] for j in range(3)} | copies)
    assert idbits.gain(wide, columns="c0,c1,c2", cells=True).cells.equals(
        idbits.gain(narrow, columns="c0,c1,c2", cells=True).cells
    )
    # Every column follows from the others, so each cell is worth the surprisal of its value.
    answer = idbits.gain(ids, columns=ids.column_names, cells=True)
    for name in answer.columns:
        column = ids.column(name).to_numpy()
        expected = [math.log2(300 / np.count_nonzero(column == value)) for value in column] if name != "id" else None
        if expected is not None:
            assert_near(answer.cells.column(name).to_pylist(), expected)
