"""What sharing a group gives away: figures of real tables, options, errors and files."""

import csv
import json
import math
import stat
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
import sqlalchemy

import databases
import idbits
from idbits.errors import DataError, InputError, NotEstimableError

QID = ["sex", "age", "race", "marital-status"]

ILL = {
    "zip": ["1"] * 4 + ["2"] * 4 + ["3"],
    "ill": ["flu", "flu", "flu", "flu", "flu", "cold", "hiv", None, "hiv"],
    "age": [20, 21, 22, 60, 30, 31, 90, None, 40],
}


@pytest.fixture
def ill() -> pyarrow.Table:
    return pyarrow.table(ILL)


@pytest.fixture(scope="module")
def adult() -> Path:
    from conftest import SHARED_DATA

    path = SHARED_DATA / "adult.csv"
    if not path.exists():
        pytest.skip(f"real data are not there: no file {path} (IDBITS_SHARED_DATA says where it is)")
    return path


def triple(count: object) -> tuple[int, int, int]:
    return count.people, count.alone, count.in_company  # type: ignore[attr-defined]


def test_adult_as_in_the_specification(adult: Path) -> None:
    answer = idbits.disclosure(adult, QID, "salary-class", rows_are_people=True)
    column = answer["salary-class"]
    assert (answer.n_people, answer.n_sets, answer.k_min) == (30_162, 1_690, 1)
    assert column.gain_bits.mean == pytest.approx(0.23667648999554414, rel=1e-14)
    assert triple(column.certain) == (5_648, 543, 5_105)
    assert column.nearly_certain.people == 12_709
    data = json.loads(answer.to_json())
    assert (data["verdict"], data["verdict_level"]) == ("The groups give salary-class away", "bad")
    assert data["verdict_reasons"][0] == (
        "For 5,105 of 30,162 people (16.93%), all others with the same sex, age, race and marital-status have the same "
        "salary-class; 543 more are unique."
    )
    assert data["sensitive"][0]["enhanced_beta"] == "inf"
    assert answer.next_command == (
        f"idbits advise {adult} --qid sex,age,race,marital-status --sensitive salary-class "
        "--goal 'l_distinct.salary-class >= 2' --rows-are-people"
    )


def test_gain_of_the_named_attacker(adult: Path) -> None:
    for column in ("salary-class", "occupation"):
        found = idbits.disclosure(adult, QID, column)[column].gain_bits
        gain = idbits.gain(adult, columns=[*QID, column], attacker=f"named:{','.join(QID)}")
        feature = next(each for each in gain.figures.features if each.column == column)
        assert found.mean == pytest.approx(feature.fig_bits / 30_162, abs=1e-12)


def test_scores_of_a_text_file_are_numbers(adult: Path) -> None:
    path = adult.parents[1] / "golden" / "disclosure" / "StudentsMath_Score.csv"
    answer = idbits.disclosure(path, "Teacher,Gender,Ethnic,Freeredu,wesson", "Score", near={"Score": 5})
    column = answer["Score"]
    assert column.t_ordered == pytest.approx(0.41659199522102747, rel=1e-14)
    assert column.beta == 71.0
    assert column.t_distance is not None
    assert column.near is not None
    assert column.near.mean > column.near.baseline_mean


def test_ranks_give_text_an_order(adult: Path) -> None:
    with adult.open(encoding="utf-8") as file:
        occupations = sorted({row["occupation"] for row in csv.DictReader(file, delimiter=";")})
    answer = idbits.disclosure(adult, QID, "occupation", ranks={"occupation": occupations})
    assert answer["occupation"].t_ordered == pytest.approx(0.5415499890335777, rel=1e-14)
    assert answer["occupation"].reasons["t_distance"] == "ranks have no distances"
    with pytest.raises(DataError, match=r"^3 values \([\d,]+ people\) of \"occupation\" have no place in the order"):
        idbits.disclosure(adult, QID, "occupation", ranks={"occupation": occupations[3:]})


def test_a_hierarchy(adult: Path) -> None:
    folder = adult.parents[1] / "golden" / "advise"
    file = folder / "adult_hierarchy_occupation.csv"
    column = idbits.disclosure(adult, QID, "occupation", hierarchy={"occupation": file})["occupation"]
    assert column.t_hierarchical is not None
    assert 0 < column.t_hierarchical <= column.t_equal
    other = folder / "adult_hierarchy_sex.csv"
    with pytest.raises(DataError, match=r'^14 values \(30,162 people\) of column "occupation" are not in adult'):
        idbits.disclosure(adult, QID, "occupation", hierarchy={"occupation": other})


def test_nulls_are_a_value_and_counted_apart() -> None:
    frame = pyarrow.table({"q": ["a", "a", "b", "b"], "s": [None, None, "x", "y"]})
    column = idbits.disclosure(frame, "q", "s")["s"]
    assert (column.n_values, column.nulls) == (3, 2)
    assert (triple(column.certain), column.certain.empty) == ((2, 0, 2), 2)


def test_only_some_values_are_secret(ill: pyarrow.Table) -> None:
    column = idbits.disclosure(ill, "zip", "ill", secret={"ill": ["hiv"]})["ill"]
    # The group of flu only is certain of nothing secret.
    assert triple(column.certain) == (1, 1, 0)
    assert column.l_distinct == 1
    assert column.people_below_l["3"].people == 5
    assert column.alpha == 1.0
    assert column.beta == pytest.approx(1 / (2 / 9) - 1)
    answer = idbits.disclosure(ill, "zip", "ill", secret={"ill": ["hiv", "plague"]})
    assert '1 secret value of "ill" does not occur in the table' in answer.notes
    nobody = idbits.disclosure(ill, "zip", "ill", secret={"ill": ["plague"]})["ill"]
    assert (nobody.l_distinct, nobody.alpha, nobody.beta) == (None, None, None)
    assert nobody.reasons["alpha"] == "nobody has a secret value"


def test_common_values_do_not_count_as_given_away() -> None:
    # 95 of 100 have the same value: groups of five are certain of it by chance.
    values = ["no"] * 95 + ["yes"] * 5
    frame = pyarrow.table({"q": [str(i % 20) for i in range(100)], "s": values})
    answer = idbits.disclosure(frame, "q", "s")
    assert answer["s"].certain.in_company == 75
    data = json.loads(answer.to_json())
    assert data["verdict_level"] == "good"
    constant = idbits.disclosure(pyarrow.table({"q": ["a", "b"], "s": ["x", "x"]}), "q", "s")
    assert json.loads(constant.to_json())["verdict"] == "s has one value: nothing is to be learnt"
    assert constant["s"].gain_bits.max == 0.0


def test_within_categories(ill: pyarrow.Table) -> None:
    frame = pyarrow.table({
        "q": ["a", "a", "b", "b"] * 10, "s": ["x", "y"] * 20, "town": ["north", "south", "south", "south"] * 10,
    })  # fmt: skip
    answer = idbits.disclosure(frame, "q", "s", by="town")
    rows = {category.label: category for category in answer.groups}
    assert {label: row.n_people for label, row in rows.items()} == {"south": 30, "north": 10}
    # In the north everyone has x, half of all people have it.
    assert rows["north"].sensitive[0].certain.people == 10
    assert rows["north"].sensitive[0].gain_bits.mean == pytest.approx(1.0)
    assert answer["s"].certain.people == 0
    small = idbits.disclosure(ill, "zip", "ill", by="age")
    assert [category.label for category in small.groups] == [None]
    assert "north" not in json.dumps(small.to_dict())


def test_a_prior(ill: pyarrow.Table, tmp_path: Path) -> None:
    prior = tmp_path / "prior.csv"
    prior.write_text("ill,count\nflu,50\ncold,40\nhiv,5\n,5\n", encoding="utf-8")
    column = idbits.disclosure(ill, "zip", "ill", prior={"ill": prior})["ill"]
    assert column.guess.before == 0.5
    assert column.beta == pytest.approx(1 / 0.05 - 1)
    prior.write_text("ill,count\nflu,50\n", encoding="utf-8")
    with pytest.raises(DataError, match=r'^the prior of "ill" lacks 3 values of the table \(4 rows\)'):
        idbits.disclosure(ill, "zip", "ill", prior={"ill": prior})
    smoothed = idbits.disclosure(ill, "zip", "ill", prior={"ill": prior}, smoothing=0.01)["ill"]
    assert math.isfinite(smoothed.gain_bits.max)


def test_presence(tmp_path: Path) -> None:
    people = pyarrow.table({"zip": ["1"] * 4 + ["2"] * 2 + ["3"] * 4, "s": ["x", "y"] * 5})
    release = people.take([0, 1, 4, 5])
    found = idbits.disclosure(release, "zip", "s", population=people).presence
    assert found is not None
    assert (found.delta_min, found.delta_max) == (0.0, 1.0)
    assert (triple(found.certain_in), triple(found.certain_out)) == ((2, 0, 2), (4, 0, 4))
    expected = (4 * (0.5 * math.log2(0.5 / 0.4) + 0.5 * math.log2(0.5 / 0.6)) + 2 * -math.log2(0.4)
                + 4 * -math.log2(0.6)) / 10  # fmt: skip
    assert found.mean_bits == pytest.approx(expected)
    with pytest.raises(DataError, match=r"^the release has more people than the population in 2 groups \(4 records\)"):
        idbits.disclosure(release, "zip", "s", population=people.take([0, 4]))


def test_presence_in_a_database_is_compared_here_and_said(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'people.db'}"
    cells = [{"zip": zip_code, "s": "x"} for zip_code in "11223"]
    table = sqlalchemy.Table(
        "people",
        sqlalchemy.MetaData(),
        sqlalchemy.Column("zip", sqlalchemy.Text),
        sqlalchemy.Column("s", sqlalchemy.Text),
    )
    databases.fill(address, table, cells)
    people = pyarrow.table({"zip": list("1112233"), "s": ["x"] * 7})
    there = idbits.disclosure(address, "zip", "s", table="people", population=people)
    here = idbits.disclosure(pyarrow.Table.from_pylist(cells), "zip", "s", population=people)
    assert there.presence == here.presence
    assert [note for note in there.notes if note not in here.notes] == [
        "the distinct values were fetched from the database to compare them on this machine"
    ]
    other = idbits.disclosure(people.slice(0, 1), "zip", "s", population=address, population_table="people")
    assert "so their values left the database" in other.notes[-1]
    both = idbits.disclosure(address, "zip", "s", table="people", population_table="people")
    assert both.presence.delta_max == 1
    assert not any("database" in note for note in both.notes)


def test_records(ill: pyarrow.Table, tmp_path: Path) -> None:
    path = tmp_path / "records.parquet"
    answer = idbits.disclosure(ill, "zip", "ill", records=path)
    rows = pyarrow.parquet.read_table(path).to_pylist()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [row["row"] for row in rows] == list(range(1, 10))
    assert set(rows[0]) == {"row", "k", "l", "top_share", "gain_bits", "true_bits"}
    assert (rows[0]["k"], rows[0]["l"], rows[0]["top_share"]) == (4, 1, 1.0)
    assert rows[0]["true_bits"] == pytest.approx(math.log2(9 / 5))
    # cold: one in four in its group, one in nine in the table
    assert rows[5]["true_bits"] == pytest.approx(math.log2((1 / 4) / (1 / 9)))
    mean = sum(row["gain_bits"] for row in rows) / 9
    assert answer["ill"].gain_bits.mean == pytest.approx(mean)
    assert sum(row["true_bits"] for row in rows) / 9 == pytest.approx(mean)
    several = tmp_path / "records.csv"
    idbits.disclosure(ill, "zip", ["ill", "age"], records=several)
    with several.open(encoding="utf-8") as file:
        names = next(csv.reader(file))
    assert names[:3] == ["row", "k", "l.ill"]
    assert "gain_bits.age" in names
    with pytest.raises(InputError, match="single qid="):
        idbits.disclosure(ill, [["zip"], ["age"]], "ill", records=path)


def test_rules(ill: pyarrow.Table) -> None:
    met = idbits.disclosure(ill, "zip", "ill", rules=["certain.in_company.ill <= 50%", "recursive_l.ill >= 1"])
    assert met.exit_code == 0
    broken = idbits.disclosure(ill, "zip", "ill", rules=["l_distinct.ill >= 2", "enhanced_beta.ill <= 100"])
    assert ([rule.word for rule in broken.rules], broken.exit_code) == (["FAIL", "FAIL"], 1)
    unknown = idbits.disclosure(ill, "zip", "ill", rules=["t_ordered.ill <= 0.2"])
    assert unknown.exit_code == 3
    with pytest.raises(InputError, match=r'^no figure is named "l_distnct\.ill"; did you mean "l_distinct'):
        idbits.disclosure(ill, "zip", "ill", rules=["l_distnct.ill >= 2"])
    renamed = ill.rename_columns(["zip", "the illness", "age"])
    answer = idbits.disclosure(renamed, "zip", "the illness", rules='l_distinct."the illness" >= 1')
    assert answer.exit_code == 0


def test_several_quasi_identifiers(ill: pyarrow.Table) -> None:
    answers = idbits.disclosure(ill, [["zip"], ["age"]], "ill")
    assert [answer.qid for answer in answers] == [("zip",), ("age",)]
    assert len(json.loads(answers.to_json())["disclosures"]) == 2


def test_values_only_on_request(ill: pyarrow.Table) -> None:
    quiet = idbits.disclosure(ill, "zip", "ill")
    assert all(not group.values for group in quiet["ill"].worst)
    text = str(quiet) + quiet.to_json()
    assert not any(value in text for value in ("flu", "hiv", "cold"))
    loud = idbits.disclosure(ill, "zip", "ill", reveal=True)
    assert [group.values for group in loud["ill"].worst] == [("1",), ("2",)]
    assert json.loads(loud.to_json())["internal"] is True


def test_charts(ill: pyarrow.Table) -> None:
    charts = idbits.disclosure(ill, "zip", "ill").charts()
    shares = charts["ill: shares"]["data"]["values"]
    assert (shares[0], len(shares)) == ({"share": "unique", "people": 1, "alone": True}, 21)
    assert sum(row["people"] for row in shares) == 9
    # No value has ten people, so none is named.
    assert {row["value"] for row in charts["ill: values"]["data"]["values"]} == {"4 values of few people"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"qid": "zip,ill"}, '^"ill" cannot be both known and secret$'),
        ({"by": "ill"}, '^"ill" cannot be both known and secret$'),
        ({"certainty": 1.0}, "^certainty= must be above 0 and below 1"),
        ({"certainty": 0.0}, "^certainty= must be above 0"),
        ({"c": 0}, "^c= must be a number above 0"),
        ({"l": "1,2"}, "^l= must be whole numbers from 2 to 100"),
        ({"l": "x"}, "^l= must be whole numbers"),
        ({"excluded": [21]}, "^excluded= must be whole numbers from 0 to 20"),
        ({"near": {"ill": 5}}, '^near= needs numbers or dates, and "ill" has other values'),
        ({"near": {"zip": 5}}, '^near: "zip" is not one sensitive column; name "ill"'),
        ({"near": {"ill": "wide"}}, "^near= must be a distance"),
        ({"ranks": {"age": ["1"]}}, '^ranks: "age" is not one sensitive column'),
        ({"sensitive": None}, "^name the column that must not be learnt"),
        ({"smoothing": 0.1}, "^smoothing= needs a prior"),
        ({"rules": "l_distinct.ill"}, "is not a rule"),
        ({"rules": "beta.ill <= 5%"}, "cannot be a percentage"),
        ({"by": "age", "population": pyarrow.table(ILL)}, "^by= and population= cannot be combined"),
        ({"person": "zip"}, '^column "zip" identifies people'),
        ({"person": "ill"}, '^"ill" identifies people'),
        ({"count": "age", "person": "zip"}, "^person= and household="),
        ({"hierarchy": {"ill": "missing.csv"}}, '^the hierarchy "missing.csv" cannot be opened'),
    ],
)
def test_wrong_questions(ill: pyarrow.Table, options: dict[str, object], message: str) -> None:
    given = {"qid": "zip", "sensitive": "ill", **options}
    with pytest.raises(InputError, match=message):
        idbits.disclosure(ill, given.pop("qid"), given.pop("sensitive"), **given)


def test_hierarchies_that_are_none(ill: pyarrow.Table, tmp_path: Path) -> None:
    file = tmp_path / "h.csv"
    for text, message in (
        ("flu;a;*\ncold;a\n", "line 2 of "),
        ("flu;a;x\ncold;a;y\n", "level 2 of .* splits what level 1 had joined, for 1 value"),
        ("flu;a;*\nflu;b;*\n", "line 2 .* gives a value other coarser values"),
        ("", "has no lines"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=message):
            idbits.disclosure(ill, "zip", "ill", hierarchy={"ill": file})


def test_a_hierarchy_has_the_values_of_the_prior(ill: pyarrow.Table, tmp_path: Path) -> None:
    levels = "".join(f"{value};*\n" for value in sorted({value for value in ill["ill"].to_pylist() if value}))
    (tmp_path / "h.csv").write_text(levels, encoding="utf-8")
    names = [*ill["ill"].to_pylist(), "measles"]
    prior = pyarrow.table({"ill": names, "count": [1] * len(names)})
    with pytest.raises(DataError, match=r'^1 value of the prior of "ill" is not in h\.csv'):
        idbits.disclosure(ill, "zip", "ill", hierarchy={"ill": tmp_path / "h.csv"}, prior={"ill": prior})


def test_tables_that_cannot_be_measured(ill: pyarrow.Table) -> None:
    with pytest.raises(NotEstimableError, match="there is nobody to measure"):
        idbits.disclosure(ill.slice(0, 0), "zip", "ill")
    with pytest.raises(DataError, match="2 persons with more than one row"):
        idbits.disclosure(ill, "age", "ill", person="zip")
    one = idbits.disclosure(ill.slice(0, 1), "zip", "ill")
    assert one["ill"].guess.without is None
    empty = idbits.disclosure(pyarrow.table({"q": ["a", "a"], "s": pyarrow.array([None, None], "string")}), "q", "s")
    assert empty["s"].certain.empty == 2


def test_notes_about_values_of_their_own() -> None:
    frame = pyarrow.table({"q": ["a", "a", "b"], "s": ["1", "2", "3"]})
    assert 'nearly everyone has their own value of "s"; use a coarser view' in idbits.disclosure(frame, "q", "s").notes


def test_counted_tables() -> None:
    frame = pyarrow.table({"q": ["a", "a", "b"], "s": ["x", "y", "x"], "n": [3, 1, 0]})
    answer = idbits.disclosure(frame, "q", "s", count="n")
    assert (answer.n_people, answer.n_sets, str(answer.unit)) == (4, 1, "people")
    assert answer["s"].alpha == 0.75


@pytest.mark.parametrize("n", [10, 2**20, 2**28])
def test_a_value_that_nearly_everybody_has_breaks_enhanced_likeness(n: int) -> None:
    """For p = 1 and q = n/(n + 1), p/q - 1 = 1/n is above -ln q = ln(1 + 1/n), however large n is."""
    frame = pyarrow.table({"q": ["a", "b"], "s": ["x", "y"], "n": [n, 1]})
    assert triple(idbits.disclosure(frame, "q", "s", count="n")["s"].enhanced_beta_violations) == (n + 1, 1, n)
