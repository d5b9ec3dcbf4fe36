"""A remote repository over HTTPS (or HTTP on loopback). The client verifies again what the server sends."""

from __future__ import annotations

import http.client
import ipaddress
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from idbits._version import __version__
from idbits.canonical import canonical
from idbits.errors import EntryNotFoundError, InputError, NotAllowedError, RefusedError, RepositoryError
from idbits.repository.accounts import Account
from idbits.repository.bounds import Bound
from idbits.repository.conflicts import Conflict, conflict_from
from idbits.repository.connections import TlsConnection, hung_up_after
from idbits.repository.entries import STATUSES, Entry, Listing, Receipt, population_key, qid_key, reference
from idbits.repository.inventory import HolderTable, Match, Questions, read_holder_table, read_questions
from idbits.repository.queries import QueryAnswer, Spread
from idbits.repository.statements import read_statement
from idbits.repository.vocabulary import Concept, Vocabulary, read_concept
from idbits.signing import verifies
from idbits.studies.shared.python_errors import naming_arguments
from idbits.studies.shared.restoring import field_types, rebuilt, saved_value

__all__ = ["InvalidAnswerError", "RemoteRepository", "checked_address", "entry_from"]

_TIMEOUT_SECONDS = 60
_MOST_SECONDS = 300
_MOST_BYTES = 64 * 1024 * 1024
_MOST_FEED_BYTES = 16 * 1024 * 1024
_MOST_SENTENCE = 1000
_WITHHELD = {
    "n_people": 1, "n_values": 1, "kappa_nats": 0.0, "entropy_bits": 0.0, "method": "withheld", "source": "",
    "coverage": None, "distribution": None, "format": "idbits-entry/1",
}  # fmt: skip


def checked_address(address: str, *, insecure: bool) -> SplitResult:
    """Return the parts of the address of a remote repository."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        raise InputError(
            "the address of the repository is not a valid URL; write it as https://repository.example"
        ) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError("the address of a repository must begin with https:// (or http:// for this machine)")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise InputError(
            "the address of a repository must not contain a user name, a key or a query; put the key in IDBITS_API_KEY"
        )
    if parts.scheme == "http" and not _is_loopback(parts.hostname) and not insecure:
        raise InputError("http:// would send the key unencrypted; use https:// (or --insecure)")
    return parts


class RemoteRepository:
    """A remote repository, with the methods of ``Repository`` that need no direct access to the database.

    Args:
        address: ``https://...``, or ``http://127.0.0.1:8765``.
        key: the API key from the repository's admin; None if everyone may read.
        insecure: whether to send keys and figures unencrypted.
    """

    @naming_arguments
    def __init__(self, address: str, key: str | None = None, *, insecure: bool = False) -> None:
        parts = checked_address(address, insecure=insecure)
        if key is not None and (not key.isascii() or not key.isprintable() or " " in key):
            raise InputError("the API key is not valid; ask the repository's admin for a new one")
        self._secure = parts.scheme == "https"
        self._host, self._port, self._path = parts.hostname or "", parts.port, parts.path.rstrip("/")
        self._key = key

    def close(self) -> None:
        """Do nothing: every request opens and closes its own connection."""

    def _ask(
        self,
        method: str,
        path: str,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        most_bytes: int = _MOST_BYTES,
    ) -> Any:
        """Send one request. Redirects are not followed: they could send the key to another server."""
        kind = TlsConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=_TIMEOUT_SECONDS)
        headers = {"Accept": "application/json", "User-Agent": f"idbits/{__version__}"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        where = f"{self._path}/api/v1{path}" + (f"?{urlencode(query, doseq=True)}" if query else "")
        try:
            with hung_up_after(connection, _MOST_SECONDS):
                connection.request(method, where, content, headers)
                with connection.getresponse() as response:
                    text = response.read(most_bytes + 1)
        except TimeoutError as error:
            raise RepositoryError("no answer from the repository in time; try again later") from error
        except (OSError, http.client.HTTPException) as error:
            raise RepositoryError(f"no answer from the repository ({type(error).__name__})") from error
        finally:
            connection.close()
        if len(text) > most_bytes:
            raise RepositoryError(f"the repository's answer is larger than {most_bytes // 1024**2} MiB")
        return _answer(response.status, text)

    def me(self) -> Account:
        """Return the account that has the API key."""
        answer = self._ask("GET", "/me")
        with _reading_answers():
            return rebuilt(Account, answer)

    def vocabulary(self) -> Vocabulary:
        """Return the vocabulary."""
        answer = self._ask("GET", "/vocabulary", most_bytes=_MOST_FEED_BYTES)
        with _reading_answers():
            return Vocabulary([read_concept(concept) for concept in answer["concepts"]])

    def extend_vocabulary(self, concept: Mapping[str, Any], *, by: str) -> Concept:  # noqa: ARG002 (the key says who)
        """Add a concept, or more aliases for an existing one."""
        answer = self._ask("POST", "/vocabulary", body=concept)
        with _reading_answers():
            return read_concept(answer)

    def publish(self, statement: str, signature: str, public_key: str, *, by: str | None = None) -> Receipt:  # noqa: ARG002
        """Publish a signed statement."""
        body = {"statement": statement, "signature": signature, "public_key": public_key}
        answer = self._ask("POST", "/entries", body=body)
        with _reading_answers():
            return rebuilt(Receipt, answer["receipt"])

    def retract(self, ref: str, reason: str, *, by: str, holder: str | None = None) -> Entry:  # noqa: ARG002
        """Retract an entry."""
        return entry_from(self._ask("POST", f"/entries/{quote(ref, safe='')}/retraction", body={"reason": reason}))

    def entry(self, ref: str) -> Entry:
        """Return the entry with a reference, after verifying its signature here."""
        entry = entry_from(self._ask("GET", f"/entries/{quote(ref, safe='')}"))
        if entry.ref != ref:
            raise RepositoryError("the repository sent a different entry from the one requested")
        return entry

    def entries(
        self,
        qid: Sequence[str] | None = None,
        population: Mapping[str, str] | None = None,
        *,
        holder: str | None = None,
        text: str | None = None,
        status: Sequence[str] = ("current",),
        limit: int = 100,
        offset: int = 0,
    ) -> Listing:
        """Return the matching entries, newest first; entries that do not verify are listed by reference only."""
        query = _query(qid, population) | {"status": list(status), "limit": limit, "offset": offset}
        query |= {name: value for name, value in (("holder", holder), ("text", text)) if value is not None}
        answer = self._ask("GET", "/entries", query)
        with _reading_answers():
            verified, changed = [], [str(ref) for ref in answer["unverified"]]
            for data in answer["entries"]:
                try:
                    verified.append(entry_from(data))
                except RepositoryError:
                    changed.append(str(data.get("ref")))
            return Listing(tuple(verified), tuple(changed))

    def query(self, qid: Sequence[str], population: Mapping[str, str], size: int | None = None) -> QueryAnswer:
        """Return what is known about a quasi-identifier in a population."""
        query = _query(qid, population) | ({"size": size} if size is not None else {})
        answer = self._ask("GET", "/query", query)
        with _reading_answers():
            exact = tuple(entry_from(data) for data in answer["exact"])
            names = saved_value(tuple[str, ...], answer["qid"], "qid")
            pairs = tuple(saved_value(dict[str, str], answer["population"], "population").items())
            keys = qid_key(names), population_key(pairs)
            statements = [entry.statement for entry in exact]
            if any((qid_key(each.qid), population_key(each.population)) != keys for each in statements):
                raise RepositoryError("the repository sent entries of another quasi-identifier or population")
            return QueryAnswer(
                qid=names,
                population=pairs,
                size=saved_value(int | None, answer["size"], "size"),
                exact=exact,
                spread=Spread.of(exact),
                bounds=tuple(_bound(bound) for bound in answer["bounds"]),
                limits=saved_value(tuple[str, ...], answer["limits"], "limits"),
            )

    def decide(self, *, ref: str, decision: str, by: str, why: str, recorded_by: str) -> int:  # noqa: ARG002
        """Record a decision based on an entry. Return its line number in the audit log."""
        body = {"decision": decision, "by": by, "why": why}
        answer = self._ask("POST", f"/entries/{quote(ref, safe='')}/decisions", body=body)
        with _reading_answers():
            return int(saved_value(int, answer["sequence"], "sequence"))

    def decisions(self, ref: str) -> list[dict[str, Any]]:
        """Return the decisions based on an entry, oldest first."""
        answer = self._ask("GET", f"/entries/{quote(ref, safe='')}/decisions")
        with _reading_answers():
            if not all(_is_decision_on(ref, decision) for decision in answer["decisions"]):
                raise RepositoryError("the repository sent decisions on another entry")
            return list(answer["decisions"])

    def feed(self, after: int = 0, limit: int = 100) -> dict[str, Any]:
        """Return a page of the feed as the server sent it; ``feeds.check_page`` checks it."""
        answer: dict[str, Any] = self._ask(
            "GET", "/feed", {"after": after, "limit": limit}, most_bytes=_MOST_FEED_BYTES
        )
        return answer

    def conflicts(self, *, decided: bool = False) -> list[Conflict]:
        """Return the open conflicts with other repositories, oldest first."""
        answer = self._ask("GET", "/conflicts", {"decided": "true" if decided else "false"})
        with _reading_answers():
            return [conflict_from(conflict) for conflict in answer["conflicts"]]

    def resolve(self, ref: str, keep: str, reason: str, *, by: str) -> Conflict:  # noqa: ARG002
        """Decide an open conflict: keep ``"ours"`` or ``"theirs"``, with the reason."""
        body = {"keep": keep, "reason": reason}
        return conflict_from(self._ask("POST", f"/conflicts/{quote(ref, safe='')}/resolution", body=body))

    def record_table(self, data: Mapping[str, Any], *, by: str, holder: str | None = None) -> HolderTable:  # noqa: ARG002
        """Record a table that a holder has."""
        answer, words = self._ask("POST", "/tables", body=data), self.vocabulary()
        with _reading_answers():
            return read_holder_table(answer, words)

    def record_questionnaire(self, data: Mapping[str, Any], *, by: str) -> Questions:  # noqa: ARG002
        """Record a questionnaire and its questions."""
        answer, words = self._ask("POST", "/questionnaires", body=data), self.vocabulary()
        with _reading_answers():
            return read_questions(answer, words)

    def tables(self) -> list[HolderTable]:
        """Return the recorded tables of all holders."""
        answer, words = self._ask("GET", "/tables"), self.vocabulary()
        with _reading_answers():
            return [read_holder_table(table, words) for table in answer["tables"]]

    def questionnaires(self) -> list[Questions]:
        """Return the recorded questionnaires."""
        answer, words = self._ask("GET", "/questionnaires"), self.vocabulary()
        with _reading_answers():
            return [read_questions(form, words) for form in answer["questionnaires"]]

    def matches(self, *, published: bool = False) -> list[Match]:
        """Return quasi-identifiers worth publishing, most exposed first."""
        answer = self._ask("GET", "/matches", {"published": "true" if published else "false"})
        with _reading_answers():
            return [
                rebuilt(Match, {**match, "population": list(match["population"].items())})
                for match in answer["matches"]
            ]


class InvalidAnswerError(RepositoryError):
    """A server answered with data of another form."""


@contextmanager
def _reading_answers() -> Iterator[None]:
    """Say in one sentence that a server's answer has another form, whatever is wrong with it."""
    try:
        yield
    except (InputError, KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, RepositoryError):
            raise
        raise InvalidAnswerError(
            "the repository's answer has another form than this version of idbits reads"
        ) from error


def _bound(data: object) -> Bound:
    """Return a bound that a server sent."""
    bound = rebuilt(Bound, data)
    if bound.side not in ("at least", "at most") or not math.isfinite(bound.entropy_bits):
        raise InvalidAnswerError("the repository sent data that is not a bound")
    return bound


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_decision_on(ref: str, data: object) -> bool:
    texts = ("ref", "decision", "by", "why", "recorded_by", "recorded_at")
    return isinstance(data, dict) and data.get("ref") == ref and all(isinstance(data.get(name), str) for name in texts)


def _query(qid: Sequence[str] | None, population: Mapping[str, str] | None) -> dict[str, object]:
    query: dict[str, object] = {}
    if qid:
        query["qid"] = ",".join('"' + name.replace('"', '""') + '"' for name in qid)
    if population:
        query["population"] = [f"{name}={value}" for name, value in population.items()]
    return query


def _answer(status: int, text: bytes) -> object:
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError):
        raise RepositoryError(
            f"the repository's answer is not valid JSON (HTTP status {status}); check the address"
        ) from None
    if 200 <= status < 300:
        return data
    failure = data if isinstance(data, dict) else {}
    sentence = str(failure.get("error", f"HTTP status {status}"))[:_MOST_SENTENCE]
    if status == 409:
        raise RefusedError(str(failure.get("rule"))[:_MOST_SENTENCE], sentence)
    if status == 404:
        raise EntryNotFoundError(sentence)
    if status in (401, 403):
        raise NotAllowedError(f"the repository answered: {sentence}")
    if status == 400:
        raise InputError(f"the repository answered: {sentence}")
    raise RepositoryError(f"the repository answered: {sentence}")


def entry_from(data: object) -> Entry:
    """Return an entry from plain data, after verifying its signature and reference again."""
    if not isinstance(data, dict):
        raise RepositoryError("the repository sent data that is not an entry")
    try:
        stated = data["statement"]
        names = ("ref", "publisher", "published_at", "status", "superseded_by", "reason", "public_key", "sequence",
                 "imported_from")  # fmt: skip
        columns = {name: saved_value(field_types(Entry)[name], data.get(name), name) for name in names}
        if columns["status"] not in STATUSES:
            raise InputError("the entry has no valid status")
        retracted = data["status"] == "retracted"
        statement = read_statement({**_WITHHELD, **stated} if retracted else stated)
        text = canonical(stated)
        signed = retracted or (verifies(data["public_key"], text, data["signature"]) and reference(text) == data["ref"])
        entry = Entry(statement=statement, signature=str(data["signature"] or ""), **columns)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise RepositoryError("the repository sent data that is not an entry") from error
    if not signed:
        raise RepositoryError(f"entry {str(data['ref'])[:16]} differs from what its publisher signed; it is not used")
    return entry
