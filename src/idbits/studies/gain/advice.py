"""Notes beside the figures of information gain: columns that make every cell unique, and what to try next."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence

from idbits.engines.base import OpenOptions, Table
from idbits.studies.gain.figures import GainFigures
from idbits.studies.gain.question import Question
from idbits.studies.shared.coarser import next_view
from idbits.studies.shared.next_command import quoted_names
from idbits.studies.shared.persons import PersonOptions
from idbits.values.attributes import Attribute
from idbits.wording import counted

__all__ = ["next_command", "notes"]

_ENOUGH = 20
_NEARLY_ALL = 0.5
_FEW_VALUES = 20
_MOST_NAMED = 12


def notes(table: Table, features: Sequence[Attribute], figures: GainFigures) -> list[str]:
    """Return notes on what makes the figures less meaningful than they look."""
    sentences = []
    table_priors = all(gain.prior == "table" for gain in figures.features)
    if figures.n_people == 1 and table_priors:
        sentences.append("the table has only one person, so there is nothing to learn")
    elif len(features) == 1:
        sentences.append(
            "with one column the attacker knows no other, so a prior from the table itself gives a gain of 0; "
            "idbits measure shows how identifying the column is by itself"
        )
    elif figures.n_distinct_rows == 1 < figures.n_rows:
        sentences.append("all rows are equal, so the table distinguishes nobody")
    for feature, gain in zip(features, figures.features, strict=True):
        if gain.nulls == figures.n_rows:
            gained = ": its gain is 0" if gain.prior == "table" else ""
            sentences.append(f'column "{feature.name}" has only missing values{gained}')
        elif gain.n_values > _NEARLY_ALL * figures.n_rows and figures.n_rows >= _ENOUGH:
            view = next_view(table, feature)
            such = f" (such as {view.name})" if view is not None else ""
            sentences.append(
                f'column "{feature.name}" has {counted(gain.n_values, "value")} for {counted(figures.n_rows, "row")}, '
                f"so nearly every cell is unique; leave it out or coarsen it{such}"
            )
    return sentences


def next_command(
    table: Table,
    features: Sequence[Attribute],
    figures: GainFigures,
    source: str | None,
    options: OpenOptions,
    person: PersonOptions,
    question: Question,
) -> str | None:
    """Return the same command with the most telling column one step coarser, if people are identifiable."""
    if source is None or source == "-" or not figures.people_at_threshold:
        return None
    repeated = _question_words(question)
    if repeated is None or (repeated and len(features) > _MOST_NAMED):
        return None
    ranked = sorted(zip(features, figures.features, strict=True), key=lambda pair: -pair[1].fig_bits)
    named = {feature.name for feature in features}
    shown = features if len(features) <= _MOST_NAMED else [feature for feature, _ in ranked[:_MOST_NAMED]]
    views: Sequence[str] = [feature.name for feature in shown]
    # If no column can be coarsened by a rule, the cells show who is exposed.
    more = ["--cells cells.parquet"]
    for feature, gain in ranked[:_MOST_NAMED]:
        if feature.transforms or gain.n_values <= _FEW_VALUES:
            continue
        view = next_view(table, feature)
        if view is not None and view.name not in named:
            views, more = [view.name if other is feature else other.name for other in shown], []
            break
    columns = shlex.quote(quoted_names(views))
    words = [
        "idbits",
        "gain",
        shlex.quote(source),
        "--columns",
        columns,
        *repeated,
        *options.command_words(),
        *more,
    ]
    return " ".join([*words, *person.command_words()])


def _question_words(question: Question) -> list[str] | None:
    """Return the options that repeat the question; None if a prior is not a path and cannot be written as one."""
    words: dict[str, str] = {}
    if question.attacker.kind != "strongest":
        words["attacker"] = str(question.attacker)
    if isinstance(question.accuracy, Mapping):
        words["accuracy"] = quoted_names([f"{name}={share}" for name, share in question.accuracy.items()])
    usual = {"accuracy": 1.0, "smoothing": 0.0, "threshold": 1.0, "percentile": 95.0, "subsets": 1000, "seed": 0}
    for name, value in usual.items():
        words |= {name: str(getattr(question, name))} if name not in words and getattr(question, name) != value else {}
    options = [f"--{name} {shlex.quote(text)}" for name, text in words.items()]
    for name, prior in question.priors.items():
        if not isinstance(prior, str | os.PathLike):
            return None
        options.append(f"--prior {shlex.quote(f'{name}={os.fspath(prior)}')}")
    return options
