"""A writing connection on which several entries are added one after the other, each checked with those before it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy as sa

from idbits.repository import acceptance
from idbits.repository.accounts import Account
from idbits.repository.entries import Receipt
from idbits.repository.small_groups import PublishedCounts
from idbits.repository.verified_blocks import VerifiedBlocks
from idbits.repository.vocabulary import Vocabulary

__all__ = ["Intake"]


@dataclass(frozen=True, slots=True)
class Intake:
    """What adding entries needs: the connection, and the vocabulary and the published counts that it sees."""

    connection: sa.Connection
    vocabulary: Callable[[], Vocabulary]
    published: Callable[[], PublishedCounts]
    remembered: VerifiedBlocks

    def take_over(self, text: str, signature: str, account: Account, *, source: str, by: str) -> Receipt | None:
        """Add an entry that was published elsewhere; None if it is here already."""
        words, published = self.vocabulary(), self.published()
        return acceptance.take_over(
            self.connection, text, signature, account, words, published, self.remembered, source=source, by=by
        )
