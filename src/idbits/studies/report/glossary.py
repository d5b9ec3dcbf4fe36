"""What the words of a report mean, and which equation each figure comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idbits.render.page import Section, Term

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["glossary", "method"]

_WORDS = (
    ("alone, unique", "The only person in the table with these values."),
    ("bit", "What a yes-or-no question with even chances tells. Each bit about somebody halves the crowd they are in."),
    ("bits that single out everyone", "The logarithm to base 2 of the number of people: more cannot be given away."),
    ("k, smallest set", "Everyone shares their values with at least k - 1 others."),
    ("quasi-identifier", "Columns that somebody may know about a person, none of which names them."),
    ("set", "All people with the same values in the quasi-identifier."),
    ("set below 5", "A set of 1 to 4 people."),
)
_COLUMN_WORDS = (
    ("adds, part", "What a column tells on top of all others, and its fair part of what all tell together."),
)
_GAIN_WORDS = (
    (
        "information gain (CIG)",
        "How far what the table tells about one cell is from what one would guess of anyone, in bits.",
    ),
    ("RIG", "Row information gain: the gains of all cells of a row, added up."),
    ("PIF", "Personal information factor: the largest RIG divided by the number of people equal in all columns."),
    (
        "utility",
        "The share of what columns say about each other, beyond what shuffled columns would, that is still there after "
        "a change; 100% means nothing is lost.",
    ),
)
_METHOD = (
    (
        "Sets",
        "Rows are counted by their values; all figures follow from how many sets there are of each size (S2 3.3).",
    ),
    (
        "Bits",
        "E = sum over sets of (k/N) log2(N/k); at most log2 N (S0, equations 4 and 12). A person in a set of k gives "
        "away log2(N/k).",
    ),
    ("Gain distribution", "People with k * 2^n <= N, counted in whole numbers (S0, tables II, IV, VI, VIII)."),
    ("Set sizes", "Quartiles over sets, linear interpolation (S2, tables 3.2 to 3.5)."),
)
_COLUMN_METHOD = (
    (
        "Columns",
        "A combination is minimal when no column can be left out of it. A column adds E of all less E of the others; "
        "its part is its Shapley value of E, the mean of what it adds over all orders of the columns.",
    ),
)
_EVENT_METHOD = (
    ("Events", "Pairs of two events of a person, counted by who has them (S1); points drawn from a person's own."),
)
_LEAK_METHOD = (
    ("Leaks", "Unchanged values and mutual information against a release without any link; ordinal patterns (S4)."),
)
_GAIN_METHOD = (
    (
        "Information gain",
        "KL divergence of the posterior (rows equal in all other columns) from the prior (the whole table), in bits "
        "(S3 III).",
    ),
    (
        "Utility",
        "Sum of I(X';Y') over pairs of columns, divided by the sum of I(X;Y) (S3 IV.E), each less its mean over all "
        "ways to shuffle a column. Only pairs that exceed it are added, tested with an error rate of 1% for all pairs.",
    ),
)
_SOURCES = {
    "S0": ("Z. Alexin, Entropy based approach to personal data, 2022.", None),
    "S1": ("Z. Alexin, The entropy of personal data: are visit-date pairs identifying?, slides.", None),
    "S2": (
        "M. R. Koot, Measuring and Predicting Anonymity, thesis, University of Amsterdam, 2012.",
        "https://pure.uva.nl/ws/files/1834030/107610_thesis.pdf",
    ),
    "S3": ("I. Oppermann, J. Nabaglo, W. Henecka, A Measure of Personal Information in Mobile Data.", None),
    "S4": ("K. Odoh, Information-theoretic Estimation of the Risk of Privacy Leaks.", None),
}


def glossary(report: Report) -> Section:
    """Return the words that the page uses."""
    words = _WORDS + (_COLUMN_WORDS if report.columns is not None else ())
    words += _GAIN_WORDS if report.gain is not None or report.changes.tried else ()
    return Section("glossary", "What the words mean", terms=tuple(Term(name, meaning) for name, meaning in words))


def method(report: Report) -> Section:
    """Return how the figures are computed, with equations and sources."""
    included = {answer.command for answer in report.included}
    methods = _METHOD + (_COLUMN_METHOD if report.columns is not None or "columns" in included else ())
    methods += _GAIN_METHOD if report.gain is not None or report.changes.tried else ()
    methods += _EVENT_METHOD if "events" in included else ()
    methods += _LEAK_METHOD if "leak" in included else ()
    used = [name for name in _SOURCES if any(name in meaning for _, meaning in methods)]
    terms = [*(Term(name, meaning) for name, meaning in methods), *(Term(name, *_SOURCES[name]) for name in used)]
    return Section("method", "How it is computed", terms=tuple(terms))
