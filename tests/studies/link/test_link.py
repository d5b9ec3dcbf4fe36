"""Links of small and of real tables: against a slow program, golden figures and laws."""

import math
import stat

import pyarrow
import pyarrow.parquet
import pytest
from slow_links import tables

import idbits
from idbits.errors import ColumnNotFoundError, DataError, InputError, NotEstimableError


def test_folded_and_trimmed_texts():
    a = pyarrow.table({"n": ["Müller-Lüdenscheidt", " Kiss ", "O'Neil", "-"], "s": ["1", "2", "2", "3"]})
    b = pyarrow.table({"n": ["mullerludenscheidt", "kiss", "ONEIL", "-"]})
    folded = idbits.link(a, b, "n~fold", sensitive="s", coverage=0.5)
    assert (folded.mode, folded.records.one_to_one, folded.records.nulls) == ("tolerance", 3, 1)
    assert folded.sensitive[0].certain == 3
    trimmed = idbits.link(a, b, "n~trim")
    assert (trimmed.records.one_to_one, trimmed.records.nulls) == (1, 0)


def test_every_subset_of_the_curve_is_a_link_of_its_own():
    a, b = tables([("a", "b"), ("a", "c"), ("b", None)], [("a", "b"), ("c", "c"), ("a", "c"), ("b", "b")])
    answer = idbits.link(a, b, "x,y", coverage=0.4)
    assert [point.on for point in answer.curve] == [("x",), ("x", "y"), ("y",)]
    for point in answer.curve:
        alone = idbits.link(a, b, list(point.on), coverage=0.4)
        assert (point.one_to_one, point.identity_bits, point.right) == (
            alone.records.one_to_one, alone.identity_bits, alone.right.expected
        )  # fmt: skip


def test_sensitive_values_are_those_of_people():
    """Groups p (records u, u), q (u, v): 3 people share p, 1 shares q, and 2 are elsewhere."""
    a = pyarrow.table({"x": ["p", "p", "q", "q", None], "s": ["u", "u", "u", "v", "v"]})
    b = pyarrow.table({"x": ["p", "p", "p", "q", "r", None]})
    (found,) = idbits.link(a, b, "x", sensitive="s").sensitive
    assert (found.people, found.certain, found.nearly_certain) == (4, 3, 3)
    gains = (math.log2(1 / 0.6), 0.5 * math.log2(0.5 / 0.6) + 0.5 * math.log2(0.5 / 0.4))
    assert found.gain_bits.mean == pytest.approx((3 * gains[0] + gains[1]) / 4, abs=1e-12)
    assert found.gain_bits.max == pytest.approx(gains[0], abs=1e-12)
    assert found.prior_entropy_bits == pytest.approx(-0.6 * math.log2(0.6) - 0.4 * math.log2(0.4), abs=1e-12)


def test_added_bits_are_the_entropy_of_a_name_within_groups():
    a = pyarrow.table({"x": ["p"]})
    b = pyarrow.table({"x": ["p", "p", "q", "q"], "name": ["1", "2", "3", "3"]})
    assert idbits.link(a, b, "x", also="name").added_bits == pytest.approx(0.5)


def test_other_names_and_coarser_values():
    a = pyarrow.table({"born": ["1985-05-01", "1990-01-01"]})
    b = pyarrow.table({"dob": ["1985-12-31", "1990-07-07", "1990-08-08"]})
    answer = idbits.link(a, b, "born:year=dob")
    assert (answer.records.one_to_one, answer.records.ambiguous) == (1, 1)
    assert idbits.link(a, b, "born:year=dob:year").records == answer.records
    assert idbits.link(a, b, "born=dob").records.no_candidate == 2


def test_records_file_is_private_and_without_values(tmp_path):
    a, b = tables([("a", "b"), ("a", "c"), ("b", None), ("c", "c")], [("c", "c"), ("a", "b"), ("a", "c"), ("a", "c")])
    file = tmp_path / "links.parquet"
    answer = idbits.link(a, b, "x,y", truth="id", records=file)
    table = pyarrow.parquet.read_table(file)
    assert table.column_names == ["row", "candidates", "claimed", "probability", "right"]
    assert table["candidates"].to_pylist() == [1, 2, 0, 1]
    assert table["claimed"].to_pylist() == [1, 0, 0, 1]
    assert table["right"].to_pylist() == [0, 0, 0, 1]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert b"internal" not in file.read_bytes()
    assert not answer.internal

    revealed = idbits.link(a, b, "x,y", coverage=0.5, records=file, reveal=True)
    table = pyarrow.parquet.read_table(file)
    assert table["internal_person_row"].to_pylist() == [2, None, None, 1]
    assert table.schema.metadata[b"idbits"] == b"internal: this file links people"
    assert revealed.internal
    assert "internal use only" in str(revealed)
    assert revealed.to_dict()["internal"] is True


def test_a_filter_keeps_row_numbers_of_both_tables(tmp_path):
    a, b = tables([("b", "b"), ("a", "b")], [("b", "b"), ("c", "c"), ("a", "b")])
    file = tmp_path / "links.csv"
    idbits.link(a, b, "x,y", where="x = 'a'", where_b="x <> 'b'", records=file, reveal=True)
    assert file.read_text().splitlines()[1] == "2,1,1,,3"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"on": None}, InputError, "name the columns"),
        ({"on": "x,x"}, InputError, "twice"),
        ({"on": "z"}, ColumnNotFoundError, "in the first table"),
        ({"on": "x=z"}, ColumnNotFoundError, "in the second table"),
        ({"on": "x~7y"}, InputError, "not a tolerance"),
        ({"on": "x~1d"}, DataError, "are dates"),
        ({"on": "x~1"}, DataError, "are numbers"),
        ({"on": "x~1~2"}, InputError, "two tolerances"),
        ({"on": "x~fold~1d"}, InputError, "for text"),
        ({"on": "x~5km"}, InputError, "latitude and longitude"),
        ({"on": "x:top2"}, InputError, "selects different values"),
        ({"coverage": 0}, InputError, "coverage= must be"),
        ({"coverage": 1.1}, InputError, "coverage= must be"),
        ({"coverage": 0.5, "truth": "id"}, InputError, "leave out coverage:"),
        ({"coverage": 1}, DataError, "leave out coverage=1"),
        ({"truth_a": "id"}, InputError, "go together"),
        ({"truth": "y"}, DataError, "more than once in the first table"),
        ({"truth": "x"}, InputError, "cannot be compared"),
        ({"truth": "i"}, ColumnNotFoundError, "in the first table"),
        ({"sensitive": "x"}, InputError, "both known and secret"),
        ({"sensitive": "y", "on": "x~edit1"}, InputError, "sensitive= needs"),
        ({"also": "x"}, InputError, "compared already"),
        ({"nulls": "equal"}, InputError, "nulls= must be"),
        ({"max_pairs": 0}, InputError, "max_pairs="),
        ({"on": "x~edit1", "max_pairs": 3}, DataError, "pairs would have to be compared"),
        ({"where": "x = 'no'"}, NotEstimableError, "the first table has nobody"),
        ({"where_b": "x = 'no'"}, NotEstimableError, "the second table has nobody"),
        ({"reveal": True}, InputError, "reveal=True is for records:"),
        ({"rules": "records.one_to_one"}, InputError, "is not a rule"),
        ({"rules": "records.alone <= 1"}, InputError, "no figure is named"),
    ],
)
def test_errors(options, error, message):
    a, b = tables([("a", "b"), ("a", "b"), ("b", "b")], [("a", "b"), ("c", "c")])
    with pytest.raises(error, match=message) as raised:
        idbits.link(a, b, **{"on": "x", **options})
    assert "\n" not in str(raised.value)


def test_people_who_cannot_all_be_there_are_counted():
    a, b = tables([("a", "b"), ("a", "b"), ("b", "b"), ("b", "b")], [("a", "b"), ("c", "c")])
    with pytest.raises(DataError, match=r"2 records have nobody .* and 2 records share values with only 1 person"):
        idbits.link(a, b, "x", coverage=1)


def test_rules_are_checked():
    a, b = tables([("a", "b"), ("b", "b")], [("a", "b"), ("b", "c")])
    broken = idbits.link(a, b, "x", rules=["records.one_to_one <= 50%", "right.at_most >= 1"])
    assert [rule.passed for rule in broken.rules] == [False, True]
    assert broken.exit_code == 1
    unknown = idbits.link(a, b, "x", rules="right.expected <= 1")
    assert unknown.exit_code == 3
    assert "--coverage" in unknown.rules[0].reason


def test_tables_without_a_common_value_say_how_they_are_written():
    a, b = pyarrow.table({"zip": ["1011 AB", "1012 CD"]}), pyarrow.table({"zip": ["1011", "1012"]})
    answer = idbits.link(a, b, "zip")
    assert answer.records.no_candidate == 2
    (note,) = answer.notes
    assert '"zip"' in note
    assert "9999 AA" in note
    assert "1011" not in note


def test_verdicts():
    a, b = tables([("a", "b")], [("a", "b"), ("a", "c")])
    assert idbits.link(a, b, "x,y", coverage=1).to_dict()["verdict"] == "People can be named"
    assert idbits.link(a, b, "x,y").to_dict()["verdict"] == "Links are claims only"
    assert idbits.link(a, b, "x").to_dict()["verdict"] == "Nobody is claimed, but guesses may be right"
    assert idbits.link(a, b, "x", coverage=0.5).to_dict()["verdict"] == "This table does not name anybody"
    many = pyarrow.table({"x": [str(i % 40) for i in range(200)]})
    nobody_claimed = idbits.link(many, many, "x", coverage=0.5).to_dict()
    assert nobody_claimed["records"]["one_to_one"] == 0
    assert nobody_claimed["verdict"] == "Nobody is claimed, but some guesses would be right"
    assert nobody_claimed["verdict_level"] == "bad"
    some_claimed = pyarrow.table({"x": [str(i % 40) for i in range(200)] + ["one"]})
    assert idbits.link(some_claimed, some_claimed, "x", coverage=0.5).to_dict()["verdict"] == (
        "Names would be claimed, some rightly"
    )


def test_only_a_table_in_which_nobody_fits_is_good_if_it_is_not_known_who_is_in_it():
    doubled = pyarrow.table({"x": [str(i // 2) for i in range(100)]})
    assert idbits.link(doubled, doubled, "x").to_dict()["verdict_level"] == "warn"
    assert idbits.link(doubled, pyarrow.table({"x": ["other"]}), "x").to_dict()["verdict_level"] == "good"


def test_sentences_fit_their_numbers():
    def reasons(a, b, on, **options):
        return " ".join(idbits.link(*tables(a, b), on, **options).to_dict()["verdict_reasons"])

    one = [("a", "1")]
    assert "only it does. With everyone in it, this is certain, and with one guess per record 1 guess (" in reasons(
        one, one, "x", coverage=1
    )
    assert "1 of 2 claims (50.00%) is right" in reasons([*one, ("b", "2")], [*one, ("b", "3")], "x", truth="y")
    assert "though 1 person is in both" in reasons(one, [*one, ("a", "2")], "x", truth="y")
    assert "Nobody is in both tables" in reasons(one, [("a", "2")], "x", truth="y")
    nobody = reasons(one, [("b", "1")], "x")
    assert "claim" not in nobody
    twins = [("a", "1"), ("a", "2")]
    assert "at most 2 guesses would be right" in reasons(twins, twins, "x")
    assert "certain" not in reasons(twins, twins, "x", coverage=1)
