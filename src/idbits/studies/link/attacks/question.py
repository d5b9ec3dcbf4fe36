"""What an attack on synthetic data asks, with values that are checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from idbits.errors import InputError
from idbits.reading import Names, name_list
from idbits.studies.shared.rules import Rule, parse_rule

__all__ = ["ATTACKS", "AttackQuestion", "attack_question"]

ATTACKS = ("singling-out", "linkability", "inference")
DEFAULT_ATTACKS = 2_000
_DEFAULT_TOLERANCE = 0.05


@dataclass(frozen=True, slots=True)
class AttackQuestion:
    """An attack.

    Attributes:
        attack: ``singling-out``, ``linkability`` or ``inference``.
        left, right: the columns of each half of a record (linkability).
        neighbours: how many nearest records of each half are compared (linkability).
        infer: the column that is guessed (inference).
        known: the columns that the attacker knows (inference); all others if there are none.
        tolerance: how near a guessed number must be, as a share of the true one (inference).
        attacks: how many attacks are made at most; None for 2,000.
        rules: rules that the figures must meet.
        seed: the seed of the people who are attacked.
    """

    attack: str
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    neighbours: int = 1
    infer: str | None = None
    known: tuple[str, ...] = ()
    tolerance: float = _DEFAULT_TOLERANCE
    attacks: int | None = None
    rules: tuple[Rule, ...] = ()
    seed: int = 0


def attack_question(
    attack: str | None,
    *,
    left: Names | None = None,
    right: Names | None = None,
    neighbours: int | None = None,
    infer: str | None = None,
    known: Names | None = None,
    tolerance: float | None = None,
    attacks: int | None = None,
    rules: Names | None = None,
    seed: int = 0,
) -> AttackQuestion:
    """Check the options of an attack: each belongs to one kind of attack."""
    if attack not in ATTACKS:
        raise InputError(f"name the attack: --attack {', '.join(ATTACKS[:-1])} or {ATTACKS[-1]}")
    uses: dict[str, dict[str, object]] = {
        "linkability": {"--left": left, "--right": right, "--neighbours": neighbours},
        "inference": {"--infer": infer, "--known": known, "--tolerance": tolerance},
    }
    _require_own_options(attack, uses)
    halves = [tuple(name_list(names)) if names else () for names in (left, right, known)]
    if set(halves[0]) & set(halves[1]):
        raise InputError("a column can be in one half only (--left, --right)")
    if infer in halves[2]:
        raise InputError("the column that is guessed cannot be known (--infer, --known)")
    _require_possible_numbers(neighbours, tolerance, attacks)
    limits = tuple(parse_rule(text) for text in ([rules] if isinstance(rules, str) else rules or ()))
    return AttackQuestion(
        attack, halves[0], halves[1], neighbours or 1, infer, halves[2],
        _DEFAULT_TOLERANCE if tolerance is None else tolerance, attacks, limits, seed,
    )  # fmt: skip


def _require_own_options(attack: str, uses: Mapping[str, Mapping[str, object]]) -> None:
    """Refuse options of other attacks, and an attack without the options that it needs."""
    for kind, options in uses.items():
        for option, value in options.items():
            if value is not None and kind != attack:
                raise InputError(f"{option} is for --attack {kind}")
    given = uses.get(attack, {})
    if attack == "linkability" and not (given["--left"] and given["--right"]):
        raise InputError("linkability needs the columns of both halves of a record: --left A,B --right C,D")
    if attack == "inference" and not given["--infer"]:
        raise InputError("inference needs the column that is guessed: --infer S")


def _require_possible_numbers(neighbours: int | None, tolerance: float | None, attacks: int | None) -> None:
    if neighbours is not None and neighbours < 1:
        raise InputError("--neighbours must be at least 1")
    if tolerance is not None and not (math.isfinite(tolerance) and 0 <= tolerance < 1):
        raise InputError("--tolerance must be at least 0 and below 1: a share of the true number")
    if attacks is not None and attacks < 1:
        raise InputError("--attacks must be at least 1")
