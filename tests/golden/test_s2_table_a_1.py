"""Koot 2012 (S2), table A.1: zeta(k, N), the chance that nobody is unique among k people on N equally likely values.

The table was read from a text copy of the scan. The copy lost the columns k = 14 to 16, 45 to 47 and 50; a hyphen
stands for a figure that cannot be read. Thirteen figures were misread (5 as 2, 9 as 0): they are listed, each with what
the copy has.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest

from idbits import predict
from idbits.measures.no_singleton import exact_uniform_no_singleton

COLUMNS = [*range(2, 14), *range(17, 45), 48, 49]

# The digits after the point, as printed; 1 stands for 1.000.
TABLE_A_1 = {
    1: ("1 1 1 1 1 1 1 1 1 1 - 1 1 1 1 1 1 1 1 1 1 1 1 - 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 - 1 1 "),
    2: ("200 250 500 688 813 891 938 965 980 989 994 - 1 1 1 1 1 1 1 1 1 1 1 - 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "),
    3: (
        "333 111 259 259 333 443 557 660 744 811 862 - 974 982 987 991 994 996 997 - 999 "
        "- - - 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 - 1 1 "
    ),
    4: (
        "250 063 156 121 162 195 240 302 378 460 541 617 833 866 894 916 934 948 959 968 975 "
        "- - - 991 993 994 996 997 997 998 998 999 999 999 999 1 1 1 1 1 1 "
    ),
    5: (
        "500 040 104 066 000 095 114 139 171 211 261 319 572 629 681 727 768 804 835 861 884 "
        "- 919 933 944 954 962 968 974 978 982 985 988 990 992 993 995 996 996 - 999 000 "
    ),
    6: (
        "167 028 074 039 055 051 060 069 081 099 121 148 517 369 423 476 528 578 625 668 707 "
        "743 776 804 830 853 872 890 905 918 930 940 948 956 962 967 972 976 980 983 991 992 "
    ),
    7: (
        "143 020 055 025 036 030 034 036 042 049 - 070 155 187 223 263 306 350 396 442 487 "
        "- 574 614 651 686 719 748 775 800 822 842 860 877 891 904 915 925 934 942 966 970 "
    ),
    8: (
        "125 016 043 017 025 018 021 021 023 026 - 035 073 089 108 131 157 186 218 253 291 "
        "- 369 409 449 489 527 564 599 633 664 694 722 747 771 793 813 831 848 863 911 921 "
    ),
    9: (
        "111 012 034 012 018 012 013 012 013 014 016 018 035 043 052 063 076 092 110 131 155 "
        "181 210 241 274 308 343 378 414 449 484 518 551 583 614 643 670 696 721 743 820 836 "
    ),
    10: (
        "100 010 028 - 013 008 - 008 008 008 - 010 017 021 025 030 036 044 053 064 077 "
        "- 110 - 151 174 200 227 256 286 317 349 381 413 445 476 507 537 566 594 695 717 "
    ),
    11: (
        "001 008 023 007 010 - - 005 005 005 005 - 009 010 012 015 018 021 026 031 038 "
        "045 054 065 077 092 107 125 145 166 189 213 239 266 293 322 351 380 409 438 549 575 "
    ),
    12: (
        "083 007 020 005 008 004 004 003 003 003 003 003 005 005 - 007 009 010 013 015 018 "
        "- 026 032 038 046 055 065 076 089 104 120 138 157 178 199 222 246 271 297 402 429 "
    ),
    13: (
        "020 - 017 004 - 003 003 002 002 002 - - 003 003 003 004 004 005 - 007 - "
        "- 013 - 019 022 027 032 039 046 054 064 074 086 100 114 130 148 166 186 273 297 "
    ),
    14: (
        "071 005 015 003 005 002 002 002 002 001 001 001 001 002 002 002 002 003 003 004 004 "
        "- - - - 011 013 016 019 023 027 032 038 045 053 062 072 083 095 108 173 191 "
    ),
    15: (
        "067 004 013 003 004 002 002 001 001 001 001 001 001 001 001 001 001 001 002 002 002 "
        "- 003 004 004 005 - - 009 011 013 016 019 023 027 032 038 044 051 060 102 115 "
    ),
    16: (
        "063 004 011 002 003 001 001 001 001 001 - - 001 001 001 001 001 001 001 001 001 "
        "- 002 - 002 003 003 004 005 005 007 008 009 011 013 016 019 023 027 031 057 066 "
    ),
    17: (
        "020 003 010 002 003 001 001 001 001 000 - - 000 000 000 000 000 000 000 001 001 "
        "- 001 - 001 001 002 002 002 003 003 004 002 006 007 008 010 011 013 016 031 036 "
    ),
    18: (
        "026 003 009 002 002 001 001 001 000 000 - - 000 000 000 000 000 000 - - - "
        "- - - 001 001 001 001 001 001 002 002 002 003 003 004 002 006 007 008 016 019 "
    ),
    19: (
        "023 003 008 001 002 001 001 000 000 000 - - 000 000 000 000 000 000 - - - "
        "- - - 000 000 000 000 001 001 001 001 001 001 002 002 002 003 003 004 008 009 "
    ),
    20: (
        "020 003 007 001 002 001 001 000 000 000 - 000 000 000 000 000 000 000 000 - - "
        "- - - 000 000 000 000 000 000 000 000 001 001 001 001 001 001 002 002 004 005 "
    ),
}

MISREAD = {
    (2, 2): "0.200", (5, 2): "0.500", (5, 6): "0.000", (5, 49): "0.000", (6, 17): "0.517", (11, 2): "0.001",
    (13, 2): "0.020", (17, 2): "0.020", (17, 37): "0.002", (18, 2): "0.026", (18, 41): "0.002", (19, 2): "0.023",
    (20, 2): "0.020",
}  # fmt: skip


def printed() -> list[tuple[int, int, str]]:
    found = []
    for n_values, row in TABLE_A_1.items():
        words = row.split()
        assert len(words) == len(COLUMNS)
        for k, word in zip(COLUMNS, words, strict=True):
            if word != "-" and (n_values, k) not in MISREAD:
                found.append((n_values, k, "1.000" if word == "1" else f"0.{word}"))
    return found


def rounded(chance: Fraction) -> str:
    exact = Decimal(chance.numerator) / Decimal(chance.denominator)
    return str(exact.quantize(Decimal("0.001"), ROUND_HALF_UP))


def test_table_a_1_is_reproduced_digit_for_digit() -> None:
    figures = printed()
    assert set(TABLE_A_1) == set(range(1, 21))
    assert len(figures) > 700
    wrong = [
        (n_values, k, text) for n_values, k, text in figures if rounded(exact_uniform_no_singleton(k, n_values)) != text
    ]
    assert wrong == []


@pytest.mark.parametrize(("n_values", "k"), [(3, 5), (6, 20), (10, 30), (20, 44), (9, 49)])
def test_the_command_gives_what_table_a_1_prints(n_values: int, k: int) -> None:
    text = {(n, people): text for n, people, text in printed()}[n_values, k]
    assert predict.singletons(k, values=n_values).none.exact == pytest.approx(float(text), abs=0.0005000001)


def test_the_misread_figures_are_no_roundings_of_the_exact_ones() -> None:
    assert all(rounded(exact_uniform_no_singleton(k, n)) != text for (n, k), text in MISREAD.items())
