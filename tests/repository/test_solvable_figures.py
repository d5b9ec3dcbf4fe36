"""Published figures cannot be solved for small groups: an attacker tries all possible spectra."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import numpy
import pyarrow
import pytest
from helpers import Publisher, statement

from idbits.canonical import canonical
from idbits.counts import Spectrum
from idbits.errors import RefusedError
from idbits.measures.entropy import entropy_bits, kappa_nats
from idbits.measures.fitting_spectra import SizeSearch, exact_twins, near_sizes, twin_number, weight, weights_for
from idbits.repository import Cell, Cells, PublicationDetails, Repository, Statement
from idbits.repository.publishing import state
from idbits.repository.solvable_figures import decimals_for, gives_sizes_away, publishable_entropy

Groups = tuple[int, ...]


def partitions(people: int, groups: int, least: int = 1) -> Iterator[Groups]:
    """Yield all ways to form a number of groups, ascending, by brute force."""
    if groups == 1:
        if people >= least:
            yield (people,)
        return
    for size in range(least, people // groups + 1):
        for others in partitions(people - size, groups - 1, size):
            yield (size, *others)


def solutions(people: int, groups: int, low: float, high: float) -> list[Groups]:
    """Return all spectra with an entropy in a range, up to five groups; the last two at once for all sizes."""
    if groups == 1:
        return [(people,)] if low <= 0 <= high else []
    terms = numpy.zeros(people + 1)
    terms[1:] = [-size / people * math.log2(size / people) for size in range(1, people + 1)]
    found: list[Groups] = []
    for first in partitions_up_to(people, groups - 2):
        left, least = people - sum(first), first[-1] if first else 1
        sizes = numpy.arange(least, left // 2 + 1)
        bits = sum(terms[size] for size in first) + terms[sizes] + terms[left - sizes]
        fits = sizes[(bits >= low - 1e-12) & (bits <= high + 1e-12)]
        found += [(*first, int(size), left - int(size)) for size in fits]
    return found


def partitions_up_to(people: int, groups: int, least: int = 1, more: int = 2) -> Iterator[Groups]:
    """Yield the smallest groups of all partitions that have two more."""
    if groups == 0:
        yield ()
        return
    for size in range(least, people // (groups + more) + 1):
        for others in partitions_up_to(people - size, groups - 1, size, more):
            yield (size, *others)


def told(said: Statement) -> list[Groups]:
    """Return the spectra that remain possible for an attacker who knows how entries are made."""
    if said.entropy_decimals is None:
        return solutions(said.n_people, said.n_values, said.entropy_bits - 1e-12, said.entropy_bits + 1e-12)
    unit = 10.0**-said.entropy_decimals
    # Kappa and k-hat must not reveal more than the entropy does.
    from_kappa = (math.log(said.n_values) - said.kappa_nats) / math.log(2)
    assert abs(from_kappa - said.entropy_bits) < 1e-12
    most = math.log2(said.n_values)
    high = said.entropy_bits + (unit / 2 if said.entropy_bits + unit <= most else 1.5 * unit)
    found = solutions(said.n_people, said.n_values, said.entropy_bits - unit / 2, high)
    # A spectrum without rare values is published with all digits.
    return [groups for groups in found if groups[0] < 10]


def table(groups: Groups) -> pyarrow.Table:
    return pyarrow.table({"education": [f"v{place}" for place, size in enumerate(groups) for _ in range(size)]})


def drawn(generator: random.Random, people: int, values: int) -> Groups:
    """Return group sizes with a rare one."""
    small = generator.randint(1, 9)
    cuts = sorted(generator.sample(range(1, people - small), values - 2))
    return tuple(sorted([small, *(b - a for a, b in zip([0, *cuts], [*cuts, people - small], strict=True))]))


@pytest.mark.big
def test_the_attacker_recovers_every_entry_with_all_digits_and_none_that_is_published(city: Publisher) -> None:
    generator, accepted, words = random.Random(19), 0, city.store.vocabulary()
    for trial in range(55):
        values = 2 + trial % 4
        people = generator.randint(100, 500 if values < 5 else 250)
        groups = drawn(generator, people, values)
        spectrum = Spectrum.of(Counter(groups))
        kappa, bits = kappa_nats(spectrum), entropy_bits(spectrum)
        exact = statement(n_people=people, n_values=values, entropy_bits=bits, kappa_nats=kappa, qid=("education",))
        # Older programs published all digits, which have one solution.
        assert told(exact) == [groups]
        text = canonical(exact.to_dict())
        with pytest.raises(RefusedError, match="small-cell"):
            city.store.publish(text, city.signing.sign(text), city.signing.public_key)
        said = None
        with suppress(RefusedError):
            said, _ = state(
                table(groups), "education", {"City": "A"}, words, PublicationDetails(holder="City", date="2020-01-01")
            )
        if said is None:
            continue
        accepted += 1
        left = told(said)
        assert groups in left
        assert len(left) >= 100
        assert not set.intersection(*({size for size in one if size < 10} for one in left))
        assert not gives_sizes_away(said, 10)
    assert accepted >= 15


@pytest.mark.parametrize("people", [100, 1000, 10_000, 1_000_000, 10**9])
@pytest.mark.parametrize("rare", [1, 5, 9])
def test_two_values_with_a_rare_one_are_always_refused(people: int, rare: int) -> None:
    assert publishable_entropy(((rare, 1), (people - rare, 1)), 2) is None
    # A higher number of possible values does not help.
    assert publishable_entropy(((rare, 1), (people - rare, 1)), 1000) is None


def test_values_that_enough_people_have_keep_all_digits() -> None:
    for groups in ((10, 90), (50, 50), (10, 10, 80), (400, 17, 33, 600)):
        spectrum = Spectrum.of(Counter(groups))
        assert publishable_entropy(tuple(spectrum.pairs()), len(groups)) == (entropy_bits(spectrum), None)


@pytest.mark.big
@pytest.mark.parametrize(("people", "values"), [(120, 4), (100, 5), (50, 12), (45, 20), (40, 4), (30, 30)])
def test_what_is_published_has_100_others_beside_it(people: int, values: int) -> None:
    everything = list(partitions(people, values))
    bits = [entropy_bits(Spectrum.of(Counter(groups))) for groups in everything]
    for groups in random.Random(people).sample(everything, min(len(everything), 40)):
        made = publishable_entropy(tuple(sorted(Counter(groups).items())), values)
        if made is None:
            assert min(groups) < 10
        elif made[1] is None:
            assert min(groups) >= 10
        else:
            same = [one for one, own in zip(everything, bits, strict=True) if round(own, made[1]) == made[0]]
            rare = [one for one in same if min(one) < 10]
            assert groups in rare
            assert len(rare) >= 100
            if people >= 10 * values:
                assert not set.intersection(*({size for size in one if size < 10} for one in rare))


def test_a_remainder_is_not_completed_by_the_entropy() -> None:
    listed = ((25, 1), (60, 1))
    for rest in ((1, 5, 9), (3, 5, 7), (5, 5, 5)):
        sizes = tuple(sorted(Counter((60, 25, *rest)).items()))
        assert publishable_entropy(sizes, 5, listed) is None
        bits = entropy_bits(Spectrum.of(sizes))
        cells = Cells((Cell(("a",), 60), Cell(("b",), 25)), 3, 15)
        assert gives_sizes_away(statement(n_people=100, n_values=5, entropy_bits=bits, distribution=cells), 10)
        rounded = statement(
            n_people=100, n_values=5, entropy_bits=round(bits, 2), distribution=cells, entropy_decimals=2
        )
        assert gives_sizes_away(rounded, 10)


def test_a_remainder_of_many_values_against_brute_force() -> None:
    generator, accepted = random.Random(4), 0
    for _ in range(12):
        rest = [generator.randint(1, 9) for _ in range(generator.randint(5, 9))]
        common = [generator.randint(10, 400) for _ in range(6)]
        people = sum(rest) + sum(common)
        sizes, listed = (tuple(sorted(Counter(some).items())) for some in ((*common, *rest), common))
        made = publishable_entropy(sizes, len(common) + len(rest), listed)
        known = sum(size * math.log2(people / size) for size in common) / people

        def bits(groups: Groups, known: float = known, people: int = people) -> float:
            return known + sum(size * math.log2(people / size) for size in groups) / people

        fits = [
            groups
            for groups in partitions(sum(rest), len(rest))
            if max(groups) < 10 and made is not None and round(bits(groups), made[1] or 17) == made[0]
        ]
        if made is not None:
            accepted += 1
            assert tuple(sorted(rest)) in fits
            assert len(fits) >= 100
    assert 0 < accepted < 12


def test_many_values_stay_publishable() -> None:
    generator = random.Random(7)
    for values in (60, 400, 20_000):
        sizes = tuple(sorted(Counter(1 + int(generator.expovariate(0.6)) for _ in range(values)).items()))
        made = publishable_entropy(sizes, values)
        assert made is not None
        assert made[1] == (2 if values < 1000 else 9)
        assert made[0] == round(entropy_bits(Spectrum.of(sizes)), made[1])


def test_spectra_with_exactly_the_same_entropy() -> None:
    sizes = ((1, 700), (2, 400), (3, 300), (4, 210), (6, 5), (11, 3))
    twins = list(exact_twins(sizes))
    assert sizes in twins
    assert len(set(twins)) == len(twins) == twin_number(sizes) == 111
    assert {twin_number(twin) for twin in twins} == {111}
    for twin in twins:
        assert sum(size * number for size, number in twin) == sum(size * number for size, number in sizes)
        assert sum(number for _, number in twin) == sum(number for _, number in sizes)
        # Whole numbers: the product of all c^c is the same.
        assert math.prod(size ** (size * number) for size, number in twin) == math.prod(
            size ** (size * number) for size, number in sizes
        )


@pytest.mark.parametrize(("people", "groups"), [(18, 4), (26, 6), (30, 3), (21, 9)])
@pytest.mark.parametrize("width", [1e-6, 0.7, 6.0, 1000.0])
def test_the_search_finds_what_brute_force_finds(people: int, groups: int, width: float) -> None:
    everything = list(partitions(people, groups))
    for one in everything[:: max(1, len(everything) // 7)]:
        middle = sum(map(weight, one)) + 1e-7
        low, high = middle - width, middle + width
        for most in (people, 9):
            wanted = {
                tuple(sorted(Counter(some).items()))
                for some in everything
                if low <= sum(map(weight, some)) <= high and max(some) <= most
            }
            search = SizeSearch(10**6)
            found = list(search.sizes(groups, people, low, high, most=most))
            assert (set(found), len(found), search.is_complete) == (wanted, len(wanted), True)
        assert set(SizeSearch(10**6).small_sizes(groups, people, low, high, 9)) == wanted
        assert set(near_sizes(groups, people, low, high, 1, SizeSearch(10**4))) <= {
            tuple(sorted(Counter(some).items())) for some in everything
        }


def test_large_groups_of_three_are_solved_at_once() -> None:
    bits = (7 * math.log2(500 / 7) + 93 * math.log2(500 / 93) + 400 * math.log2(500 / 400)) / 500
    low, high = weights_for(500, bits - 1e-12, bits + 1e-12)
    assert list(SizeSearch(1000).sizes(3, 500, low, high)) == [((7, 1), (93, 1), (400, 1))]


def test_decimals_depend_on_published_figures_only() -> None:
    assert [decimals_for(10**zeros, 50) for zeros in range(2, 9)] == [2, 2, 2, 3, 4, 5, 6]
    assert decimals_for(10**8, 5) == 2


def test_old_entries_stay_readable(sqlite_store: Repository) -> None:
    """An older repository may have entries that the rule refuses today: they are shown, verify and count."""
    city = Publisher(sqlite_store)
    bits = entropy_bits(Spectrum.of({1: 1, 99: 1}))
    old = {"n_people": 100, "n_values": 2, "entropy_bits": bits}
    with pytest.raises(RefusedError):
        city.publish(**old)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("idbits.repository.acceptance.gives_sizes_away", lambda *_: False)
        ref = city.publish(**old).ref
    sqlite_store.close()
    reopened = Repository.open(str(sqlite_store.database.engine.url.database))
    assert reopened.entry(ref).statement.entropy_bits == bits
    assert reopened.verify() == []
    assert reopened.query(["gender"], {"City": "Amsterdam"}).exact[0].ref == ref
    reopened.close()


@pytest.mark.big
def test_figures_that_nothing_is_proven_about_are_accepted() -> None:
    for said in (
        statement(n_people=1000, n_values=4, entropy_bits=1.5),
        statement(n_people=10**6, n_values=40, entropy_bits=4.123456789012345),
        statement(n_people=150, n_values=10**6, entropy_bits=6.5),
    ):
        assert not gives_sizes_away(said, 10)
