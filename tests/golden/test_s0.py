"""Alexin 2022 (S0) and his slides (S1): every printed figure of their tables, and SPEC section 10.

The papers print some digits cut off and some rounded; a figure agrees when one of the two is what is printed.
The registry itself is not public. Where a table says how many people are in sets of some sizes, any spectrum
that fits it must give the table back; where it prints an entropy, any spectrum with that entropy must give k-hat.
"""

from __future__ import annotations

import decimal
import math
from decimal import Decimal

import numpy as np
import pyarrow
import pytest

import idbits
from idbits.counts import Spectrum
from idbits.measures.anonymity import gain_table
from idbits.measures.entropy import (
    entropy_bits,
    estimated_anonymity,
    guaranteed_singletons,
    max_entropy_bits,
    surprisal_bits,
)

HUNGARY = 10_004_090


def is_printed_as(value: float, printed: str) -> bool:
    """Whether the value, cut off or rounded to as many digits, is what is printed."""
    ways = (decimal.ROUND_DOWN, decimal.ROUND_HALF_UP)
    return Decimal(printed) in {Decimal(value).quantize(Decimal(printed), rounding=way) for way in ways}


def with_entropy(n: int, entropy: float) -> Spectrum:
    """Return a spectrum of n people with this entropy: the largest powers of two that fit, the others unique."""
    hidden = n * (math.log2(n) - entropy)  # the sum of log2 k over people
    sets = {}
    for power in range(math.ceil(hidden / n) + 1, 0, -1):
        sets[2**power], hidden = divmod(hidden, power * 2**power)
    sets = {size: int(number) for size, number in sets.items() if number}
    alone = n - sum(size * number for size, number in sets.items())
    return Spectrum.of(sets | {1: alone})


def in_sets(people: int, least: int, most: int, *, small: bool) -> dict[int, int]:
    """Return sets of these people, all nearly as small or nearly as large as they may be."""
    n_sets = people // least if small else -(-people // most)
    size, larger = divmod(people, n_sets)
    assert least <= size
    assert size + bool(larger) <= most
    return {s: m for s, m in {size: n_sets - larger, size + 1: larger}.items() if m}


TABLE_I = [
    ("1011", 3286, "11.5719", "0.003800"),
    ("1012", 4446, "11.1357", "0.004948"),
    ("1013", 3404, "11.5210", "0.003920"),
    ("9982", 589, "14.0519", "0.000827"),
    ("9983", 769, "13.6672", "0.001050"),
    ("9985", 589, "14.0519", "0.000827"),
]
TABLE_III = [
    ("1894.12.31.", 1, "23.25409", "2.32446E-06"),
    ("1985.01.01.", 306, "14.996698", "0.000458711"),
    ("1985.01.02.", 335, "14.866069", "0.000497810"),
    ("1985.01.03.", 365, "14.742333", "0.000537875"),
    ("1985.01.04.", 367, "14.734450", "0.000540533"),
    ("1985.01.05.", 331, "14.883399", "0.000492439"),
    ("1985.01.06.", 296, "15.044633", "0.000445139"),
]
TABLE_V = [
    ("1894.12.31., 3744", 1, "23.254", "2.324458e-6"),
    ("1975.08.04., 9400", 4, "21.254", "8.498159e-6"),
    ("1975.08.04., 9700", 6, "20.669", "1.239640e-5"),
]
TABLE_VII = [
    ("1954.04.14., 6041, M", 1, "23.254", "2.324458e-6"),
    ("1954.04.14., 6066, M", 2, "22.254", "4.448998e-6"),
]


@pytest.mark.parametrize("rows", [TABLE_I, TABLE_III, TABLE_V, TABLE_VII], ids=["I", "III", "V", "VII"])
def test_value_tables(rows: list[tuple[str, int, str, str]]) -> None:
    rest = HUNGARY - sum(people for _, people, _, _ in rows)
    table = pyarrow.table(
        {"value": [row[0] for row in rows] + ["..."], "people": [row[1] for row in rows] + [rest]},
    )
    measured = idbits.measure(table, ["value"], count="people", values=True, reveal=True)
    found = {row.value[0]: row for row in measured.values.rows}
    for value, people, bits, part in rows:
        assert found[value].people == people
        assert is_printed_as(found[value].bits, bits)
        assert is_printed_as(found[value].entropy_bits, part)


def test_bits_that_single_out_everyone() -> None:
    assert is_printed_as(max_entropy_bits(Spectrum.of({1: HUNGARY})), "23.254")


@pytest.mark.parametrize(("people", "bits", "part"), [(3286, "11.5720", "0.003801"), (589, "14.0520", "0.000827")])
def test_sets_as_section_10_rounds_them(people: int, bits: str, part: str) -> None:
    exact = float(surprisal_bits(np.array([people]), HUNGARY)[0])
    assert f"{exact:.4f}" == bits
    assert f"{people / HUNGARY * exact:.6f}" == part


@pytest.mark.parametrize(
    ("entropy", "anonymity", "printed"),
    [
        (10.303428, "7916.56", "7916"),
        (14.918582, "323.03", "323"),
        (9.99, "9837.57", "9837"),
        (22.7985, "1.37", "1.37"),  # the text's; table V prints 22,79385, which would be 1.38 (SPEC section 9)
        (22.992721, "1.20", "1.19"),
    ],
    ids=["zip", "birthdate", "month of birth", "birthdate x zip", "birthdate x zip x gender"],
)
def test_sums_and_the_anonymity_they_correspond_to(entropy: float, anonymity: str, printed: str) -> None:
    spectrum = with_entropy(HUNGARY, entropy)
    assert spectrum.n_people == HUNGARY
    assert entropy_bits(spectrum) == pytest.approx(entropy, abs=3e-7)
    assert f"{estimated_anonymity(spectrum):.2f}" == anonymity
    assert is_printed_as(estimated_anonymity(spectrum), printed)


@pytest.mark.parametrize(
    ("entropy", "share", "true_singletons"),
    # Table VII's text says "greater than 74%", which is 73.86% (SPEC section 9).
    [(22.7985, 54.44, 6_635_838), (22.992721, 73.86, 7_845_850)],
)
def test_guaranteed_singletons(entropy: float, share: float, true_singletons: int) -> None:
    guaranteed = guaranteed_singletons(with_entropy(HUNGARY, entropy))
    assert guaranteed is not None
    assert 100 * guaranteed / HUNGARY == pytest.approx(share, abs=0.005)
    assert guaranteed <= true_singletons


@pytest.mark.parametrize("entropy", [10.303428, 14.918582, 9.99])
def test_no_singletons_are_guaranteed_by_little_entropy(entropy: float) -> None:
    assert guaranteed_singletons(with_entropy(HUNGARY, entropy)) == 0


TABLE_II = [
    (15, 48593, "0.49"), (14, 302595, "3.02"), (13, 966087, "9.66"), (12, 2139699, "21.39"), (11, 3476436, "34.75"),
    (10, 5210515, "52.08"), (9, 7369394, "73.66"), (8, 8847670, "88.44"), (7, 9716633, "97.13"), (6, HUNGARY, "100.00"),
]  # fmt: skip
TABLE_IV = [
    (23, 907, "0.01"), (22, 1979, "0.02"), (21, 4573, "0.05"), (20, 10944, "0.11"), (19, 15778, "0.16"),
    (18, 38252, "0.38"), (17, 117105, "1.17"), (16, 378792, "3.79"), (15, 3282589, "32.81"), (14, 9994548, "99.90"),
    (13, HUNGARY, "100.00"),
]  # fmt: skip
TABLE_VI = [
    (23, 6635838, "66.33"), (22, 8629982, "86.26"), (21, 9692881, "96.89"), (20, 9996707, "99.93"),
    (19, HUNGARY, "100.00"),
]  # fmt: skip
TABLE_VIII = [
    (23, 7845850, "78.43"), (22, 9403904, "94.00"), (21, 9942428, "99.38"), (20, 10003959, "99.99"),
    (19, HUNGARY, "100.00"),
]  # fmt: skip
GAINS = pytest.mark.parametrize(
    ("rows", "entropy"),
    [(TABLE_II, 10.303428), (TABLE_IV, 14.918582), (TABLE_VI, 22.7985), (TABLE_VIII, 22.992721)],
    ids=["II", "IV", "VI", "VIII"],
)


def fitting(rows: list[tuple[int, int, str]], *, small: bool) -> Spectrum:
    """Return a spectrum that fits a gain table, with sets as small or as large as the rows allow."""
    sets: dict[int, int] = {}
    before = 0
    for bits, people, _ in rows:
        least, most = HUNGARY // 2 ** (bits + 1) + 1, HUNGARY // 2**bits
        for size, number in in_sets(people - before, least, most, small=small).items():
            sets[size] = sets.get(size, 0) + number
        before = people
    return Spectrum.of(sets)


@GAINS
@pytest.mark.parametrize("small", [True, False], ids=["small sets", "large sets"])
def test_gain_tables(rows: list[tuple[int, int, str]], entropy: float, small: bool) -> None:
    table = {row.bits: row for row in gain_table(fitting(rows, small=small))}
    for bits, people, share in rows:
        assert table[bits].people == people
        assert is_printed_as(100 * table[bits].share, share)
    assert sorted(table) == list(range(24))
    assert all(table[bits].people == 0 for bits in range(rows[0][0] + 1, 24))
    assert all(table[bits].people == HUNGARY for bits in range(rows[-1][0]))


@GAINS
def test_printed_entropies_lie_between_those_of_the_spectra_that_fit(
    rows: list[tuple[int, int, str]], entropy: float
) -> None:
    most, least = (entropy_bits(fitting(rows, small=small)) for small in (True, False))
    assert least - 1e-5 < entropy < most + 1e-5


JANUARY = 539_225_013
SLIDE = [
    ("8 Sat", 19.725, 1.247, 902_032, 83.45),
    ("9 Sun", 19.158, 1.147, 596_462, 88.86),
    ("10 Mon", 23.254, 2.889, 12_809_964, 44.32),
    ("11 Tue", 23.233, 2.865, 12_561_551, 44.46),
    ("12 Wed", 23.214, 2.750, 12_234_144, 45.71),
    ("January", 27.556, 2.734, 250_588_888, 46.47),
]


@pytest.mark.parametrize(("day", "entropy", "k_hat", "singletons", "share"), SLIDE, ids=[row[0] for row in SLIDE])
def test_visit_pairs_of_s1(day: str, entropy: float, k_hat: float, singletons: int, share: float) -> None:
    n = JANUARY if day == "January" else round(100 * singletons / share)
    spectrum = with_entropy(n, entropy)
    # Entropy has three decimals, the share four digits: k-hat follows to about 1 in 1,000.
    assert estimated_anonymity(spectrum) == pytest.approx(k_hat, rel=1e-3)
    assert estimated_anonymity(spectrum) * 2 ** entropy_bits(spectrum) == pytest.approx(n, rel=1e-12)
    guaranteed = guaranteed_singletons(spectrum)
    assert guaranteed is not None
    assert (guaranteed > 0) == (k_hat < 2)
    assert guaranteed < singletons


@pytest.mark.parametrize(("days", "printed"), [(31, "3.6"), (1, "8.5")], ids=["in August", "exactly known"])
def test_birthdays_of_s3(days: int, printed: str) -> None:
    assert f"{surprisal_bits(np.array([days]), 365)[0]:.1f}" == printed
