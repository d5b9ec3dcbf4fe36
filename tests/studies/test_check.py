"""Policies: rules on figures, waivers, baselines, and that nothing passes that was not measured."""

import json
import tomllib
from datetime import date
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import idbits
from idbits.counts import Spectrum
from idbits.engines.open import open_table
from idbits.errors import InputError
from idbits.studies.check.baseline import changes
from idbits.studies.check.policy import parse_rule, read_policy, satisfies, value_of
from idbits.studies.check.study import check
from idbits.studies.init.study import propose_policy
from idbits.studies.shared.figures import Figures

SCHEMA = json.loads(
    (Path(idbits.__file__).parent / "studies" / "check" / "policy.schema.json").read_text(encoding="utf-8")
)
TODAY = date(2026, 11, 15)

# 6 people: sets of 3, 2 and 1.
PEOPLE = "zip,sex\n10,F\n10,F\n10,F\n20,M\n20,M\n30,F\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path


def policy(folder: Path, *rules: str, more: str = "") -> Path:
    path = folder / "idbits.toml"
    listed = ", ".join(rule if rule.startswith("{") else json.dumps(rule) for rule in rules)
    path.write_text(
        f'[[dataset]]\nname = "people"\nsource = "people.csv"\nqid = ["zip", "sex"]\nrules = [{listed}]\n{more}'
    )
    return path


@pytest.mark.parametrize(
    ("rule", "value", "passed"),
    [
        ("k_min >= 1", 1, True),
        ("k_min >= 2", 1, False),
        ("k_min > 1", 1, False),
        ("k_min == 1", 1, True),
        ("k_min = 2", 1, False),
        ("singletons < 1", 1, False),
        ("singletons <= 17%", 1 / 6, True),
        ("singletons <= 16%", 1 / 6, False),
        ("people_below.5 <= 100%", 1.0, True),
        ("people_below.5 <= 99.99%", 1.0, False),
        ("people_at_most.1 <= 1", 1, True),
        ("mean_risk <= 50%", 0.5, True),
        ("mean_risk <= 0.49", 0.5, False),
        ("entropy_bits <= 1.5", None, True),
        ("set_sizes.median >= 2", 2.0, True),
        ("pif <= 100", None, True),
        ("mics >= 1", 1, True),
        ("rig.p95 <= 0.001", None, False),
    ],
)
def test_rules_on_figures(folder, rule, value, passed):
    (outcome,) = check(policy(folder, rule)).rules
    assert outcome.passed is passed
    assert outcome.word == ("PASS" if passed else "FAIL")
    assert value is None or outcome.value == value


def test_a_share_is_compared_exactly(folder):
    # 1 of 3 people is more than 33.333333333333333% of them, and not more than 33.333333333333334%.
    (folder / "people.csv").write_text("zip,sex\n1,F\n2,F\n2,F\n")
    for limit, passed in (("33.333333333333333", False), ("33.333333333333334", True)):
        assert check(policy(folder, f"singletons <= {limit}%")).passed is passed


@pytest.mark.parametrize("people", [3, 7, 10, 20, 100, 1000])
def test_a_risk_that_is_the_limit_keeps_to_it(folder, people):
    # No double is a tenth: the one next to it is a little more.
    (folder / "people.csv").write_text("zip,sex\n" + "1,F\n" * people)
    for figure in ("mean_risk", "max_risk"):
        assert satisfies(parse_rule(f"{figure} <= 0.{10**9 // people + 1:09d}"), 1 / people, people)
        if 1000 % people == 0:
            limit = f"{100 / people:g}%"
            assert check(policy(folder, f"{figure} <= {limit}", f"{figure} >= {limit}", f"{figure} == {limit}")).passed


def test_all_figures_come_from_one_reading(folder, monkeypatch):
    opened = []

    def counting(*arguments, **options):
        opened.append(arguments)
        return open_table(*arguments, **options)

    monkeypatch.setattr("idbits.studies.check.study.open_table", counting)
    monkeypatch.setattr("idbits.studies.measure.study.open_table", counting)
    monkeypatch.setattr("idbits.studies.gain.study.open_table", counting)
    path = policy(folder, "mics >= 1", "k_min >= 1", "rig.p95 <= 9", more='gain = ["sex", "zip:prefix1"]\n')
    assert check(path).passed
    assert len(opened) == 1


def test_figures_are_those_of_measure_and_gain(folder):
    figures = check(policy(folder, "pif <= 100")).figures["people"]
    gained = idbits.gain(folder / "people.csv", columns=["zip", "sex"]).to_dict()
    assert {key: figures[key] for key in ("rig", "mics", "pif")} == {key: gained[key] for key in ("rig", "mics", "pif")}
    measured = idbits.measure(folder / "people.csv", ["zip", "sex"]).to_dict()
    assert figures["people_below"] == measured["people_below"]


def test_levels_and_exit_codes(folder):
    warned = '{ rule = "k_min >= 2", level = "warn" }'
    assert check(policy(folder, "k_min >= 1")).exit_code == 0
    assert check(policy(folder, "k_min >= 1", warned)).exit_code == 0
    assert [rule.word for rule in check(policy(folder, warned)).rules] == ["WARN"]
    assert check(policy(folder, warned, "k_min >= 2")).exit_code == 1
    gone = '[[dataset]]\nname = "gone"\nsource = "gone.csv"\nqid = ["a"]\nrules = ["k_min >= 1"]\n'
    unmeasured = check(policy(folder, "k_min >= 2", more=gone))
    assert unmeasured.exit_code == 3
    assert [rule.word for rule in unmeasured.rules] == ["FAIL", "ERROR"]
    assert "2 rules checked, 1 broken, 1 not measured: that is never a pass." in str(unmeasured)
    assert "2 rules checked, 1 broken, 1 with a warning." in str(check(policy(folder, warned, "k_min >= 2")))
    assert "1 rule checked, all kept." in str(check(policy(folder, "k_min >= 1")))
    assert not unmeasured.passed


def test_a_column_that_is_gone_is_not_measured(folder):
    (folder / "people.csv").write_text("zip,gender\n10,F\n")
    answer = check(policy(folder, "k_min >= 1"))
    assert (answer.exit_code, answer.rules[0].word) == (3, "ERROR")


def test_a_figure_that_does_not_exist_never_passes(folder):
    (folder / "population.csv").write_text(PEOPLE)
    path = policy(folder, "guaranteed_singletons <= 100", more='population = "population.csv"\n')
    answer = check(path)
    assert (answer.exit_code, answer.rules[0].value) == (3, None)
    assert "does not exist" in answer.rules[0].reason


WAIVER = '[[dataset.waivers]]\nrule = "k_min >= 2"\nowner = "Ann"\nreason = "pilot"\nexpires = {}\n'


@pytest.mark.parametrize(("expires", "word", "code"), [("2026-11-15", "WAIVED", 0), ("2026-11-14", "FAIL", 1)])
def test_waivers_end(folder, expires, word, code):
    answer = check(policy(folder, "k_min >= 2", more=WAIVER.format(expires)), today=TODAY)
    assert (answer.rules[0].word, answer.exit_code) == (word, code)
    assert "Ann" in answer.rules[0].reason
    assert answer.to_dict()["rules"][0]["waived_by"] == ("Ann" if code == 0 else None)


def test_the_waiver_that_lasts_longest_counts(folder):
    waivers = [WAIVER.format(day) for day in ("2026-11-14", "2026-12-31", "2026-11-01")]
    for more in ("".join(waivers), "".join(reversed(waivers))):
        answer = check(policy(folder, "k_min >= 2", more=more), today=TODAY)
        assert (answer.rules[0].word, "until 2026-12-31" in answer.rules[0].reason) == ("WAIVED", True)


def test_a_waiver_does_not_help_what_was_not_measured(folder):
    path = policy(folder, "k_min >= 2", more=WAIVER.format("2099-01-01"))
    (folder / "people.csv").unlink()
    assert check(path, today=TODAY).exit_code == 3


def test_rules_for_all_datasets_come_first(folder):
    path = policy(folder, "k_min >= 1")
    path.write_text('rules = ["entropy_bits <= 9"]\n' + path.read_text())
    assert [rule.rule for rule in check(path).rules] == ["entropy_bits <= 9", "k_min >= 1"]


def test_what_changed_since_the_baseline_is_said_and_can_be_limited(folder):
    (folder / "people.csv").write_text("zip,sex\n" + "1,F\n" * 8)
    before = folder / "before.json"
    before.write_text(check(policy(folder, "k_min >= 1")).to_json())
    (folder / "people.csv").write_text("zip,sex\n" + "".join(f"{n % 4},F\n" for n in range(8)))
    path = policy(folder, "k_min >= 1", "change.entropy_bits <= 1.5")
    answer = check(path, baseline=before)
    assert [rule.word for rule in answer.rules] == ["PASS", "FAIL"]
    assert answer.rules[1].value == 2.0
    assert "people: zip went from 1 to 4 values: +2.0 bits" in answer.changes
    assert check(path).exit_code == 3  # no baseline, nothing measured


def test_a_baseline_without_changes_or_without_the_dataset_is_told(folder):
    path, before = policy(folder, "k_min >= 1"), folder / "before.json"
    before.write_text(check(path).to_json())
    assert "nothing to speak of" in str(check(path, baseline=before))
    assert "baseline" not in str(check(path))
    path.write_text(path.read_text().replace('"people"', '"others"'))
    assert check(path, baseline=before).changes == ("others: it is not in the baseline",)


@pytest.mark.parametrize(
    "entry",
    [
        5,
        {"n_rows": 1, "entropy_bits": 1.0},
        {"n_rows": 1, "entropy_bits": 1.0, "columns": [5]},
        {"n_rows": 1, "entropy_bits": 1.0, "columns": [{"column": "zip"}]},
    ],
)
def test_a_baseline_that_no_check_wrote_is_refused(folder, entry):
    before = folder / "before.json"
    before.write_text(json.dumps({"command": "check", "figures": {"people": entry}}))
    with pytest.raises(InputError, match="is no answer of idbits check"):
        check(policy(folder, "k_min >= 1"), baseline=before)


def test_a_coarser_column_is_the_same_column():
    old = {"entropy_bits": 6.0, "columns": [{"column": "zip:prefix3", "entropy_bits": 6.0, "n_sets": 90}]}
    new = {"entropy_bits": 10.1, "columns": [{"column": "zip", "entropy_bits": 10.1, "n_sets": 3000}]}
    assert changes(old, new)[1][0] == "zip:prefix3 became zip and went from 90 to 3,000 values: +4.1 bits"
    gone = changes(new, {"entropy_bits": 0.0, "columns": [{"column": "sex", "entropy_bits": 1.0, "n_sets": 2}]})[1]
    assert gone[:2] == ["sex is new: 1.0 bits", "zip is gone: -10.1 bits"]


DATASET = "[[dataset]]\nname = 'a'\nsource = 'b'\nqid = ['c']\n"
# What is wrong, what is said of it, and whether the schema can say it, too.
BAD = [
    ("", "names no dataset", True),
    ("version = 2\n" + DATASET, "version 1", True),
    ("[[dataset]]\nsource = 'a'\n", "has a name", True),
    ("[[dataset]]\nname = 'a'\n", "has no source", True),
    ("[[dataset]]\nname = 'a'\nsource = 'b'\n", "has no qid", True),
    ("[[dataset]]\nname = 'a'\nsource = 'b'\nqid = 'c'\n", '"qid" is a list', True),
    (DATASET, "has no rules", False),
    (DATASET + "rules = ['k_min']\n", "is no rule", True),
    (DATASET + "rules = ['k_min >= 5%']\n", "percent sign", False),
    (DATASET + "rule = ['k_min >= 5']\n", 'did you mean "rules"', True),
    (DATASET + "rules = [{rule = 'k_min >= 5', level = 'panic'}]\n", "level", True),
    ("rules = ['k_min >= 2']\n" + DATASET + WAIVER.format("'soon'"), "date", False),
    ("rules = ['k_min >= 2']\n" + DATASET + WAIVER.format("2027-01-01T00:00:00Z"), "a date such as", False),
    (DATASET + f"rules = ['k_min >= {'9' * 400}']\n", "9 is no rule|is no rule; one", True),
    (DATASET + "rules = ['k_min >= 2']\nnull = [1]\n", "null is a list of texts", True),
    (DATASET + "rules = ['k_min >= 2']\ncolumns = [1]\n", "columns is a list of columns", True),
    ("rules = ['k_min >= 3']\n" + DATASET + WAIVER.format("2027-01-01"), "none of", False),
    ("dataset = 3", "is a list", True),
    ("[[dataset", "is no TOML", False),
]


@pytest.mark.parametrize(("text", "said", "in_schema"), BAD, ids=[said for _, said, _ in BAD])
def test_a_policy_that_means_nothing_is_an_error(tmp_path, text, said, in_schema):
    path = tmp_path / "idbits.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read_policy(path)
    if in_schema:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(tomllib.loads(text), SCHEMA)


def test_a_good_policy_is_one_by_the_schema(folder):
    (folder / "people.csv").write_text(PEOPLE)
    text, _ = propose_policy(str(folder / "people.csv"), count="zip", null=("NA",))
    jsonschema.validate(tomllib.loads(text), SCHEMA)
    path = policy(folder, "k_min >= 1", '{ rule = "pif <= 9", level = "warn" }', more=WAIVER.format("2027-01-01"))
    jsonschema.validate(tomllib.loads(path.read_text().replace('"k_min >= 2"', '"k_min >= 1"')), SCHEMA)


def test_a_proposed_policy_can_be_checked_at_once(folder):
    text, _ = propose_policy(str(folder / "people.csv"))
    (folder / "idbits.toml").write_text(text)
    answer = check(folder / "idbits.toml")
    assert answer.measured
    assert tomllib.loads(text)["dataset"][0]["qid"] == ["zip", "sex"]


@pytest.mark.parametrize("name", ['a"b', "a\\b", "ü\n", "\x7f", "# remark", "<b>"])
def test_names_of_columns_survive_a_proposal(tmp_path, name):
    quoted = '"' + name.replace('"', '""') + '"'
    (tmp_path / "t.csv").write_text(f"{quoted},b\n" + "1,2\n1,3\n2,2\n2,3\n" * 5)
    text, _ = propose_policy(str(tmp_path / "t.csv"))
    assert name in tomllib.loads(text)["dataset"][0]["qid"]


def test_an_unknown_figure_is_an_error_that_offers_near_ones(folder):
    with pytest.raises(InputError, match='did you mean "singletons"'):
        check(policy(folder, "singeltons <= 1"))
    with pytest.raises(InputError, match="is no number"):
        check(policy(folder, "people_below >= 1"))


def test_there_is_no_policy(tmp_path):
    with pytest.raises(InputError, match="idbits init"):
        check(tmp_path / "none.toml")
    bad = tmp_path / "bad.json"
    bad.write_text('{"figures": 1}')
    with pytest.raises(InputError, match="no answer of idbits check"):
        check(policy(tmp_path, "k_min >= 1"), baseline=bad)


@given(st.dictionaries(st.integers(1, 60), st.integers(1, 40), min_size=1, max_size=12), st.integers(1, 60))
def test_figures_never_contradict_each_other(spectrum, threshold):
    figures = Figures.of(Spectrum.of(spectrum)).to_dict()
    small = sum(size * sets for size, sets in spectrum.items() if size < 5)
    no_small_set = satisfies(parse_rule("k_min >= 5"), figures["k_min"], figures["n_rows"])
    nobody_below = parse_rule("people_below.5 <= 0%")
    assert no_small_set == satisfies(nobody_below, value_of(nobody_below, figures), figures["n_rows"]) == (small == 0)
    nobody_alone = parse_rule("singletons <= 0")
    assert satisfies(nobody_alone, figures["singletons"], figures["n_rows"]) == (figures["k_min"] > 1)
    share = parse_rule(f"people_below.5 <= {threshold}%")
    assert satisfies(share, small, figures["n_rows"]) == (
        Fraction(small, figures["n_rows"]) <= Fraction(threshold, 100)
    )
