"""Two versions of a table compared, and coarser views of a feature: what an attacker learns, and the utility."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace

from idbits.engines.backends.gains import GainRows
from idbits.engines.base import Table
from idbits.engines.open import open_table
from idbits.errors import ColumnNotFoundError, DataError, InputError, NotEstimableError
from idbits.measures.pif import curve_levels
from idbits.measures.utility import ColumnPair, ColumnRelations, Relation, utility_kept
from idbits.studies.gain.attack import AttackOutcome, GainTable, people_above
from idbits.studies.gain.question import Question, resolved
from idbits.studies.gain.result import Comparison, SweepStep, Utility
from idbits.studies.shared.persons import PersonOptions, TablePeople
from idbits.values.attributes import Attribute, Kind, parse_attribute

__all__ = ["compare_versions", "sweep_views"]

Relations = dict[ColumnPair, Relation]


def _relations_of(
    table: GainTable, features: Sequence[Attribute], target: Attribute | None, rows: GainRows
) -> Relations:
    """Return the relations that count as utility: of all pairs of features, or of each with the target."""
    names = [feature.name for feature in features]
    if target is None:
        pairs = list(itertools.combinations(range(len(features)), 2))
        relations = table.relations(rows, pairs)
        return {(names[first], names[second]): item for (first, second), item in zip(pairs, relations, strict=True)}
    others = [feature for feature in features if feature.column != target.column]
    pairs = [(index, len(others)) for index in range(len(others))]
    relations = table.relations(table.rows([*others, target]), pairs)
    return {(other.name, target.name): relation for other, relation in zip(others, relations, strict=True)}


def compare_versions(
    original: GainTable, features: Sequence[Attribute], target: Attribute | None, before: AttackOutcome, source: object
) -> Comparison:
    """Attack a treated version of the table in the same way, and measure its utility."""
    options = replace(original.options, columns=None, in_order=False)
    with _about_the_treated():
        opened = open_table(source, options)
    with closing(opened) as table:
        kept, missing = _kept(features, table.columns)
        goal = None
        if target is not None:
            if target.column not in table.columns:
                raise InputError(f'the table to compare with has no column named "{target.column}" (--target)')
            goal = parse_attribute(target.name, table.columns)
        person = _person_of_both(original, table)
        columns = [*(feature.column for feature in kept), *([goal.column] if goal is not None else [])]
        table.load([*columns, *(person.columns(table.columns) if person is not None else [])])
        if table.n_people() == 0:
            raise NotEstimableError("the table to compare with has no people in it")
        views = [{view.name: view for view in kept}.get(feature.name) for feature in features]
        with _about_the_treated():
            people = TablePeople.of(table, person) if person is not None else None
        treated = GainTable(table, options, _fitting(original.question, features, views), people)
        after = treated.attack(kept)
        relations = _relations_of(treated, kept, goal, after.rows)
        curves = _curves(before, after)
        table.check_unchanged()
    utility = _utility(_relations_of(original, features, target, before.rows), relations, target)
    path = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    return Comparison(path, after.figures, missing, utility, curves)


def _person_of_both(original: GainTable, table: Table) -> PersonOptions | None:
    """Return who is a person in the treated table; it needs the column if people have several rows in the original."""
    people = original.people
    if people is None or people.persons.column in table.columns:
        return people.options if people is not None else None
    if original.persons is not None:
        raise InputError(f'the table to compare with has no column named "{people.persons.column}" (--person)')
    return None


def _utility(before: Relations, after: Relations, target: Attribute | None) -> Utility:
    """Compare the relationships of columns in two tables; pairs without one in the original do not count."""
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
def _about_the_treated() -> Iterator[None]:
    """Let an error say that it is about the table to compare with: the original may have that column."""
    try:
        yield
    except (DataError, InputError) as error:
        error.args = (f"the table to compare with: {error}",)
        raise


def _curves(original: AttackOutcome, treated: AttackOutcome) -> tuple[tuple[float, int, int], ...]:
    """Count the people of both tables above the same levels of bits (S3 figure 6)."""
    levels = curve_levels(max(original.figures.rig["max"], treated.figures.rig["max"]))
    return tuple(zip(levels, people_above(original.gains, levels), people_above(treated.gains, levels), strict=True))


def _kept(features: Sequence[Attribute], columns: Mapping[str, Kind]) -> tuple[list[Attribute], tuple[str, ...]]:
    """Return the features that the treated table has, and the names of the others."""
    kept, missing = [], []
    for feature in features:
        try:
            with _about_the_treated():
                kept.append(parse_attribute(feature.name, columns))
        except ColumnNotFoundError:
            missing.append(feature.name)
    if not kept:
        raise InputError("the table to compare with has none of these columns")
    return kept, tuple(missing)


def _fitting(question: Question, features: Sequence[Attribute], views: Sequence[Attribute | None]) -> Question:
    """Return the question for other views of the features; options for one that is missing are dropped."""

    def renamed(names: Sequence[str], option: str) -> dict[str, str]:
        indices = resolved(names, features, option)
        new_views = ((name, views[index]) for name, index in zip(names, indices, strict=True))
        return {name: view.name for name, view in new_views if view is not None}

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


def sweep_views(
    table: GainTable,
    features: Sequence[Attribute],
    target: Attribute | None,
    attacked: AttackOutcome,
    steps: Sequence[tuple[int, Attribute]],
) -> tuple[SweepStep, ...]:
    """Replace a feature by each of its views, one at a time (S3 figure 8); the first row is the table as it is."""
    before = _relations_of(table, features, target, attacked.rows)
    views: list[Relations] = []
    attacks = []
    for index, coarser in steps:
        seen = [*features[:index], coarser, *features[index + 1 :]]
        # A coarsened target is released coarsened: the utility equals that of --compare with such a table.
        goal = coarser if target is not None and target.name == features[index].name else target
        swept = table.with_question(_fitting(table.question, features, seen))
        attacks.append(swept.attack(seen))
        relations = _relations_of(swept, seen, goal, attacks[-1].rows)
        views.append(_under_old_names(relations, coarser.name, features[index].name))
    replaced = [features[index].name for index, _ in steps]
    counted = ColumnRelations.of([before, *_changed(views, replaced)])
    only = replaced[0] if len(set(replaced)) == 1 else None
    rows = [_step(only or "as it stands", None, attacked, counted.bits, counted, only, before)]
    for (index, coarser), name, outcome, view in zip(steps, replaced, attacks, views, strict=True):
        within = [view, *(views[other] for other in _made_from(table.table, steps, index, coarser))]
        # Pairs that the step does not change are kept in full.
        kept = counted.bits | {pair: bits for pair, bits in counted.kept_by(*within).items() if name in pair}
        rows.append(_step(coarser.name, name, outcome, kept, counted, name, view))
    return tuple(rows)


def _made_from(table: Table, steps: Sequence[tuple[int, Attribute]], feature: int, fine: Attribute) -> Iterator[int]:
    """Yield the other steps of a column whose view follows from this one: each value here has one value there."""
    n_values = table.spectrum([fine]).n_sets
    for index, (other, coarse) in enumerate(steps):
        if other == feature and coarse != fine and table.spectrum([fine, coarse]).n_sets == n_values:
            yield index


def _under_old_names(relations: Relations, coarser: str, replaced: str) -> Relations:
    """Return relations under the original names of their columns."""
    return {
        (replaced if first == coarser else first, replaced if second == coarser else second): relation
        for (first, second), relation in relations.items()
    }


def _changed(views: Sequence[Relations], replaced: Sequence[str]) -> list[Relations]:
    """Return for each view the relations of the coarsened column; all others are those of the original."""
    return [
        {pair: relation for pair, relation in view.items() if name in pair}
        for view, name in zip(views, replaced, strict=True)
    ]


def _step(
    column: str,
    replaces: str | None,
    attacked: AttackOutcome,
    kept: Mapping[ColumnPair, float],
    counted: ColumnRelations,
    feature: str | None,
    view: Relations,
) -> SweepStep:
    figures = attacked.figures
    of_feature = {pair: bits for pair, bits in counted.bits.items() if feature is None or feature in pair}
    return SweepStep(
        column,
        replaces,
        figures.rig["mean"],
        figures.rig["p95"],
        figures.pif,
        figures.mics,
        figures.people_at_threshold,
        utility_kept(kept, counted.bits),
        utility_kept(kept, of_feature),
        math.fsum(kept.values()),
        _information(view),
        _chance(view),
    )
