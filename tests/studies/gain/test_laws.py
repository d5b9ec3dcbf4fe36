"""What must hold for every table: to the last digit where only order or labels change."""

import itertools
import json
import math

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import idbits
from idbits.counts import CodedRows
from idbits.engines.local_gains import LocalGainRows
from idbits.kernels.distinct import distinct_rows
from idbits.kernels.exact_sums import weighted_total
from idbits.measures.belief import FeatureBelief
from idbits.measures.logarithms import as_bits
from idbits.progress import SILENT
from idbits.studies.gain.subsets import attack_with_subsets
from idbits.studies.gain.text import gain_verdict

rows_of_codes = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.tuples(*[st.integers(0, 3)] * width), min_size=1, max_size=25)
)


def strongest(believed):
    return believed.attack(None, SILENT, cells=True, csf=False)


def named(believed, known):
    return believed.attack(known, SILENT, cells=True, csf=False)


def attacked(rows, accuracy=1.0, attack=strongest, people=None):
    """Attack rows of small integers without an engine: fast enough for many examples."""
    columns = list(zip(*rows, strict=True))
    coded = CodedRows(
        tuple(np.array(column, np.uint32) for column in columns), (8,) * len(columns), people and np.array(people)
    )
    distinct = distinct_rows(coded, with_indices=True)
    believed = LocalGainRows(distinct, lambda _: []).believed([FeatureBelief(accuracy)] * len(columns))
    return distinct, attack(believed)


def cells_of(rows, **settings):
    distinct, found = attacked(rows, **settings)
    return found.cig_bits[:, distinct.indices].T.tolist()


@given(rows_of_codes, st.sampled_from([0.0, 0.25, 1.0]))
def test_gains_are_not_negative_and_fig_equals_rig(rows, accuracy):
    distinct, found = attacked(rows, accuracy)
    assert (found.cig_bits >= 0).all()
    if accuracy == 0:
        assert not found.cig_bits.any()
    total = math.fsum(as_bits(units) for units in found.totals)
    summed = math.fsum((found.rig_bits * distinct.cohorts()).tolist())
    assert total == pytest.approx(summed, rel=1e-12, abs=1e-12)
    # FIG is exact: the same cells, each rounded to 2^-50, add up to it.
    for units, line in zip(found.totals, found.cig_bits, strict=True):
        assert as_bits(units) == pytest.approx(as_bits(weighted_total(line, distinct.people)), rel=1e-12, abs=1e-13)


@pytest.mark.big
@given(rows_of_codes)
def test_a_constant_column_gains_nothing_and_changes_nothing(rows):
    cells = cells_of([(*row, 3) for row in rows])
    assert [row[-1] for row in cells] == [0.0] * len(rows)
    assert [row[:-1] for row in cells] == cells_of(rows)


@given(rows_of_codes)
def test_a_copy_changes_nothing_for_the_others_and_tells_its_column(rows):
    copied = cells_of([(*row, row[0]) for row in rows])
    n = len(rows)
    for row, cells, alone in zip(rows, copied, cells_of(rows), strict=True):
        assert cells[1:-1] == alone[1:]
        surprisal = math.log2(n / sum(other[0] == row[0] for other in rows))
        assert cells[0] == cells[-1] == pytest.approx(surprisal, abs=1e-13)


@pytest.mark.big
@given(rows_of_codes, st.randoms(use_true_random=False), st.sampled_from([0.7, 1.0]))
def test_order_and_labels_change_no_digit(rows, random, accuracy):
    before = cells_of(rows, accuracy=accuracy)
    order = random.sample(range(len(rows)), len(rows))
    labels = [random.sample(range(8), 8) for _ in rows[0]]
    moved = [tuple(labels[j][rows[i][j]] for j in range(len(rows[0]))) for i in order]
    assert cells_of(moved, accuracy=accuracy) == [before[i] for i in order]
    assert attacked(moved, accuracy)[1].totals == attacked(rows, accuracy)[1].totals


@given(rows_of_codes)
def test_people_are_rows_said_often(rows):
    times = [1 + (sum(row) % 3) for row in rows]
    spread = [row for row, k in zip(rows, times, strict=True) for _ in range(k)]
    one, two = attacked(rows, people=times), attacked(spread)
    assert one[1].cig_bits.tolist() == two[1].cig_bits.tolist()
    assert one[1].totals == two[1].totals


@pytest.mark.big
@settings(max_examples=25)
@given(rows_of_codes)
def test_knowing_more_never_lowers_the_mean(rows):
    width = len(rows[0])
    for place in range(width):
        others = [k for k in range(width) if k != place]
        for size in range(len(others)):
            for known in itertools.combinations(others, size):
                fewer = attacked(rows, attack=lambda believed, known=known: named(believed, known))[1].totals[place]
                for more in set(others) - set(known):
                    wider = (*known, more)
                    higher = attacked(rows, attack=lambda believed, wider=wider: named(believed, wider))[1].totals[
                        place
                    ]
                    assert as_bits(higher) >= as_bits(fewer) - 1e-12


@pytest.mark.parametrize("accuracy", [1.0, 0.5])
@pytest.mark.parametrize(("width", "height", "times"), [(3, 5, 1), (3, 7, 2), (5, 25, 1), (6, 7, 700)])
def test_independent_columns_tell_nothing_at_all(width, height, times, accuracy):
    rows = list(itertools.product(map(str, range(width)), map(str, range(height)))) * times
    answer = idbits.gain(pyarrow.table(dict(zip("ab", zip(*rows, strict=True), strict=True))), accuracy=accuracy)
    assert (answer.pif, *answer.rig.values()) == (0.0,) * 5
    assert [feature.share for feature in answer.features] == [None, None]
    assert "learns nothing" in gain_verdict(answer).sentence


def test_a_single_row_can_learn_less_by_knowing_more():
    # The example of the documentation: among the old most are retired, but not among the old who live in the north.
    rows = [("old", "north", "works"), *[("old", "north", "retired")], *[("old", "south", "retired")] * 6,
            *[("young", "south", "works")] * 8]  # fmt: skip
    frame = pyarrow.table(dict(zip(("age", "region", "job"), zip(*rows, strict=True), strict=True)))
    less = idbits.gain(frame, attacker="named:age", cells=True)
    more = idbits.gain(frame, attacker="named:age,region", cells=True)
    jobs = [answer.cells.column("job").to_pylist() for answer in (less, more)]
    assert jobs[1][1] < jobs[0][1]
    assert sum(jobs[1]) > sum(jobs[0])


@pytest.mark.big
@given(rows_of_codes)
def test_the_strongest_knows_all_and_is_named_by_all(rows):
    width = len(rows[0])
    _, found = attacked(rows)
    everyone = attacked(rows, attack=lambda believed: named(believed, range(width)))[1]
    assert everyone.cig_bits.tolist() == found.cig_bits.tolist()
    assert everyone.totals == found.totals
    counted = attacked(rows, attack=lambda believed: attack_with_subsets(believed, width - 1, 1000, 0))[1]
    assert counted.mean.cig_bits.tolist() == found.cig_bits.tolist() == counted.maximum.cig_bits.tolist()
    assert counted.mean_totals == tuple(as_bits(units) for units in found.totals)


@pytest.mark.big
@settings(max_examples=5)
@given(st.randoms(use_true_random=False))
def test_the_whole_answer_is_the_same_under_new_labels_and_order(random):
    rows = [(random.choice("ab"), random.choice("xyz"), random.choice("12345")) for _ in range(40)]
    names = ("p", "q", "r")
    labels = [dict(zip(values, random.sample(values, len(values)), strict=True)) for values in ("ab", "xyz", "12345")]
    moved = [tuple(labels[j][row[j]] for j in range(3)) for row in random.sample(rows, len(rows))]
    one, two = (pyarrow.table(dict(zip(names, zip(*table, strict=True), strict=True))) for table in (rows, moved))
    wanted = {
        "columns": "p,q,r",
        "growth": "greedy",
        "attacker": random.choice(["strongest", "knows:1", "named:p"]),
        "accuracy": 0.9,
    }
    assert json.loads(idbits.gain(one, **wanted).to_json()) == json.loads(idbits.gain(two, **wanted).to_json())


def test_threads_change_no_digit():
    draw = np.random.default_rng(3)
    frame = pyarrow.table({name: draw.integers(0, 9, 3_000) for name in "abcde"})
    assert (
        idbits.gain(frame, columns="a,b,c,d,e", threads=1).to_dict()
        == idbits.gain(frame, columns="a,b,c,d,e", threads=4).to_dict()
    )


@pytest.mark.big
def test_a_sample_of_subsets_is_within_its_error():
    draw = np.random.default_rng(5)
    rows = [tuple(draw.integers(0, 4, 7).tolist()) for _ in range(300)]
    _, exact = attacked(rows, attack=lambda believed: attack_with_subsets(believed, 3, 1000, 0))
    assert exact.standard_errors == ()
    true = math.fsum(exact.mean_totals) / 300
    missed = []
    for seed in range(60):
        _, sample = attacked(rows, attack=lambda believed, seed=seed: attack_with_subsets(believed, 3, 12, seed))
        assert (sample.n_subsets, sample.all_subsets) == (12, 35)
        missed.append((math.fsum(sample.mean_totals) / 300 - true) / sample.standard_errors[-1])
        assert (sample.maximum.cig_bits <= exact.maximum.cig_bits).all()
    # Standardised errors have a spread of about 1: with 60 of them it is nearly always from 0.7 to 1.5.
    assert 0.7 < float(np.std(missed)) < 1.5
    assert abs(float(np.mean(missed))) < 0.5


def test_a_small_sample_ends_where_there_are_no_more_subsets():
    rows = [(0, 1, 0), (1, 1, 0), (0, 0, 1)]
    _, found = attacked(rows, attack=lambda believed: attack_with_subsets(believed, 2, 1, 0))
    assert (found.n_subsets, found.all_subsets, found.standard_errors) == (3, 3, ())
