"""Links of a part of the census extract adult with all of it: figures of an independent program."""

import json

import pytest

import idbits


@pytest.mark.parametrize("names", ["sex,age,race,marital-status", None])
def test_golden_figures_of_adult(shared_data, names):
    golden = json.loads((shared_data.parent / "golden/link/link_adult_subset.json").read_text())
    key = next(k for k in golden if (names is None) == (k.count("+") > 3))
    answer = idbits.link(
        shared_data.parent / "golden/link/adult_subset.csv", shared_data / "adult.csv", key.split("+"), coverage=1
    )
    expected = golden[key]
    assert answer.n_records == expected["records"]
    assert answer.records.no_candidate == expected["no_candidate"]
    assert answer.records.one_to_one == expected["one_to_one"] == answer.right.at_least
    assert answer.records.ambiguous == expected["ambiguous"]
    assert answer.right.expected == pytest.approx(expected["expected_right"], rel=1e-14)
    assert answer.identity_bits == pytest.approx(expected["identity_bits_mean"], rel=1e-14)
    assert answer.presence.certain_in.people == expected["presence"]["certain_in"]
    assert answer.presence.certain_out.people == expected["presence"]["certain_out"]
    assert (answer.presence.delta_min, answer.presence.delta_max) == (0, 1)
    points = [point for point in answer.curve if point.is_prefix]
    assert points[-1].one_to_one == answer.records.one_to_one
    assert [point.right for point in points] == sorted(point.right for point in points)
    assert [point.identity_bits for point in points] == sorted(point.identity_bits for point in points)


def test_a_table_linked_with_itself_is_measured(shared_data):
    file = shared_data.parent / "golden/link/adult_subset.csv"
    names = ["sex", "age", "race", "marital-status"]
    answer, measured = idbits.link(file, file, names, coverage=1), idbits.measure(file, names)
    assert answer.right.expected == pytest.approx(measured.n_sets, abs=1e-9)
    assert answer.records.one_to_one == measured.singletons
    assert answer.identity_bits == measured.entropy_bits
    assert answer.max_identity_bits == measured.max_entropy_bits
    assert any("linked with itself" in note for note in answer.notes)
