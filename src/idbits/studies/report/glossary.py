"""The glossary of a report, and the equation behind each figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idbits.render.page import Section, Term

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["glossary", "method"]

_WORDS = (
    ("unique", "{Nobody_else} in the table has the same values."),
    (
        "bit",
        "The answer to a yes-or-no question with even chances. Each bit halves the group a {singular} may belong to.",
    ),
    (
        "bits that single out {everyone}",
        "The logarithm to base 2 of the number of {unit}; columns cannot give away more.",
    ),
    ("smallest group (k)", "{Everyone} shares {their} values with at least k - 1 others."),
    (
        "columns someone may know",
        "Columns that an attacker may already know about a person. Not for columns that name a person by "
        "themselves, such as a patient number: remove those first.",
    ),
    ("group", "All {unit} with the same values in the columns someone may know."),
    ("group smaller than 5", "A group of 1 to 4 {unit}."),
)
_RECORD_WORDS = (
    ("record", "A row of the table. A person may have several."),
    ("the most telling record", "The record of a person whose values the fewest people share."),
    ("a record at random", "One record of each person, all equally likely. Figures are then expected values."),
    ("all records", "The different values of all records of a person, without their order."),
)
_COLUMN_WORDS = (
    ("adds, part", "The bits a column adds to all others, and its fair share of the bits of all columns together."),
)
_DISCLOSURE_WORDS = (
    ("given away", "Everybody in the group has the same value, so knowing the group is enough."),
    ("the best guess", "The most frequent value: of the table before the group is known, of the group afterwards."),
)
_GAIN_WORDS = (
    (
        "information gain (CIG)",
        "How far the table moves a guess about one cell away from the guess for anyone, in bits.",
    ),
    ("RIG", "Row information gain: the sum of the gains of all cells of a row."),
    ("PIF", "Personal information factor: the largest ratio of RIG to the number of {unit} with the same values."),
    (
        "utility",
        "The share of the relationships between columns, beyond chance, that a change preserves; 100% means nothing is "
        "lost.",
    ),
)
_RECORD_GAIN_WORDS = (("RIG of a person", "The largest RIG of their records."),)
_METHOD = (
    (
        "Groups",
        "Rows are counted by their values; all figures follow from the number of groups of each size [2].",
    ),
    (
        "Bits",
        "E = sum over groups of (k/N) log2(N/k); at most log2 N [1]. A {singular} in a group of k gives away "
        "log2(N/k).",
    ),
    ("Gain distribution", "{Unit} with k * 2^n <= N, counted in whole numbers [1]."),
)
_SIZES_METHOD = (("Group sizes", "Quartiles over groups, with linear interpolation [2]."),)
_RECORD_METHOD = (
    (
        "Groups",
        "For each value, the people who have a record with it are counted. A person's k is the smallest over their "
        "records, that of a record drawn at random, or the number of people with the same set of values.",
    ),
    ("Bits", "A person with k gives away log2(N/k) [1]. E is the mean over people; at most log2 N."),
    ("Gain distribution", "People with k * 2^n <= N [1]."),
)
_HOUSEHOLD_METHOD = (("Households", "A guess finds a member with chance 1 - product over members of (1 - 1/k)."),)
_COLUMN_METHOD = (
    (
        "Columns",
        "A combination is minimal if no column can be left out. A column adds E of all columns minus E of the others; "
        "its part is its Shapley value of E, the mean of what it adds over all orders of the columns.",
    ),
)
_EVENT_METHOD = (
    ("Events", "Pairs of events of one person, counted by who has them [4]; points drawn from one person's events."),
)
_LEAK_METHOD = (
    ("Leaks", "Unchanged values and mutual information, compared with an unrelated release; ordinal patterns [5]."),
)
_DISCLOSURE_METHOD = (
    (
        "Sensitive values",
        "In a group, p is the share with a value, in the table q. Learnt: the sum of p log2(p/q) over values, "
        "averaged over {unit} [3]. A guess takes the value with the largest p. Values of a {singular} not in the "
        "table are guessed from the others of the group.",
    ),
)
_GAIN_METHOD = (
    (
        "Information gain",
        "KL divergence of the posterior (rows equal in all other columns) from the prior (the whole table), in bits "
        "[3].",
    ),
    (
        "Utility",
        "Sum of I(X';Y') over pairs of columns, divided by the sum of I(X;Y) [3], each minus its mean over all ways to "
        "shuffle a column. Only pairs that exceed it count, tested with an error rate of 1% for all pairs.",
    ),
)
_RECORD_GAIN_METHOD = (
    (
        "Information gain of people",
        "Prior and posterior count records. A person has the largest RIG of their records; the group of a record "
        "consists of the people who have it.",
    ),
)
_SOURCES = {
    "[1]": ("Z. Alexin, Entropy based approach to personal data, 2022.", None),
    "[2]": (
        "M. R. Koot, Measuring and Predicting Anonymity, thesis, University of Amsterdam, 2012.",
        "https://pure.uva.nl/ws/files/1834030/107610_thesis.pdf",
    ),
    "[3]": ("I. Oppermann, J. Nabaglo, W. Henecka, A Measure of Personal Information in Mobile Data.", None),
    "[4]": ("Z. Alexin, The entropy of personal data: are visit-date pairs identifying?, slides.", None),
    "[5]": ("K. Odoh, Information-theoretic Estimation of the Risk of Privacy Leaks.", None),
}


def glossary(report: Report) -> Section:
    """Return the glossary of the page."""
    words = _WORDS + (_RECORD_WORDS if _is_about_records(report) else ())
    words += _COLUMN_WORDS if report.columns is not None else ()
    words += _DISCLOSURE_WORDS if report.disclosure is not None else ()
    words += _GAIN_WORDS if report.gain is not None or report.treatments.advice is not None else ()
    words += _RECORD_GAIN_WORDS if report.gain is not None and _is_about_records(report) else ()
    return Section(
        "glossary",
        "What the words of this report mean",
        topic="Glossary",
        terms=tuple(_term(name, text, report) for name, text in words),
    )


def method(report: Report) -> Section:
    """Return the equations and sources of the figures."""
    included = {answer.command for answer in report.included}
    methods: tuple[tuple[str, str], ...] = _RECORD_METHOD if _is_about_records(report) else _METHOD
    methods += _SIZES_METHOD if report.measurement.figures.spectrum is not None else ()
    methods += _HOUSEHOLD_METHOD if report.measurement.household is not None else ()
    methods += _COLUMN_METHOD if report.columns is not None or "columns" in included else ()
    methods += _DISCLOSURE_METHOD if report.disclosure is not None else ()
    methods += _GAIN_METHOD if report.gain is not None or report.treatments.advice is not None else ()
    methods += _RECORD_GAIN_METHOD if report.gain is not None and _is_about_records(report) else ()
    methods += _EVENT_METHOD if "events" in included else ()
    methods += _LEAK_METHOD if "leak" in included else ()
    used = [name for name in _SOURCES if any(name in meaning for _, meaning in methods)]
    terms = [*(_term(name, text, report) for name, text in methods), *(Term(name, *_SOURCES[name]) for name in used)]
    return Section("method", "How the figures are computed", topic="Method", terms=tuple(terms))


def _is_about_records(report: Report) -> bool:
    people = report.measurement.people
    return people is not None and people.has_several_rows


def _term(name: str, meaning: str, report: Report) -> Term:
    """Return a term in words for what the report counts."""
    unit = report.measurement.unit
    words = {
        "unit": str(unit),
        "Unit": unit.capitalize(),
        "singular": unit.singular,
        "everyone": unit.everyone,
        "Everyone": unit.everyone.capitalize(),
        "Nobody_else": unit.nobody_else.capitalize(),
        "their": unit.their(),
    }
    return Term(name.format(**words), meaning.format(**words))
