"""Numbers of people and accounts that carry a check digit, recognised with python-stdnum; nothing is looked up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module

__all__ = ["valid_numbers"]

_LENGTHS = range(8, 41)
_FEWEST = 10
_FIRST = 25
_MOSTLY = 0.8

# Only numbers with a real check digit, which chance fulfils for 1 value in 10: a format alone would also fit counters.
_KINDS: Mapping[str, str] = {
    "iban": "bank account numbers (IBAN)",
    "at.vnr": "Austrian social insurance numbers",
    "au.tfn": "Australian tax file numbers",
    "be.nn": "Belgian national numbers",
    "bg.egn": "Bulgarian personal numbers",
    "br.cpf": "Brazilian taxpayer numbers (CPF)",
    "ca.sin": "Canadian social insurance numbers",
    "ch.ssn": "Swiss social insurance numbers (AHV)",
    "cl.rut": "Chilean personal numbers (RUT)",
    "cn.ric": "Chinese resident numbers",
    "cz.rc": "Czech birth numbers",
    "de.idnr": "German tax numbers",
    "ee.ik": "Estonian personal codes",
    "es.dni": "Spanish identity numbers (DNI)",
    "es.nie": "Spanish foreigner numbers (NIE)",
    "fi.hetu": "Finnish personal codes",
    "fr.nir": "French social security numbers (NIR)",
    "gb.nhs": "NHS numbers",
    "gr.amka": "Greek social security numbers",
    "hr.oib": "Croatian personal numbers",
    "ie.pps": "Irish public service numbers",
    "il.idnr": "Israeli identity numbers",
    "in_.aadhaar": "Indian identity numbers (Aadhaar)",
    "is_.kennitala": "Icelandic personal numbers",
    "it.codicefiscale": "Italian tax codes",
    "kr.rrn": "Korean resident numbers",
    "lt.asmens": "Lithuanian personal codes",
    "mx.curp": "Mexican population codes (CURP)",
    "nl.bsn": "Dutch citizen service numbers (BSN)",
    "no.fodselsnummer": "Norwegian birth numbers",
    "pl.pesel": "Polish personal numbers (PESEL)",
    "pt.cc": "Portuguese citizen card numbers",
    "ro.cnp": "Romanian personal numbers",
    "se.personnummer": "Swedish personal numbers",
    "si.emso": "Slovenian personal numbers",
    "th.pin": "Thai personal numbers",
    "tr.tckimlik": "Turkish identity numbers",
    "za.idnr": "South African identity numbers",
    "luhn": "card or device numbers",
}
_CARD_DIGITS = range(13, 20)


def valid_numbers(texts: Sequence[str]) -> tuple[str, int] | None:
    """Return the kind of number that most of the texts are by their check digits, and how many are.

    >>> valid_numbers(["111222333", "123456782"] * 5)
    ('Dutch citizen service numbers (BSN)', 10)
    """
    numbers = [text for text in texts if _may_be_number(text)]
    if len(numbers) < _FEWEST or len(numbers) < _MOSTLY * len(texts):
        return None
    first = numbers[:_FIRST]
    likely = [kind for kind in _KINDS if _n_valid(kind, first) >= _MOSTLY * max(1, len(first))]
    counts = {kind: _n_valid(kind, numbers) for kind in likely}
    best = max(counts, key=lambda kind: counts[kind], default=None)
    return (_KINDS[best], counts[best]) if best is not None else None


def _may_be_number(text: str) -> bool:
    digits = sum(character.isdigit() for character in text)
    return text.isascii() and len(text) in _LENGTHS and 2 * digits >= len(text)


def _n_valid(kind: str, numbers: Sequence[str]) -> int:
    check = _check(kind)
    return sum(check(number) for number in numbers)


@cache
def _check(kind: str) -> Callable[[str], bool]:
    is_valid: Callable[[str], bool] = import_module(f"stdnum.{kind}").is_valid
    if kind != "luhn":
        return is_valid
    # The check digit of cards and mobile telephones is used for many shorter codes, too.
    return lambda text: sum(map(str.isdigit, text)) in _CARD_DIGITS and is_valid(text.replace(" ", "").replace("-", ""))
