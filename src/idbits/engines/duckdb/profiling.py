"""A column in numbers, from its dictionary."""

from __future__ import annotations

from idbits.engines.duckdb import values
from idbits.engines.duckdb.connection import Connection, literal
from idbits.engines.duckdb.dictionary import Dictionary
from idbits.values.attributes import Kind
from idbits.values.profile import NULL_WORDS, Profile
from idbits.values.readings import DATE_ORDERS

__all__ = ["profile_of"]


def profile_of(connection: Connection, dictionary: Dictionary, kind: Kind, people: int) -> Profile:
    """Describe a column by numbers."""
    text = values.text_of("value", kind)

    def having(condition: str) -> str:
        return f"coalesce(sum(people) FILTER ({condition}), 0)"

    dates, numbers, fractions, zeros = "0", "0", "0", "0"
    if kind is Kind.TEXT:
        dates = "greatest(" + ", ".join(having(f"{values.date_of('value', o)} IS NOT NULL") for o in DATE_ORDERS) + ")"
        numbers = having(values.is_number("value", kind))
        fractions = having(f"{values.is_number('value', kind)} AND regexp_matches(value, '[.][0-9]*[1-9]')")
        zeros = having("regexp_full_match(value, '0[0-9]+')")
    elif kind in (Kind.DATE, Kind.TIMESTAMP):
        dates = "coalesce(sum(people), 0)"
    elif kind in (Kind.INTEGER, Kind.NUMBER):
        numbers = "coalesce(sum(people), 0)"
        fractions = having("value <> trunc(value)") if kind is Kind.NUMBER else "0"
    spaced_people = having("contains(trim(text, ' '), ' ')")
    padded_people = having("text <> trim(text, ' ')")
    words = ", ".join(literal(word) for word in NULL_WORDS)
    null_people = having(f"lower(trim(text, ' ')) IN ({words})")
    row = connection.one(
        f"SELECT count(*), coalesce(sum(people) FILTER (people = 1), 0), coalesce(max(people), 0), {dates}, {numbers}, "
        f"{fractions}, "
        "coalesce(sum(people * length(text)), 0), coalesce(max(length(text)), 0), "
        f"{spaced_people}, count(DISTINCT length(text)) = 1, {zeros}, {null_people}, "
        f"{padded_people} "
        f"FROM (SELECT value, people, {text} AS text FROM {dictionary.values} WHERE value IS NOT NULL AND people > 0)"
    )
    (
        distinct,
        unique,
        most,
        as_dates,
        as_numbers,
        as_fractions,
        characters,
        longest,
        spaced,
        fixed,
        leading,
        null_words,
        padded,
    ) = row
    return Profile(
        people=people,
        null_people=dictionary.null_people,
        distinct=int(distinct),
        unique_people=int(unique),
        most_frequent=int(most),
        dates=int(as_dates),
        numbers=int(as_numbers),
        fractions=int(as_fractions),
        characters=int(characters),
        longest=int(longest),
        spaced=int(spaced),
        fixed_length=bool(fixed),
        leading_zeros=int(leading),
        padded=int(padded),
        null_words=int(null_words),
    )
