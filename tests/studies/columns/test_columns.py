"""Which columns together? Against brute force over all subsets, and against ``idbits measure``, on random tables."""

import itertools
import json
import math
import time
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import idbits
from idbits.engines.plain import PlainTable
from idbits.errors import ColumnNotFoundError, InputError, NotEstimableError
from idbits.measures.anonymity import distinction, separation
from idbits.progress import SILENT
from idbits.reading import OpenOptions
from idbits.studies.columns.conclusions import ReleaseLimits, largest_within, minimal_masks
from idbits.studies.columns.result import SubsetFigures
from idbits.studies.columns.search import ColumnSearch, CountedSubsets
from idbits.values.attributes import Kind, parse_attributes

NAMES = "abcdefghijklmnopqrstuvwxyz"


@st.composite
def tables(draw, most_columns=5, most_rows=25):
    n_columns = draw(st.integers(1, most_columns))
    n_rows = draw(st.integers(1, most_rows))
    sizes = draw(st.lists(st.integers(1, 6), min_size=n_columns, max_size=n_columns))
    rows = [tuple(draw(st.integers(0, size - 1)) for size in sizes) for _ in range(n_rows)]
    return rows, NAMES[:n_columns]


def frame_of(rows, names):
    return pyarrow.table({name: [f"v{row[c]}" for row in rows] for c, name in enumerate(names)})


def by_hand(rows, names, most=6):
    """Return the group sizes of each set of columns up to a size."""
    return {
        columns: list(Counter(tuple(row[names.index(c)] for c in columns) for row in rows).values())
        for size in range(1, min(most, len(names)) + 1)
        for columns in itertools.combinations(names, size)
    }


def minimal_by_hand(sizes, n, share):
    """Return the sets that single out a share when none of their parts does, directly from the definition."""

    def reaches(columns):
        return Fraction(sum(k == 1 for k in sizes[columns]), n) >= Fraction(str(share))

    return {
        columns
        for columns in sizes
        if reaches(columns)
        and not any(reaches(part) for size in range(1, len(columns)) for part in itertools.combinations(columns, size))
    }


def found_sets(entry):
    return {subset.columns for subset in entry.sets}


@pytest.mark.big
@settings(max_examples=25)
@given(tables(), st.sampled_from([0.1, 0.5, 0.8, 1.0]))
def test_every_subset_equals_brute_force(drawn, share) -> None:
    rows, names = drawn
    n = len(rows)
    answer = idbits.columns(frame_of(rows, names), candidates=list(names), share=share)
    sizes = by_hand(rows, names)
    assert {subset.columns for subset in answer.subsets} == set(sizes)
    for subset in answer.subsets:
        figures, found = subset.figures, sizes[subset.columns]
        assert figures.singletons == found.count(1)
        assert figures.k_min == min(found)
        assert figures.entropy_bits == pytest.approx(sum(k / n * math.log2(n / k) for k in found), abs=1e-12)
        assert figures.distinction == float(Fraction(len(found), n))
        pairs = n * (n - 1) // 2
        apart = pairs - sum(k * (k - 1) // 2 for k in found)
        assert figures.separation == (float(Fraction(apart, pairs)) if n > 1 else None)
    shares = [share] if share == 1.0 else [share, 1.0]
    assert [entry.share for entry in answer.minimal] == shares
    for entry in answer.minimal:
        assert found_sets(entry) == minimal_by_hand(sizes, n, entry.share)
        assert entry.complete


@pytest.mark.big
def test_a_search_says_how_large_its_combinations_are() -> None:
    # 14 binary columns: combinations of 6 or more columns also single out half of the people, but are not searched.
    random = np.random.default_rng(5)
    rows = random.integers(0, 2, (40, 14)).tolist()
    names = tuple("abcdefghijklmn")
    answer = idbits.columns(frame_of(rows, names), candidates=list(names), share=0.5, max_size=5)
    every = minimal_by_hand(by_hand(rows, names), 40, 0.5)
    small = {columns for columns in every if len(columns) <= 5}
    assert found_sets(answer.minimal[0]) == small
    assert len(every) > len(small) > 1
    text = " ".join(str(answer).split())
    assert f"{len(small) - 1} other minimal combinations of up to 5 columns single out at least 50%" in text
    assert "The smallest combinations of up to 5 columns that single out at least 50% of rows" in text
    few = idbits.columns(frame_of([row[:6] for row in rows], names[:6]), candidates=list(names[:6]), share=0.3)
    assert len(few.minimal[0].sets) == len(minimal_by_hand(by_hand([row[:6] for row in rows], names[:6]), 40, 0.3)) > 1
    assert "of up to" not in str(few)


@pytest.mark.big
@settings(max_examples=10)
@given(tables(most_columns=3))
def test_entropies_are_those_of_measure_to_the_last_bit(drawn) -> None:
    rows, names = drawn
    frame = frame_of(rows, names)
    for subset in idbits.columns(frame, candidates=list(names)).subsets:
        measured = idbits.measure(frame, list(subset.columns))
        assert subset.figures.entropy_bits == measured.entropy_bits
        assert subset.figures.singletons == measured.singletons
        assert subset.figures.k_min == measured.k_min


@pytest.mark.big
@settings(max_examples=150)
@given(
    tables(most_columns=6),
    st.lists(st.sampled_from([0.3, 0.5, 0.8, 1.0]), min_size=1, max_size=3, unique=True),
    st.integers(1, 6),
    st.sampled_from([None, 0.5, 1.5, 2.5]),
    st.sampled_from([1_000, 5]),
)
def test_the_search_equals_brute_force(drawn, shares, max_size, max_bits, max_sets) -> None:
    rows, names = drawn
    n, sizes = len(rows), by_hand(rows, names)
    table = PlainTable([dict(zip(names, row, strict=True)) for row in rows], dict.fromkeys(names, Kind.INTEGER))
    counts = table.subset_counts(parse_attributes(names, table.columns), OpenOptions(threads=1))
    counting = CountedSubsets(counts, SILENT)
    limits = ReleaseLimits(max_bits, None) if max_bits is not None else None
    counting.count_ends()
    needs = [math.ceil(Fraction(str(share)) * n) for share in shares]
    search = ColumnSearch(counting, needs, max_size, max_sets, limits.fit if limits else None)
    search.go()

    def named(mask):
        return tuple(names[c] for c in range(len(names)) if mask >> c & 1)

    for place, share in enumerate(shares):
        found = {named(mask) for mask in minimal_masks(counting.figures, needs[place], search.rules_out(place))}
        expected = minimal_by_hand(sizes, n, share)
        assert found <= expected
        if search.complete:
            assert {c for c in expected if len(c) <= max_size} <= found
    assert search.complete or search.not_searched
    for mask, figures in counting.figures.items():
        assert figures.singletons == sizes[named(mask)].count(1)
        assert figures.k_min == min(sizes[named(mask)])
    if limits is not None:
        fits = {c for c, found in sizes.items() if sum(k / n * math.log2(n / k) for k in found) <= max_bits + 1e-12}
        largest = {c for c in fits if not any(set(c) < set(other) for other in fits)}
        within = largest_within(counting.figures, limits, len(names))
        assert {named(mask) for mask, proven in within if proven} <= largest
        if search.complete:
            assert {c for c in largest if len(c) < max_size} <= {named(mask) for mask, proven in within if proven}


@pytest.mark.parametrize("max_bits", [4.5, 8.0])
def test_the_budget_of_many_columns_does_not_take_forever(max_bits) -> None:
    def figures(size):
        return SubsetFigures(float(size), 0, 2, 0.5, 0.5, 2**size)

    n = 20
    sizes = [1, 2, 3, 4, 5, n - 1, n]
    counted = {
        sum(1 << c for c in chosen): figures(size)
        for size in sizes
        for chosen in itertools.combinations(range(n), size)
    }
    began = time.monotonic()
    found = largest_within(counted, ReleaseLimits(max_bits, None), n)
    # Every set of 4 columns is proven to be largest; sets of 5 columns were not counted. This once took minutes.
    assert {(mask.bit_count(), proven) for mask, proven in found} == {(4, True) if max_bits < 5 else (5, False)}
    assert len(found) == math.comb(n, 4 if max_bits < 5 else 5)
    assert time.monotonic() - began < 30


@pytest.mark.big
@settings(max_examples=20)
@given(tables(), st.sampled_from([0.0, 1.0, 2.0]), st.sampled_from([1, 2, 3]))
def test_the_budget_equals_brute_force(drawn, max_bits, min_k) -> None:
    rows, names = drawn
    n, sizes = len(rows), by_hand(rows, names)
    answer = idbits.columns(frame_of(rows, names), candidates=list(names), max_bits=max_bits, min_k=min_k)
    fits = {
        c
        for c, found in sizes.items()
        if math.fsum(k / n * math.log2(n / k) for k in found) <= max_bits + 1e-12 and min(found) >= min_k
    }
    largest = {c for c in fits if not any(set(c) < set(other) for other in fits)}
    assert {subset.columns for subset in answer.budget.sets} == largest
    assert all(answer.budget.proven)


@pytest.mark.big
@settings(max_examples=20)
@given(tables())
def test_shapley_values_equal_their_definition_and_add_up(drawn) -> None:
    rows, names = drawn
    n, sizes = len(rows), by_hand(rows, names)
    entropy = {c: math.fsum(k / n * math.log2(n / k) for k in found) for c, found in sizes.items()} | {(): 0.0}
    answer = idbits.columns(frame_of(rows, names), candidates=list(names))
    orders = list(itertools.permutations(names))
    for part in answer.contribution:
        gains = []
        for order in orders:
            before = order[: order.index(part.column)]
            gains.append(entropy[tuple(sorted((*before, part.column)))] - entropy[tuple(sorted(before))])
        assert part.shapley_bits == pytest.approx(math.fsum(gains) / len(gains), abs=1e-9)
        rest = tuple(name for name in names if name != part.column)
        assert part.conditional_bits == pytest.approx(max(0, entropy[tuple(names)] - entropy[rest]), abs=1e-12)
        assert part.entropy_bits == pytest.approx(entropy[(part.column,)], abs=1e-12)
        assert part.singletons_without == (sizes[rest].count(1) if rest else int(n < 2) and None)
    total = math.fsum(part.shapley_bits for part in answer.contribution)
    assert total == pytest.approx(answer.together.entropy_bits, abs=1e-9)


def wide_frame(n_columns=12, n_rows=300, seed=3):
    import random

    draw = random.Random(seed)
    sizes = [draw.choice([2, 3, 4, 6, 9]) for _ in range(n_columns)]
    rows = [tuple(draw.randrange(size) for size in sizes) for _ in range(n_rows)]
    return rows, NAMES[:n_columns]


@pytest.mark.big
def test_sampled_shapley_values_are_near_the_exact_ones() -> None:
    rows, names = wide_frame(n_columns=8)
    frame = frame_of(rows, names)
    exact = idbits.columns(frame, candidates=list(names))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("idbits.studies.columns.study._EVERY_SUBSET", 0)
        sampled = idbits.columns(frame, candidates=list(names))
        again = idbits.columns(frame, candidates=list(names), threads=1)
        other = idbits.columns(frame, candidates=list(names), seed=1)
    assert sampled.orders == 200
    assert sampled.to_dict() == again.to_dict()
    assert sampled.contribution != other.contribution
    for true, guessed in zip(exact.contribution, sampled.contribution, strict=True):
        # Seeded, so five standard errors are always enough.
        assert abs(true.shapley_bits - guessed.shapley_bits) <= 5 * guessed.shapley_error_bits + 1e-9
        assert true.conditional_bits == guessed.conditional_bits
    total = math.fsum(part.shapley_bits for part in sampled.contribution)
    assert total == pytest.approx(sampled.together.entropy_bits, abs=1e-9)


@pytest.mark.big
def test_many_columns_equal_brute_force_and_say_what_was_not_searched() -> None:
    rows, names = wide_frame()
    answer = idbits.columns(frame_of(rows, names), candidates=list(names), share=[0.5, 0.9], max_size=4)
    sizes = by_hand(rows, names, most=4)
    for entry in answer.minimal:
        assert found_sets(entry) == minimal_by_hand(sizes, len(rows), entry.share)
    assert answer.minimal[0].sets
    # A search, not an enumeration.
    assert answer.n_counted < len(sizes)
    larger = sum(math.comb(12, size) for size in range(5, 13))
    assert [(part.size, part.to_size, part.sets) for part in answer.not_searched] == [(5, 12, larger)]


@pytest.mark.big
@pytest.mark.parametrize("max_sets", [1, 40, 200])
def test_a_bounded_search_finds_only_what_is_true(max_sets: int) -> None:
    rows, names = wide_frame()
    answer = idbits.columns(frame_of(rows, names), candidates=list(names), share=0.5, max_size=4, max_sets=max_sets)
    everything = minimal_by_hand(by_hand(rows, names, most=4), len(rows), 0.5)
    assert found_sets(answer.minimal[0]) <= everything
    assert not answer.complete
    assert not answer.minimal[0].complete
    assert any("--max-sets" in part.reason for part in answer.not_searched)
    assert json.loads(answer.to_json())["complete"] is False


@pytest.mark.big
def test_a_hundred_columns_never_explode() -> None:
    rows, _ = wide_frame(n_columns=100, n_rows=40)
    names = [f"c{place}" for place in range(100)]
    frame = pyarrow.table({name: [f"v{row[place]}" for row in rows] for place, name in enumerate(names)})
    answer = idbits.columns(frame, candidates=names, max_sets=300)
    assert not answer.complete
    assert sum(part.sets for part in answer.not_searched) > 2**99
    assert answer.n_counted < 2_000
    assert len(answer.subsets) <= 2_000
    for subset in answer.minimal[0].sets[:5]:
        measured = idbits.measure(frame, list(subset.columns))
        assert measured.singletons >= 0.8 * 40
        for name in subset.columns:
            rest = [other for other in subset.columns if other != name]
            assert not rest or idbits.measure(frame, rest).singletons < 0.8 * 40


def test_counted_tables_are_about_people() -> None:
    frame = pyarrow.table({"a": ["x", "x", "y", "z"], "b": ["p", "q", "p", "p"], "n": [2, 1, 1, 0]})
    answer = idbits.columns(frame, candidates=["a", "b"], count="n")
    spread = pyarrow.table({"a": ["x", "x", "x", "y"], "b": ["p", "p", "q", "p"]})
    assert answer.n_rows == 4
    assert answer.to_dict()["subsets"] == idbits.columns(spread, candidates=["a", "b"]).to_dict()["subsets"]
    assert "n" not in idbits.columns(frame, count="n").candidates


def test_columns_that_do_not_look_like_quasi_identifiers_are_left_out() -> None:
    n = 60
    frame = pyarrow.table(
        {
            "id": [f"p{i}" for i in range(n)],
            "same": ["x"] * n,
            "empty": pyarrow.array([None] * n, pyarrow.string()),
            "weight": [50 + i * 0.37 for i in range(n)],
            "story": [f"once upon a time there was a person with the number {i % 7} of them" for i in range(n)],
            "sex": ["F", "M"] * (n // 2),
            "zip": [f"{i % 9}" for i in range(n)],
        }
    )
    answer = idbits.columns(frame)
    assert answer.candidates == ("sex", "zip")
    assert {column.column: column.role for column in answer.left_out} == {
        "id": "direct identifier",
        "same": "constant",
        "empty": "empty",
        "weight": "measurement",
        "story": "free text",
    }
    named = idbits.columns(frame, candidates=["id", "same", "sex"])
    assert named.candidates == ("id", "same", "sex")
    assert named.left_out == ()
    assert idbits.columns(frame, candidates="zip:prefix1,sex").candidates == ("zip:prefix1", "sex")


def test_a_column_of_one_value_and_empty_cells_is_no_constant() -> None:
    people = pyarrow.table({"town": ["A", "B"] * 20, "married": ["yes", *[None] * 39]})
    answer = idbits.columns(people)
    assert answer.candidates == ("town", "married")
    assert answer.together.singletons == 1
    assert "Nobody is unique" not in str(answer)


def test_a_column_that_may_count_people_is_told() -> None:
    counted = pyarrow.table({"age": ["20", "21", "22"], "sex": ["F", "M", "F"], "aantal": [120, 7, 31]})
    (told,) = idbits.columns(counted).notes
    assert '"aantal"' in told
    assert "--count" in told
    assert idbits.columns(counted, count="aantal").notes == ()
    assert idbits.columns(counted, ["age", "aantal"]).notes == ()


@pytest.mark.big
def test_odd_tables() -> None:
    one = idbits.columns(pyarrow.table({"a": ["x", "x", "y"]}))
    assert [subset.columns for subset in one.subsets] == [("a",)]
    assert one.contribution[0].shapley_bits == one.contribution[0].conditional_bits == one.together.entropy_bits
    constant = idbits.columns(pyarrow.table({"a": ["x"] * 3, "b": ["y"] * 3}))
    assert constant.candidates == ("a", "b")
    assert constant.together.entropy_bits == 0
    assert [entry.sets for entry in constant.minimal] == [(), ()]
    assert "No row is unique" in str(constant)
    alone = idbits.columns(pyarrow.table({"a": ["x"]})).to_dict()
    assert alone["contribution"][0]["singletons_without"] is None
    assert "one column" in alone["reasons"]["singletons_without"]
    wide = idbits.columns(pyarrow.table({f"c{i}": [f"{i}", f"{i % 2}"] for i in range(12)}))
    assert wide.minimal[1].sets
    person = idbits.columns(pyarrow.table({"a": ["x"]}))
    assert person.subsets[0].figures.separation is None
    assert "separation" in person.to_dict()["reasons"]
    assert "singles out every row" in str(person)


@pytest.mark.parametrize("share", [-0.1, 0, 1.1, float("nan"), float("inf"), []])
def test_shares_outside_0_and_1(share) -> None:
    with pytest.raises(InputError, match="share"):
        idbits.columns(pyarrow.table({"a": ["x"]}), share=share)


@pytest.mark.parametrize(
    "wrong",
    [{"max_size": 0}, {"max_sets": 0}, {"max_seconds": 0}, {"max_bits": -1}, {"max_bits": math.nan}, {"min_k": 0},
     {"record_size": 0}, {"candidates": []}, {"records": "x.txt"}, {"records": "no/folder/x.csv"}],
)  # fmt: skip
def test_wrong_questions(wrong) -> None:
    with pytest.raises(InputError):
        idbits.columns(pyarrow.table({"a": ["x"]}), **wrong)


def test_columns_that_are_not_there_and_nobody() -> None:
    with pytest.raises(ColumnNotFoundError, match='did you mean "gender"'):
        idbits.columns(pyarrow.table({"gender": ["x"]}), candidates="gendre")
    with pytest.raises(NotEstimableError):
        idbits.columns(pyarrow.table({"a": pyarrow.array([], pyarrow.string())}))
    with pytest.raises(NotEstimableError):
        idbits.columns(pyarrow.table({"a": ["x"]}), where="a = 'y'")


def test_the_time_that_is_given_is_kept_and_said() -> None:
    rows, names = wide_frame(n_columns=20, n_rows=2_000)
    answer = idbits.columns(frame_of(rows, names), candidates=list(names), max_seconds=1e-6)
    assert not answer.complete
    assert "--max-seconds" in answer.stopped
    assert "Incomplete" in str(answer)
    assert answer.not_searched
    data = json.loads(answer.to_json())
    assert data["complete"] is False
    assert data["contribution"][0]["shapley_bits"] is None
    assert data["reasons"]["contribution"]
    few = idbits.columns(frame_of(rows, names[:5]), candidates=list(names[:5]), max_seconds=1e-6)
    assert not few.complete
    assert sum(part.sets for part in few.not_searched) == 31 - few.n_counted


@pytest.mark.big
def test_ctrl_c_keeps_what_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, names = wide_frame()
    stop_at = iter(range(100_000))
    advance = CountedSubsets.advance

    def pressed(self, part: float) -> None:
        advance(self, part)
        if next(stop_at) == 205:
            raise KeyboardInterrupt

    monkeypatch.setattr(CountedSubsets, "advance", pressed)
    answer = idbits.columns(frame_of(rows, names), candidates=list(names), share=0.5, max_size=4)
    assert answer.interrupted
    assert not answer.complete
    monkeypatch.undo()
    whole = idbits.columns(frame_of(rows, names), candidates=list(names), share=0.5, max_size=4)
    assert found_sets(answer.minimal[0]) <= found_sets(whole.minimal[0])


def test_charts_are_made_of_the_answer() -> None:
    rows, names = wide_frame(n_columns=4, n_rows=50)
    charts = idbits.columns(frame_of(rows, names), candidates=list(names), share=0.2).charts()
    assert set(charts) == {"subsets", "contribution", "lattice"}
    assert len(charts["subsets"]["data"]["values"]) == 15
    assert len(charts["contribution"]["data"]["values"]) == 12
    nodes = charts["lattice"]["layer"][1]["data"]["values"]
    lines = charts["lattice"]["layer"][0]["data"]["values"]
    assert nodes
    assert all(line["size2"] == line["size"] + 1 for line in lines)
    json.dumps(charts, allow_nan=False)


def test_the_lattice_names_its_share_and_its_nodes() -> None:
    people = pyarrow.table({"a": list("xxyy"), "b": list("xyxy")})
    lattice = idbits.columns(people, share=0.995).charts()["lattice"]
    assert lattice["title"] == "Where combinations begin to single out 99.5% of rows"
    assert lattice["layer"][2]["encoding"]["text"]["field"] == "columns"


def test_the_answer_shows_itself() -> None:
    rows, names = wide_frame(n_columns=4, n_rows=50)
    answer = idbits.columns(frame_of(rows, [f"<{name}>" for name in names]), candidates=[f"<{n}>" for n in names])
    assert "&lt;a&gt;" in answer._repr_html_()
    assert "<a>" not in answer._repr_html_()
    assert answer.to_arrow().num_rows == 15
    assert repr(answer).startswith("ColumnSubsets(candidates=['<a>', ")


def test_the_definitions_of_distinction_and_separation() -> None:
    from idbits.counts import Spectrum

    assert distinction(Spectrum.of({3: 2, 1: 4})) == 6 / 10
    assert separation(Spectrum.of({3: 2, 1: 4})) == 39 / 45
    assert separation(Spectrum.of({10**9: 1})) == 0.0
    assert separation(Spectrum.of({1: 1})) is None


@pytest.mark.big
def test_real_people_equal_another_way_of_counting(shared_data) -> None:
    import pandas

    frame = pandas.read_csv(shared_data / "adult.csv", sep=";", dtype=str)
    answer = idbits.columns(shared_data / "adult.csv", candidates=list(frame.columns))
    assert len(answer.subsets) == 2 ** len(frame.columns) - 1
    for subset in answer.subsets[::25]:
        sizes = frame.groupby(list(subset.columns), dropna=False).size()
        assert subset.figures.singletons == (sizes == 1).sum()
        assert subset.figures.k_min == sizes.min()
        assert subset.figures.distinction == len(sizes) / len(frame)
