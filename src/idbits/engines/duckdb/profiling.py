"""A column in numbers, from its dictionary."""

from __future__ import annotations

from idbits.engines.duckdb import values
from idbits.engines.duckdb.connection import DuckDBConnection, literal
from idbits.engines.duckdb.dictionary import Dictionary
from idbits.values.attributes import Kind
from idbits.values.profile import NULL_WORDS, Profile, profile_of_figures
from idbits.values.readings import DATE_ORDERS

__all__ = ["profile_of"]


def profile_of(connection: DuckDBConnection, dictionary: Dictionary, kind: Kind, people: int) -> Profile:
    """Describe a column in numbers."""

    def having(condition: str) -> str:
        return f"coalesce(sum(people) FILTER ({condition}), 0)"

    words = ", ".join(literal(word) for word in NULL_WORDS)
    figures = {
        "distinct": "count(*)",
        "unique": having("people = 1"),
        "most": "coalesce(max(people), 0)",
        "characters": "coalesce(sum(people * length(text)), 0)",
        "longest": "coalesce(max(length(text)), 0)",
        "shortest": "coalesce(min(length(text)), -1)",
        "spaced": having("contains(trim(text, ' '), ' ')"),
        "padded": having("text <> trim(text, ' ')"),
        "null_words": having(f"lower(trim(text, ' ')) IN ({words})"),
        **{name: having(condition) for name, condition in _readings(kind).items()},
    }
    counts = connection.counts(
        f"SELECT {', '.join(figures.values())} FROM (SELECT value, people, {values.text_of('value', kind)} AS text "
        f"FROM {dictionary.values} WHERE value IS NOT NULL AND people > 0)"
    )
    return profile_of_figures(dict(zip(figures, counts, strict=True)), kind, people, dictionary.null_people)


def _readings(kind: Kind) -> dict[str, str]:
    """Return the conditions under which a value can be read as a date, a number and so on."""
    if kind is Kind.NUMBER:
        return {"fractions": "value <> trunc(value)"}
    if kind is not Kind.TEXT:
        return {}
    number = values.is_number("value", kind)
    return {
        **{order: f"{values.date_of('value', order)} IS NOT NULL" for order in DATE_ORDERS},
        "numbers": number,
        "fractions": f"{number} AND regexp_matches(value, '[.][0-9]*[1-9]')",
        "zeros": "regexp_full_match(value, '0[0-9]+')",
    }
