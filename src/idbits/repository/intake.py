"""A writing connection on which several entries are added one after the other, each checked with those before it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from idbits.repository import acceptance
from idbits.repository.accounts import Account
from idbits.repository.entries import Receipt
from idbits.repository.small_groups import PublishedCounts
from idbits.repository.verified_blocks import VerifiedBlocks
from idbits.repository.vocabulary import Concept, Vocabulary

__all__ = ["Intake"]


@dataclass(frozen=True, slots=True)
class Intake:
    """What adding entries needs: the connection, and the vocabulary and the published counts that it sees."""

    connection: sa.Connection
    vocabulary: Callable[[], Vocabulary]
    published: Callable[[], PublishedCounts]
    remembered: VerifiedBlocks

    def take_over(
        self,
        text: str,
        signature: str,
        account: Account,
        *,
        source: str,
        by: str,
        adding: Sequence[Concept] = (),
        known_there: Collection[str] | None = None,
    ) -> Receipt | None:
        """Add an entry that was published elsewhere, with the concepts that it needs; None if it is here already.

        It is refused if ours have other figures, unless those are ``known_there``, or that is None.
        """
        here = self.connection, text, signature, account, self.vocabulary(), self.published(), self.remembered
        return acceptance.take_over(*here, source=source, by=by, adding=adding, known_there=known_there)
