"""The form of an attack on synthetic data: what the attacker does, and with which columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from idbits.studies.shared.serialisation import JsonObject
from idbits.web.attack_request import AttackRequest
from idbits.web.wording import without_commands
from idbits.web.work.worker import ColumnFacts
from idbits.wording import counted

__all__ = ["attack_form", "missing_message"]

_ATTACKS = [
    (
        "singling-out",
        "Single out a person",
        "We look for conditions on three columns that one synthetic record meets, and count how often exactly one real "
        "person meets them.",
    ),
    (
        "linkability",
        "Join two halves of a person",
        "Somebody has two tables about the same people, with different columns. The synthetic records join them. "
        "Choose the half of each column below.",
    ),
    (
        "inference",
        "Guess a secret",
        "Somebody knows all other columns of a person, and guesses one from the synthetic record that is most similar.",
    ),
]


def missing_message(asked: AttackRequest) -> str | None:
    """Say what is missing or contradictory in a form; None if it is complete."""
    if asked.attack == "linkability" and not (asked.left and asked.right):
        return "choose at least one column for each half of a person"
    if asked.attack == "linkability" and set(asked.left) & set(asked.right):
        return "choose one half for each column"
    if asked.attack == "inference" and not asked.infer:
        return "choose the column that is guessed"
    return None


def attack_form(asked: AttackRequest, results: Sequence[JsonObject]) -> dict[str, object]:
    """Return what the page of the form shows."""
    facts = [[column["column"] for column in cast("list[ColumnFacts]", result["columns"])] for result in results]
    common = [name for name in facts[0] if all(name in names for names in facts)]
    halves = {**dict.fromkeys(asked.left, "left"), **dict.fromkeys(asked.right, "right")}
    return {
        "choices": _ATTACKS,
        "common": common,
        "halves": [(name, halves.get(name, "")) for name in dict.fromkeys([*common, *halves])],
        "n_rows": [counted(cast("int", result["n_rows"]), "row") for result in results],
        "withheld": any(result["withheld"] for result in results),
        "notes": list(
            dict.fromkeys(without_commands(note) for result in results for note in cast("list[str]", result["notes"]))
        ),
    }
