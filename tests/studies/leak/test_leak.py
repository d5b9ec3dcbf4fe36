"""``idbits.leak``: what is a leak and what is not, in tables of all kinds."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import idbits
from idbits.errors import ColumnNotFoundError, DataError, InputError, NotEstimableError

ROWS = 150


def frame(**columns: object) -> pyarrow.Table:
    return pyarrow.table(columns)


def leak(original: object, released: object, **options: object) -> idbits.Leak:
    return idbits.leak(original, released, **{"mic_rows": 100} | options)


def numbers(seed: int = 0, rows: int = ROWS) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=rows)


def labels(seed: int = 0, rows: int = ROWS) -> list[str]:
    towns = ["Szeged", "Pécs", "Győr", "Eger", "Vác", "Ózd", "Baja"]
    return [towns[place] for place in np.random.default_rng(seed).integers(0, 7, rows)]


OTHER_NAMES = {"Szeged": "g", "Pécs": "a", "Győr": "q"}

LEAKS: dict[str, Callable[[int], tuple[object, object]]] = {
    "copy": lambda seed: (numbers(seed), numbers(seed)),
    "copied labels": lambda seed: (labels(seed), labels(seed)),
    "permuted labels": lambda seed: (labels(seed), [OTHER_NAMES.get(town, town[::-1]) for town in labels(seed)]),
    "labels as numbers": lambda seed: (labels(seed), [len(t) * 7 % 5 for t in labels(seed)]),
    "monotone": lambda seed: (numbers(seed), np.exp(numbers(seed))),
    "falling": lambda seed: (numbers(seed), -(numbers(seed) ** 3)),
    "noise": lambda seed: (numbers(seed), numbers(seed) + 0.1 * numbers(seed + 1000)),
    "banded": lambda seed: (numbers(seed), np.floor(numbers(seed))),
    "mostly null": lambda seed: (numbers(seed), [x if x > 1 else None for x in numbers(seed).tolist()]),
}  # fmt: skip


@pytest.mark.parametrize("name", LEAKS)
@pytest.mark.parametrize("seed", range(3))
def test_these_are_leaks(name: str, seed: int) -> None:
    x, y = LEAKS[name](seed)
    answer = leak(frame(v=x), frame(v=y), seed=seed)
    assert answer.verdict == "leaks"
    assert answer.leaking == ("v",)


@pytest.mark.big
def test_independent_noise_is_not_a_leak() -> None:
    verdicts = []
    for seed in range(40):
        original = frame(v=numbers(seed), town=labels(seed))
        released = frame(v=numbers(seed + 5000), town=labels(seed + 5000))
        verdicts.append(leak(original, released, seed=seed, mic_rows=10).verdict)
    # At an error rate of 1% three alarms in 40 happen in fewer than 1 of 100 runs.
    assert verdicts.count("leaks") <= 2
    assert set(verdicts) <= {"leaks", "no leak seen"}


def partly_copied(original: dict[str, list], other: dict[str, list], rows: np.ndarray) -> pyarrow.Table:
    """The second table, with some rows of the first."""
    return frame(**{
        name: [original[name][row] if row in rows else value for row, value in enumerate(values)]
        for name, values in other.items()
    })  # fmt: skip


def people(rng: np.random.Generator, rows: int) -> dict[str, list]:
    return {
        "score": rng.normal(size=rows).tolist(),
        "code": [f"{number:06x}" for number in rng.choice(2**24, rows, replace=False)],
        "town": rng.choice(["Pest", "Buda", "Eger"], rows).tolist(),
    }


@pytest.mark.parametrize("seed", range(5))
def test_some_rows_copied_are_a_leak(seed: int) -> None:
    rng = np.random.default_rng([seed, 31])
    original, other = people(rng, 100), people(rng, 100)
    answer = leak(frame(**original), partly_copied(original, other, rng.choice(100, 10, replace=False)), mic_rows=10)
    assert (answer.verdict, answer.rows_unchanged, answer.rows_leak) == ("leaks", 10, True)
    # Ten pairs of rows are equal: each is in place once in 100 times.
    assert answer.rows_unchanged_by_chance == pytest.approx(0.1)
    # Ten given rows in ten given places: one of 100 x 99 x .. x 91.
    assert answer.rows_unchanged_probability == pytest.approx(1 / math.perm(100, 10))
    text = " ".join(str(answer).split())
    assert re.search(r"10 of 100 rows \(10\.00%\) are unchanged; [^.]*0\.10 rows by chance", text)
    assert set(answer.leaking) >= {"score", "code"}
    without = leak(frame(**original), frame(**other), mic_rows=10)
    assert (without.verdict, without.rows_leak) == ("no leak seen", False)


@pytest.mark.parametrize("name", ["in any order", "in order"])
def test_some_unique_texts_copied_are_a_leak(name: str) -> None:
    rng = np.random.default_rng(32)
    first, second = [f"a{place:03}" for place in range(200)], [f"b{place:03}" for place in range(200)]
    if name == "in any order":
        first, second = rng.permutation(first).tolist(), rng.permutation(second).tolist()
    rows = rng.choice(200, 30, replace=False)
    answer = leak(frame(v=first), partly_copied({"v": first}, {"v": second}, rows))
    column = answer.columns[0]
    assert (answer.verdict, answer.leaking) == ("leaks", ("v",))
    assert (column.unchanged, column.unchanged_null, column.leaks) == (30, "shuffles", True)
    assert column.unchanged_by_chance == pytest.approx(30 / 200)
    assert column.unchanged_probability == pytest.approx(1 / math.perm(200, 30))


def test_few_values_that_are_equal_by_chance_are_no_leak() -> None:
    verdicts = []
    for seed in range(30):
        rng = np.random.default_rng([seed, 33])
        tables = [
            frame(rare=(rng.random(200) < 0.05).astype(int), town=rng.choice(["a", "b", "c"], 200), same=["x"] * 200)
            for _ in range(2)
        ]
        answer = leak(*tables, mic_rows=10, seed=seed)
        assert answer.rows_unchanged > 40
        assert answer.columns[2].unchanged_probability == 1.0
        verdicts.append(answer.verdict)
    assert verdicts.count("leaks") <= 2


def test_swapped_and_renamed_columns_are_leaks() -> None:
    rng = np.random.default_rng(34)
    table = people(rng, 150)
    original = frame(**table)
    swapped = leak(original, frame(score=table["town"], code=table["score"], town=table["code"]), mic_rows=20)
    assert (swapped.verdict, swapped.leaking) == ("leaks", ())
    assert {match.released: match.original for match in swapped.matches} == {
        "score": "town", "code": "score", "town": "code",
    }  # fmt: skip
    assert [match.unchanged for match in swapped.matches] == [150] * 3
    assert "code matches score" in " ".join(str(swapped).split())
    renamed = leak(original, frame(x=table["town"], y=table["score"], z=table["code"]), mic_rows=20)
    assert (renamed.verdict, renamed.columns, renamed.together) == ("leaks", (), None)
    assert {match.released: match.original for match in renamed.matches} == {"x": "town", "y": "score", "z": "code"}
    data = renamed.to_dict()
    assert data["rows_unchanged_by_chance"] is None
    assert "another name" in data["reasons"]["rows_unchanged_by_chance"]
    assert "Released columns that match" in str(renamed)


def test_renamed_columns_with_noise_are_leaks() -> None:
    rng = np.random.default_rng(35)
    x, y = rng.normal(size=(2, 400))
    released = frame(p=y + 0.5 * rng.normal(size=400), q=rng.normal(size=400))
    answer = leak(frame(x=x, y=y), released, mic_rows=50)
    match = answer.matches[0]
    assert (answer.verdict, len(answer.matches), match.original, match.released) == ("leaks", 1, "y", "p")
    assert match.p_value is not None
    assert match.p_value <= 0.01
    assert match.unchanged == 0


def test_other_names_without_a_link() -> None:
    verdicts = []
    for seed in range(30):
        rng = np.random.default_rng([seed, 36])
        tables = [frame(**{name: rng.normal(size=120) for name in names}) for names in ("abc", "xyz")]
        verdicts.append(leak(*tables, mic_rows=10, seed=seed).verdict)
    assert verdicts.count("leaks") <= 2
    assert leak(frame(v=[1, 2]), frame(w=[1, 2])).verdict == "undecided"


def series(rng: np.random.Generator, coefficient: float, rows: int = 300) -> np.ndarray:
    values = np.zeros(rows + 100)
    for row, step in enumerate(rng.normal(size=rows + 100)[1:], start=1):
        values[row] = coefficient * values[row - 1] + step
    return values[100:]


@pytest.mark.parametrize(("coefficient", "null"), [(0.8, "shifts"), (1.0, "differences")])
def test_rows_that_resemble_their_neighbours(coefficient: float, null: str) -> None:
    verdicts, nulls = [], []
    for seed in range(30):
        rng = np.random.default_rng([seed, 37])
        answer = leak(frame(v=series(rng, coefficient)), frame(v=series(rng, coefficient)), mic_rows=10, seed=seed)
        verdicts.append(answer.verdict)
        nulls.append(answer.columns[0].null)
    # Shuffles alone called walks a leak 31 of 40 times, AR(0.8) 5 of 40.
    assert verdicts.count("leaks") <= 2
    assert nulls.count(null) >= 27
    noise = np.random.default_rng(38).normal(size=300)
    for seed in range(5):
        values = series(np.random.default_rng([seed, 39]), coefficient)
        linked = leak(frame(v=values), frame(v=values + 0.2 * noise), mic_rows=10)
        assert (linked.verdict, linked.columns[0].null) == ("leaks", null)


def test_a_copy_of_a_walk_is_a_leak_and_a_sorted_column_is_not_by_itself() -> None:
    rng = np.random.default_rng(40)
    walk = rng.normal(size=60).cumsum()
    assert leak(frame(v=walk), frame(v=walk)).verdict == "leaks"
    ages = [np.sort(rng.integers(18, 90, 200)) for _ in range(2)]
    answer = leak(frame(age=ages[0]), frame(age=ages[1]))
    assert (answer.verdict, answer.columns[0].null) == ("undecided", "differences")
    assert "drifts in both tables" in (answer.undecided_because or "")
    assert "age: the changes from row to row" in " ".join(str(answer).split())


def test_few_rows_that_resemble_their_neighbours_are_undecided() -> None:
    values = series(np.random.default_rng(41), 0.7, 50)
    answer = leak(frame(v=values), frame(v=np.exp(values)))
    assert (answer.columns[0].null, answer.columns[0].p_value) == ("shifts", 1 / 50)
    assert (answer.verdict, answer.columns[0].leaks) == ("undecided", None)
    assert "too few rows" in (answer.undecided_because or "")
    assert leak(frame(v=values), frame(v=values)).verdict == "leaks"


def test_several_columns_that_resemble_their_neighbours_need_no_more_rows() -> None:
    rng = np.random.default_rng(44)
    columns = {name: series(rng, 0.7) for name in "abcd"}
    released = {name: values + 0.3 * rng.normal(size=300) for name, values in columns.items()}
    answer = leak(frame(**columns), frame(**released), mic_rows=10)
    assert {column.null for column in answer.columns} == {"shifts"}
    # 299 shifts cannot judge each of five at 0.65% / 5.
    assert {column.p_value for column in answer.columns} == {1 / 300}
    assert (answer.verdict, answer.leaking) == ("leaks", tuple("abcd"))
    assert answer.error_rate == pytest.approx(0.01)


def test_long_series_are_thinned_evenly() -> None:
    rng = np.random.default_rng(42)
    tables = [frame(v=series(rng, 0.9995, 25_000)) for _ in range(2)]
    answer = leak(*tables, mic_rows=50)
    assert answer.test_rows == 25_000 // 3 + 1
    assert answer.columns[0].null in ("shifts", "differences")
    assert answer.verdict != "leaks"


def test_all_columns_together() -> None:
    rng = np.random.default_rng(43)
    hidden = rng.normal(size=300)
    original = frame(a=hidden + rng.normal(size=300), b=hidden + rng.normal(size=300))
    released = frame(a=hidden + rng.normal(size=300), b=hidden + rng.normal(size=300))
    answer = leak(original, released, mic_rows=300)
    together = answer.together
    assert together is not None
    assert (together.column, together.leaks, together.null) == ("together", True, "shuffles")
    sums = [(table["a"].to_numpy() + table["b"].to_numpy()) for table in (original, released)]
    # Two columns of equal variance: the first component is their sum, up to its sign and scale.
    assert abs(together.pearson or 0) == pytest.approx(abs(np.corrcoef(*sums)[0, 1]), abs=0.02)
    assert together.mic is not None
    assert together.mic > (together.mic_chance or 0)
    data = answer.to_dict()["together"]
    assert (data["mic"], data["unchanged"]) == (together.mic, None)
    assert leak(frame(a=hidden), frame(a=hidden)).to_dict()["reasons"]["together"] == "there is only one column"
    alone = leak(frame(a=numbers(1), b=numbers(2)), frame(a=numbers(3), b=numbers(4))).together
    assert alone is not None
    assert alone.leaks is False


def test_permutation_entropy_alone_sees_no_copy() -> None:
    answer = leak(frame(v=numbers()), frame(v=numbers()), order=3)
    assert (answer.change, answer.gamma, answer.epsilon) == ("none", 1.0, 0.0)
    assert not answer.saturated
    assert answer.verdict == "leaks"


def test_a_saturated_rho_decides_nothing() -> None:
    for released in (numbers(1), np.arange(ROWS)):
        answer = leak(frame(v=numbers()), frame(v=released))
        assert (answer.saturated, answer.change, answer.verdict) == (True, "undecided", "no leak seen")


def test_change_follows_the_degrees() -> None:
    wave, noise = np.sin(np.arange(ROWS)), numbers()
    assert leak(frame(v=wave), frame(v=noise), order=3).change == "falls"
    assert leak(frame(v=noise), frame(v=wave), order=3).change == "rises"
    assert leak(frame(v=noise), frame(v=wave), order=3, tolerance=0.9).change == "none"


def test_rows_in_another_order() -> None:
    mixed = np.random.default_rng(1).permutation(ROWS)
    table = pandas.DataFrame({"v": numbers(), "town": labels()})
    together = leak(table, table.iloc[mixed])
    assert (together.verdict, together.rearranged, together.leaking) == ("leaks", True, ())
    assert "rearranged" in str(together)
    alone = leak(table[["v"]], table[["v"]].iloc[mixed])
    assert alone.verdict == "undecided"
    assert "a different order" in (alone.undecided_because or "")
    assert alone.to_dict()["reasons"]["verdict"] == alone.undecided_because


def test_columns_are_matched_by_name() -> None:
    x, y = numbers(), numbers(1)
    answer = leak(frame(a=x, b=y, secret=x), frame(b=y, a=numbers(2), extra=y))
    assert [column.column for column in answer.columns] == ["a", "b"]
    assert answer.leaking == ("b",)
    notes = [note for note in answer.notes if "only in the" in note]
    assert [(note.split(",")[0], note.rpartition(": ")[2]) for note in notes] == [
        ("1 column only in the original", '"secret"'),
        ("1 column only in the release", '"extra"'),
    ]
    assert [(match.original, match.released) for match in answer.matches] == [("b", "extra")]
    assert [column.column for column in leak(frame(a=x, b=y), frame(a=y, b=y), columns=["b"]).columns] == ["b"]


def test_the_filter_is_decided_on_the_original() -> None:
    x = numbers()
    group = [["keep", "drop"][place % 2] for place in range(ROWS)]
    released = np.where(np.arange(ROWS) % 2, numbers(5), x)
    original, release = frame(v=x, g=group), frame(v=released)
    assert leak(original, release, where="g = 'keep'").rows_unchanged == ROWS // 2
    other = leak(original, release, where="g = 'drop'")
    assert (other.n_rows, other.verdict, other.rows_unchanged) == (ROWS // 2, "no leak seen", 0)


@pytest.mark.big
def test_every_source_gives_the_same_answer(tmp_path: Path) -> None:
    original, released = frame(v=numbers().round(3), town=labels()), frame(v=(numbers() ** 3).round(3), town=labels(4))
    answers = [leak(original, released)]
    for name, table in (("a", original), ("b", released)):
        table.to_pandas().to_csv(tmp_path / f"{name}.csv", index=False)
        pyarrow.parquet.write_table(table, tmp_path / f"{name}.parquet")
    answers.append(leak(tmp_path / "a.csv", str(tmp_path / "b.parquet")))
    answers.append(leak(polars.from_arrow(original), released.to_pandas()))
    dicts = [{k: v for k, v in answer.to_dict().items() if k != "notes"} for answer in answers]
    assert dicts[0] == dicts[1] == dicts[2]


def test_nulls_are_a_value_of_their_own() -> None:
    # In random places: nulls that come round every few rows would also meet in releases without any link.
    hidden = np.random.default_rng(7).permutation(np.arange(ROWS) % 3 == 0).tolist()
    x = [None if null else float(place % 7) for place, null in enumerate(hidden)]
    y = [None if null else value for null, value in zip(hidden, numbers().tolist(), strict=True)]
    answer = leak(frame(v=x), frame(v=y))
    column = answer.columns[0]
    assert answer.verdict == "leaks"
    assert (column.nulls, column.released_nulls) == (50, 50)
    assert column.mutual_information_bits > 0.9
    # Over the rows in which both have a number there is none.
    assert abs(column.pearson or 0) < 0.3
    empty = leak(frame(v=x), frame(v=pyarrow.array([None] * ROWS, pyarrow.float64())))
    assert (empty.verdict, empty.columns[0].leaks, empty.columns[0].pearson) == ("no leak seen", False, None)


def test_constant_columns() -> None:
    x, same = numbers(), np.ones(ROWS)
    released = leak(frame(v=x), frame(v=same))
    assert (released.verdict, released.rho2, released.columns[0].mutual_information_bits) == ("no leak seen", 0.0, 0.0)
    assert "constant" in released.columns[0].reasons["mic"]
    original = leak(frame(v=same), frame(v=x))
    assert (original.verdict, original.columns[0].leaks) == ("undecided", None)
    assert (leak(frame(v=same), frame(v=same)).gamma, original.gamma) == (1.0, math.inf)
    assert leak(frame(v=x, c=same), frame(v=x, c=same)).leaking == ("v",)


def test_few_rows_are_undecided() -> None:
    few = frame(v=[1.0, 2.0, 3.0])
    answer = leak(few, few)
    assert answer.verdict == "undecided"
    assert "too few rows" in (answer.undecided_because or "")
    rare = [0] * 50 + [1]
    assert leak(frame(v=rare), frame(v=rare)).verdict == "undecided"


def test_text_against_numbers_is_noted() -> None:
    x, _ = LEAKS["labels as numbers"](0)
    answer = leak(frame(v=x), frame(v=[len(t) for t in x]))
    assert any("text in the original and as number in the release" in note for note in answer.notes)
    assert answer.columns[0].original_kind == "text"


def test_dates_and_codes() -> None:
    days = pandas.date_range("1950-01-01", periods=ROWS, freq="97D")
    shuffled = np.random.default_rng(0).permutation(ROWS)
    text = pandas.DataFrame({"d": days.strftime("%Y-%m-%d")[shuffled], "zip": [f"0{p:03}" for p in shuffled]})
    typed = pandas.DataFrame({"d": days.date[shuffled], "zip": text["zip"]})
    answer = leak(text, typed)
    assert [column.original_kind for column in answer.columns] == ["date", "text"]
    assert answer.rows_unchanged == ROWS
    assert answer.columns[0].pearson == pytest.approx(1.0)
    odd = pandas.DataFrame({"d": ["01/02/2000", "03/04/2001"] * 20})
    assert leak(odd, odd).columns[0].original_kind == "text"
    assert leak(odd, odd, dates="dmy").columns[0].original_kind == "date"


def test_long_numbers_keep_their_digits() -> None:
    ids = [str(10**17 + place) for place in range(40)]
    answer = leak(frame(v=ids), frame(v=ids[::-1]))
    assert answer.columns[0].spearman == pytest.approx(-1.0)
    whole = [10**17 + place for place in range(40)]
    assert leak(frame(v=whole), frame(v=whole[::-1])).columns[0].spearman == pytest.approx(-1.0)
    assert leak(frame(v=ids), frame(v=whole)).rows_unchanged == 40


def test_infinite_numbers() -> None:
    x = numbers()
    x[3] = np.inf
    answer = leak(frame(v=x, w=numbers(1)), frame(v=x, w=numbers(2)))
    assert answer.columns[0].pearson is None
    assert "infinite" in answer.columns[0].reasons["pearson"]
    assert answer.columns[0].leaks


@pytest.mark.big
def test_options_of_the_order() -> None:
    wave = np.sin(np.arange(400) / 3) + 0.1 * numbers(0, 400)
    tables = frame(v=wave), frame(v=numbers(1, 400))
    answer = leak(*tables, order=4, delay=2, scales=3, conditional=True)
    assert (answer.order, answer.delay, answer.order_chosen) == (4, 2, False)
    assert [scale.scale for scale in answer.scales] == [2, 3]
    assert [scale.n_rows for scale in answer.scales] == [200, 133]
    assert answer.conditional is not None
    assert answer.conditional.original_bits < answer.conditional.released_bits
    assert answer.rho1 < answer.rho2
    rising = leak(*tables, patterns="0-1-2,2-1-0")
    assert rising.order == 3
    assert rising.original_entropy_bits <= 1
    assert rising.to_dict()["patterns"] == {"0-1-2": 1.0, "2-1-0": 1.0, "*": 0.0}
    weighted = leak(*tables, patterns={(0, 1, 2): 2, "*": 2})
    assert weighted.original_entropy_bits == pytest.approx(leak(*tables, order=3).original_entropy_bits)


def test_the_same_seed_gives_the_same_answer() -> None:
    tables = frame(v=numbers(), w=labels()), frame(v=numbers(1), w=labels(1))
    first, again = (leak(*tables, mic_rows=50, seed=3).to_json() for _ in range(2))
    assert first == again
    assert leak(*tables, mic_rows=50, seed=4).to_json() != first


@pytest.mark.big
def test_very_many_columns_say_their_own_error_rate() -> None:
    rng = np.random.default_rng(0)
    tables = [frame(**{f"c{place}": rng.normal(size=20) for place in range(150)}) for _ in range(2)]
    answer = leak(*tables, mic_rows=10)
    assert answer.columns[0].threshold == pytest.approx(1 / 10_000)
    # 150 columns and all of them together, and 15% of 1% for unchanged values; 22,350 pairs are too many.
    assert answer.error_rate == pytest.approx(151 / 10_000 + 0.0015)
    assert answer.pairs_compared == 0
    assert any("more than 10,000 pairs" in note for note in answer.notes)


@pytest.mark.big
def test_samples_are_noted() -> None:
    x = numbers(0, 12_000)
    answer = leak(frame(v=x), frame(v=x + 2 * numbers(1, 12_000)), mic_rows=200)
    assert (answer.test_rows, answer.mic_rows, answer.n_rows) == (10_000, 200, 12_000)
    shown = " ".join(str(answer).split())
    assert "MIC from 200 rows" in shown
    assert "p from 10,000 rows" in shown
    assert answer.verdict == "leaks"


def test_json_has_no_nan_and_writes_infinities_as_words() -> None:
    answer = leak(frame(v=np.arange(ROWS)), frame(v=numbers()), order=3)
    data = json.loads(answer.to_json())
    assert (data["schema"], data["command"]) == ("idbits/1", "leak")
    assert (data["rho1"], data["gamma"], data["epsilon"], data["r1"]) == (0.0, "inf", "inf", 1.0)
    assert data["change"] == "falls"
    for key in ("column", "mic", "mutual_information_bits", "pearson", "spearman", "distance_correlation"):
        assert key in data["columns"][0]


def test_the_chart_is_the_curve() -> None:
    answer = leak(frame(v=numbers()), frame(v=numbers(1)))
    spec = answer.chart()
    drawn = [(row["order"], row["series"], row["entropy_bits"]) for row in spec["data"]["values"]]
    expected = [
        (point.order, series, bits)
        for point in answer.entropy_curve
        for series, bits in (("original", point.original_bits), ("release", point.released_bits))
    ]
    assert drawn == expected
    assert len(answer.entropy_curve) == 24
    assert json.loads(json.dumps(spec)) == spec


def test_it_shows_itself() -> None:
    answer = leak(frame(v=numbers()), frame(v=numbers()))
    assert repr(answer).startswith("Leak(verdict='leaks'")
    assert "The release leaks" in answer._repr_html_()
    assert answer.to_arrow().column("mic").to_pylist() == [answer.columns[0].mic]


BAD = {
    "lengths": ((frame(v=[1, 2, 3]), frame(v=[1, 2])), {}, DataError, "3 rows and the release 2 rows"),
    "one row": ((frame(v=[1]), frame(v=[1])), {}, NotEstimableError, "at least two rows"),
    "no row": ((frame(v=[1, 2]), frame(v=[1, 2])), {"where": "v > 5"}, NotEstimableError, "there are 0"),
    "order above rows": ((frame(v=[1, 2]), frame(v=[1, 2])), {"order": 3}, NotEstimableError, "at least 3 rows"),
    "order 1": ((frame(v=[1, 2]), frame(v=[1, 2])), {"order": 1}, InputError, "at least 2"),
    "order word": ((frame(v=[1, 2]), frame(v=[1, 2])), {"order": "best"}, InputError, "auto or .* at least 2"),
    "delay": ((frame(v=[1, 2]), frame(v=[1, 2])), {"delay": 0}, InputError, "delay"),
    "long delay": ((frame(v=[1, 2]), frame(v=[1, 2])), {"delay": 2}, NotEstimableError, "more than 2 rows"),
    "reduction": ((frame(v=[1, 2]), frame(v=[1, 2])), {"reduction": "umap"}, InputError, "pca or tsne"),
    "scales": ((frame(v=[1, 2, 3]), frame(v=[1, 2, 3])), {"scales": 3}, InputError, "at scale 2"),
    "tolerance": ((frame(v=[1, 2]), frame(v=[1, 2])), {"tolerance": -1}, InputError, "tolerance"),
    "error": ((frame(v=[1, 2]), frame(v=[1, 2])), {"error_rate": 0}, InputError, "error rate"),
    "mic rows": ((frame(v=[1, 2]), frame(v=[1, 2])), {"mic_rows": 5}, InputError, "10 rows"),
    "seed": ((frame(v=[1, 2]), frame(v=[1, 2])), {"seed": -1}, InputError, "seed"),
    "count": ((frame(v=[1, 2]), frame(v=[1, 2])), {"count": "v"}, InputError, "count="),
    "column": ((frame(v=[1, 2]), frame(w=[1, 2])), {"columns": "v"}, ColumnNotFoundError, "in the release"),
    "pattern": ((frame(v=[1, 2]), frame(v=[1, 2])), {"patterns": "0-2"}, InputError, "ranks"),
    "patterns": ((frame(v=[1, 2]), frame(v=[1, 2])), {"patterns": "0-1,0-1-2"}, InputError, "same length"),
    "twice": ((frame(v=[1, 2]), frame(v=[1, 2])), {"patterns": "0-1,0-1"}, InputError, "twice"),
    "weight": ((frame(v=[1, 2]), frame(v=[1, 2])), {"patterns": "0-1=-1"}, InputError, "at least 0"),
    "no weight": ((frame(v=[1, 2]), frame(v=[1, 2])), {"patterns": "0-1=0"}, InputError, "greater than 0"),
    "weight word": ((frame(v=[1, 2]), frame(v=[1, 2])), {"patterns": "0-1=x"}, InputError, "number"),
    "orders": ((frame(v=[1, 2]), frame(v=[1, 2])), {"patterns": "0-1", "order": 3}, InputError, "order= is 3"),
    "stdin": (("-", "-"), {}, InputError, "standard input"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence(name: str) -> None:
    sources, options, kind, words = BAD[name]
    with pytest.raises(kind, match=words):
        leak(*sources, **options)


def test_two_rows_are_enough_to_be_undecided() -> None:
    answer = leak(frame(v=[1, 2]), frame(v=[2, 1]))
    assert (answer.order, answer.rho1, answer.verdict, answer.saturated) == (2, 0.0, "undecided", True)
