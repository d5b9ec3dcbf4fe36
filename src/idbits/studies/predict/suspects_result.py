"""What ``idbits predict suspects`` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from idbits.render.blocks import Block, Items, Level, Paragraph, Table, Verdict
from idbits.render.numbers import bits, bits_of, chance, count, decimal
from idbits.studies.shared.presentation import Answer
from idbits.wording import counted

__all__ = ["SuspectsPrediction"]

_ONE = "with one suspect there is nothing to be anonymous among"
_LIKELY, _CERTAIN = 0.5, 0.9


@dataclass(frozen=True, kw_only=True)
class SuspectsPrediction(Answer):
    """How anonymous somebody is among suspects, given an attacker's probabilities (S2 2.2).

    Attributes:
        n_suspects: suspects (N), with those who are ruled out.
        n_ruled_out: suspects of probability 0.
        entropy_bits: what the attacker still has to learn, on average (H).
        max_entropy_bits: log2 N, what it would take if all were equally likely.
        degree_of_anonymity: H / log2 N (Diaz); None for one suspect.
        effective_suspects: 2^H, as many equally likely suspects leave as much open (Serjantov and Danezis).
        best_guess: the probability of the likeliest suspect.
        renyi_bits: Renyi entropies of order 0, 1, 2 and infinity; the last is the min-entropy.
        label: where the probabilities come from.
    """

    command: ClassVar[str] = "predict suspects"

    n_suspects: int
    n_ruled_out: int
    entropy_bits: float
    max_entropy_bits: float
    degree_of_anonymity: float | None
    effective_suspects: float
    best_guess: float
    renyi_bits: dict[str, float]
    label: str
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as plain data."""
        data: dict[str, Any] = {
            "n_suspects": self.n_suspects,
            "n_ruled_out": self.n_ruled_out,
            "entropy_bits": self.entropy_bits,
            "max_entropy_bits": self.max_entropy_bits,
            "degree_of_anonymity": self.degree_of_anonymity,
            "effective_suspects": self.effective_suspects,
            "best_guess": self.best_guess,
            "min_entropy_bits": self.renyi_bits["inf"],
            "renyi_bits": dict(self.renyi_bits),
            "distribution_label": self.label,
        }
        if self.degree_of_anonymity is None:
            data["reasons"] = {"degree_of_anonymity": _ONE}
        return data | {"notes": list(self.notes)}

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        return [
            _verdict(self),
            _table(self),
            Paragraph(f"The attacker's probabilities: {self.label}."),
            Items(
                "Assumed",
                (
                    "The attacker's probabilities are right, and the person is one of the suspects.",
                    "An average over what may be found out: the best guess says how likely the worst case is.",
                ),
            ),
        ]


def _verdict(found: SuspectsPrediction) -> Verdict:
    level = Level.BAD if found.best_guess >= _CERTAIN else Level.WARN if found.best_guess >= _LIKELY else Level.GOOD
    suspects = counted(found.n_suspects, "suspect")
    if found.degree_of_anonymity is None:
        return Verdict(Level.BAD, "One suspect: the attacker knows who it is", f"No degree of anonymity: {_ONE}.")
    title = f"{suspects} leave as much open as {decimal(found.effective_suspects)} equally likely ones"
    told = bits_of(found.entropy_bits, found.max_entropy_bits)
    return Verdict(
        level,
        title,
        f"The attacker lacks {told} bits that all of them, equally likely, would hide: a degree of anonymity of "
        f"{decimal(found.degree_of_anonymity)}. The best guess is right with chance {chance(found.best_guess)}.",
    )


def _table(found: SuspectsPrediction) -> Table:
    rows = [
        ["suspects", count(found.n_suspects)],
        ["ruled out (probability 0)", count(found.n_ruled_out)],
        ["entropy, bits", bits(found.entropy_bits)],
        ["most possible, log2 of suspects, bits", bits(found.max_entropy_bits)],
        ["degree of anonymity", decimal(found.degree_of_anonymity)],
        ["effective suspects, 2^entropy", decimal(found.effective_suspects)],
        ["best guess, probability", chance(found.best_guess)],
        ["min-entropy, bits", bits(found.renyi_bits["inf"])],
    ]
    return Table("What the attacker still has to find out", ("", "value"), rows, left=(0,))
