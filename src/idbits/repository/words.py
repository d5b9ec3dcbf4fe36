"""The words that every repository begins with."""

from __future__ import annotations

from idbits.repository.vocabulary import Concept
from idbits.values.attributes import Kind

__all__ = ["BUILT_IN"]


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
