"""Publishing, superseding, retracting and reading entries, on both databases."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
import sqlalchemy as sa
from helpers import Publisher, statement

from idbits.canonical import canonical
from idbits.errors import EntryNotFoundError, InputError, NotAllowedError, RefusedError, RepositoryError
from idbits.repository import Cell, Cells, Repository, SigningKey, Statement, entries, schema


def test_what_is_published_is_read_back(store: Repository) -> None:
    city = Publisher(store)
    receipt = city.publish(coverage=0.98, source="the registry")
    entry = store.entry(receipt.ref)
    assert entry.statement == statement(coverage=0.98, source="the registry")
    assert (entry.status, entry.publisher, entry.sequence) == ("current", "city", receipt.sequence)
    assert [one.ref for one in store.entries().entries] == [receipt.ref]
    assert store.verify((receipt.sequence, receipt.hash)) == []


def test_the_same_statement_again_is_the_same_entry(store: Repository) -> None:
    city = Publisher(store)
    assert city.publish() == city.publish()
    assert len(store.entries().entries) == 1


@pytest.mark.parametrize("cells", [4, 400])
def test_a_statement_is_parsed_once_on_its_way_to_the_store(
    sqlite_store: Repository, monkeypatch: pytest.MonkeyPatch, cells: int
) -> None:
    parsed: list[Cells | None] = []
    read_statement = entries.read_statement

    def and_note(data: object) -> Statement:
        statement = read_statement(data)
        parsed.append(statement.distribution)
        return statement

    monkeypatch.setattr(entries, "read_statement", and_note)
    city = Publisher(sqlite_store)
    values = tuple(Cell((f"value {number:050}",), 200) for number in range(cells))
    stated = {"n_people": 200 * cells, "n_values": cells, "entropy_bits": math.log2(cells), "kappa_nats": 0.0}
    ref = city.publish(**stated, distribution=Cells(values)).ref
    assert city.publish(**stated, distribution=Cells(values)).ref == ref
    assert sqlite_store.entry(ref).cells == values
    city.publish(population={"municipality": "Rotterdam"})
    assert parsed.count(Cells(values)) == 1


def test_superseding(store: Repository) -> None:
    city = Publisher(store)
    first = city.publish()
    second = city.publish(entropy_bits=1.25, supersedes=first.ref)
    old, new = store.entry(first.ref), store.entry(second.ref)
    assert (old.status, old.superseded_by, new.status) == ("superseded", second.ref, "current")
    assert [one.ref for one in store.entries().entries] == [second.ref]
    assert [one.ref for one in store.entries(status=("superseded",)).entries] == [first.ref]
    with pytest.raises(InputError, match="already superseded"):
        city.publish(entropy_bits=1.0, supersedes=first.ref)


def test_only_one_s_own_and_the_same_can_be_superseded(store: Repository) -> None:
    city, other = Publisher(store), Publisher(store, "other", "Other")
    ref = city.publish().ref
    with pytest.raises(NotAllowedError, match="same data holder"):
        other.publish(n_people=2000, supersedes=ref)
    with pytest.raises(InputError, match="same quasi-identifier and population"):
        city.publish(qid=("age",), supersedes=ref)
    with pytest.raises(EntryNotFoundError):
        city.publish(supersedes="0" * 16)


def test_superseding_with_one_person_more_is_refused(store: Repository) -> None:
    city = Publisher(store)
    ref = city.publish().ref
    with pytest.raises(RefusedError) as refused:
        city.publish(n_people=1001, supersedes=ref)
    assert refused.value.rule == "difference"
    assert "rule difference" in str(refused.value)
    assert not any(character.isdigit() for character in str(refused.value))


@pytest.mark.big
def test_a_retracted_entry_shows_no_figures_and_still_counts(store: Repository) -> None:
    city = Publisher(store)
    ref = city.publish().ref
    entry = store.retract(ref, "counted twice", by="city", holder="City")
    assert (entry.status, entry.reason) == ("retracted", "counted twice")
    shown = entry.to_dict()
    assert set(shown["statement"]) == {"qid", "population", "holder", "date", "supersedes"}
    assert shown["signature"] is None
    with pytest.raises(RepositoryError, match="retracted"):
        entry.drawn_from()
    assert store.entries().entries == ()
    with pytest.raises(InputError, match="already retracted"):
        store.retract(ref, "again", by="city")
    with pytest.raises(InputError, match="was retracted"):
        city.publish()
    with pytest.raises(RefusedError):
        city.publish(n_people=1001)
    with pytest.raises(NotAllowedError):
        store.retract(Publisher(store, "b", "B").publish(n_people=3000).ref, "mine", by="city", holder="City")


def test_refusals_outlive_the_process(database: str) -> None:
    first = Repository.open(database)
    city = Publisher(first)
    city.publish()
    first.close()
    second = Repository.open(database)
    city.store = second
    with pytest.raises(RefusedError):
        city.publish(n_people=950, population={"municipality": "amsterdam", "gender": "F"})
    second.close()


def test_two_processes_see_each_other_s_entries(database: str) -> None:
    first, second = Repository.open(database), Repository.open(database)
    city = Publisher(first)
    city.publish()
    city.store = second
    with pytest.raises(RefusedError):
        city.publish(n_people=999)
    city.publish(n_people=2000)
    city.store = first
    with pytest.raises(RefusedError):
        city.publish(n_people=1999)
    first.close()
    second.close()


def test_who_may_publish(store: Repository) -> None:
    city, reader = Publisher(store), Publisher(store, "reader", "Reader", role="reader")
    with pytest.raises(NotAllowedError, match="no publisher"):
        reader.publish()
    text, signature, _ = city.signed()
    with pytest.raises(NotAllowedError, match="no publisher"):
        store.publish(text, signature, SigningKey.generate().public_key)
    with pytest.raises(NotAllowedError, match="does not verify"):
        store.publish(text.replace("1000", "2000"), signature, city.signing.public_key)
    with pytest.raises(NotAllowedError, match="another publisher"):
        store.publish(text, signature, city.signing.public_key, by="somebody")
    text = canonical(statement(holder="Statistics Office").to_dict())
    with pytest.raises(NotAllowedError, match="this data holder"):
        store.publish(text, city.signing.sign(text), city.signing.public_key)
    store.revoke("city", by="tests")
    with pytest.raises(NotAllowedError, match="no publisher"):
        city.publish()


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"kappa_nats": 0.5}, "kappa and entropy"),
        ({"entropy_bits": 2.5, "kappa_nats": 0.0}, "entropy .* number of values"),
        ({"n_people": 100, "n_values": 10**6, "entropy_bits": 7.0}, "entropy .* number of values"),
        ({"qid": ("sex",)}, "quasi-identifier .* vocabulary"),
        ({"qid": ("gender", "age")}, "quasi-identifier .* sorted"),
        ({"qid": ("shoe size",)}, "no attribute"),
        ({"qid": ()}, "1 to 12"),
        ({"population": {"City": "Amsterdam"}}, "population .* vocabulary"),
        ({"population": {}}, "1 to 8"),
        ({"date": "2019-02-30"}, "not a day"),
        ({"date": "20190101"}, "written like"),
        ({"coverage": 1.5}, "coverage .* above 0 and at most 1"),
        ({"n_people": 0}, "n_people"),
        ({"method": ""}, "method"),
        ({"method": "a\nb"}, "printable"),
        ({"supersedes": "x"}, "reference"),
        ({"entropy_decimals": 1}, "entropy_decimals"),
        ({"entropy_decimals": 10}, "entropy_decimals"),
        ({"entropy_bits": 1.234, "entropy_decimals": 2}, "more decimals"),
        ({"kappa_nats": math.log(4) - 1.5 * math.log(2) + 5e-7, "entropy_decimals": 2}, "rounded entropy"),
    ],
)
def test_statements_that_do_not_fit(city: Publisher, said: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        city.publish(**said)
    assert city.store.entries().entries == ()


CELLS = Cells((Cell(("F",), 500), Cell(("M",), 500)))


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (Cells((Cell(("F",), 500), Cell(("M",), 400))), "add up"),
        (Cells((Cell(("F",), 500), Cell(("F",), 500))), "twice"),
        (Cells((Cell(("F",), 500), Cell(("M",), 300)), 1, 200), "entropy .* distribution"),
        (Cells((Cell(("F",), 900), Cell(("M",), 100))), "entropy .* distribution"),
        (Cells((Cell(("F", "x"), 500), Cell(("M", "x"), 500))), "one value per attribute"),
        (Cells((Cell(("F",), 500),), 0, 500), "at least one person"),
        (Cells((Cell(("F",), 500),), 9, 500), "more values than are possible"),
    ],
)
def test_distributions_that_do_not_fit(city: Publisher, cells: Cells, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        city.publish(entropy_bits=1.0, distribution=cells)


def test_predictions_draw_from_what_was_published(city: Publisher) -> None:
    whole = city.store.entry(city.publish(entropy_bits=1.0, n_values=2, distribution=CELLS).ref)
    assert whole.drawn_from()["probabilities"] == [0.5, 0.5]
    part = city.store.entry(city.publish(qid=("age",)).ref)
    assert (part.drawn_from()["values"], part.drawn_from()["kappa"]) == (4, part.statement.kappa_nats)


def test_only_canonical_text_is_signed(city: Publisher) -> None:
    text = " " + city.signed()[0]
    with pytest.raises(InputError, match="canonical"):
        city.store.publish(text, city.signing.sign(text), city.signing.public_key)


def test_finding(city: Publisher) -> None:
    Publisher(city.store, "other", "Other").publish(population={"country": "NL"}, n_people=10**6)
    city.publish()
    store = city.store
    assert len(store.entries(["sex"]).entries) == 2
    assert len(store.entries(["sex"], {"CITY": "AMSTERDAM"}).entries) == 1
    assert len(store.entries(holder="Other").entries) == 1
    assert len(store.entries(text="amst").entries) == 1
    assert store.entries(text="100% _").entries == ()
    assert len(store.entries(limit=1, offset=1).entries) == 1
    with pytest.raises(InputError):
        store.entries(status=("odd",))


@pytest.mark.parametrize("asked", [{"holder": "a\0"}, {"text": "\0"}])
def test_a_name_that_no_database_holds_is_refused(store: Repository, asked: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="NUL"):
        store.entries(**asked)


def test_a_changed_entry_is_never_shown(city: Publisher) -> None:
    ref, good = city.publish().ref, city.publish(qid=("age",)).ref
    with city.store.database.engine.begin() as connection:
        connection.execute(sa.text("DROP TRIGGER entries_no_update"))
        connection.execute(
            sa.text("UPDATE entries SET statement = replace(statement, '1.5', '0.5') WHERE ref = :r"), {"r": ref}
        )
    with pytest.raises(RepositoryError, match=f"{ref} differs from what its publisher signed"):
        city.store.entry(ref)
    with pytest.raises(RepositoryError, match="nothing can be published"):
        Publisher(Repository(city.store.database), "other", "Other").publish(n_people=9000)
    found = city.store.entries()
    assert ([one.ref for one in found.entries], found.unverified) == ([good], (ref,))
    answer = city.store.query(["gender"], {"City": "Amsterdam"})
    assert answer.exact == ()
    assert any(ref in limit for limit in answer.limits)


def test_an_entry_that_somebody_else_signed_is_never_shown(store: Repository) -> None:
    city, stranger = Publisher(store), SigningKey.generate()
    good = city.publish().ref
    text = canonical(statement(qid=("religion",)).to_dict())
    with store.database.engine.begin() as connection:
        copied = dict(connection.execute(sa.select(schema.entries)).one()._mapping)
        forged = {
            "ref": entries.reference(text), "sequence": 99, "statement": text, "signature": stranger.sign(text),
            "public_key": stranger.public_key, "qid": entries.qid_key(["religion"]),
        }  # fmt: skip
        connection.execute(schema.entries.insert().values(**copied | forged))
    found = store.entries()
    assert ([one.ref for one in found.entries], found.unverified) == ([good], (forged["ref"],))
    assert store.query(["religion"], {"City": "Amsterdam"}).exact == ()
    with pytest.raises(RepositoryError, match="nothing can be published"):
        city.publish(qid=("age",))


def test_the_database_itself_refuses_to_change_rows(store: Repository) -> None:
    Publisher(store).publish()
    for words in ("UPDATE entries SET holder = 'x'", "DELETE FROM audit"):
        with pytest.raises(sa.exc.DatabaseError, match="never changed"), store.database.engine.begin() as connection:
            connection.execute(sa.text(words))


def test_statements_say_what_they_hold() -> None:
    names = {one.name for one in dataclasses.fields(statement())}
    assert set(statement(entropy_decimals=2, kinds=(("pet", "text"),)).to_dict()) == names | {"format"}
    # If nothing is rounded and all attributes are built in, the text is what it always was, and so is the reference.
    assert set(statement().to_dict()) == names - {"entropy_decimals", "kinds"} | {"format"}
