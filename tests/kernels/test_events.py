"""Trajectories, pairs and points against plain Python on small random events."""

import itertools
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.kernels import events, pairs, points
from idbits.kernels.events import Collector, Trajectories, coarser
from idbits.measures.unicity import hidden_bits, share_interval, unicity

NO_DAY = 5
Event = tuple[int, int, int]

lists_of_events = st.lists(st.tuples(st.integers(0, 6), st.integers(0, NO_DAY), st.integers(0, 3)), max_size=60)


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make files, spans, blocks and scans so small that a few events need several of them."""
    for module, name, value in [
        (events, "_BUFFER_KEYS", 16),
        (events, "_CHUNK", 4),
        (events, "_FIRST_POINTS", 3),
        (pairs, "_BLOCK_PAIRS", 5),
        (pairs, "_SPAN_EVENTS", 9),
        (pairs, "_SCAN", 7),
        (pairs, "_CHUNK_EVENTS", 6),
        (pairs, "_TASK_BLOCKS", 2),
    ]:
        monkeypatch.setattr(module, name, value)


def collected(
    found: list[Event], folder: Path, max_events: int = 1000, pieces: int = 3, threads: int = 1
) -> Trajectories:
    collector = Collector(7, np.arange(100, 100 + NO_DAY), 4, lambda: folder)
    table = np.array(found, np.int64).reshape(-1, 3)
    for part in np.array_split(table, pieces):
        collector.add(part[:, 0].astype(np.uint32), part[:, 1].astype(np.uint32), part[:, 2].astype(np.uint64))
    return collector.trajectories(max_events, threads=threads)


def plain_trajectories(found: list[Event], max_events: int = 1000) -> dict[int, list[tuple[int, int]]]:
    records = Counter(person for person, _, _ in found)
    kept: dict[int, set[tuple[int, int]]] = {}
    for person, day, label in found:
        if records[person] < max_events and day != NO_DAY:
            kept.setdefault(person, set()).add((100 + day, label))
    return {person: sorted(own) for person, own in sorted(kept.items())}


def plain_day_spectra(people: dict[int, list[tuple[int, int]]]) -> dict[int, list[tuple[int, int]]]:
    counts = Counter(pair for own in people.values() for pair in itertools.combinations(own, 2))
    days: dict[int, Counter[int]] = {}
    for (first, _), size in counts.items():
        days.setdefault(first[0], Counter())[size] += 1
    return {day: sorted(sizes.items()) for day, sizes in sorted(days.items())}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("parts")


@pytest.mark.parametrize("threads", [1, 3])
@given(found=lists_of_events, limit=st.integers(1, 12))
def test_trajectories_are_distinct_points_of_people_below_the_limit(
    folder: Path, found: list[Event], limit: int, threads: int
) -> None:
    made = collected(found, folder, limit, threads=threads)
    whose = [[(int(made.days[r]), int(made.labels[r])) for r in made.points[a:b]] for a, b in
             itertools.pairwise(made.starts.tolist())]  # fmt: skip
    assert whose == list(plain_trajectories(found, limit).values())
    busy = [n for n in Counter(person for person, _, _ in found).values() if n >= limit]
    assert (made.excluded_people, made.excluded_events) == (len(busy), sum(busy))
    assert not list(folder.iterdir())


@pytest.mark.parametrize("threads", [1, 2])
@given(found=lists_of_events, first=st.integers(99, 106), days=st.integers(0, 6))
def test_pairs_equal_plain_counts(folder: Path, found: list[Event], first: int, days: int, threads: int) -> None:
    made = collected(found, folder)
    expected = plain_day_spectra(plain_trajectories(found))
    spectra = pairs.counted_day_spectra(made, first, first + days, threads)
    assert {day: spectrum.pairs() for day, spectrum in spectra.items()} == {
        day: sizes for day, sizes in expected.items() if first <= day <= first + days
    }
    n_pairs = {day: sum(size * sets for size, sets in sizes) for day, sizes in expected.items()}
    assert pairs.n_pairs_by_day(made) == n_pairs


def test_one_huge_group_is_counted_in_pieces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pairs, "_PIECE_PAIRS", 3)
    found = [(person, day, label) for person in range(7) for day in range(3) for label in range(person % 3 + 1)]
    made = collected(found, tmp_path)
    assert any(pairs.is_large(made, block) for block in pairs.blocks_of_ranks(made, 0, len(made.days)))
    spectra = pairs.counted_day_spectra(made, 0, 1000, 1)
    expected = plain_trajectories(found)
    assert {day: s.pairs() for day, s in spectra.items()} == plain_day_spectra(expected)
    assert unicity(points.two_points(made, 1)) == pytest.approx(float(plain_unicity(expected, 2)[0]))


def test_keys_that_need_64_bits(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    people, days = random.integers(0, 40, 400), random.integers(0, 30, 400)
    labels = random.integers(0, 2**31, 50)[random.integers(0, 50, 400)]
    collector = Collector(40, np.arange(30), 2**31, lambda: tmp_path)
    collector.add(people.astype(np.uint32), days.astype(np.uint32), labels.astype(np.uint64))
    made = collector.trajectories(1000)
    own: dict[int, set[tuple[int, int]]] = {}
    for person, day, label in zip(people.tolist(), days.tolist(), labels.tolist(), strict=True):
        own.setdefault(person, set()).add((day, label))
    expected = plain_day_spectra({person: sorted(found) for person, found in own.items()})
    assert {day: s.pairs() for day, s in pairs.counted_day_spectra(made, 0, 30, 1).items()} == expected


class FailingCollector(Collector):
    """Has room for some of its records."""

    def __init__(self, folder: Path, n_good: int) -> None:
        super().__init__(40, np.arange(30), 4, lambda: folder)
        self.n_good, self.written = n_good, list[int]()

    def _write(self, keys: np.typing.NDArray[np.uint64]) -> None:
        self.written.append(len(keys))
        if len(self.written) > self.n_good:
            raise OSError("no room")
        super()._write(keys)

    def collect(self) -> None:
        numbers = np.arange(16, dtype=np.uint32)
        for _ in range(3):
            self.add(numbers, numbers, numbers % 4)
        self.trajectories(1000)


@pytest.mark.parametrize("n_good", [0, 1, 2])
def test_records_that_cannot_be_written_are_an_error(tmp_path: Path, n_good: int) -> None:
    """The first records are written at once, later ones in another thread."""
    collector = FailingCollector(tmp_path, n_good)
    with pytest.raises(OSError, match="no room"):
        collector.collect()
    collector.close()
    assert collector.written == [16, 8, 8, 8, 8][: len(collector.written)]
    assert len(collector.written) > n_good


def plain_unicity(people: dict[int, list[tuple[int, int]]], n: int) -> tuple[Fraction, float, int]:
    """Return the unicity of n points, the mean of log2 k, and the people who have so many points."""
    able = [own for own in people.values() if len(own) >= n]
    unique, hidden = Fraction(0), 0.0
    for own in able:
        choices = list(itertools.combinations(own, n))
        matching = [sum(set(choice) <= set(other) for other in people.values()) for choice in choices]
        unique += Fraction(matching.count(1), len(choices))
        hidden += math.fsum(math.log2(k) for k in matching) / len(choices)
    return (unique / len(able), hidden / len(able), len(able)) if able else (Fraction(0), 0.0, 0)


@given(lists_of_events.filter(lambda found: any(day != NO_DAY for _, day, _ in found)))
def test_one_and_two_points_and_whole_trajectories_equal_brute_force(folder: Path, found: list[Event]) -> None:
    made, people = collected(found, folder), plain_trajectories(found)
    ways = {1: points.one_point}
    if any(len(own) > 1 for own in people.values()):
        ways[2] = lambda given: points.two_points(given, 2)
    for n, way in ways.items():
        unique, hidden, able = plain_unicity(people, n)
        matches = way(made)
        assert matches.people == able
        assert unicity(matches) == pytest.approx(float(unique), rel=1e-12, abs=1e-15)
        assert hidden_bits(matches) == pytest.approx(hidden, rel=1e-12, abs=1e-15)
    whole = Counter(tuple(own) for own in people.values())
    matches = points.whole_trajectories(made)
    assert unicity(matches) == pytest.approx(sum(k == 1 for k in whole.values()) / len(people))
    assert hidden_bits(matches) == pytest.approx(sum(k * math.log2(k) for k in whole.values()) / len(people))


@given(lists_of_events.filter(lambda found: len(plain_trajectories(found)) > 1), st.integers(1, 3))
def test_a_draw_finds_who_has_all_its_points(folder: Path, found: list[Event], n: int) -> None:
    made = collected(found, folder)
    people = [set(made.points[a:b].tolist()) for a, b in itertools.pairwise(made.starts.tolist())]
    holders, first = points.holders_of_points(made)
    for own in people:
        for choice in itertools.islice(itertools.combinations(sorted(own), n), 5):
            expected = sum(set(choice) <= other for other in people)
            assert points._who_has_all(np.array(choice, np.uint32), holders, first) == expected


def test_draws_come_near_the_truth(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    found = [tuple(map(int, row)) for row in random.integers(0, [7, 5, 4], (70, 3))]
    made, people = collected(found, tmp_path), plain_trajectories(found)
    truth, hidden, able = plain_unicity(people, 3)
    matches = points.drawn_matches(made, 3, 4_000, seed=5)
    assert matches.people == able
    spread = math.sqrt(float(truth) * (1 - float(truth)) / 4_000)
    assert abs(unicity(matches) - truth) < 4 * spread
    assert abs(hidden_bits(matches) - hidden) < 0.1
    assert matches == points.drawn_matches(made, 3, 4_000, seed=5)


@pytest.mark.big
def test_the_interval_contains_the_truth_in_repeated_draws(tmp_path: Path) -> None:
    random = np.random.default_rng(11)
    found = [tuple(map(int, row)) for row in random.integers(0, [7, 5, 4], (90, 3))]
    made, people = collected(found, tmp_path), plain_trajectories(found)
    truth = float(plain_unicity(people, 3)[0])
    assert 0.1 < truth < 0.9
    times, covered = 200, 0
    for seed in range(times):
        drawn = points.drawn_matches(made, 3, 60, seed)
        low, high = share_interval(drawn.unique_choices, 60)
        covered += low <= truth <= high
    # At 95%, fewer than 180 of 200 would happen less than once in 500 times.
    assert covered >= 180


@given(lists_of_events)
def test_coarser_equals_events_made_coarse_before(folder: Path, found: list[Event]) -> None:
    made = collected(found, folder)
    coarse = coarser(made, made.days // 3, made.labels // np.uint64(2))
    expected = [sorted({(day // 3, label // 2) for day, label in own}) for own in plain_trajectories(found).values()]
    whose = [[(int(coarse.days[r]), int(coarse.labels[r])) for r in coarse.points[a:b]] for a, b in
             itertools.pairwise(coarse.starts.tolist())]  # fmt: skip
    assert whose == expected
    assert coarse.people.tolist() == np.bincount(coarse.points, minlength=len(coarse.days)).tolist()
