"""In any order of publishing, following and importing, two repositories come to have the same entries."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from helpers import Publisher, shown_refs
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from idbits.errors import RefusedError
from idbits.repository import Repository, SigningKey, client, export, import_file, sync, syncing

_PLACES = ("Oslo", "Bergen", "Bodo")
_STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("publish"), st.integers(0, 1), st.sampled_from(_PLACES),
            st.sampled_from(["age", "gender"]), st.sampled_from([1000, 1004, 2000, 2050]),
        ),
        st.tuples(st.sampled_from(["sync", "import"]), st.integers(0, 1)),
    ),
    max_size=12,
)  # fmt: skip
_KEYS = [SigningKey.generate(), SigningKey.generate()]


class _Direct(client.RemoteRepository):
    """The other repository without a network."""

    stores: dict[str, Repository]

    def _store(self) -> Repository:
        return type(self).stores[f"http://127.0.0.1:{self._port}"]

    def feed(self, after: int = 0, limit: int = 100) -> dict[str, Any]:
        return self._store().feed(after, limit)

    def vocabulary(self) -> Any:
        return self._store().vocabulary()


@settings(max_examples=25, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(steps=_STEPS)
def test_in_any_order_both_have_the_same_entries_or_show_a_conflict(
    steps: list[tuple[Any, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("exchange")
    stores = [Repository.open(str(folder / f"{name}.db")) for name in "ab"]
    addresses = ["http://127.0.0.1:1", "http://127.0.0.1:2"]
    publishers = []
    for here, store in enumerate(stores):
        publishers.append(Publisher(store, "own", f"Holder {here}", signing=_KEYS[here]))
        store.trust("other", _KEYS[1 - here].public_key, f"Holder {1 - here}", by="tests")
        store.follow(addresses[1 - here], by="tests")
    published: set[str] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(syncing, "RemoteRepository", _Direct)
        _Direct.stores = dict(zip(addresses, stores, strict=True))
        ends = [("sync", 0), ("sync", 1), ("sync", 0), ("sync", 1)]
        for number, (step, here, *said) in enumerate([*steps, *ends]):
            if step == "sync":
                sync(stores[here], addresses[1 - here])
            elif step == "import":
                file = folder / f"{number}.jsonl"
                export(stores[1 - here], file)
                import_file(stores[here], file, source=addresses[1 - here])
            else:
                place, qid, people = said
                with contextlib.suppress(RefusedError):
                    told = {"population": {"municipality": place}, "qid": (qid,), "n_people": people}
                    published.add(publishers[here].publish(**told).ref)
        heads = [store.head() for store in stores]
        for here in (0, 1):
            sync(stores[here], addresses[1 - here])
        assert [store.head() for store in stores] == heads
    held = [{conflict.ref for conflict in store.conflicts()} for store in stores]
    for here, store in enumerate(stores):
        # Each entry is here or held back, never both, and nothing else is.
        assert shown_refs(store) | held[here] == published
        assert shown_refs(store).isdisjoint(held[here])
        assert store.verify() == []
    if not held[0] and not held[1]:
        assert shown_refs(stores[0]) == shown_refs(stores[1])
    # An entry is held back only because of one that is held back on the other side.
    assert bool(held[0]) == bool(held[1])
    for store in stores:
        sizes = {}
        for entry in store.entries(limit=1000).entries:
            sizes.setdefault(entry.statement.population, set()).add(entry.statement.n_people)
        assert all(abs(a - b) >= 100 for known in sizes.values() for a in known for b in known if a != b)
        store.close()
