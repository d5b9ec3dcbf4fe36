"""What each column holds, the role it seems to play and what looks odd in it: from profile and name, no value."""

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

__all__ = ["ColumnReport", "Role", "must_withhold_names", "oddities", "reads_as", "report_columns", "role_of"]

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
    """Say what the values of a column are: for text, what all of them can be read as."""
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
        return "empty", "only nulls"
    # An empty cell is a value of its own: a column of "yes" and empty cells tells people apart.
    if profile.distinct == 1 and not profile.null_people:
        return "constant", "a single value"
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    unique = profile.unique_people / known
    if profile.spaced > known / 2 and profile.characters / known >= _LONG_TEXT:
        return "free text", "long values of several words"
    if _IDENTIFYING.search(words) and unique > 0.5:
        return "direct identifier", f"its name; {whole_percent(unique)} occur once"
    if _COUNTING.search(words) and profile.numbers == known:
        return "count", "its name; people a row stands for? (--count)"
    if _SENSITIVE.search(words):
        return "sensitive", "its name"
    if profile.fractions and (unique > _OFTEN or profile.distinct > _MANY_NUMBERS):
        return "measurement", "numbers with decimals"
    if unique >= _NEARLY_ALL and known >= _ENOUGH and reads_as(profile, kind) != "text (dates)":
        return "direct identifier", f"{whole_percent(unique)} occur once"
    code = kind is Kind.TEXT and profile.fixed_length
    if profile.numbers == known >= _ENOUGH and unique > _OFTEN and not code:
        return "measurement", f"numbers; {whole_percent(unique)} occur once"
    return "quasi-identifier", "shared values"


def oddities(profile: Profile, kind: Kind) -> tuple[str, ...]:
    """Say what looks odd in a column, in numbers."""
    known = profile.people - profile.null_people
    odd = []
    if profile.padded:
        odd.append(f"{counted(profile.padded, 'value')} with a blank at an end, which makes a different value")
    if kind is Kind.TEXT:
        if known / 2 < profile.dates < known:
            odd.append(f"{counted(known - profile.dates, 'value')} cannot be read as dates, all others can")
        elif known / 2 < profile.numbers < known:
            odd.append(f"{counted(known - profile.numbers, 'value')} cannot be read as numbers, all others can")
        if profile.leading_zeros > 0:
            odd.append(f"{counted(profile.leading_zeros, 'code')} with a 0 in front, which is kept")
        if profile.null_words:
            odd.append(f"{counted(profile.null_words, 'value')} that may stand for null, such as NA (see --null)")
    if profile.null_people > 0 and profile.null_people > profile.people / 2:
        odd.append("most of its cells are null")
    return tuple(odd)


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """One column: its type as decided, its counts, the role it seems to play and why, and what looks odd.

    Attributes:
        views: the coarser views of its ladder, as they are written behind a colon; not part of the plain data.
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
    """Whether names may be the cells of a first person; names that were typed are no secret to who typed them."""
    return table.names_may_be_data and options.columns is None


def report_columns(table: Table, options: OpenOptions) -> tuple[ColumnReport, ...]:
    """Load all columns but that of counts, and describe each; names that may be data are numbers instead."""
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
