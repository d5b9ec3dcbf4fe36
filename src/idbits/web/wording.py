"""Sentences of the studies for people without a terminal: fields of the form instead of options of a command."""

from __future__ import annotations

import re

from idbits.studies.measure.text import KNOWN
from idbits.studies.report.text import without_options

__all__ = ["as_sentence", "without_commands"]

_FIELDS = {
    "where": "Only rows with",
    "dates": "Order of dates",
    "header-row": "Row with the column names",
    "zone": "Time zone",
    "sheet": "Sheet of a workbook",
    "table": "Table in a database or archive",
    "delimiter": "Column separator",
    "encoding": "Text encoding",
    "count": "Number of people per row",
    "person": "Which column identifies a person?",
    "household": "Which column says who lives together?",
    "null-person drop": "Rows without a person: leave them out",
    "null-person own": "Rows without a person: count each as one person",
    "null-person": "Rows without a person",
    **{f"knows {attacker}": known.capitalize() for attacker, known in KNOWN.items()},
    "knows": "What may an attacker know of a person’s records?",
    "by": "Also within each category of",
    "drop": "Other columns to leave out of the file",
    "reveal": "Show values that few people have",
    "on": "Which columns are compared?",
    "truth": "Which column identifies people in both tables?",
    "coverage 1": "Everyone in the release is in it",
    "coverage": "What is known about the second table?",
    "probabilistic": "All columns together, with typing errors",
    "threshold": "Claim a person from this probability",
    "attacks": "Attacks at most",
    "infer": "Column to guess",
    "left": "In the first half",
    "right": "In the second half",
    "zones": "Two columns of zones",
    "below": "A group is small if it has fewer people than",
    "qid-a": "What may someone know from the first release?",
    "qid-b": "What may someone know from the second release?",
    "sensitive": "What is to stay secret?",
    "rows-are-people": "What is a row?",
}
"""The label of the field for each option that the app offers, or of one of its values."""


def without_commands(sentence: str) -> str:
    """Return a sentence with the labels of fields in place of options; hints at other options are left out.

    >>> without_commands("the first row may be data; if so, add --no-header")
    'the first row may be data'
    >>> without_commands("name the table with --table; there are two")
    'name the table with “Table in a database or archive”; there are two'
    """
    for option, label in _FIELDS.items():
        sentence = re.sub(rf"--{option}(?![a-z-])", f"“{label}”", sentence)
    return without_options(sentence)


def as_sentence(message: str) -> str:
    """Return an error message as a sentence on a page: without options, with a capital letter and a full stop.

    >>> as_sentence("no row is left (--where)")
    'No row is left (“Only rows with”).'
    """
    sentence = without_commands(message)
    # The name of a file or column at the beginning keeps its own letters.
    first = sentence[:1].upper() if re.match("[a-z]+ ", sentence) else sentence[:1]
    return f"{first}{sentence[1:]}{'' if sentence.endswith(('.', '?', '!')) else '.'}"
