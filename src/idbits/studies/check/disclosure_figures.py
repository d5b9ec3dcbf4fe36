"""What groups give away about the sensitive columns of a dataset, as figures that rules can limit."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.engines.base import Table
from idbits.errors import DataError, EngineError, InputError, NotEstimableError
from idbits.reading import OpenOptions
from idbits.studies.check.policy import Dataset, Rule
from idbits.studies.shared.serialisation import UncheckedData
from idbits.values.attributes import Attribute, parse_attributes

__all__ = [
    "DISCLOSURE", "DISCLOSURE_FIGURES", "disclosure_figures", "needs_disclosure", "require_sensitive",
    "sensitive_columns",
]  # fmt: skip

DISCLOSURE_FIGURES = frozenset(
    {"prior_entropy_bits", "conditional_entropy_bits", "l_distinct", "l_entropy", "recursive", "recursive_l", "alpha",
     "t_equal", "t_ordered", "t_distance", "t_hierarchical", "beta", "enhanced_beta", "enhanced_beta_violations",
     "delta_bits", "delta_bits_present", "gain_bits", "certain", "nearly_certain", "more_likely", "guess",
     "people_below_l", "near"}
)  # fmt: skip
"""The first keys of figures about a sensitive column; the last key is the column."""

DISCLOSURE = "disclosure"
"""The key of the reason why there are no figures about sensitive columns."""


def needs_disclosure(rule: Rule) -> bool:
    """Whether a rule is about a sensitive column."""
    return rule.keys[0] in DISCLOSURE_FIGURES


def require_sensitive(rule: Rule, dataset: Dataset) -> None:
    """Refuse a rule about a column that is not listed, or about near values if nobody says what is near."""
    column = rule.keys[-1]
    if column not in dataset.sensitive:
        raise InputError(
            f'"{rule.text}" is about a sensitive column; name the column last, and in the list "sensitive" of dataset '
            f'"{dataset.name}"'
        )
    if rule.keys[0] == "near" and not {column, column.partition(":")[0]} & set(dataset.disclosure.get("near", {})):
        raise InputError(
            f'"{rule.text}" needs a distance; add near = {{ "{column}" = ... }} to [dataset.disclosure] of dataset '
            f'"{dataset.name}"'
        )


def sensitive_columns(dataset: Dataset, table: Table) -> tuple[Attribute, ...]:
    """Return the sensitive columns of a dataset, if a rule is about them."""
    if not any(map(needs_disclosure, dataset.rules)):
        return ()
    return parse_attributes(dataset.sensitive, table.columns)


def disclosure_figures(
    table: Table, qid: Sequence[Attribute], sensitive: Sequence[Attribute], dataset: Dataset, options: OpenOptions
) -> UncheckedData:
    """Return the figures of all sensitive columns, each with the name of its column as the last key."""
    from idbits.studies.disclosure.study import disclosure_of_table, disclosure_question, rule_figures

    numbers = {int(key) for rule in dataset.rules if needs_disclosure(rule) for key in _numbers(rule)}
    question = disclosure_question(l=sorted({2, 3, 5} | numbers), **dataset.disclosure)
    try:
        answer = disclosure_of_table(table, qid, sensitive, question, options, dataset.person)
    except (DataError, EngineError, NotEstimableError) as error:
        return {DISCLOSURE: str(error)}
    return rule_figures(answer.sensitive)


def _numbers(rule: Rule) -> list[str]:
    """Return the number of values that a rule names, as in ``recursive.4.diagnosis``."""
    keys = rule.keys
    named = keys[0] in ("recursive", "people_below_l") and len(keys) > 2 and keys[1].isdigit()
    return [keys[1]] if named else []
