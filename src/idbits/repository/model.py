"""What a publisher states, and what a reader gets: entries of the repository.

Implements: SPEC section 6; S2 7.1.3 (QID, population and KL distance, in a shared vocabulary).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from idbits.errors import RepositoryError

__all__ = ["FORMAT", "Cell", "Cells", "Entry", "Receipt", "Statement"]

FORMAT = "idbits-entry/1"


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of the quasi-identifier, one text for each of its attributes (None for a null), and its people."""

    value: tuple[str | None, ...]
    people: int


@dataclass(frozen=True, slots=True)
class Cells:
    """A published distribution: values that enough people have, and how many others there are.

    Attributes:
        cells: values with their people, most frequent first.
        rest_values: how many values are left out because too few people have them.
        rest_people: the people who have those.
    """

    cells: tuple[Cell, ...]
    rest_values: int = 0
    rest_people: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a publisher signs.

    Attributes:
        qid: attributes of the vocabulary, sorted: ``("birthdate:year", "gender", "postcode")``.
        population: pairs of attribute and value, sorted: ``(("municipality", "Amsterdam"),)``.
        n_people: how many people of the population were counted.
        n_values: how many values of the quasi-identifier are possible.
        kappa_nats: the KL distance to equally likely values, nats.
        entropy_bits: the entropy of the quasi-identifier, bits.
        holder: who holds the data.
        date: the day that the data describe, ``2019-01-01``.
        method: how the data came about and were counted.
        source: where the data can be found, if anywhere.
        coverage: which share of the population was counted, if known.
        distribution: the distribution itself, where it may be published.
        supersedes: the reference of the holder's entry that this one replaces.
        entropy_decimals: to how many decimals the entropy is rounded, because some values are rare; None where it has
            all its digits. Kappa then follows from the rounded one.
    """

    qid: tuple[str, ...]
    population: tuple[tuple[str, str], ...]
    n_people: int
    n_values: int
    kappa_nats: float
    entropy_bits: float
    holder: str
    date: str
    method: str
    source: str = ""
    coverage: float | None = None
    distribution: Cells | None = None
    supersedes: str | None = None
    entropy_decimals: int | None = None

    @property
    def entropy_error_bits(self) -> float:
        """How far rounding may have moved the entropy: at most one unit of its last decimal."""
        return 0.0 if self.entropy_decimals is None else 10.0**-self.entropy_decimals

    @property
    def k_hat(self) -> float:
        """The estimated anonymity, N / 2^E."""
        return float(self.n_people / 2.0**self.entropy_bits)

    def to_dict(self) -> dict[str, Any]:
        """Return the statement as plain data; what is signed is the canonical text of it."""
        data = asdict(self)
        data["qid"], data["population"] = list(self.qid), dict(self.population)
        if self.entropy_decimals is None:
            # As all statements were written before there was any rounding: their text and reference stay the same.
            del data["entropy_decimals"]
        if self.distribution is not None:
            data["distribution"] = {
                "cells": [[list(cell.value), cell.people] for cell in self.distribution.cells],
                "rest_values": self.distribution.rest_values,
                "rest_people": self.distribution.rest_people,
            }
        return {"format": FORMAT, **data}


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a publisher keeps: the place of the entry in the audit log, and the log's hash there."""

    ref: str
    sequence: int
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A published entry, its signature verified.

    Attributes:
        ref: how the entry is referred to: the first 16 hexadecimal digits of the SHA-256 of what was signed.
        statement: what the publisher signed. Of a retracted entry, no figure is to be shown.
        publisher: the account that published it.
        published_at: when, UTC, ISO 8601.
        status: ``"current"``, ``"superseded"`` or ``"retracted"``.
        superseded_by: the reference of the entry that replaces it.
        reason: why it was retracted.
        signature: the Ed25519 signature over the canonical statement, base64.
        public_key: the key that it verifies with, base64.
        sequence: its line in the audit log.
    """

    ref: str
    statement: Statement
    publisher: str
    published_at: str
    status: str = "current"
    superseded_by: str | None = None
    reason: str | None = None
    signature: str = ""
    public_key: str = ""
    sequence: int = 0

    @property
    def is_retracted(self) -> bool:
        """Whether its figures are no longer to be shown."""
        return self.status == "retracted"

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The published cells; none where there is no distribution."""
        return self.statement.distribution.cells if self.statement.distribution is not None else ()

    @property
    def is_whole(self) -> bool:
        """Whether the whole distribution is published, no value left out."""
        published = self.statement.distribution
        return published is not None and not published.rest_people

    def drawn_from(self) -> dict[str, Any]:
        """Return what predictions draw from: the distribution where all of it is published, else kappa.

        They are keywords of ``idbits.predict.uniqueness`` and the other predictions.
        """
        said = self.statement
        if self.is_retracted:
            raise RepositoryError(f"entry {self.ref} was retracted")
        where = ", ".join(f"{name}={value}" for name, value in said.population)
        label = f"{', '.join(said.qid)} in {where} (entry {self.ref} of {said.holder}, {said.date})"
        if self.is_whole:
            shares = [cell.people / said.n_people for cell in self.cells]
            return {"probabilities": shares, "values": said.n_values, "label": label}
        return {"values": said.n_values, "kappa": said.kappa_nats, "label": label}

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as plain data; a retracted one without its figures."""
        said = self.statement.to_dict()
        shown: dict[str, Any] = {
            "ref": self.ref,
            "status": self.status,
            "publisher": self.publisher,
            "published_at": self.published_at,
            "superseded_by": self.superseded_by,
            "reason": self.reason,
            "sequence": self.sequence,
            "public_key": self.public_key,
        }
        if self.is_retracted:
            kept = ("qid", "population", "holder", "date", "supersedes")
            return {**shown, "signature": None, "statement": {key: said[key] for key in kept}}
        return {**shown, "signature": self.signature, "k_hat": self.statement.k_hat, "statement": said}
