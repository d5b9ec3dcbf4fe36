"""Publishing from a table: count, state, sign, submit. Nothing but the statement leaves the machine.

Implements: SPEC section 6; S2 7.1.1 (the data holder's task).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, ClassVar, NamedTuple, Unpack

from idbits._version import __version__
from idbits.counts import Spectrum
from idbits.engines.base import Table
from idbits.engines.open import open_table
from idbits.errors import InputError, NotEstimableError, RefusedError
from idbits.measures.entropy import kappa_from_entropy, kappa_nats
from idbits.reading import Names, OpenOptions, Reading, name_list, open_options
from idbits.render import blocks
from idbits.render.numbers import bits, count, decimal, fixed, share
from idbits.repository.conditions import make_condition
from idbits.repository.connecting import AnyRepository
from idbits.repository.entries import Receipt
from idbits.repository.service import Repository
from idbits.repository.signing import SigningKey, canonical
from idbits.repository.small_groups import LEAST_CELL, RefusalRule
from idbits.repository.solvable_figures import publishable_entropy
from idbits.repository.statements import (
    MOST_CELLS,
    Cell,
    Cells,
    Statement,
    check_statement,
    population_pairs,
    population_text,
    read_statement,
)
from idbits.repository.vocabulary import Vocabulary, name_key, remaining_steps
from idbits.studies.shared.persons import require_one_row_per_person
from idbits.studies.shared.presentation import Answer
from idbits.values.attributes import Attribute, parse_attributes

__all__ = ["Publication", "Said", "publish", "state"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a publisher says beside the figures.

    Attributes:
        holder: who holds the data; the account's own holder when not given.
        date: the day that the data describe; today when not given.
        method: how the data came about.
        source: where they can be found.
        coverage: which share of the population was counted.
        supersedes: the reference of the entry that this one replaces.
        distribution: whether to publish the distribution, too.
        names: what columns are called in the vocabulary, where they are called otherwise.
        possible_values: how many values the columns could take; the observed ones when not given.
        person: the column that names the person.
    """

    holder: str | None = None
    date: str | None = None
    method: str | None = None
    source: str = ""
    coverage: float | None = None
    supersedes: str | None = None
    distribution: bool = False
    names: Mapping[str, str] = field(default_factory=dict)
    possible_values: int | None = None
    person: str | None = None


@dataclass(frozen=True, kw_only=True)
class Publication(Answer):
    """An entry that was published, or would be."""

    command: ClassVar[str] = "publish"

    statement: Statement
    receipt: Receipt | None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the publication as plain data."""
        receipt = self.receipt
        return {
            "ref": receipt.ref if receipt is not None else None,
            "receipt": {"sequence": receipt.sequence, "hash": receipt.hash} if receipt is not None else None,
            "statement": self.statement.to_dict(),
            "notes": list(self.notes),
        }

    def blocks(self) -> list[blocks.Block]:
        """Return what there is to see."""
        statement, receipt = self.statement, self.receipt
        what = f"{', '.join(statement.qid)} in {population_text(statement.population)}"
        if receipt is None:
            verdict = blocks.Verdict(blocks.Level.WARN, "Not published", f"{what}.")
        else:
            verdict = blocks.Verdict(blocks.Level.GOOD, f"Published as {receipt.ref}", f"{what}.")
        rows = [
            ["people counted", count(statement.n_people)],
            ["possible values", count(statement.n_values)],
            ["kappa, nats", fixed(statement.kappa_nats, 4)],
            ["entropy, bits", bits(statement.entropy_bits)],
            ["k-hat", decimal(statement.k_hat)],
            ["holder", statement.holder],
            ["day", statement.date],
            ["method", statement.method],
            ["coverage", share(statement.coverage)],
            ["distribution", _cells_text(statement.distribution)],
        ]
        signed = "What would be signed" if receipt is None else "What was signed"
        shown: list[blocks.Block] = [verdict, blocks.TableBlock(signed, ("", ""), rows, left=(0, 1))]
        if receipt is not None:
            line = (
                f"Receipt {receipt.sequence}:{receipt.hash}. Keep it: with it, verify shows if the log was rewritten."
            )
            shown.append(blocks.Paragraph(line))
        return shown


_SOLVABLE = {
    False: (
        f"some values have fewer than {LEAST_CELL} people, and the entropy would give away how many; coarsen the rare "
        "values, or say how many values are possible if there are very many (--possible-values)"
    ),
    True: (
        "the entropy would give away how many people the left-out values have; coarsen the rare values, or leave out "
        "--distribution"
    ),
}


def _cells_text(cells: Cells | None) -> str:
    if cells is None:
        return "not published"
    rest = f", {count(cells.rest_values)} rarer ones left out" if cells.rest_values else ""
    return f"{count(len(cells.cells))} values{rest}"


def publish(
    source: Any,
    qid: Names,
    population: Mapping[str, str],
    repository: AnyRepository,
    key: SigningKey,
    said: Said = Said(),  # noqa: B008 (frozen)
    *,
    dry_run: bool = False,
    **reading: Unpack[Reading],
) -> Publication:
    """Count a quasi-identifier in a table, sign the figures and publish them.

    Args:
        source: as in ``idbits.measure``.
        qid: the columns; their names are looked up in the repository's vocabulary.
        population: what the people in the table have in common, ``{"City": "Amsterdam"}``.
        repository: from ``idbits.repository.connect``.
        key: from ``idbits.repository.signing_key``.
        said: what the publisher says beside the figures.
        dry_run: return what would be signed, and publish nothing.
        reading: how the table is read.
    """
    words = repository.vocabulary()
    holder = said.holder or _holder(repository, key)
    statement, notes = state(source, qid, population, words, replace(said, holder=holder), **reading)
    if dry_run:
        return Publication(statement=statement, receipt=None, notes=notes)
    text = canonical(statement.to_dict())
    receipt = repository.publish(text, key.sign(text), key.public_key)
    return Publication(statement=statement, receipt=receipt, notes=notes)


def _holder(repository: AnyRepository, key: SigningKey) -> str:
    if isinstance(repository, Repository):
        accounts = [account for account in repository.accounts() if account.public_key == key.public_key]
        holder = accounts[0].holder if accounts else None
    else:
        holder = repository.me().holder
    if holder is None:
        raise InputError("say who holds the data (--holder)")
    return holder


def state(
    source: object,
    qid: Names,
    population: Mapping[str, str],
    words: Vocabulary,
    details: Said,
    **reading: Unpack[Reading],
) -> tuple[Statement, tuple[str, ...]]:
    """Return what a table says about a quasi-identifier, and the decisions taken while reading it."""
    counted = _count(source, name_list(qid), population, words, details, open_options(reading))
    spectrum, notes = counted.spectrum, list(counted.notes)
    if details.date is None:
        notes.append("the data are taken to describe today (--date says another day)")
    n_values = spectrum.n_values if details.possible_values is None else details.possible_values
    if n_values < spectrum.n_sets:
        raise InputError(f"{spectrum.n_sets:,} values occur, so {n_values:,} cannot be all that are possible")
    entropy, kappa, decimals = _figures(spectrum, n_values, counted.cells)
    if decimals is not None:
        notes.append(
            f"the entropy is rounded to {decimals} decimals, and kappa follows from it, because some values have fewer "
            f"than {LEAST_CELL} people"
        )
    statement = Statement(
        qid=counted.names,
        population=population_pairs(population, words),
        n_people=spectrum.n_people,
        n_values=n_values,
        kappa_nats=kappa,
        entropy_bits=entropy,
        holder=details.holder or "",
        date=details.date or datetime.now(UTC).date().isoformat(),
        method=details.method or f"counted with idbits {__version__}",
        source=details.source,
        coverage=details.coverage,
        distribution=counted.cells,
        supersedes=details.supersedes,
        entropy_decimals=decimals,
    )
    # What the publisher has given is checked here as the repository will check it.
    check_statement(read_statement(statement.to_dict()), words)
    return statement, tuple(notes)


class _CountedTable(NamedTuple):
    """What was counted in a table: the attributes in the vocabulary's words, sorted, and how many people have what."""

    names: tuple[str, ...]
    spectrum: Spectrum
    cells: Cells | None
    notes: tuple[str, ...]


def _count(
    source: object,
    qid: Sequence[str],
    population: Mapping[str, str],
    words: Vocabulary,
    details: Said,
    options: OpenOptions,
) -> _CountedTable:
    with closing(open_table(source, options)) as table:
        wanted = parse_attributes(qid, table.columns)
        telling = _telling_columns(table, population, words)
        if telling and options.where is None:
            raise InputError(_has_itself(telling[0][0].column))
        columns = [attribute.column for attribute in (*wanted, *(seen for seen, _ in telling))]
        table.load(columns + ([details.person] if details.person is not None else []))
        if table.n_people() == 0:
            raise NotEstimableError("there is nobody to count, so there is nothing to publish")
        spelled = [note for seen, value in telling for note in _check_population(table, seen, value)]
        if details.person is not None:
            require_one_row_per_person(table, details.person)
        resolved = [words.resolve(_name(attribute, details.names)).name for attribute in wanted]
        order = sorted(range(len(resolved)), key=resolved.__getitem__)
        ordered = [wanted[index] for index in order]
        spectrum = table.spectrum(ordered)
        cells = _cells(table, ordered, spectrum) if details.distribution else None
        table.check_unchanged()
        names = tuple(resolved[index] for index in order)
        return _CountedTable(names, spectrum, cells, (*table.notes, *spelled))


def _figures(spectrum: Spectrum, n_values: int, cells: Cells | None) -> tuple[float, float, int | None]:
    """Return entropy and kappa as they may be published, and to how many decimals; None for all digits."""
    listed = Counter(cell.people for cell in cells.cells) if cells is not None else Counter()
    publishable = publishable_entropy(tuple(spectrum.pairs()), n_values, tuple(sorted(listed.items())))
    if publishable is None:
        raise RefusedError(RefusalRule.CELL, f"refused by the rule {RefusalRule.CELL}: {_SOLVABLE[cells is not None]}")
    entropy, decimals = publishable
    kappa = kappa_nats(spectrum, n_values) if decimals is None else kappa_from_entropy(entropy, n_values)
    assert kappa is not None
    return entropy, kappa, decimals


def _name(attribute: Attribute, names: Mapping[str, str]) -> str:
    return ":".join([names.get(attribute.column, attribute.column), *map(str, attribute.transforms)])


def _telling_columns(table: Table, population: Mapping[str, str], words: Vocabulary) -> list[tuple[Attribute, str]]:
    """Return the columns that say themselves who is in the population, in its view, with the value they should have."""
    telling = []
    for name, value in population.items():
        meant = words.resolve(name)
        for column, kind in table.columns.items():
            known = None
            with suppress(InputError):
                known = words.resolve(column)
            if known is not None and known.column == meant.column:
                telling.append((Attribute(column, kind, remaining_steps(known, meant) or ()), value))
            elif name_key(column) == name_key(name):
                telling.append((Attribute(column, kind), value))
    return telling


def _check_population(table: Table, seen: Attribute, value: str) -> Iterator[str]:
    """Refuse to call people a population if a column contradicts that; yield that it may be spelled otherwise."""
    shown = table.histogram([seen], most=2)
    if len(shown.values) + shown.rest_values > 1:
        raise InputError(_has_itself(seen.column, "several values of it are left"))
    if make_condition(seen.name, shown.values[0][0]) != make_condition(seen.name, value):
        yield f'the column "{seen.column}" has another value than the population is said to have'


def _has_itself(column: str, why: str = "") -> str:
    return (
        f'the table has a column "{column}" itself{why and f", and {why}"}: take the people you mean with --where, '
        f"for example \"{column} = '...'\""
    )


def _cells(table: Table, attributes: Sequence[Attribute], spectrum: Spectrum) -> Cells:
    """Return the distribution, with values that too few people have left out."""
    histogram = table.histogram(attributes, at_least=LEAST_CELL)
    cells = [Cell(value, people) for value, people in zip(histogram.values, histogram.people, strict=True)]
    rest_values, rest_people = histogram.rest_values, histogram.rest_people
    # What is left out must not be a small group either: it takes the smallest cells along.
    while cells and 0 < rest_people < LEAST_CELL:
        smallest = cells.pop()
        rest_values, rest_people = rest_values + 1, rest_people + smallest.people
    if not cells:
        raise NotEstimableError("no value has enough people to be published; leave out --distribution")
    if len(cells) > MOST_CELLS:
        raise InputError(f"a distribution has at most {MOST_CELLS:,} cells; coarsen it or leave out --distribution")
    if spectrum.n_people != sum(cell.people for cell in cells) + rest_people:
        raise AssertionError("cells and rest make up the people")
    return Cells(tuple(cells), rest_values, rest_people)
