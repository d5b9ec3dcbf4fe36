"""What is written beside a treated file: its receipt, without values, and the mapping of values, for the owner only."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from idbits.engines.backends.treating import TreatedColumn, TreatedRows
from idbits.reading import OPTIONS, OpenOptions
from idbits.storage import whole_file
from idbits.studies.apply.result import TreatedFile
from idbits.studies.shared.serialisation import to_json, with_schema

__all__ = ["given_reading", "not_assessed", "without_literals", "write_mapping", "write_receipt"]

_LITERALS = re.compile(r"""("(?:[^"]|"")*")|'(?:[^']|'')*'|(?<![\w.])[+-]?\d[\w.]*""")
_MACHINE = ("memory", "threads", "timeout")


def write_receipt(path: Path, answer: TreatedFile) -> None:
    """Write the receipt: the answer as JSON, with one key per line."""
    data = json.loads(to_json(with_schema(answer.command, answer.to_dict())))
    with whole_file(path) as draft:
        draft.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")


def write_mapping(path: Path, rows: TreatedRows, columns: Sequence[TreatedColumn]) -> None:
    """Write which value replaces each value of the source; only the owner can read the file."""
    recoded = [
        {
            "column": column.column,
            "view": column.view.name,
            "values": list(map(list, rows.recoded_values(column.column))),
        }
        for column in columns
        if not column.is_untouched
    ]
    internal = "values of the source: for internal use only, do not pass this file on"
    with whole_file(path, private=True) as draft, draft.open("w", encoding="utf-8", newline="\n") as file:
        json.dump(
            with_schema("apply", {"internal": True, "notice": internal, "columns": recoded}), file, ensure_ascii=False
        )
        file.write("\n")


def given_reading(options: OpenOptions) -> dict[str, object]:
    """Return how the source was read, without the literals of the filter."""
    given: dict[str, object] = {}
    for name, option in OPTIONS.items():
        value = getattr(options, name)
        if name in _MACHINE or value in (None, (), option.default):
            continue
        texts = [value] if isinstance(value, str) else value
        given[name] = [without_literals(text) for text in texts] if name == "where" else _plain(value)
    return given


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return list(value)
    return value if isinstance(value, str | int | bool) else str(value)


def without_literals(condition: str) -> str:
    """Return a filter with ``?`` for each text and number in it; names of columns stay.

    >>> without_literals("age >= 18 and \\"zip 1\\" = 'it''s' and q7 < -0.5")
    'age >= ? and "zip 1" = ? and q7 < ?'
    """
    return _LITERALS.sub(lambda match: match[1] or "?", condition)


def not_assessed(others: int, free_text: Sequence[str], *, has_pseudonym: bool) -> tuple[str, ...]:
    """Return what the figures do not cover."""
    sentences = []
    if others:
        columns = "1 other column" if others == 1 else f"{others:,} other columns"
        sentences.append(f"what someone may know of the {columns} in the file")
    sentences += [f"names that may occur in the free text of {name}" for name in free_text]
    sentences += ["who else has the key of the pseudonyms"] if has_pseudonym else []
    sentences += [
        "what the people of a group have in common: it is given away even if nobody is unique",
        "an attacker who knows the method and reasons backwards from it",
    ]
    return tuple(sentences)
