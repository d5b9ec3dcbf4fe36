"""Scores the judgement on the labelled columns: ``python tests/roles/score.py tuning.txt``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from schemas import Schema, Values, invent, kind_word, read_schemas

from idbits.values.attributes import Kind


@dataclass(frozen=True)
class Outcome:
    """A judged column."""

    schema: str
    column: str
    expected: tuple[str, ...]
    role: str
    evidence: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        return self.role in self.expected


@dataclass(frozen=True)
class Score:
    """How good judgements are."""

    outcomes: tuple[Outcome, ...]

    @property
    def agreement(self) -> float:
        return sum(outcome.agrees for outcome in self.outcomes) / len(self.outcomes)

    @property
    def recall(self) -> float:
        """The share of identifiers that are judged as identifiers; columns with several labels do not count."""
        identifiers = [outcome for outcome in self.outcomes if outcome.expected == ("direct identifier",)]
        return sum(outcome.agrees for outcome in identifiers) / len(identifiers)

    @property
    def times_called_identifiers(self) -> list[Outcome]:
        return [o for o in self.outcomes if o.expected[0] == "time" and o.role == "direct identifier"]


def as_text(values: Values) -> Values:
    """Return values as a text file has them."""
    return [None if value is None else str(value) for value in values]


def judged(schema: Schema, *, as_texts: bool, rows: int = 400) -> Iterator[Outcome]:
    from idbits.engines.plain import PlainTable
    from idbits.reading import OpenOptions
    from idbits.studies.shared.roles.judging import judge_all_rows

    table = invent(schema, rows)
    columns = {name: as_text(values) if as_texts else values for name, values in table.items()}
    kinds = {name: Kind.TEXT if as_texts else Kind(kind_word(values)) for name, values in table.items()}
    records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    judgements = judge_all_rows(PlainTable(records, kinds), OpenOptions())
    for column, judgement in zip(schema.columns, judgements, strict=True):
        yield Outcome(schema.title, column.name, column.roles, str(judgement.role), judgement.evidence)


def score(file: str, *, as_texts: bool) -> Score:
    return Score(tuple(outcome for schema in read_schemas(file) for outcome in judged(schema, as_texts=as_texts)))


def shown(outcome: Outcome) -> str:
    return f"  {outcome.schema} | {outcome.column} | {'/'.join(outcome.expected)} | {outcome.role}: {outcome.evidence}"


if __name__ == "__main__":
    for texts in (False, True):
        result = score(sys.argv[1], as_texts=texts)
        print("as a text file:" if texts else "as a typed table:", len(result.outcomes), "columns, agreement",
              result.agreement, "recall of identifiers", result.recall,
              "times called identifiers", len(result.times_called_identifiers))  # fmt: skip
        if "--show" in sys.argv:
            print(*(shown(outcome) for outcome in result.outcomes if not outcome.agrees), sep="\n")
