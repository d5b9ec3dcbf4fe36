"""Whether a signed statement becomes an entry: its signature, its figures and the rules decide.

Publishers send statements to this repository; imports and followed repositories bring those that were published
elsewhere. The same checks apply to both.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from idbits.errors import EntryNotFoundError, InputError, NotAllowedError, RefusedError, RepositoryError
from idbits.repository.accounts import Account
from idbits.repository.audit_log import insert_logged, lines, write_record
from idbits.repository.database import timestamp
from idbits.repository.entries import (
    IMPORTED,
    EntryKeys,
    Receipt,
    changed_error,
    find_entry,
    parse_signed,
    population_key,
    qid_key,
)
from idbits.repository.entry_verification import find_changed
from idbits.repository.other_figures import check_other_figures
from idbits.repository.schema import entries
from idbits.repository.small_groups import PublishedCounts, RefusalRule
from idbits.repository.solvable_figures import gives_sizes_away
from idbits.repository.statements import Statement, check_statement, counts_of
from idbits.repository.verified_blocks import VerifiedBlocks
from idbits.repository.vocabulary import Concept, Vocabulary
from idbits.signing import verifies

__all__ = ["AlreadyReplacedError", "check_author", "check_signed", "publish", "take_over"]

_SENTENCES = {
    RefusalRule.FLOOR: "the population has fewer people than this repository's floor",
    RefusalRule.CELL: "the distribution has a cell with too few people, or the entropy gives small group sizes away",
    RefusalRule.DIFFERENCE: "the difference from published entries isolates too few people",
    RefusalRule.REMAINDER: "together with published entries, it would isolate a remainder of too few people",
}


class AlreadyReplacedError(InputError):
    """Another entry of the holder already supersedes the same one; ``ref`` is its reference."""

    def __init__(self, ref: str) -> None:
        super().__init__("the entry to supersede is already superseded")
        self.ref = ref


def publish(
    connection: sa.Connection,
    text: str,
    signature: str,
    account: Account,
    vocabulary: Vocabulary,
    published: PublishedCounts,
    remembered: VerifiedBlocks,
) -> Receipt:
    """Publish a signed statement; publishing the same one again returns the same receipt."""
    statement, keys = check_signed(text, signature, account, vocabulary)
    known = connection.execute(sa.select(entries).where(entries.c.ref == keys.ref)).first()
    if known is not None:
        if known.statement != text or known.publisher != account.name:
            raise RepositoryError("another entry already has this reference")
        if find_entry(connection, keys.ref).is_retracted:
            raise InputError("this entry was retracted and cannot be published again")
        line = next(lines(connection, after=known.sequence - 1, limit=1))
        return Receipt(keys.ref, line.sequence, line.hash)
    _check_superseded(connection, keys, must_exist=True)
    _check_rules(connection, statement, vocabulary, published, remembered)
    return _add(connection, text, signature, account, keys, actor=account.name, action="publish")


def take_over(
    connection: sa.Connection,
    text: str,
    signature: str,
    account: Account,
    vocabulary: Vocabulary,
    published: PublishedCounts,
    remembered: VerifiedBlocks,
    *,
    source: str,
    by: str,
    adding: Sequence[Concept] = (),
    known_there: Collection[str] | None = None,
) -> Receipt | None:
    """Add an entry that was published elsewhere, with its signature; None if it is here already.

    The entry that it supersedes may be missing: elsewhere it may have been retracted, so that nobody shows it any more.
    ``adding`` are concepts that are added to the vocabulary with the entry, or not at all. ``known_there`` are entries
    that the other repository has, too; None accepts the entry even if ours have other figures.
    """
    vocabulary = vocabulary.with_concepts(adding)
    statement, keys = check_signed(text, signature, account, vocabulary)
    known = connection.execute(sa.select(entries.c.statement).where(entries.c.ref == keys.ref)).scalar()
    if known is not None:
        if known != text:
            raise RepositoryError("another entry already has this reference")
        return None
    _check_superseded(connection, keys, must_exist=False)
    _check_rules(connection, statement, vocabulary, published, remembered)
    if known_there is not None:
        check_other_figures(connection, statement, keys, source, known_there)
    for concept in adding:
        write_record(connection, "concept", concept.name, concept.to_dict(), by=by)
    return _add(connection, text, signature, account, keys, actor=by, action=f"{IMPORTED}{source}")


def check_signed(text: str, signature: str, account: Account, vocabulary: Vocabulary) -> tuple[Statement, EntryKeys]:
    """Return a signed statement; refuse it if the account did not sign it, or its figures are inconsistent."""
    _check_signature(text, signature, account)
    statement, keys = parse_signed(text)
    check_statement(statement, vocabulary)
    _check_holder(statement, account)
    return statement, keys


def check_author(text: str, signature: str, account: Account, statement: Statement) -> None:
    """Refuse a statement that the account did not sign, or that is of another data holder."""
    _check_signature(text, signature, account)
    _check_holder(statement, account)


def _check_signature(text: str, signature: str, account: Account) -> None:
    if account.public_key is None or not verifies(account.public_key, text, signature):
        raise NotAllowedError("the signature does not verify with this account's public key")


def _check_holder(statement: Statement, account: Account) -> None:
    if statement.holder != account.holder:
        raise NotAllowedError("this account may not publish for this data holder")


def _check_superseded(connection: sa.Connection, keys: EntryKeys, *, must_exist: bool) -> None:
    if keys.supersedes is None:
        return
    try:
        old = find_entry(connection, keys.supersedes)
    except EntryNotFoundError:
        if must_exist:
            raise
    else:
        before = old.statement
        if before.holder != keys.holder:
            raise NotAllowedError("only entries of the same data holder can be superseded")
        if (qid_key(before.qid), population_key(before.population)) != (keys.qid, keys.population):
            raise InputError("an entry can only supersede one with the same quasi-identifier and population")
        if old.status == "retracted" and must_exist:
            raise InputError("the entry to supersede is already retracted")
    # An entry of another holder that names the same one has no effect, and must not stand in the way.
    others = sa.select(entries.c.ref).where(entries.c.supersedes == keys.supersedes, entries.c.holder == keys.holder)
    newer = connection.execute(others).scalar()
    if newer is not None:
        raise AlreadyReplacedError(newer)


def _check_rules(
    connection: sa.Connection,
    statement: Statement,
    vocabulary: Vocabulary,
    published: PublishedCounts,
    remembered: VerifiedBlocks,
) -> None:
    """Refuse a statement that reveals a small group, by itself or together with the entries."""
    rest = statement.distribution.rest_people if statement.distribution is not None else 0
    rule = published.refuses(counts_of(statement), rest, vocabulary.is_whole)
    compared = published.entries_to_verify()
    if compared:
        changed = find_changed(connection, compared, remembered)
        if changed is not None:
            raise changed_error(changed)
    published.set_verified(compared)
    if rule is None and gives_sizes_away(statement, published.least_cell):
        rule = RefusalRule.CELL
    if rule is not None:
        raise RefusedError(rule, f"refused by the rule {rule}: {_SENTENCES[rule]}")


def _add(
    connection: sa.Connection,
    text: str,
    signature: str,
    account: Account,
    keys: EntryKeys,
    *,
    actor: str,
    action: str,
) -> Receipt:
    row = {
        "statement": text,
        "signature": signature,
        "public_key": account.public_key,
        "publisher": account.name,
        "published_at": timestamp(),
        **keys._asdict(),
    }
    line = insert_logged(connection, entries, row, actor=actor, action=action, subject=f"entry:{keys.ref}")
    return Receipt(keys.ref, line.sequence, line.hash)
