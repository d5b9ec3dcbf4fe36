"""Attacks on synthetic data whose success is known."""

import functools
import json
from pathlib import Path

import numpy as np
import pyarrow
import pytest

import idbits
from idbits.errors import ColumnNotFoundError, InputError
from idbits.render.html import to_html
from idbits.studies.link.attacks.result import SyntheticAttack
from idbits.studies.link.attacks.text import rates_table
from idbits.studies.report.attack_section import attack_page
from idbits.studies.report.saved import answer_from, read_saved
from idbits.studies.report.saved_text import saved_section


def _people(n: int, seed: int) -> pyarrow.Table:
    draw = np.random.default_rng(seed)
    return pyarrow.table(
        {
            "age": draw.integers(18, 90, n),
            "income": draw.normal(0, 20_000, n),
            "town": draw.choice(["a", "b", "c", "d"], n),
            "job": draw.choice(list("pqrstuvw"), n),
            "height": draw.exponential(2, n),
        }
    )


ORIGINAL, CONTROL, OTHERS = _people(400, 1), _people(300, 2), _people(400, 3)
HALF_COPIED = pyarrow.concat_tables([ORIGINAL.slice(0, 200), OTHERS.slice(0, 200)])
LINK = {"attack": "linkability", "left": "age,income", "right": "town,job,height", "attacks": 300}
INFER = {"attack": "inference", "infer": "income", "known": "age,town,height", "attacks": 300}


@pytest.mark.parametrize("options", [LINK, INFER], ids=["linkability", "inference"])
def test_copies_are_found_and_people_never_seen_are_not(options: dict[str, object]) -> None:
    answer = idbits.link(HALF_COPIED, original=ORIGINAL, control=CONTROL, **options)
    assert answer.rate.low < 0.5 < answer.rate.high + 0.05
    assert answer.control.value < 0.1
    assert 0.35 < answer.risk.low < answer.risk.value < 0.6
    assert answer.to_dict()["verdict_level"] == "bad"


def test_singling_out_copies() -> None:
    answer = idbits.link(ORIGINAL, original=ORIGINAL, control=CONTROL, attack="singling-out", attacks=200)
    # What is unique in a copy is unique in the original.
    assert answer.rate.high == pytest.approx(1.0, abs=1e-9)
    assert answer.risk.low > 0.3
    assert answer.baseline.value < 0.5


def test_independent_people_show_no_risk() -> None:
    for options in (LINK, INFER, {"attack": "singling-out", "attacks": 200}):
        answer = idbits.link(OTHERS, original=ORIGINAL, control=CONTROL, **options)
        assert answer.risk.low == 0
        assert answer.to_dict()["verdict_level"] != "good"


def test_a_failed_attack_is_never_called_safe() -> None:
    constant = pyarrow.table({"a": [1.0] * 50, "b": ["x"] * 50})
    answer = idbits.link(constant, original=constant, attack="linkability", left="a", right="b")
    assert answer.to_dict()["verdict"] == "The attack failed"
    assert "not show that the data are safe" in str(answer)
    # All 50 records tie on both sides: linking is guessing.
    assert answer.rate.value == pytest.approx(answer.baseline.value)


def test_ties_count_by_their_share() -> None:
    synthetic = pyarrow.table({"x": [1, 1, 5], "y": ["p", "q", "q"], "s": ["u", "v", "w"]})
    original = pyarrow.table({"x": [1], "y": ["q"], "s": ["u"]})
    z = 1.959963984540054**2
    linked = idbits.link(synthetic, original=original, attack="linkability", left="x", right="y")
    assert linked.rate.value == pytest.approx((0.25 + z / 2) / (1 + z))
    inferred = idbits.link(synthetic, original=original, attack="inference", infer="s", known="x")
    assert inferred.rate.value == pytest.approx((0.5 + z / 2) / (1 + z))


def test_nulls_are_near_each_other_and_far_from_values() -> None:
    synthetic = pyarrow.table({"x": [None, 5.0, 9.0], "s": ["u", "v", "w"]})
    original = pyarrow.table({"x": [None, 5.5, 9.0], "s": ["u", "v", "w"]})
    answer = idbits.link(synthetic, original=original, attack="inference", infer="s", known="x")
    z = 1.959963984540054**2
    assert answer.rate.value == pytest.approx((3 + z / 2) / (3 + z))


@pytest.mark.parametrize(
    ("true", "guess", "is_right"),
    [(-100.0, -104.0, True), (-100.0, -106.0, False), (-100.0, 100.0, False), (0.0, 0.0, True), (0.0, 0.1, False)],
)
def test_guessed_numbers_are_compared_with_the_size_of_the_true_one(true: float, guess: float, is_right: bool) -> None:
    synthetic = pyarrow.table({"x": [1, 2], "s": [guess, 5_000.0]})
    original = pyarrow.table({"x": [1, 1], "s": [true, true]})
    answer = idbits.link(synthetic, original=original, attack="inference", infer="s", known="x")
    assert (answer.rate.value > 0.5) == is_right


def test_json_and_seed() -> None:
    more = [idbits.link(HALF_COPIED, original=ORIGINAL, control=CONTROL, **LINK, seed=seed) for seed in (0, 1)]
    answers = [_linked(), *more]
    first, again, other = (json.loads(answer.to_json()) for answer in answers)
    assert first == again
    assert first["rate"] != other["rate"]
    assert first["mode"] == "synthetic"
    assert first["experimental"] is True
    assert set(first["rate"]) == {"value", "low", "high"}
    assert set(first["reasons"]) == {"infer", "known", "tolerance"}
    assert isinstance(answers[0], SyntheticAttack)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"attack": None}, "name the attack"),
        ({"attack": "linkability", "left": "age"}, "needs the columns of both halves"),
        ({"attack": "inference"}, "needs the column that is guessed"),
        ({"attack": "singling-out", "left": "age"}, "is for attack='linkability'"),
        ({"attack": "linkability", "left": "age", "right": "age"}, "one half only"),
        ({**LINK, "attacks": 350}, "the control has 300 rows, fewer than the 350 attacks"),
        ({**LINK, "attacks": 401}, "at most 400"),
        ({**LINK, "on": "age"}, "does not use on="),
        ({**LINK, "probabilistic": True}, "does not use probabilistic=True"),
        ({**LINK, "neighbours": 401}, "at most 400"),
        ({**LINK, "where_b": "age > 5"}, "does not use where_b="),
        ({**LINK, "header_b": False}, "does not use header_b="),
        ({**LINK, "nulls": "ignore"}, "does not use nulls="),
        ({**LINK, "rules": "truth.right <= 1"}, 'no figure is named "truth.right"'),
        ({**LINK, "rules": "n_attacks <= 5%"}, "its limit cannot be a percentage"),
    ],
)
def test_wrong_questions(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        idbits.link(HALF_COPIED, original=ORIGINAL, control=CONTROL, **options)


def test_columns_that_a_table_lacks() -> None:
    with pytest.raises(ColumnNotFoundError, match="in the control table"):
        idbits.link(HALF_COPIED, original=ORIGINAL, control=CONTROL.drop_columns("job"), **LINK)
    with pytest.raises(InputError, match="add original="):
        idbits.link(HALF_COPIED, ORIGINAL, "age", attack="linkability")


@functools.cache
def _linked() -> SyntheticAttack:
    return idbits.link(HALF_COPIED, original=ORIGINAL, control=CONTROL, **LINK)


def test_rules_limit_the_figures() -> None:
    answer = _linked()
    rules = ["risk.high <= 5%", "rate.value <= 0.9", "n_attacks >= 300"]
    ruled = idbits.link(HALF_COPIED, original=ORIGINAL, control=CONTROL, **LINK, rules=rules)
    assert [(rule.value, rule.passed) for rule in ruled.rules] == [
        (answer.risk.high, False), (answer.rate.value, True), (300, True),
    ]  # fmt: skip
    assert (answer.exit_code, ruled.exit_code) == (0, 1)
    assert "FAIL" in str(ruled)
    alone = idbits.link(HALF_COPIED, original=ORIGINAL, **LINK, rules="control.value <= 5%")
    assert alone.rules[0].reason == "no control table was given (--control)"
    assert alone.exit_code == 3


def test_a_chart_has_the_rates() -> None:
    answer = _linked()
    values = answer.charts()["rates"]["data"]["values"]
    assert [(row["on"], row["share"], row["low"], row["high"]) for row in values] == [
        (on, risk.value, risk.low, risk.high)
        for on, risk in zip(("original people", "people never seen", "guessing"),
                            (answer.rate, answer.control, answer.baseline), strict=True)
    ]  # fmt: skip


def test_a_report_shows_a_saved_attack(tmp_path: Path) -> None:
    for number, options in enumerate((LINK, INFER, {"attack": "singling-out", "attacks": 200})):
        control = CONTROL if number else None
        answer = idbits.link(HALF_COPIED, original=ORIGINAL, control=control, **options, rules="risk.value <= 90%")
        file = tmp_path / "attack.json"
        file.write_text(answer.to_json(), encoding="utf-8")
        saved = read_saved(file, internal=False)
        rebuilt = answer_from(saved.answer)
        assert isinstance(rebuilt, SyntheticAttack)
        assert {**rebuilt.to_dict(), "rules": []} == {**answer.to_dict(), "rules": []}
        section = saved_section(saved, 1)
        assert section.topic == "What the synthetic data tell about real people"
        assert (section.title, section.text[0]) == (answer.blocks()[0].title, answer.blocks()[0].sentence)
        (figure,) = section.figures
        assert [row[1] for row in figure.table.rows] == [row[1] for row in rates_table(answer).rows]
        page = attack_page(answer, ["synthetic", "original", "control"][: 2 + bool(number)])
        assert [tile.value for tile in page.tiles if "original" in tile.label] == [answer.rate.value]
        assert not any("--" in text for part in page.sections for text in (*part.text, *part.items))
    assert "<svg" in to_html(page)


def test_the_share_that_succeeds_is_called_an_estimate() -> None:
    """A copy of the original: every attack succeeds, and the middle of Wilson's interval is below 100%."""
    people = pyarrow.table(
        {name: [n * step % 997 for n in range(40)] for name, step in (("a", 7), ("b", 31), ("c", 101))}
    )
    answer = idbits.link(people, original=people, attack="singling-out", attacks=20)
    n, z = answer.n_attacks, 1.959963984540054
    assert answer.rate.value == pytest.approx((n + z * z / 2) / (n + z * z))
    start = f"We estimate that {answer.rate.value:.2%} of attacks by singling-out succeed ({n} tried); guessing"
    assert answer.blocks()[0].sentence.startswith(start)
