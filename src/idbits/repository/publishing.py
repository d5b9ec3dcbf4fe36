"""Publishing from a table: count, state, sign, send. Only the signed statement leaves the machine.

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
from idbits.canonical import canonical
from idbits.counts import Spectrum
from idbits.deprecation import renamed_argument
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
    signed_kinds,
)
from idbits.repository.vocabulary import Vocabulary, name_key, remaining_steps
from idbits.signing import SigningKey
from idbits.studies.shared.persons import require_one_row_per_person
from idbits.studies.shared.presentation import Answer
from idbits.values.attributes import Attribute, parse_attributes

__all__ = ["Publication", "PublicationDetails", "publish", "state"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationDetails:
    """What a publisher states in addition to the figures.

    Attributes:
        holder: the data holder; the account's holder by default.
        date: the day that the data describe; today by default.
        method: how the data were collected; required to publish.
        source: where the data can be found.
        coverage: the share of the population that was counted; None if it is not known.
        supersedes: the reference of the entry that this one replaces; None if it replaces none.
        distribution: whether to publish the distribution too.
        names: the vocabulary names of columns that have other names in the table.
        possible_values: the number of possible values; the number of observed values by default.
        person: the column that identifies people; None if every row is one person.
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


@dataclass(frozen=True, kw_only=True, eq=False)
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
        """Return the blocks to display."""
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
        signed = "Statement to be signed" if receipt is None else "Signed statement"
        shown: list[blocks.Block] = [verdict, blocks.TableBlock(signed, ("", ""), rows, left=(0, 1))]
        if receipt is not None:
            line = f"Receipt {receipt.sequence}:{receipt.hash}. Keep it: with it, verify can detect a rewritten log."
            shown.append(blocks.Paragraph(line))
        return shown


_SOLVABLE = {
    False: (
        f"some values have fewer than {LEAST_CELL} people, and the entropy would give away how many; coarsen the rare "
        "values, or give the number of possible values if there are very many (--possible-values)"
    ),
    True: (
        "the entropy would give away how many people have the left-out values; coarsen the rare values, or drop "
        "--distribution"
    ),
}


def _cells_text(cells: Cells | None) -> str:
    if cells is None:
        return "not published"
    rest = f", {count(cells.rest_values)} rare values left out" if cells.rest_values else ""
    return f"{count(len(cells.cells))} values{rest}"


@renamed_argument("said", "details", since="1.0.0")
def publish(
    source: Any,
    qid: Names,
    population: Mapping[str, str],
    repository: AnyRepository,
    key: SigningKey,
    details: PublicationDetails = PublicationDetails(),  # noqa: B008 (frozen)
    *,
    dry_run: bool = False,
    **reading: Unpack[Reading],
) -> Publication:
    """Count a quasi-identifier in a table, sign the figures and publish them.

    Args:
        source: as in ``idbits.measure``.
        qid: the columns; their names are looked up in the repository's vocabulary.
        population: what all people in the table have in common, such as ``{"City": "Amsterdam"}``.
        repository: from ``idbits.repository.connect``.
        key: from ``idbits.repository.signing_key``.
        details: what the publisher states in addition to the figures.
        dry_run: return the statement without signing or publishing it.
        reading: how to read the table.
    """
    words = repository.vocabulary()
    holder = details.holder or _holder(repository, key)
    statement, notes = state(source, qid, population, words, replace(details, holder=holder), **reading)
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
        raise InputError("the data holder is unknown; name it with --holder")
    return holder


def state(
    source: object,
    qid: Names,
    population: Mapping[str, str],
    words: Vocabulary,
    details: PublicationDetails,
    **reading: Unpack[Reading],
) -> tuple[Statement, tuple[str, ...]]:
    """Return the statement about a quasi-identifier in a table, and notes on how the table was read."""
    counted = _count(source, name_list(qid), population, words, details, open_options(reading))
    spectrum, notes = counted.spectrum, list(counted.notes)
    if details.date is None:
        notes.append("we assumed that the data describe today (--date gives another day)")
    n_values = spectrum.n_values if details.possible_values is None else details.possible_values
    if n_values < spectrum.n_sets:
        raise InputError(
            f"--possible-values is {n_values:,}, but {spectrum.n_sets:,} values occur; give at least that many"
        )
    entropy, kappa, decimals = _figures(spectrum, n_values, counted.cells)
    if decimals is not None:
        notes.append(
            f"the entropy is rounded to {decimals} decimals, and kappa is computed from it, because some values have "
            f"fewer than {LEAST_CELL} people"
        )
    pairs = population_pairs(population, words)
    statement = Statement(
        qid=counted.names,
        population=pairs,
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
        kinds=signed_kinds(counted.names, pairs, words),
    )
    # The same checks as in the repository, before anything is signed.
    check_statement(read_statement(statement.to_dict()), words)
    return statement, tuple(notes)


class _CountedTable(NamedTuple):
    """The counts in a table, with the attributes by their vocabulary names, sorted."""

    names: tuple[str, ...]
    spectrum: Spectrum
    cells: Cells | None
    notes: tuple[str, ...]


def _count(
    source: object,
    qid: Sequence[str],
    population: Mapping[str, str],
    words: Vocabulary,
    details: PublicationDetails,
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
            raise NotEstimableError("the table has no people to count, so there is nothing to publish")
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
    """Return entropy and kappa as they may be published, and the number of decimals; None for all digits."""
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
    """Return the table's columns that show whether people are in the population, with the value that they must have."""
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
    """Refuse a population that a column contradicts; yield a note if the value is only spelled differently."""
    shown = table.histogram([seen], most=2)
    if len(shown.values) + shown.rest_values > 1:
        raise InputError(_has_itself(seen.column, "several values are left in it"))
    if make_condition(seen.name, shown.values[0][0]) != make_condition(seen.name, value):
        yield f'the column "{seen.column}" has a different value from --population'


def _has_itself(column: str, why: str = "") -> str:
    return (
        f'the table has the column "{column}" of --population{why and f", and {why}"}; select the people with --where, '
        f"for example \"{column} = '...'\""
    )


def _cells(table: Table, attributes: Sequence[Attribute], spectrum: Spectrum) -> Cells:
    """Return the distribution without the values that too few people have."""
    histogram = table.histogram(attributes, at_least=LEAST_CELL)
    cells = [Cell(value, people) for value, people in zip(histogram.values, histogram.people, strict=True)]
    rest_values, rest_people = histogram.rest_values, histogram.rest_people
    # The people left out must not be a small group either: add the smallest cells to them.
    while cells and 0 < rest_people < LEAST_CELL:
        smallest = cells.pop()
        rest_values, rest_people = rest_values + 1, rest_people + smallest.people
    if not cells:
        raise NotEstimableError("no value has enough people to be published; drop --distribution")
    if len(cells) > MOST_CELLS:
        raise InputError(
            f"the distribution has more than {MOST_CELLS:,} cells; coarsen the columns or drop --distribution"
        )
    if spectrum.n_people != sum(cell.people for cell in cells) + rest_people:
        raise AssertionError("cells and rest do not add up to the people")
    return Cells(tuple(cells), rest_values, rest_people)
