"""What the name of a column says about its role."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from idbits.studies.shared.roles.evidence import Evidence, Role, Subject
from idbits.studies.shared.roles.names import name_words
from idbits.studies.shared.roles.words import Sense, senses

__all__ = ["BIRTH_SENTENCE", "is_personal", "is_professional", "name_evidence"]

BIRTH_SENTENCE = "named like a birth date or a place of birth"

_PHRASES = (
    "social security", "soc sec", "securite sociale", "seguridad social", "national insurance", "tax id", "tax number",
    "tax file", "medical record", "health insurance number", "credit card", "debit card", "card number", "bank account",
    "account number", "license plate", "licence plate", "number plate", "driver license", "driver licence", "device id",
    "mac address", "historia clinica", "numero historia",
    "insurance number", "insurance no", "insurance num", "insurance id", "versicherung nr", "versicherungs nr",
    "versicherung nummer",
)  # fmt: skip
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_DEVICES = ("ip address", "ip addr", "client ip", "remote ip", "user ip", "source ip", "src ip", "dst ip", "host ip")
_LINKS = ("url", "urls", "website", "link", "homepage")
_PERSON_CODES = ("code", "codes", "cd", "kod", "kodja", "codigo", "name", "concept")
_STATISTICS = ("tot", "total", "sum", "avg", "average", "mean", "median")
_NAME_PARTS = ("first", "last", "given", "middle")
_HOUSEHOLD_NUMBERS = ("hid", "hhid", "hidp")
_NO_SUBJECT = {Sense.NUMBER, Sense.TALLY, Sense.WEAK_KEY, Sense.PSEUDONYM, Sense.NEUTRAL, Sense.FILLER}
_PERSON_NAME_EVIDENCE = Evidence(Role.IDENTIFIER, 0.93, "named like the name of a person", is_key=False)


@dataclass(frozen=True, slots=True)
class _Name:
    """The words of a name with their meanings, without fillers and digits."""

    words: tuple[str, ...]
    senses: tuple[frozenset[Sense], ...]
    text: str
    is_of: bool
    is_rate: bool
    has_digits: bool

    def has(self, *wanted: Sense) -> bool:
        return any(sense in found for found in self.senses for sense in wanted)

    def ends_with(self, *wanted: Sense) -> bool:
        return any(sense in self.senses[-1] for sense in wanted)

    def starts_with(self, *wanted: Sense) -> bool:
        return any(sense in self.senses[0] for sense in wanted)

    def only(self, *wanted: Sense) -> bool:
        return all(found & set(wanted) for found in self.senses)


def _read(name: str) -> _Name | None:
    every = name_words(name)
    # A word may be both: "no", "en" and "l" only carry meaning if nothing else does.
    letters = [word for word in every if not word.isdigit()]
    fillers = [word for word in letters if Sense.FILLER in senses(word)]
    words = [word for word in letters if word not in fillers] or letters
    if not words:
        return None
    found = tuple(frozenset({Sense.NUMBER}) if word == "#" else senses(word) for word in words)
    return _Name(
        words=tuple(words),
        senses=found,
        text=" ".join(words),
        is_of=bool(fillers),
        is_rate="per" in fillers,
        has_digits=any(word.isdigit() for word in every),
    )


@lru_cache(maxsize=20_000)
def name_evidence(name: str) -> tuple[Evidence, ...]:
    """Return what the name of a column says; the first rule that recognises it decides.

    >>> [(str(e.role), e.sentence) for e in name_evidence("patient_id")]
    [('direct identifier', 'named like the number of a person')]
    """
    # What stands in brackets explains: a unit, a source.
    without = _BRACKETS.sub(" ", name)
    if without != name and (found := _name_evidence(without)):
        return found
    return _name_evidence(name)


def _name_evidence(name: str) -> tuple[Evidence, ...]:
    words = _read(name)
    if words is None:
        return ()
    return next((evidence for rule in _RULES if (evidence := rule(words))), ())


def is_personal(name: str) -> bool:
    """Whether a name is about one person, such as a sex, an age, a birth or a person's name."""
    words = _read(name)
    return words is not None and words.has(Sense.BIRTH, Sense.PERSON_NAME, Sense.PERSONAL)


def is_professional(name: str) -> bool:
    """Whether a name is about somebody who serves the people of the table, such as their doctor."""
    return any(Sense.PROFESSIONAL in senses(word) for word in name_words(name))


def _found(role: Role, strength: float, sentence: str, subject: Subject | None = None) -> tuple[Evidence, ...]:
    return (Evidence(role, strength, sentence, subject),)


def _class_of(name: _Name, strength: float, sentence: str) -> tuple[Evidence, ...]:
    """Return the role of a label: sensitive if it labels something sensitive."""
    if name.has(Sense.SENSITIVE):
        return _found(Role.SENSITIVE, strength, "named like something sensitive")
    return _found(Role.QUASI, strength, sentence)


def _flag(name: _Name) -> tuple[Evidence, ...]:
    if len(name.words) > 1 and (name.ends_with(Sense.FLAG) or name.starts_with(Sense.FLAG)):
        return _class_of(name, 0.6, "named like a yes or no")
    return ()


def _tally(name: _Name) -> tuple[Evidence, ...]:
    """Recognise how many people a row stands for: every word must say so."""
    if name.has_digits or not name.only(Sense.TALLY, Sense.PEOPLE):
        return ()
    count = _found(Role.COUNT, 0.85, "named like a number of people")
    if name.words == ("nombre",):
        return (*count, replace(_PERSON_NAME_EVIDENCE, strength=0.85))
    if name.words in (("number",), ("personen",)):
        return (*count, *_found(Role.IDENTIFIER, 0.4, "named like a number"))
    return count


def _quantity(name: _Name) -> tuple[Evidence, ...]:
    """Recognise a number of things, such as children or visits."""
    if len(name.words) < 2 or _is_spanish_name(name):
        return ()
    first, second, sentence = name.words[0], name.words[1], "named like a number of things"
    if first in _STATISTICS and not name.ends_with(Sense.TIME, Sense.PART, Sense.NUMBER):
        return _found(Role.MEASUREMENT, 0.6, "named like a sum or a mean")
    counts_first = name.starts_with(Sense.TALLY) and (name.is_of or not name.starts_with(Sense.WEAK_KEY))
    plural = first in ("num", "number", "numero", "no") and (second.endswith("s") or Sense.KNOWN in name.senses[1])
    counts_last = name.words[-1] in ("count", "cnt", "counts")
    if counts_first or plural or counts_last or name.starts_with(Sense.PEOPLE):
        of_people = Evidence(Role.MEASUREMENT, 0.5 if name.starts_with(Sense.PEOPLE) else 0.35, sentence)
        return (*_class_of(name, 0.45, sentence), of_people)
    return ()


def _is_spanish_name(name: _Name) -> bool:
    """Whether "nombre" is the name of a person, as in Spanish, not a number, as in French."""
    named = name.has(Sense.PERSON, Sense.PERSON_NAME) or name.words[1] in ("completo", "pila")
    return name.words[0] == "nombre" and named and not name.is_of


def _birth(name: _Name) -> tuple[Evidence, ...]:
    if name.has(Sense.BIRTH) and _is_name_at_birth(name):
        return (_PERSON_NAME_EVIDENCE,)
    if name.has(Sense.BIRTH) and not name.ends_with(Sense.NUMBER, Sense.OWN_NUMBER):
        return _found(Role.QUASI, 0.95, BIRTH_SENTENCE)
    return ()


def _is_name_at_birth(name: _Name) -> bool:
    named = [word for word, found in zip(name.words, name.senses, strict=True) if Sense.ANY_NAME in found]
    return bool(set(named) - set(_NAME_PARTS)) and not name.has(Sense.PLACE, Sense.CLASS, Sense.TIME, Sense.THING)


def _time(name: _Name) -> tuple[Evidence, ...]:
    if name.has(Sense.SPAN) or name.ends_with(Sense.FLAG, Sense.CLASS, Sense.MEASURE, Sense.TEXT, Sense.PLACE):
        return ()
    if name.is_rate or name.has(Sense.AGE):
        return ()
    if len(name.words) > 1 and name.starts_with(Sense.CLASS) and not name.ends_with(Sense.FIRM_TIME, Sense.PART):
        return ()
    if name.starts_with(Sense.FIRM_TIME) or name.ends_with(Sense.FIRM_TIME):
        return _found(Role.TIME, 0.8, "named like a date or a time")
    if name.ends_with(Sense.PART) or (name.starts_with(Sense.PART) and name.is_of):
        return _found(Role.TIME, 0.65, "named like a part of a date")
    others = (Sense.NUMBER, Sense.PLACE, Sense.THING, Sense.PERSON, Sense.KNOWN, Sense.ANY_NAME)
    if name.ends_with(Sense.TIME) or (name.starts_with(Sense.TIME) and not name.has(*others)):
        return _found(Role.TIME, 0.5, "named like a time")
    return ()


def _own_number(name: _Name) -> tuple[Evidence, ...]:
    phrase = any(phrase in name.text for phrase in _PHRASES)
    if not phrase and not name.has(Sense.OWN_NUMBER):
        return ()
    if name.ends_with(Sense.CLASS, Sense.FLAG, Sense.MEASURE, Sense.TIME) and name.words[-1] not in _PERSON_CODES:
        return ()
    if any(word in _HOUSEHOLD_NUMBERS for word in name.words):
        return _found(Role.IDENTIFIER, 0.9, "named like the number of a household", Subject.HOUSEHOLD)
    weak = name.words in (("account",), ("card",), ("card", "type"))
    return _found(Role.IDENTIFIER, 0.6 if weak else 0.93, "named like a personal number", Subject.PERSON)


def _contact(name: _Name) -> tuple[Evidence, ...]:
    is_device = name.words == ("ip",) or any(phrase in name.text for phrase in _DEVICES)
    if not (is_device or name.has(Sense.CONTACT)) or name.words[0] in _NAME_PARTS:
        return ()
    if name.ends_with(Sense.CLASS, Sense.FLAG, Sense.THING, Sense.PLACE, Sense.KNOWN, Sense.TIME):
        return ()
    if "cell" in name.words and name.ends_with(Sense.NUMBER) and not name.ends_with(Sense.WEAK_KEY):
        return _found(Role.QUASI, 0.6, "named like the number of a place or a thing")
    if name.words[-2:] in (("street", "number"), ("house", "number")):
        return _found(Role.QUASI, 0.5, "named like a part of an address")
    if name.words[-1] in _LINKS:
        return (Evidence(Role.IDENTIFIER, 0.55, "named like a web address", is_key=False),)
    return (Evidence(Role.IDENTIFIER, 0.88, "named like a telephone number or an address", is_key=False),)


def _person_name(name: _Name) -> tuple[Evidence, ...]:
    if name.has(Sense.PERSON_NAME) and not name.ends_with(Sense.CLASS, Sense.FLAG):
        return (_PERSON_NAME_EVIDENCE,)
    named = [word for word, found in zip(name.words, name.senses, strict=True) if Sense.ANY_NAME in found]
    if set(named) & set(_NAME_PARTS) and name.ends_with(Sense.ANY_NAME) and name.words[-1] not in _NAME_PARTS:
        return (_PERSON_NAME_EVIDENCE,)
    if not named or (set(named) <= set(_NAME_PARTS) and len(name.words) > 1):
        return ()
    if name.ends_with(Sense.CLASS, Sense.FLAG, Sense.TIME, Sense.MEASURE):
        return _found(Role.QUASI, 0.5, "named like a label")
    if name.starts_with(Sense.PERSON, Sense.RECORD) and name.has(Sense.THING):
        return _found(Role.IDENTIFIER, 0.75, "named like the key of a case", Subject.PERSON)
    if name.has(Sense.PLACE, Sense.THING, Sense.CLASS, Sense.RECORD, Sense.SENSITIVE) and not name.has(Sense.PERSON):
        return _class_of(name, 0.75, "named like the name of a place or a thing")
    return (replace(_PERSON_NAME_EVIDENCE, strength=0.85),)


def _number(name: _Name) -> tuple[Evidence, ...]:
    """Recognise the number or key of somebody or something: the word beside it says of what."""
    heads = [index for index, found in enumerate(name.senses) if Sense.NUMBER in found]
    is_person_code = name.words[-1] in _PERSON_CODES or name.text.endswith("source value")
    if not heads and not is_person_code:
        return ()
    if name.has(Sense.PSEUDONYM):
        subject = Subject.HOUSEHOLD if name.has(Sense.HOUSEHOLD) else Subject.PERSON
        return _found(Role.IDENTIFIER, 0.9, "named like a pseudonym", subject)
    head = heads[-1] if heads else len(name.words) - (2 if name.text.endswith("source value") else 1)
    if heads and name.ends_with(Sense.CLASS, Sense.FLAG, Sense.MEASURE) and head != len(name.words) - 1:
        return ()
    around = [*reversed(name.senses[:head]), *name.senses[head + 1 :]]
    nearest = next((found for found in around if found - _NO_SUBJECT), frozenset())
    # In "officer command code", the code may be that of the unknown word.
    doubt = 1.5 if around and not around[0] and head > 0 else 1.0
    for sense, subject in _SUBJECTS.items():
        if sense in nearest and (heads or subject is Subject.PERSON):
            strength = 0.93 if heads else 0.7 / doubt
            return _found(Role.IDENTIFIER, strength, f"named like the number of a {subject}", subject)
    if not heads:
        return _class_of(name, 0.5, "named like a label") if name.text.endswith("source value") else ()
    if Sense.PART in nearest or Sense.TIME in nearest:
        return _found(Role.TIME, 0.6, "named like a part of a date")
    if nearest:
        return _class_of(name, 0.6 if doubt > 1 else 0.75, "named like the number of a place or a thing")
    return _found(Role.IDENTIFIER, 0.5 if Sense.WEAK_KEY in name.senses[head] else 0.7, "named like a number or a key")


_SUBJECTS = {Sense.PERSON: Subject.PERSON, Sense.HOUSEHOLD: Subject.HOUSEHOLD, Sense.RECORD: Subject.RECORD}


def _text(name: _Name) -> tuple[Evidence, ...]:
    if not name.has(Sense.TEXT):
        return ()
    if name.has(Sense.CLASS, Sense.RECORD, Sense.PLACE, Sense.SENSITIVE) and not name.only(Sense.TEXT):
        return ()
    return _found(Role.FREE_TEXT, 0.5 if name.has(Sense.CLASS) else 0.75, "named like free text")


def _topic(name: _Name) -> tuple[Evidence, ...]:
    """Recognise what a column is about by the last word that says so."""
    if name.has(Sense.POSITION) or name.words[-1] == "long":
        return _found(Role.QUASI, 0.92, "named like a position on a map")
    for found in reversed(name.senses):
        if Sense.SENSITIVE in found:
            return _found(Role.SENSITIVE, 0.8, "named like something sensitive")
        if Sense.MEASURE in found and not name.ends_with(Sense.CLASS):
            return _found(Role.MEASUREMENT, 0.7, "named like an amount or a measured value")
        if Sense.KNOWN in found:
            return _found(Role.QUASI, 0.85, "named like something others know")
        if Sense.PLACE in found:
            return _found(Role.QUASI, 0.75, "named like a place or an organisation")
    return _class_of(name, 0.55, "named like a label") if name.has(Sense.CLASS) else ()


def _span(name: _Name) -> tuple[Evidence, ...]:
    return _found(Role.MEASUREMENT, 0.5, "named like a length of time") if name.has(Sense.SPAN) else ()


def _bare_subject(name: _Name) -> tuple[Evidence, ...]:
    """Recognise a column that is only named after a person, a household or a record."""
    for sense, subject in _SUBJECTS.items():
        if sense in name.senses[-1]:
            strength = 0.6 if subject is Subject.PERSON else 0.45
            return _found(Role.IDENTIFIER, strength, f"named after a {subject}", subject)
    if name.has(Sense.THING):
        return _found(Role.QUASI, 0.5, "named like a thing")
    return ()


_RULES: Sequence[Callable[[_Name], tuple[Evidence, ...]]] = (
    _flag, _tally, _quantity, _birth, _time, _own_number, _contact, _person_name, _number, _text, _topic, _span,
    _bare_subject,
)  # fmt: skip
