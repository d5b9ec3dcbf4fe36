"""Koot 2012 (S2), chapter 3 and appendix B: what its tables print must follow from one and the same spectrum.

The registry data are not public. A spectrum that fits what one table prints of a quasi-identifier has to give
what the other tables print of it; means and risks follow from the number of sets alone. Errata: SPEC section 9.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from idbits.counts import Spectrum
from idbits.measures.anonymity import mean_risk, people_at_most, people_below, people_exactly, set_sizes
from idbits.measures.quantiles import pearson_correlation
from idbits.studies.shared.figures import Figures

DUTCH = 2_774_476
SIXTEEN_MUNICIPALITIES = 2_777_953


def cut_or_rounded(value: float, digits: int) -> set[str]:
    """Return the two ways in which the text prints a figure."""
    scale = 10**digits
    return {f"{value:.{digits}f}", f"{int(value * scale) / scale:.{digits}f}"}


def in_sets(people: int, n_sets: int) -> Counter[int]:
    """Spread people over sets as evenly as can be."""
    size, larger = divmod(people, n_sets)
    return Counter({size: n_sets - larger, size + 1: larger})


def spectrum_of(*parts: dict[int, int]) -> Spectrum:
    sets: Counter[int] = Counter()
    for part in parts:
        sets.update(part)
    return Spectrum.of({size: number for size, number in sets.items() if number})


@pytest.mark.parametrize(
    ("sizes", "quartiles", "largest"), [([100] * 5, (100, 100, 100), 100), ([1, 1, 1, 1, 496], (1, 1, 1), 496)]
)
def test_footnote_5_on_quartiles(sizes: list[int], quartiles: tuple[int, ...], largest: int) -> None:
    found = set_sizes(Spectrum.of(Counter(sizes)))
    assert (found.q1, found.median, found.q3) == quartiles
    assert (found.mean, found.max) == (100, largest)


# Four digits are printed: a mean of 12,554 is shown as 12,550. PC4 and PC4+gender are left out, their number of
# sets and their mean do not fit together.
TABLE_3_2_MEANS = [
    ("PC6", 66_883, 41),
    ("PC4+DoB", 2_267_700, 1),
    ("PC6+DoB", 2_759_422, 1),
    ("PC6+gender", 133_012, 21),
    ("gender+YoB", 221, 12_550),
    ("gender+YoB+MoB", 2_699, 1_028),
    ("gender+YoB+MoB+PC4", 635_679, 4),
    ("gender+YoB+MoB+municipality", 34_790, 80),
    ("gender+DoB", 71_318, 39),
    ("gender+DoB+PC4", 2_488_828, 1),
    ("gender+DoB+PC6", 2_766_475, 1),
    ("town+gender", 134, 20_710),  # 20,705.04; printed is 20,700
    ("town+YoB", 5_642, 492),
    ("town+YoB+MoB", 49_207, 56),
    ("town+DoB", 463_134, 6),
    ("town+YoB+gender", 10_492, 264),
    ("town+YoB+MoB+gender", 83_172, 33),
    ("town+DoB+gender", 697_875, 4),
]


@pytest.mark.parametrize(("qid", "n_sets", "printed"), TABLE_3_2_MEANS, ids=[row[0] for row in TABLE_3_2_MEANS])
def test_mean_set_sizes_of_table_3_2(qid: str, n_sets: int, printed: int) -> None:
    # Neither the mean nor the mean risk depends on how the people are spread.
    even = spectrum_of(in_sets(DUTCH, n_sets))
    steep = spectrum_of({1: n_sets - 1}, {DUTCH - n_sets + 1: 1})
    for spectrum in (even, steep):
        mean = set_sizes(spectrum).mean
        assert float(f"{mean:.4g}" if mean >= 1000 else round(mean)) == printed
        assert mean_risk(spectrum) == float(Fraction(n_sets, DUTCH))
        assert mean * mean_risk(spectrum) == pytest.approx(1, rel=1e-15)


# Sets of 1, then what table 3.3 leaves for 2 to 5, 6 to 10 and 11 to 50; then the largest set.
MOSTLY_UNIQUE = {
    "PC4+DoB": (2_267_700, [1_861_081, 2_754_465, 2_765_932, DUTCH], 42),
    "PC6+DoB": (2_759_422, [2_744_653, DUTCH], 5),
    "gender+DoB+PC4": (2_488_828, [2_240_461, 2_765_067, 2_772_205, DUTCH], 22),
    "gender+DoB+PC6": (2_766_475, [2_758_578, DUTCH], 4),
}


def fitting(n_sets: int, cumulated: list[int], largest: int) -> Spectrum:
    """Return a spectrum with these people in sets of 1, up to 5, 10 and 50, and one set as large as it gets."""
    people = [now - before for now, before in zip(cumulated, [0, *cumulated], strict=False)]
    people[-1] -= largest
    parts = [in_sets(group, group // size) for group, size in zip(people[2:], (8, 15), strict=False)]
    rest = n_sets - people[0] - 1 - sum(sum(part.values()) for part in parts)
    return spectrum_of({1: people[0]}, in_sets(people[1], rest), *parts, {largest: 1})


@pytest.mark.parametrize("qid", MOSTLY_UNIQUE)
def test_quasi_identifiers_that_single_out_most(qid: str) -> None:
    n_sets, cumulated, largest = MOSTLY_UNIQUE[qid]
    figures = Figures.of(fitting(n_sets, cumulated, largest))
    printed = (cumulated + [DUTCH] * 5)[:5]
    assert (figures.n_rows, figures.n_sets) == (DUTCH, n_sets)
    assert list(figures.people_at_most.values()) == printed
    sizes = figures.set_sizes
    assert (sizes.min, sizes.q1, sizes.median, round(sizes.mean), sizes.q3, sizes.max) == (1, 1, 1, 1, 1, largest)
    # Two figures of table 3.3 follow from two of table 3.2: what is not alone is in sets of two or more.
    others = figures.n_rows - figures.singletons
    assert 2 * (figures.n_sets - figures.singletons) <= others
    assert figures.singletons / DUTCH < figures.mean_risk < 1


@pytest.mark.parametrize(("qid", "percent"), [("gender+DoB+PC6", "99.4"), ("PC4+DoB", "67.0")])
def test_shares_in_the_text(qid: str, percent: str) -> None:
    figures = Figures.of(fitting(*MOSTLY_UNIQUE[qid]))
    assert percent in cut_or_rounded(100 * figures.share(figures.singletons), 1)


def test_quasi_identifier_a() -> None:
    # People with k = 1 to 4 are in the text; 279,100, printed for k <= 5, is k = 5 alone (SPEC section 9).
    people = {1: 137_035, 2: 212_536, 3: 260_244, 4: 282_644, 5: 279_100}
    small = {k: number // k for k, number in people.items()}
    up_to_10 = 2_196_950 - sum(people.values())
    some = {6: 30_000}
    middle = in_sets(up_to_10 - 180_000, 106_719)
    n_large = 635_679 - sum(small.values()) - 30_000 - 106_719
    figures = Figures.of(spectrum_of(small, some, middle, in_sets(DUTCH - 2_196_950 - 40, n_large - 1), {40: 1}))
    assert {k: figures.people_exactly[str(k)] for k in people} == people
    assert list(figures.people_at_most.values()) == [137_035, 1_171_559, 2_196_950, DUTCH, DUTCH]
    sizes = figures.set_sizes
    assert (sizes.min, sizes.q1, sizes.median, round(sizes.mean), sizes.q3, sizes.max) == (1, 2, 3, 4, 6, 40)
    assert f"{100 * figures.share(figures.singletons):.2f}" == "4.94"
    assert "79.1" in cut_or_rounded(100 * figures.share(figures.people_at_most["10"]), 1)


def test_quasi_identifier_b() -> None:
    # k = 5 is what table 3.3 has for k <= 5 beyond the text's k = 1 to 4.
    people = {1: 2_186, 2: 3_552, 3: 5_064, 4: 5_508, 5: 22_565 - 2_186 - 3_552 - 5_064 - 5_508}
    small = {k: number // k for k, number in people.items()}
    spectrum = spectrum_of(
        small,
        {6: 1_000}, in_sets(59_597 - 22_565 - 6_000, 3_800),
        {12: 3_600, 18: 1_200}, in_sets(244_152 - 59_597 - 43_200 - 21_600, 3_200),
        {96: 1_500}, in_sets(619_671 - 244_152 - 144_000, 3_600),
        {733: 1}, in_sets(DUTCH - 619_671 - 733, 34_790 - 26_179),
    )  # fmt: skip
    figures = Figures.of(spectrum)
    assert (figures.n_rows, figures.n_sets) == (DUTCH, 34_790)
    assert list(figures.people_at_most.values()) == [2_186, 22_565, 59_597, 244_152, 619_671]
    sizes = figures.set_sizes
    assert (sizes.min, sizes.q1, sizes.median, round(sizes.mean), sizes.q3, sizes.max) == (1, 6, 18, 80, 96, 733)
    assert f"{100 * figures.share(figures.singletons):.3f}" == "0.079"
    assert "2.14" in cut_or_rounded(100 * figures.share(figures.people_at_most["10"]), 2)


TABLE_B_1 = [1_733_282, 646_566, 210_963, 79_504, 36_370, 19_200, 11_844, 8_432, 5_490, 4_260]
TABLE_B_2 = [4_164, 5_066, 5_691, 6_372, 6_925, 7_848, 7_742, 8_392, 9_450, 10_310]


@pytest.mark.parametrize(
    ("people", "total", "shares", "total_share"),
    [
        (TABLE_B_1, 2_755_911, [62.4, 23.3, 7.6, 2.9, 1.3, 0.7, 0.4, 0.3, 0.2, 0.2], 99.2),
        # 4,164 and 6,925 people are 0.1499% and 0.2493%; the table rounds them twice, to 0.2% and 0.3%.
        (TABLE_B_2, 71_960, [0.1, 0.2, 0.2, 0.2, 0.2, 0.3, 0.3, 0.3, 0.3, 0.4], 2.6),
    ],
    ids=["B.1", "B.2"],
)
def test_appendix_b(people: list[int], total: int, shares: list[float], total_share: float) -> None:
    rest = SIXTEEN_MUNICIPALITIES - total
    small = {k: number // k for k, number in enumerate(people, start=1)}
    spectrum = spectrum_of(small, in_sets(rest, rest // 40))
    figures = Figures.of(spectrum)
    assert list(people_exactly(spectrum).values()) == people
    assert people_at_most(spectrum)["10"] == total
    assert people_below(spectrum)["10"] == total - people[9]
    assert [round(100 * figures.share(number), 1) for number in figures.people_exactly.values()] == shares
    assert round(100 * figures.share(total), 1) == total_share


# Citizens, median of k_A, median of k_B.
TABLES_3_4_AND_3_5 = [
    (766_656, 5, 310), (591_046, 4, 259), (18_158, 4, 8), (24_679, 4, 11), (487_582, 3, 219), (305_845, 3, 110),
    (156_761, 3, 71), (161_882, 3, 68), (147_091, 3, 66), (5_915, 3, 3), (11_019, 3, 5), (26_097, 2, 12),
    (45_548, 2, 21), (21_457, 2, 10), (4_751, 1, 2),
]  # fmt: skip


@pytest.mark.parametrize(("column", "printed"), [(1, "0.60"), (2, "0.99")], ids=["table 3.4", "table 3.5"])
def test_group_size_and_median_set_size_go_together(column: int, printed: str) -> None:
    citizens = [row[0] for row in TABLES_3_4_AND_3_5]
    correlation = pearson_correlation(citizens, [row[column] for row in TABLES_3_4_AND_3_5])
    assert correlation is not None
    assert printed in cut_or_rounded(correlation, 2)
