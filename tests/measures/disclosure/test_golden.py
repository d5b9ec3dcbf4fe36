"""The figures of disclosure.md, section 7, and of the golden file, which an independent slow program computed."""

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from disclosure_columns import column_of

from idbits.measures.disclosure.certainty import certain_people, largest_share, people_above_share
from idbits.measures.disclosure.closeness import equal_distance, ordered_distances
from idbits.measures.disclosure.column import SensitiveColumn
from idbits.measures.disclosure.diversity import distinct_values, entropy_values, people_below_distinct
from idbits.measures.disclosure.guess import guess_chances
from idbits.measures.disclosure.information import learnt_bits, prior_entropy_bits
from idbits.measures.disclosure.likeness import delta_bits_present, likeness

FILES = {"students": "StudentsMath_Score.csv", "students_k5": "StudentsMath_Score_k5.csv"}


@pytest.fixture(scope="module")
def golden() -> Path:
    from conftest import SHARED_DATA

    folder = SHARED_DATA.parent / "golden" / "disclosure"
    if not folder.is_dir():
        pytest.skip(f"golden files are not there: no folder {folder} (IDBITS_SHARED_DATA says where they are)")
    return folder


def read(golden: Path, name: str, expected: dict[str, Any]) -> SensitiveColumn:
    """Return the sensitive column of a golden entry."""
    path = golden / FILES[name.split()[0]] if name.split()[0] in FILES else golden.parents[1] / "data" / "adult.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";" if path.name == "adult.csv" else ","))
    pairs = [(tuple(row[column] for column in expected["qi"]), row[expected["sensitive"]]) for row in rows]
    values = {value for _, value in pairs}
    order = sorted(values, key=float) if path.name != "adult.csv" else sorted(values)
    return column_of(pairs, order)


def test_the_golden_file(golden: Path) -> None:
    entries = json.loads((golden / "disclosure.json").read_text(encoding="utf-8"))
    assert len(entries) >= 5
    for name, expected in entries.items():
        column = read(golden, name, expected)
        cells, bits, guess = column.cells, learnt_bits(column), guess_chances(column)
        everyone = np.ones(cells.n_groups, np.bool_)
        found = {
            "n": cells.n_people,
            "n_sets": cells.n_groups,
            "k_min": int(cells.sizes.min()),
            "n_values": column.prior.n_values,
            "l_distinct": distinct_values(column),
            "l_entropy": entropy_values(column),
            "people_l1": people_below_distinct(column, [2])["2"].people,
            "alpha": largest_share(column),
            "t_equal": equal_distance(column),
            "t_ordered": ordered_distances(cells, column.prior, everyone)[0],
            "beta": likeness(column).beta,
            "delta_bits_present": delta_bits_present(column),
            "delta_nats_present": delta_bits_present(column) * math.log(2),
            "sets_missing_a_value": int(np.count_nonzero(cells.lengths < cells.n_values)),
            "enhanced_beta_violating_people": likeness(column).violations.people,
            "gain_bits_mean": bits.mean,
            "gain_bits_max": bits.max,
            "certain_people": certain_people(column).people,
            "over90_people": people_above_share(column, 0.9).people,
            "prior_entropy_bits": prior_entropy_bits(column),
            "cond_entropy_bits": bits.conditional_entropy_bits,
            "guess_before": guess.before,
            "guess_after": guess.after,
        }
        for key, value in expected.items():
            if key not in ("qi", "sensitive"):
                assert found[key] == pytest.approx(value, rel=1e-13, abs=1e-14), (name, key)


def test_the_figures_of_section_7(golden: Path) -> None:
    known = {"qi": ["sex", "age", "race", "marital-status"], "sensitive": "salary-class"}
    column = read(golden, "adult", known)
    certain = certain_people(column)
    assert (certain.people, certain.alone, certain.in_company) == (5_648, 543, 5_105)
    assert people_above_share(column, 0.9).people == 12_709
    students = read(golden, "students", {"qi": ["Teacher", "Gender", "Ethnic", "Freeredu", "wesson"],
                                         "sensitive": "Score"})  # fmt: skip
    assert likeness(students).beta == 71.0
    assert likeness(students).enhanced == math.inf
    smaller = read(golden, "students_k5", {"qi": ["Teacher", "Gender", "Ethnic", "Freeredu", "wesson"],
                                           "sensitive": "Score"})  # fmt: skip
    assert (largest_share(smaller), distinct_values(smaller)) == (0.5, 4)
    assert entropy_values(smaller) == pytest.approx(3.464101615137754, rel=1e-15)
