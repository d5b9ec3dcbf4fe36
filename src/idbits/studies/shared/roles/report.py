"""A report on each column: its likely role and its oddities, judged by its profile and its name, without its values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from idbits.engines.base import Table
from idbits.reading import OpenOptions
from idbits.render.numbers import whole_percent
from idbits.values.attributes import Attribute, Kind
from idbits.values.ladder import ladder
from idbits.values.profile import Profile
from idbits.wording import counted

__all__ = [
    "ColumnReport", "Role", "must_withhold_names", "oddities", "reads_as", "report_columns", "role_of", "shown_role",
]  # fmt: skip

Role = str
"""direct identifier, quasi-identifier, sensitive, measurement, free text, constant or empty."""

_IDENTIFYING = re.compile(
    r"(^|[^a-z])(id|ids|uuid|guid|ssn|bsn|taj|nhs|mrn|email|e-mail|mail|phone|tel|mobile|passport|iban|account|card|"
    r"name|surname|firstname|lastname|pseudonym|patient|customer|user|person|household)([^a-z]|$)"
)
_SENSITIVE = re.compile(
    r"diagnos|disease|icd|illness|symptom|medic|drug|hiv|health|income|salary|wage|debt|religio|politic|party|union|"
    r"sexual|orient|crime|convict|disab|ethnic"
)
_COUNTING = re.compile(
    r"(^|[^a-z])(count|n|number|freq|frequency|pop|population|persons|people|births|aantal|inwoners|bevolking|anzahl|personen|antall)"
)
_NEARLY_ALL = 0.95
_LONG_TEXT = 40
_OFTEN = 0.2
_ENOUGH = 20
_MANY_NUMBERS = 1_000


def reads_as(profile: Profile, kind: Kind) -> str:
    """Return the type of a column; for text, also the type that all its values can be read as."""
    known = profile.people - profile.null_people
    if kind is not Kind.TEXT or known == 0:
        return str(kind)
    if profile.dates == known and not (profile.numbers == known and profile.longest < 8):
        return "text (dates)"
    if profile.numbers == known:
        return "text (codes)" if profile.leading_zeros else "text (numbers)"
    return "text"


def role_of(name: str, profile: Profile, kind: Kind) -> tuple[Role, str]:
    """Return the likely role of a column and the reason."""
    known = profile.people - profile.null_people
    if known == 0:
        return "empty", "only missing values"
    # A missing value counts as a value: a column of "yes" and missing values distinguishes people.
    if profile.distinct == 1 and not profile.null_people:
        return "constant", "a single value"
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    unique = profile.unique_people / known
    if profile.spaced > known / 2 and profile.characters / known >= _LONG_TEXT:
        return "free text", "long values of several words"
    if _IDENTIFYING.search(words) and unique > 0.5:
        return "direct identifier", f"by its name; {whole_percent(unique)} of values occur once"
    if _COUNTING.search(words) and profile.numbers == known:
        return "count", "by its name; may be the number of people per row (--count)"
    if _SENSITIVE.search(words):
        return "sensitive", "by its name"
    if profile.fractions and (unique > _OFTEN or profile.distinct > _MANY_NUMBERS):
        return "measurement", "numbers with decimals"
    if unique >= _NEARLY_ALL and known >= _ENOUGH and reads_as(profile, kind) != "text (dates)":
        return "direct identifier", f"{whole_percent(unique)} of values occur once"
    code = kind is Kind.TEXT and profile.fixed_length
    if profile.numbers == known >= _ENOUGH and unique > _OFTEN and not code:
        return "measurement", f"numbers; {whole_percent(unique)} of values occur once"
    return "quasi-identifier", "shared values"


def shown_role(role: Role) -> str:
    """Return the role in the words of a screen.

    >>> shown_role("direct identifier"), shown_role("quasi-identifier"), shown_role("sensitive")
    ('identifier', 'may be known', 'sensitive')
    """
    return {"direct identifier": "identifier", "quasi-identifier": "may be known"}.get(role, role)


def oddities(profile: Profile, kind: Kind) -> tuple[str, ...]:
    """Describe what looks odd in a column, in numbers."""
    known = profile.people - profile.null_people
    odd = []
    if profile.padded:
        verbs = (
            "has leading or trailing spaces and counts"
            if profile.padded == 1
            else ("have leading or trailing spaces and count")
        )
        odd.append(f"{counted(profile.padded, 'value')} {verbs} as different")
    if kind is Kind.TEXT:
        if known / 2 < profile.dates < known:
            bad = known - profile.dates
            odd.append(f"{counted(bad, 'value')} cannot be read as {'a date' if bad == 1 else 'dates'}; all others can")
        elif known / 2 < profile.numbers < known:
            bad = known - profile.numbers
            as_what = "a number" if bad == 1 else "numbers"
            odd.append(f"{counted(bad, 'value')} cannot be read as {as_what}; all others can")
        if profile.leading_zeros > 0:
            verb = "has" if profile.leading_zeros == 1 else "have"
            odd.append(f"{counted(profile.leading_zeros, 'code')} {verb} a leading zero, which we keep")
        if profile.null_words:
            odd.append(f"{counted(profile.null_words, 'value')} such as NA may stand for a missing value (see --null)")
    if profile.null_people > 0 and profile.null_people > profile.people / 2:
        odd.append("most values are missing")
    return tuple(odd)


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """One column: its inferred type, its counts, its likely role and why, and what looks odd.

    Attributes:
        views: the coarser views of its ladder, as written after a colon; not part of the plain data.
    """

    json_keys: ClassVar = ("column", "kind", "reads_as", "distinct", "nulls", "unique", "role", "reason", "odd")

    column: str
    kind: str
    reads_as: str
    distinct: int
    nulls: int
    unique: int
    role: str
    reason: str
    odd: tuple[str, ...]
    views: tuple[str, ...] = ()


def must_withhold_names(table: Table, options: OpenOptions) -> bool:
    """Whether names may be the values of a first person; names that the user typed need no hiding."""
    return table.names_may_be_data and options.columns is None


def report_columns(table: Table, options: OpenOptions) -> tuple[ColumnReport, ...]:
    """Load all columns except the column of counts, and describe each; names that may be data become numbers."""
    names = [name for name in table.columns if name != options.count]
    table.load(names)
    withheld = must_withhold_names(table, options)
    reports = []
    for number, name in enumerate(names, start=1):
        kind, profile = table.columns[name], table.profile(name)
        role, why = role_of(name, profile, kind)
        reports.append(
            ColumnReport(
                column=f"column{number}" if withheld else name,
                kind=str(kind),
                reads_as=reads_as(profile, kind),
                distinct=profile.distinct,
                nulls=profile.null_people,
                unique=profile.unique_people,
                role=role,
                reason=why,
                odd=oddities(profile, kind),
                views=tuple(":".join(map(str, view.transforms)) for view in ladder(Attribute(name, kind), profile)),
            )
        )
    return tuple(reports)
