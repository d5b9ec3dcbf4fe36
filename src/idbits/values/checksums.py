"""Numbers of people and accounts that carry a check digit, recognised with python-stdnum; nothing is looked up."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from importlib import import_module

__all__ = ["valid_numbers"]

_LENGTHS = range(8, 41)
_FEWEST = 10
_FIRST = 25
_MOSTLY = 0.8

# The letters and digits that a number has, and what it is. Only numbers with a real check digit, which 1 value in 10
# fulfils by chance: a format alone would also fit counters.
_KINDS: Mapping[str, tuple[Collection[int], str]] = {
    "iban": (range(15, 35), "bank account numbers (IBAN)"),
    "at.vnr": ((10,), "Austrian social insurance numbers"),
    "au.tfn": ((8, 9), "Australian tax file numbers"),
    "be.nn": ((11,), "Belgian national numbers"),
    "bg.egn": ((10,), "Bulgarian personal numbers"),
    "br.cpf": ((11,), "Brazilian taxpayer numbers (CPF)"),
    "ca.sin": ((9,), "Canadian social insurance numbers"),
    "ch.ssn": ((13,), "Swiss social insurance numbers (AHV)"),
    "cl.rut": ((8, 9), "Chilean personal numbers (RUT)"),
    "cn.ric": ((18,), "Chinese resident numbers"),
    "cz.rc": ((9, 10), "Czech birth numbers"),
    "de.idnr": ((11,), "German tax numbers"),
    "ee.ik": ((11,), "Estonian personal codes"),
    "es.dni": ((9,), "Spanish identity numbers (DNI)"),
    "es.nie": ((9,), "Spanish foreigner numbers (NIE)"),
    "fi.hetu": ((10, 11), "Finnish personal codes"),
    "fr.nir": ((15,), "French social security numbers (NIR)"),
    "gb.nhs": ((10,), "NHS numbers"),
    "gr.amka": ((11,), "Greek social security numbers"),
    "hr.oib": ((11,), "Croatian personal numbers"),
    "ie.pps": ((8, 9), "Irish public service numbers"),
    "il.idnr": ((8, 9), "Israeli identity numbers"),
    "in_.aadhaar": ((12,), "Indian identity numbers (Aadhaar)"),
    "is_.kennitala": ((10,), "Icelandic personal numbers"),
    "it.codicefiscale": ((16,), "Italian tax codes"),
    "kr.rrn": ((13,), "Korean resident numbers"),
    "lt.asmens": ((11,), "Lithuanian personal codes"),
    "mx.curp": ((18,), "Mexican population codes (CURP)"),
    "nl.bsn": ((8, 9), "Dutch citizen service numbers (BSN)"),
    "no.fodselsnummer": ((11,), "Norwegian birth numbers"),
    "pl.pesel": ((11,), "Polish personal numbers (PESEL)"),
    "pt.cc": ((12,), "Portuguese citizen card numbers"),
    "ro.cnp": ((13,), "Romanian personal numbers"),
    "se.personnummer": ((10, 12), "Swedish personal numbers"),
    "si.emso": ((13,), "Slovenian personal numbers"),
    "th.pin": ((13,), "Thai personal numbers"),
    "tr.tckimlik": ((11,), "Turkish identity numbers"),
    "za.idnr": ((13,), "South African identity numbers"),
    "luhn": (range(13, 20), "card or device numbers"),
}


def valid_numbers(texts: Sequence[str]) -> tuple[str, int] | None:
    """Return the kind of number that most of the texts are by their check digits, and how many are.

    >>> valid_numbers(["111222333", "123456782"] * 5)
    ('Dutch citizen service numbers (BSN)', 10)
    """
    numbers = [text for text in texts if _may_be_number(text)]
    if len(numbers) < _FEWEST or len(numbers) < _MOSTLY * len(texts):
        return None
    first = numbers[:_FIRST]
    lengths = [sum(map(str.isalnum, text)) for text in first]
    fitting = [kind for kind, (allowed, _) in _KINDS.items() if all(length in allowed for length in lengths)]
    likely = [kind for kind in fitting if _n_valid(kind, first) >= _MOSTLY * len(first)]
    counts = {kind: _n_valid(kind, numbers) for kind in likely}
    most = max(counts.values(), default=0)
    # Some countries share an algorithm.
    names = [_KINDS[kind][1] for kind, count in counts.items() if count == most]
    return (" or ".join(names), most) if names else None


def _may_be_number(text: str) -> bool:
    digits = sum(map(str.isdigit, text))
    return text.isascii() and len(text) in _LENGTHS and 3 * digits >= len(text)


def _n_valid(kind: str, numbers: Sequence[str]) -> int:
    return sum(_is_valid(kind, number) for number in numbers)


def _is_valid(kind: str, number: str) -> bool:
    try:
        return _check(kind)(number)
    except Exception:  # noqa: BLE001 (the library fails on some numbers instead of refusing them)
        return False


@cache
def _check(kind: str) -> Callable[[str], bool]:
    is_valid: Callable[[str], bool] = import_module(f"stdnum.{kind}").is_valid
    if kind != "luhn":
        return is_valid
    return lambda text: is_valid(text.replace(" ", "").replace("-", ""))
