"""What the output of an analysis reveals about each cell, against the definitions."""

import json
import math
import random
from collections import Counter

import pyarrow as pa
import pytest

import idbits
from idbits.errors import DataError, InputError

NAMES = ("sex", "age", "job")
draw = random.Random(11)
ROWS = [(draw.choice("ab"), draw.randrange(20, 50, 5), draw.choice("xyz")) for _ in range(60)]
PREDICTED = [("high" if age > 30 and job != "x" else "low") for _, age, job in ROWS]


def table(rows=ROWS, **more):
    return pa.table(dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True)) | more)


def divergence(posterior, prior):
    total, everyone = sum(posterior.values()), sum(prior.values())
    return math.fsum(
        k / total * math.log2(k / total / (prior[value] / everyone)) for value, k in posterior.items() if k
    )


def learnt(rows, seen, place):
    """Return each row's gain about a column; rows look the same if what the attacker sees is the same."""
    prior = Counter(row[place] for row in rows)
    return [
        divergence(Counter(other[place] for other, there in zip(rows, seen, strict=True) if there == here), prior)
        for here in seen
    ]


@pytest.mark.parametrize("known", [(), (0,), (0, 1)])
def test_predictions_tell_what_people_with_the_same_ones_have_in_common(known):
    attacker = "named:" + ",".join(NAMES[place] for place in known) if known else "strongest"
    answer = idbits.gain(table(predicted=PREDICTED), analysis="predicted", attacker=attacker)
    cells, without = [], 0.0
    for place in range(3):
        held = [tuple(row[k] for k in known if k != place) for row in ROWS]
        cells.append(learnt(ROWS, list(zip(held, PREDICTED, strict=True)), place))
        without += math.fsum(learnt(ROWS, held, place)) / len(ROWS)
    rig = [math.fsum(row) for row in zip(*cells, strict=True)]
    looks = [(*(row[k] for k in known), seen) for row, seen in zip(ROWS, PREDICTED, strict=True)]
    factors = [bits / looks.count(look) for bits, look in zip(rig, looks, strict=True)]
    found = answer.analysis
    assert found.kind == "columns"
    assert (found.columns, found.known) == (("predicted",), tuple(NAMES[place] for place in known))
    assert [feature.column for feature in found.features] == list(NAMES)
    for feature, own in zip(found.features, cells, strict=True):
        assert feature.fig_bits == pytest.approx(math.fsum(own), abs=1e-9)
        assert feature.mean_cig_bits == pytest.approx(math.fsum(own) / len(ROWS), abs=1e-9)
    assert found.rig["mean"] == pytest.approx(math.fsum(rig) / len(rig), abs=1e-9)
    assert found.rig["max"] == pytest.approx(max(rig), abs=1e-9)
    assert found.pif == pytest.approx(max(factors), abs=1e-9)
    assert found.rows_at_pif == sum(factor > max(factors) - 1e-9 for factor in factors)
    assert found.mics == min(map(looks.count, looks))
    assert found.without_output_bits == pytest.approx(without, abs=1e-9)
    # The table itself is attacked as usual, without the output among its columns.
    assert answer.columns == NAMES
    assert answer.figures == idbits.gain(table(), attacker=attacker).figures


def test_the_mean_of_what_a_prediction_tells_is_mutual_information(twin):
    found = idbits.gain(table(predicted=PREDICTED), analysis="predicted").analysis
    rows = [(*row, seen) for row, seen in zip(ROWS, PREDICTED, strict=True)]
    book = twin(rows)
    for place, feature in enumerate(found.features):
        bits = book.entropy(place) + book.entropy(3) - book.entropy(place, 3)
        assert feature.mean_cig_bits == pytest.approx(bits, abs=1e-9)


def test_the_limits_of_outputs():
    same = idbits.gain(table(predicted=["low"] * len(ROWS)), analysis="predicted").analysis
    assert (same.pif, same.rig["max"], same.mics) == (0.0, 0.0, len(ROWS))
    # An output that identifies everybody reveals everything.
    unique = idbits.gain(table(score=list(range(len(ROWS)))), analysis="score").analysis
    prior = [Counter(column) for column in zip(*ROWS, strict=True)]
    most = [math.fsum(math.log2(60 / prior[place][row[place]]) for place in range(3)) for row in ROWS]
    assert (unique.mics, unique.pif) == (1, pytest.approx(max(most)))
    assert "The attacker sees predicted of a row, and nothing else." in str(
        idbits.gain(table(predicted=PREDICTED), analysis="predicted")
    )


def counts_of(rows, places, names, least=1):
    cells = Counter(tuple(row[place] for place in places) for row in rows)
    kept = [(*cell, k) for cell, k in cells.items() if k >= least]
    return pa.table(dict(zip((*names, "people"), map(list, zip(*kept, strict=True)), strict=True)))


def test_the_whole_table_of_counts_is_the_table():
    """Counts of all columns reveal as much as the table to someone who knows all columns but one."""
    answer = idbits.gain(table(), analysis=counts_of(ROWS, range(3), NAMES))
    found = answer.analysis
    assert (found.kind, found.columns, found.people_unpublished) == ("counts", NAMES, 0)
    assert [one.fig_bits for one in found.features] == pytest.approx([one.fig_bits for one in answer.features])
    assert found.rig == pytest.approx(answer.rig, abs=1e-12)
    assert (found.pif, found.mics, found.rows_at_pif) == (pytest.approx(answer.pif), answer.mics, answer.rows_at_pif)


@pytest.mark.parametrize("least", [1, 3])
def test_counts_with_small_cells_withheld(tmp_path, least):
    names = ("sex", "age:band10")
    banded = [(sex, age // 10 * 10) for sex, age, _ in ROWS]
    path = tmp_path / "counts.csv"
    published = counts_of(banded, range(2), names, least)
    lines = [",".join(published.column_names), *(",".join(map(str, row.values())) for row in published.to_pylist())]
    path.write_text("\n".join(lines) + "\n")
    found = idbits.gain(table(), analysis=str(path)).analysis
    held = Counter(banded)
    shown = {cell: k for cell, k in held.items() if k >= least}
    rig = []
    for row in banded:
        bits = 0.0
        for place in range(2):
            posterior = {cell[place]: k for cell, k in shown.items() if cell[1 - place] == row[1 - place]}
            if posterior:
                bits += divergence(posterior, Counter(other[place] for other in banded))
        rig.append(bits)
    assert found.columns == names
    assert found.rig["mean"] == pytest.approx(math.fsum(rig) / len(rig), abs=1e-9)
    assert found.rig["max"] == pytest.approx(max(rig), abs=1e-9)
    assert found.pif == pytest.approx(max(bits / held[row] for bits, row in zip(rig, banded, strict=True)), abs=1e-9)
    assert found.people_unpublished == sum(k for k in held.values() if k < least)


def test_what_cannot_be_an_output():
    everybody = table(predicted=PREDICTED)
    for wrong, words in (
        ({"analysis": "nothing.csv"}, "analysis= must name columns of the table or a file"),
        ({"analysis": "predicted", "columns": "sex,predicted"}, "remove it from columns="),
        ({"analysis": "predicted", "attacker": "knows:1"}, "attacker='named:"),
        ({"analysis": pa.table({"sex": ["a"], "n": [1], "m": [1]})}, "this one has 1 and 2"),
    ):
        with pytest.raises(InputError, match=words):
            idbits.gain(everybody, **wrong)
    for wrong, words in (
        (pa.table({"sex": ["a", "b"], "n": [1.5, 2.0]}), "must be a whole number"),
        (pa.table({"sex": ["a", "b"], "n": [-1, 2]}), "must be a whole number"),
        (pa.table({"sex": ["a", "secret"], "n": [1, 2]}), "1 value of"),
        (pa.table({"sex": ["a", "b"], "n": [0, 0]}), "counts .* are 0"),
    ):
        with pytest.raises(DataError, match=words) as raised:
            idbits.gain(everybody, analysis=wrong)
        assert "secret" not in str(raised.value)


def test_the_answer_as_json():
    data = json.loads(json.dumps(idbits.gain(table(predicted=PREDICTED), analysis="predicted").to_dict()))
    assert data["analysis"]["reasons"] == {"people_unpublished": "every person has an output"}
    assert data["analysis"]["features"][0].keys() == {"column", "fig_bits", "mean_cig_bits"}
    assert idbits.gain(table()).to_dict()["analysis"] is None
