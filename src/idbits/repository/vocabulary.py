"""The shared vocabulary: the names and aliases of attributes, and which views of them are coarser.

A name is a concept, perhaps with transforms (``birthdate:year``). An alias means a concept with or without transforms
(``birthyear`` is ``birthdate:year``). So publishers and readers can use different names for the same attribute.

Implements: SPEC section 6; S2 7.1.3 (shared vocabulary), 7.4 (granularity).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from idbits.errors import InputError
from idbits.values.attributes import Attribute, Kind, Transform, parse_attribute
from idbits.wording import near_names

__all__ = [
    "BUILT_IN", "Concept", "Vocabulary", "determines", "name_key", "read_concept", "remaining_steps", "simplified",
]  # fmt: skip

_MOST_NAME = 60
_MOST_ALIASES = 50
_MOST_TRANSFORMS = 100
_MOST_DESCRIPTION = 500


@dataclass(frozen=True, slots=True)
class Concept:
    """One attribute of people.

    Attributes:
        name: the canonical name.
        kind: the kind of its values, for transforms: text, integer, number, boolean or date.
        description: one sentence.
        aliases: other names, each with the transforms it implies: ``(("birthyear", "year"), ("dob", ""))``.
    """

    name: str
    kind: Kind
    description: str
    aliases: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, str | dict[str, str]]:
        """Return the concept as plain data."""
        return {
            "name": self.name,
            "kind": str(self.kind),
            "description": self.description,
            "aliases": dict(self.aliases),
        }


@lru_cache(maxsize=10_000)
def name_key(name: str) -> str:
    """Return the form of a name that is compared: case, spaces, underscores and hyphens do not matter.

    >>> name_key("Postal_Code") == name_key("postal code") == name_key("PostalCode")
    True
    """
    return re.sub(r"[\s_\-]+", "", unicodedata.normalize("NFKC", name).casefold())


def read_concept(data: Mapping[str, object]) -> Concept:
    """Return a concept from plain data, after checking it."""
    name, kind = data.get("name"), data.get("kind", "text")
    aliases, description = data.get("aliases") or {}, data.get("description", "")
    if not isinstance(name, str) or not _is_name(name):
        raise InputError("the name of a concept must have 1 to 60 letters, digits, spaces, hyphens or underscores")
    if not isinstance(kind, str) or kind not in tuple(Kind):
        raise InputError(f"the kind of a concept must be one of {', '.join(Kind)}")
    if not isinstance(description, str) or len(description) > _MOST_DESCRIPTION or not description.isprintable():
        raise InputError(f"the description of a concept must be one line of at most {_MOST_DESCRIPTION} characters")
    if not isinstance(aliases, Mapping) or len(aliases) > _MOST_ALIASES:
        raise InputError(
            f"a concept may have at most {_MOST_ALIASES} aliases, each with its transforms or an empty text"
        )
    concept = Concept(name, Kind(kind), description, tuple(sorted((str(a), str(t)) for a, t in aliases.items())))
    for alias, transforms in concept.aliases:
        if not _is_name(alias):
            raise InputError("an alias must have 1 to 60 letters, digits, spaces, hyphens or underscores")
        if len(transforms) > _MOST_TRANSFORMS:
            raise InputError(f"the transforms of an alias must have at most {_MOST_TRANSFORMS} characters")
        _attribute(concept, transforms)
    return concept


def _is_name(name: str) -> bool:
    return 0 < len(name) <= _MOST_NAME and re.fullmatch(r"\w[\w \-]*", name) is not None and bool(name_key(name))


def _attribute(concept: Concept, transforms: str) -> Attribute:
    name = f"{concept.name}:{transforms}" if transforms else concept.name
    return simplified(parse_attribute(name, {concept.name: concept.kind}))


class Vocabulary:
    """All concepts of a repository.

    >>> Vocabulary(BUILT_IN).resolve("BirthYear").name
    'birthdate:year'
    """

    def __init__(self, concepts: Iterable[Concept]) -> None:
        first: dict[str, Concept] = {}
        # An extension only adds names; existing names keep their meaning. Another server may send very many extensions.
        aliases: dict[str, dict[tuple[str, str], None]] = {}
        for concept in concepts:
            key = name_key(concept.name)
            first.setdefault(key, concept)
            aliases.setdefault(key, {}).update(dict.fromkeys(concept.aliases))
        by_key = {key: replace(concept, aliases=tuple(aliases[key])) for key, concept in first.items()}
        self._lookup: dict[str, tuple[Concept, str]] = {key: (concept, "") for key, concept in by_key.items()}
        for concept in by_key.values():
            for alias, transforms in concept.aliases:
                self._lookup.setdefault(name_key(alias), (concept, transforms))
        self.concepts = tuple(sorted(by_key.values(), key=lambda concept: concept.name))

    def with_concepts(self, added: Iterable[Concept]) -> Vocabulary:
        """Return this vocabulary with more concepts."""
        more = tuple(added)
        return Vocabulary([*self.concepts, *more]) if more else self

    def resolve(self, name: str) -> Attribute:
        """Return the attribute that a name means, with its canonical name."""
        word, _, transforms = name.partition(":")
        known = self._lookup.get(name_key(word)) if len(name) <= 4 * _MOST_NAME else None
        if known is None:
            near = near_names(word, [name for concept in self.concepts for name in self._names(concept)])
            raise InputError(f'the vocabulary has no attribute "{word[:_MOST_NAME]}"{near}')
        concept, before = known
        return _attribute(concept, ":".join(filter(None, (before, transforms))))

    def concept(self, name: str) -> Concept | None:
        """Return the concept that a name or an alias means; None if the vocabulary does not have it."""
        known = self._lookup.get(name_key(name))
        return known[0] if known is not None else None

    def is_whole(self, name: str) -> bool:
        """Return whether the values of a concept are whole numbers or days, with nothing between two neighbours."""
        known = self._lookup.get(name_key(name))
        return known is not None and known[0].kind in (Kind.INTEGER, Kind.DATE)

    def conflicts(self, concept: Concept) -> str | None:
        """Return the first name of a new concept that already has another meaning; None if there is none."""
        known = self._lookup.get(name_key(concept.name))
        if known is not None and (known[1] or known[0].name != concept.name or known[0].kind != concept.kind):
            return concept.name
        for alias, transforms in concept.aliases:
            known = self._lookup.get(name_key(alias))
            if known is not None and (known[0].name, known[1]) != (concept.name, transforms):
                return alias
        return None

    @staticmethod
    def _names(concept: Concept) -> list[str]:
        return [concept.name, *(alias for alias, _ in concept.aliases)]


def simplified(attribute: Attribute) -> Attribute:
    """Return an attribute without transforms that a neighbouring one makes redundant, so that a view has one name.

    >>> Vocabulary(BUILT_IN).resolve("pc4:prefix2").name
    'postcode:prefix2'
    """
    kept: list[Transform] = []
    for step in attribute.transforms:
        while kept and _determines(kept[-1], step):
            kept.pop()
        if not (kept and kept[-1].name == step.name and _determines(step, kept[-1])):
            kept.append(step)
    return replace(attribute, transforms=tuple(kept))


def determines(fine: Attribute, coarse: Attribute) -> bool:
    """Return whether one attribute determines another, which is then the same or coarser.

    >>> words = Vocabulary(BUILT_IN)
    >>> determines(words.resolve("postcode:prefix4"), words.resolve("postcode:prefix2"))
    True
    >>> determines(words.resolve("age:band5"), words.resolve("age:band7"))
    False
    """
    return remaining_steps(fine, coarse) is not None


def remaining_steps(fine: Attribute, coarse: Attribute) -> tuple[Transform, ...] | None:
    """Return the transforms that turn values of the fine attribute into those of the coarse one; None if none do."""
    if fine.column != coarse.column:
        return None
    shared = 0
    for step, other in zip(fine.transforms, coarse.transforms, strict=False):
        if step != other:
            break
        shared += 1
    mine, theirs = fine.transforms[shared:], coarse.transforms[shared:]
    if not mine:
        return theirs
    if len(mine) == 1 and theirs and _determines(mine[0], theirs[0]):
        return theirs
    return None


# The periods that each period determines: a week may span two months or two years.
_CALENDAR = {
    "day": ("day", "week", "month", "monthofyear", "quarter", "year"),
    "month": ("month", "monthofyear", "quarter", "year"),
    "quarter": ("quarter", "year"),
}


def _determines(fine: Transform, coarse: Transform) -> bool:
    if fine == coarse or coarse.name in _CALENDAR.get(fine.name, ()):
        return True
    if fine.name != coarse.name or fine.argument is None or coarse.argument is None:
        return False
    if fine.name in ("prefix", "cap"):
        return coarse.argument <= fine.argument
    return fine.name == "band" and coarse.argument % fine.argument == 0


def _concept(name: str, kind: Kind, description: str, *plain: str, **views: str) -> Concept:
    aliases = [(alias, "") for alias in plain] + list(views.items())
    return Concept(name, kind, description, tuple(sorted(aliases)))


_TEXT, _WHOLE, _NUMBER, _DATE, _YES = Kind.TEXT, Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.BOOLEAN

BUILT_IN = (
    _concept("age", _WHOLE, "Age in completed years.", "age in years", "alder", "leeftijd"),
    _concept(
        "birthdate", _DATE, "Day of birth.", "dob", "date of birth", "birthday", "geboortedatum", "fødselsdato",
        birthyear="year", yearofbirth="year", yob="year", geboortejaar="year", birthmonth="month",
    ),
    _concept("car owner", _YES, "Whether a person owns a car.", "owns a car", "car"),
    _concept("children", _WHOLE, "Number of children.", "number of children"),
    _concept("country", _TEXT, "Country of residence.", "country of residence", "land"),
    _concept("country of birth", _TEXT, "Country of birth.", "birth country"),
    _concept("cultural background", _TEXT, "Self-perceived cultural background.", "ethnicity", "background"),
    _concept("diagnosis", _TEXT, "Diagnosis code.", "icd10", "icd"),
    _concept("education", _TEXT, "Highest completed or current education.", "level of education", "opleiding"),
    _concept("employer", _TEXT, "Employer.", "company"),
    _concept("eye colour", _TEXT, "Colour of the eyes.", "eye color"),
    _concept("gender", _TEXT, "Sex or gender as registered.", "sex", "geslacht", "kjønn"),
    _concept("height", _NUMBER, "Body height.", "body height", "length of body"),
    _concept("household", _TEXT, "Living situation, kind of household.", "living situation", "household type"),
    _concept("income", _NUMBER, "Yearly income.", "salary", "household income"),
    _concept("language", _TEXT, "Mother tongue.", "mother tongue", "native language"),
    _concept("marital status", _TEXT, "Marital status.", "civil status", "marriage"),
    _concept(
        "municipality", _TEXT, "Municipality or city of residence.", "city", "town", "gemeente", "kommune", "commune"
    ),
    _concept("name", _TEXT, "Family name.", "surname", "last name", "family name"),
    _concept("given name", _TEXT, "Given name.", "first name", "forename"),
    _concept("nationality", _TEXT, "Nationality.", "citizenship"),
    _concept("occupation", _TEXT, "Occupation or profession.", "profession", "job", "beroep"),
    _concept(
        "postcode", _TEXT, "Postal code of residence.", "postal code", "zip", "zip code", "pc6", "plz", "postnummer",
        pc4="prefix4", zip3="prefix3",
    ),
    _concept("region", _TEXT, "Region, province or state of residence.", "province", "state", "county", "fylke"),
    _concept("religion", _TEXT, "Religion.", "denomination", "faith"),
    _concept("weight", _NUMBER, "Body weight.", "body weight"),
)  # fmt: skip
