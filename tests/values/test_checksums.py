"""Numbers with check digits. The valid ones are the examples that their registers or Wikipedia publish."""

from __future__ import annotations

import random

import pytest

from idbits.values.checksums import valid_numbers

PUBLISHED = {
    "GB82 WEST 1234 5698 7654 32": "IBAN",
    "943 476 5919": "NHS",
    "85.07.30-033 28": "Belgian",
    "36 574 261 809": "German",
    "44051401359": "Polish",
    "131052-308T": "Finnish",
    "756.9217.0769.85": "Swiss",
    "RCCMNL83S18D969H": "Italian",
    "390.533.447-05": "Brazilian",
    "4111 1111 1111 1111": "card",
    "111222333": "Dutch",
}


@pytest.mark.parametrize(("number", "word"), PUBLISHED.items())
def test_published_examples(number: str, word: str) -> None:
    kind, valid = valid_numbers([number] * 10)
    assert word in kind
    assert valid == 10


def test_one_wrong_digit_is_noticed() -> None:
    good, bad = "GB82WEST12345698765432", "GB82WEST12345698765433"
    assert valid_numbers([good] * 9 + [bad])[1] == 9


@pytest.mark.parametrize("digits", range(8, 20))
def test_chance_fulfils_no_check_digit(digits: int) -> None:
    draw = random.Random(digits)
    for _ in range(20):
        assert valid_numbers([str(draw.randrange(10 ** (digits - 1), 10**digits)) for _ in range(100)]) is None


@pytest.mark.parametrize("digits", range(8, 20))
def test_counters_fulfil_no_check_digit(digits: int) -> None:
    assert valid_numbers([str(10 ** (digits - 1) + number) for number in range(300)]) is None


@pytest.mark.parametrize("texts", [[], ["111222333"], ["x"] * 30, ["١٢٣٤٥٦٧٨٩"] * 30, ["12345678" * 20] * 30])
def test_too_few_or_no_numbers(texts: list[str]) -> None:
    assert valid_numbers(texts) is None
