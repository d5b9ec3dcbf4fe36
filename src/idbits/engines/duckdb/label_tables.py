"""Tables of labels: what replaces each distinct value of a column in a treated file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow

from idbits.counts import Value
from idbits.engines.backends.treating import MixedCells, TreatedColumn, TreatmentRequest
from idbits.engines.duckdb import values
from idbits.engines.duckdb.connection import literal
from idbits.engines.duckdb.dictionary import Dictionary
from idbits.errors import InputError
from idbits.values.attributes import Attribute, Kind
from idbits.values.released_labels import (
    LabelWords,
    ReleasedKind,
    ValueLengths,
    formula_safe,
    released_kind,
    released_label,
)

if TYPE_CHECKING:
    from idbits.engines.duckdb.table import DuckDBTable

__all__ = ["LabelTable", "label_table", "mixed_tables", "pseudonym_table", "released_texts", "require_new_texts"]

_BATCH = 500_000


@dataclass(frozen=True, slots=True)
class LabelTable:
    """A table (raw, code, label); codes are the ranks of the labels by their bytes, null first.

    Attributes:
        type: the DuckDB type of the labels.
    """

    name: str
    type: str


def label_table(table: DuckDBTable, column: TreatedColumn, treatment: TreatmentRequest, source_type: str) -> LabelTable:
    """Create the table of labels of a column that becomes coarser."""
    plain = table.dictionary(Attribute(column.column, table.columns[column.column]))
    if column.labels is not None:
        texts = table.labels(Attribute(column.column, table.columns[column.column]))
        codes, labels = plain.codes, {code: column.labels.get(text) for code, text in enumerate(texts)}
        duckdb_type = "VARCHAR"
    else:
        dictionary = table.dictionary(column.view)
        codes, labels = dictionary.codes, _labels_of_view(table, plain, dictionary, column.view, treatment.words)
        duckdb_type = "VARCHAR" if treatment.is_text_file else _released_type(table, column.view, labels, source_type)
    if treatment.is_text_file:
        labels = {code: formula_safe(text) if text else None for code, text in labels.items()}
    connection = table.connection
    frame, name = connection.new_name("labels"), connection.new_name("released")
    connection.raw.register(frame, _ranked(labels))
    connection.run(
        f"CREATE TEMP TABLE {name} AS SELECT raw, rank AS code, CAST(label AS {duckdb_type}) AS label "
        f"FROM {codes} JOIN {frame} USING (code)"
    )
    connection.raw.unregister(frame)
    return LabelTable(name, duckdb_type)


def _ranked(labels: dict[int, Value]) -> pyarrow.Table:
    texts = sorted({text for text in labels.values() if text is not None}, key=str.encode)
    ranks = {None: 0} | {text: rank for rank, text in enumerate(texts, 1)}
    return pyarrow.table(
        {
            "code": pyarrow.array(list(labels), pyarrow.uint64()),
            "rank": pyarrow.array([ranks[text] for text in labels.values()], pyarrow.uint32()),
            "label": pyarrow.array(list(labels.values()), pyarrow.string()),
        }
    )


def released_texts(table: DuckDBTable, view: Attribute, words: LabelWords) -> list[Value]:
    """Return the text that is written for each code of a view."""
    plain = table.dictionary(Attribute(view.column, table.columns[view.column]))
    dictionary = table.dictionary(view)
    labels = _labels_of_view(table, plain, dictionary, view, words)
    return [labels[code] for code in range(dictionary.size)]


def mixed_tables(table: DuckDBTable, mixed: MixedCells, *, is_text_file: bool) -> tuple[list[str], str]:
    """Create the tables of mixed coarseness.

    For each column one (raw, number); and one for the rows: x0, x1, .. are their numbers, g0, g1, .. the ranks of
    what is written, l0, l1, .. the texts. Columns that stay as they are have only x.
    """
    connection = table.connection
    numbers, columns = [], {}
    for index, attribute in enumerate(mixed.attributes):
        name, frame = connection.new_name("numbers"), connection.new_name("frame")
        of_codes = mixed.numbers[attribute.column]
        connection.raw.register(
            frame, pyarrow.table({"code": pyarrow.array(range(len(of_codes)), pyarrow.uint64()), "number": of_codes})
        )
        codes = table.dictionary(attribute).codes
        connection.run(f"CREATE TEMP TABLE {name} AS SELECT raw, number FROM {codes} JOIN {frame} USING (code)")
        connection.raw.unregister(frame)
        numbers.append(name)
        columns[f"x{index}"] = pyarrow.array(mixed.rows[attribute.column])
        texts = mixed.texts[attribute.column]
        if texts is not None:
            written = [formula_safe(text) if text else None for text in texts] if is_text_file else list(texts)
            ranked = _ranked(dict(enumerate(written)))
            cells = pyarrow.array(mixed.cells[attribute.column])
            columns[f"g{index}"] = ranked.column("rank").combine_chunks().take(cells)
            columns[f"l{index}"] = ranked.column("label").combine_chunks().take(cells)
    name, frame = connection.new_name("mixed"), connection.new_name("frame")
    connection.raw.register(frame, pyarrow.table(columns))
    connection.run(f"CREATE TEMP TABLE {name} AS SELECT DISTINCT * FROM {frame}")
    connection.raw.unregister(frame)
    return numbers, name


def _labels_of_view(
    table: DuckDBTable, plain: Dictionary, dictionary: Dictionary, view: Attribute, words: LabelWords
) -> dict[int, Value]:
    """Return the label of each code of a view."""
    lengths = _lengths(table, plain, view)
    is_time = view.result_kind is Kind.TIMESTAMP
    value = "CAST(value AS VARCHAR)" if is_time else "value"
    rows = table.connection.rows(f"SELECT code, {value}, other FROM {dictionary.values}")
    labels = {
        int(code): words.rest if other else released_label(value, view, words, lengths) for code, value, other in rows
    }
    if any(other for *_, other in rows):
        require_new_texts(table, plain, view.column, [words.rest], f'"{words.rest}" is', "another word with --rest")
    masked = [text for text in labels.values() if text is not None and text.endswith(words.blank)]
    if masked and any(transform.name == "prefix" for transform in view.transforms):
        what = f'the text that "{view.name}" would write is'
        require_new_texts(table, plain, view.column, masked, what, "another character with --blank")
    if len(set(labels.values())) < len(labels):
        raise InputError(
            f'two different values of "{view.name}" would be written alike; choose other texts with --blank and --rest'
        )
    return labels


def require_new_texts(
    table: DuckDBTable, plain: Dictionary, column: str, texts: Sequence[str], what: str, instead: str
) -> None:
    """Raise an error if a text that replaces values is already a value of the column."""
    connection = table.connection
    frame = connection.new_name("texts")
    connection.raw.register(frame, pyarrow.table({"text": pyarrow.array(texts, pyarrow.string())}))
    (same,) = connection.counts(f"SELECT count(*) FROM {plain.values} JOIN {frame} ON CAST(value AS VARCHAR) = text")
    connection.raw.unregister(frame)
    if same:
        raise InputError(f'{what} already a value of column "{column}"; choose {instead}')


def _lengths(table: DuckDBTable, plain: Dictionary, view: Attribute) -> ValueLengths:
    names = {transform.name for transform in view.transforms}
    if not names & {"prefix", "band"}:
        return ValueLengths()
    text = values.text_of("value", view.kind)
    fractions = "false"
    if view.kind is Kind.NUMBER:
        fractions = "value <> trunc(value)"
    elif view.kind is Kind.TEXT:
        fractions = f"regexp_matches(value, {literal('[.,][0-9]*[1-9]|[eE]-')})"
    shortest, longest, whole = table.connection.counts(
        f"SELECT coalesce(min(length({text})), 0), coalesce(max(length({text})), 0), count(*) FILTER ({fractions}) "
        f"FROM {plain.values}"
    )
    return ValueLengths(shortest, longest, bool(whole))


def _released_type(table: DuckDBTable, view: Attribute, labels: dict[int, Value], source_type: str) -> str:
    """Return the DuckDB type of labels in a file with types."""
    kind = released_kind(view)
    if kind is ReleasedKind.WHOLE:
        return "BIGINT"
    if kind is ReleasedKind.DAY:
        return "DATE"
    if kind is ReleasedKind.TEXT or source_type == "VARCHAR":
        return "VARCHAR"
    # Rounding up can exceed a small type: 255 becomes 260.
    frame = table.connection.new_name("labels")
    table.connection.raw.register(frame, _ranked(labels))
    too_large = f"label IS NOT NULL AND TRY_CAST(label AS {source_type}) IS NULL"
    (rows,) = table.connection.counts(f"SELECT count(*) FILTER ({too_large}) FROM {frame}")
    table.connection.raw.unregister(frame)
    wider = "BIGINT" if values.kind_of(source_type) is Kind.INTEGER else "DOUBLE"
    return wider if rows else source_type


def pseudonym_table(table: DuckDBTable, column: str, function: Callable[[str], str]) -> str:
    """Create the table (raw, label) of the pseudonyms of a column, some values at a time; null stays null."""
    connection = table.connection
    plain = table.dictionary(Attribute(column, table.columns[column]))
    name, frame = connection.new_name("pseudonyms"), connection.new_name("batch")
    connection.run(f"CREATE TEMP TABLE {name} AS SELECT raw, CAST(NULL AS VARCHAR) AS label FROM {plain.codes} LIMIT 0")
    for first in range(0, plain.size, _BATCH):
        some = f"code >= {first} AND code < {first + _BATCH}"
        rows = connection.rows(
            f"SELECT code, CAST(raw AS VARCHAR) FROM {plain.codes} WHERE {some}", "replacing identifiers"
        )
        labels = [None if text is None else function(text) for _, text in rows]
        batch = {
            "code": pyarrow.array([code for code, _ in rows], pyarrow.uint64()),
            "label": pyarrow.array(labels, pyarrow.string()),
        }
        connection.raw.register(frame, pyarrow.table(batch))
        connection.run(f"INSERT INTO {name} SELECT raw, label FROM {plain.codes} JOIN {frame} USING (code)")
        connection.raw.unregister(frame)
    return name
