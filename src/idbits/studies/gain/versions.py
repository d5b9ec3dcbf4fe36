"""Two versions of a table side by side, and a feature made coarser step by step: what is learnt, what is kept."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

from idbits.engines.base import Table
from idbits.engines.open import open_table
from idbits.errors import ColumnNotFoundError, InputError, NotEstimableError
from idbits.kernels.distinct import DistinctRows
from idbits.measures.utility import ColumnPair, ColumnRelations, Relation, utility_kept
from idbits.studies.gain.cluster_gain import gain_table
from idbits.studies.gain.described import curve_levels
from idbits.studies.gain.figures import SweepStep
from idbits.studies.gain.question import Question, resolved
from idbits.studies.gain.result import Comparison, Utility
from idbits.studies.gain.table import Attacked, GainTable
from idbits.values.attributes import Attribute, parse_attribute

__all__ = ["compared", "swept"]

Relations = dict[ColumnPair, Relation]


def relations_of(
    table: GainTable, features: Sequence[Attribute], target: Attribute | None, rows: DistinctRows
) -> Relations:
    """Return the relations that count as utility: of all pairs of features, or of each with the target."""
    names = [feature.name for feature in features]
    if target is None:
        pairs = list(itertools.combinations(range(len(features)), 2))
        relations = table.pair_relations(rows, pairs)
        return {(names[one], names[two]): found for (one, two), found in zip(pairs, relations, strict=True)}
    others = [feature for feature in features if feature.column != target.column]
    joint = table.read([*others, target]).rows
    pairs = [(place, len(others)) for place in range(len(others))]
    relations = table.pair_relations(joint, pairs)
    return {(other.name, target.name): found for other, found in zip(others, relations, strict=True)}


def compared(
    original: GainTable,
    features: Sequence[Attribute],
    target: Attribute | None,
    rows: DistinctRows,
    before_treatment: Attacked,
    source: Any,
) -> Comparison:
    """Attack a treated version of the table in the same way, and say what utility it keeps."""
    options = replace(original.options, columns=None, in_order=False)
    with _told_of_the_treated():
        opened = open_table(source, options)
    with closing(opened) as table:
        theirs, missing = _found(features, table.columns)
        goal = None
        if target is not None:
            if target.column not in table.columns:
                raise InputError(f'the table to compare with has no column "{target.column}" (--target)')
            goal = parse_attribute(target.name, table.columns)
        table.load([*(feature.column for feature in theirs), *([goal.column] if goal is not None else [])])
        if table.n_people() == 0:
            raise NotEstimableError("there is nobody in the table to compare with")
        views = [{view.name: view for view in theirs}.get(feature.name) for feature in features]
        treated = gain_table(table, options, _fitting(original.question, features, views))
        treated_rows = treated.read(theirs).rows
        attacked = treated.attack(theirs, treated_rows)
        after = relations_of(treated, theirs, goal, treated_rows)
        curves = _curves(original, before_treatment, treated, attacked)
        table.check_unchanged()
    utility = _utility(relations_of(original, features, target, rows), after, target)
    told = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    return Comparison(told, attacked.figures, missing, utility, curves)


def _utility(before: Relations, after: Relations, target: Attribute | None) -> Utility:
    """Compare what the columns of two tables say about each other; pairs without a relation in the original are out."""
    counted = ColumnRelations.of([before])
    kept = counted.kept_by(after)
    return Utility(
        utility_kept(kept, counted.bits),
        target.name if target is not None else None,
        counted.total_bits,
        math.fsum(kept.values()),
        pairs=len(before),
        pairs_beyond_chance=len(counted.bits),
        original_mutual_information_bits=_information(before),
        original_chance_bits=_chance(before),
        treated_mutual_information_bits=_information(after),
        treated_chance_bits=_chance(after),
    )


def _information(relations: Relations) -> float:
    return math.fsum(relation.mutual_information_bits for relation in relations.values())


def _chance(relations: Relations) -> float:
    return math.fsum(relation.chance_bits for relation in relations.values())


@contextmanager
def _told_of_the_treated() -> Iterator[None]:
    """Let an error say that it is not about the table itself, which may well have that column."""
    try:
        yield
    except InputError as error:
        error.args = (f"the table to compare with: {error}",)
        raise


def _curves(
    original_table: GainTable, original: Attacked, treated_table: GainTable, treated: Attacked
) -> tuple[tuple[float, int, int], ...]:
    """Count the people of both tables above the same numbers of bits (S3 figure 6)."""
    levels = curve_levels(max(original.figures.rig["max"], treated.figures.rig["max"]))
    ours, theirs = original_table.people_above(original, levels), treated_table.people_above(treated, levels)
    return tuple(zip(levels, ours, theirs, strict=True))


def _found(features: Sequence[Attribute], columns: Any) -> tuple[list[Attribute], tuple[str, ...]]:
    theirs, missing = [], []
    for feature in features:
        try:
            with _told_of_the_treated():
                theirs.append(parse_attribute(feature.name, columns))
        except ColumnNotFoundError:
            missing.append(feature.name)
    if not theirs:
        raise InputError("the table to compare with has none of these columns")
    return theirs, tuple(missing)


def _fitting(question: Question, features: Sequence[Attribute], views: Sequence[Attribute | None]) -> Question:
    """Return the question for other views of the features; what is said of one that is missing falls away."""

    def renamed(names: Sequence[str], option: str) -> dict[str, str]:
        places = resolved(names, features, option)
        found = [(name, views[place]) for name, place in zip(names, places, strict=True)]
        return {name: view.name for name, view in found if view is not None}

    priors = {view: question.priors[name] for name, view in renamed(list(question.priors), "--prior").items()}
    accuracy = question.accuracy
    if not isinstance(accuracy, float):
        accuracy = {view: accuracy[name] for name, view in renamed(list(accuracy), "--accuracy").items()}
    attacker = question.attacker
    if attacker.kind == "named":
        attacker = replace(attacker, names=tuple(renamed(attacker.names, "--attacker").values()))
    elif attacker.kind == "knows":
        attacker = replace(attacker, n_known=min(attacker.n_known, sum(view is not None for view in views) - 1))
    return replace(question, priors=priors, accuracy=accuracy, attacker=attacker, cells=False, csf=False)


def swept(
    table: GainTable,
    features: Sequence[Attribute],
    target: Attribute | None,
    rows: DistinctRows,
    attacked: Attacked,
    steps: Sequence[tuple[int, Attribute]],
) -> tuple[SweepStep, ...]:
    """Replace a feature by each view of it in turn (S3 figure 8); the first row is the table as it stands."""
    before = relations_of(table, features, target, rows)
    views: list[Relations] = []
    attacks = []
    for place, coarser in steps:
        seen = [*features[:place], coarser, *features[place + 1 :]]
        # A target that becomes coarser is released so: the utility is that of --compare with such a table.
        goal = coarser if target is not None and target.name == features[place].name else target
        plain = gain_table(table.table, table.options, _fitting(table.question, features, seen))
        narrowed = plain.read(seen).rows
        attacks.append(plain.attack(seen, narrowed))
        relations = relations_of(plain, seen, goal, narrowed)
        views.append(_under_old_names(relations, coarser.name, features[place].name))
    counted = ColumnRelations.of([before, *_changed(views, [features[place].name for place, _ in steps])])
    swept_names = {features[place].name for place, _ in steps}
    only = features[steps[0][0]].name if len(swept_names) == 1 else None
    found = [_step(only or "as it stands", None, attacked, counted.bits, counted, only, before)]
    for (place, coarser), outcome, view in zip(steps, attacks, views, strict=True):
        name = features[place].name
        within = [view, *(views[other] for other in _made_from(table.table, steps, place, coarser))]
        # What the step does not touch is all there.
        kept = counted.bits | {pair: bits for pair, bits in counted.kept_by(*within).items() if name in pair}
        found.append(_step(coarser.name, name, outcome, kept, counted, name, view))
    return tuple(found)


def _made_from(table: Table, steps: Sequence[tuple[int, Attribute]], place: int, fine: Attribute) -> Iterator[int]:
    """Yield the other steps of a column whose view can be made from this one: each value of it has one value there."""
    n_values = table.spectrum([fine]).n_sets
    for index, (other, coarse) in enumerate(steps):
        if other == place and coarse != fine and table.spectrum([fine, coarse]).n_sets == n_values:
            yield index


def _under_old_names(relations: Relations, coarser: str, replaced: str) -> Relations:
    """Return relations under the names that their columns have in the original."""
    return {
        (replaced if one == coarser else one, replaced if two == coarser else two): relation
        for (one, two), relation in relations.items()
    }


def _changed(views: Sequence[Relations], replaced: Sequence[str]) -> list[Relations]:
    """Return of each view the relations of the column that became coarser; the others are the original's."""
    return [
        {pair: relation for pair, relation in view.items() if name in pair}
        for view, name in zip(views, replaced, strict=True)
    ]


def _step(
    column: str,
    replaces: str | None,
    attacked: Attacked,
    kept: Mapping[ColumnPair, float],
    counted: ColumnRelations,
    feature: str | None,
    view: Relations,
) -> SweepStep:
    figures = attacked.figures
    own = {pair: bits for pair, bits in counted.bits.items() if feature is None or feature in pair}
    return SweepStep(
        column,
        replaces,
        figures.rig["mean"],
        figures.rig["p95"],
        figures.pif,
        figures.mics,
        figures.people_at_threshold,
        utility_kept(kept, counted.bits),
        utility_kept(kept, own),
        math.fsum(kept.values()),
        _information(view),
        _chance(view),
    )
