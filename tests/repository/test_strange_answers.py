"""Whatever a server answers to a command, the client says so in one sentence, or has data of the right types."""

from __future__ import annotations

import contextlib
import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helpers import Publisher, serving

from idbits.errors import RepositoryError
from idbits.repository import RemoteRepository, Repository

STRANGE = (None, 1, -1, 1.5, True, "", "x", [], {}, [1], {"a": 1}, [None], 10**400, float("nan"), "\ud800", [[]], [{}])
CHANGES = 400
TABLE = {"name": "register", "holder": "City", "columns": ["age"], "population": {"country": "x"}, "size": 500}
FORM = {"name": "survey", "where": "here", "questions": ["age"], "people": 100}


class Repeating(RemoteRepository):
    """Answers what is set, and remembers what the server answered before."""

    last_answer: Any = None
    set_answer: Any = None

    def _ask(self, method: str, path: str, *more: Any, **most: Any) -> Any:
        if path == "/vocabulary":
            return super()._ask(method, path, *more, **most)
        if self.set_answer is not None:
            return self.set_answer
        self.last_answer = super()._ask(method, path, *more, **most)
        return self.last_answer


Call = Callable[[Repeating], Any]


def shown(query: Any) -> Any:
    return query.to_dict(), query.blocks()


@pytest.fixture
def calls(sqlite_store: Repository) -> Iterator[tuple[Repeating, dict[str, Call]]]:
    city = Publisher(sqlite_store, role="admin")
    ref, wrong = city.publish().ref, city.publish(qid=("age",)).ref
    sqlite_store.retract(wrong, "wrong", by="city")
    sqlite_store.record_table(TABLE, by="city")
    sqlite_store.record_questionnaire(FORM, by="city")
    words = {"decision": "ask", "by": "board", "why": "why not", "recorded_by": "city"}
    sqlite_store.decide(ref=ref, **words)
    with serving(sqlite_store) as server:
        yield (
            Repeating(server.address, city.api_key),
            {
                "me": lambda remote: remote.me(),
                "entry": lambda remote: remote.entry(ref).to_dict(),
                "retracted": lambda remote: remote.entry(wrong).to_dict(),
                "entries": lambda remote: [
                    each.to_dict() for each in remote.entries(status=("current", "retracted")).entries
                ],
                "query": lambda remote: shown(remote.query(["gender"], {"municipality": "Amsterdam"})),
                "publish": lambda remote: remote.publish(*city.signed()),
                "decide": lambda remote: remote.decide(ref=ref, **words),
                "decisions": lambda remote: remote.decisions(ref),
                "tables": lambda remote: remote.tables(),
                "questionnaires": lambda remote: remote.questionnaires(),
                "matches": lambda remote: remote.matches(),
                "conflicts": lambda remote: remote.conflicts(),
            },
        )


def test_strange_answers_are_said_to_be_strange(calls: tuple[Repeating, dict[str, Call]]) -> None:
    remote, named = calls
    generator = random.Random(7)
    for call in named.values():
        call(remote)
        honest = remote.last_answer
        for _ in range(CHANGES // len(named)):
            remote.set_answer = changed(honest, generator)
            with contextlib.suppress(RepositoryError):
                call(remote)
        remote.set_answer = None


def changed(data: Any, generator: random.Random) -> Any:
    """Return an answer with one part left out or replaced."""
    data = copy.deepcopy(data)
    places = list(_places(data))
    if not places or generator.random() < 0.1:
        return generator.choice(STRANGE[1:])
    parent, key = generator.choice(places)
    if generator.random() < 0.2:
        del parent[key]
    else:
        parent[key] = generator.choice(STRANGE)
    return data


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield data, key
        yield from _places(value)
