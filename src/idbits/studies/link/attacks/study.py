"""What synthetic data tell about the people they were made from, beyond people they never saw. Experimental."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from idbits.counts import Integers
from idbits.engines.base import OpenOptions, Source
from idbits.errors import InputError, NotEstimableError
from idbits.measures.linkage.attack_chances import scaled_control_successes
from idbits.measures.linkage.success_rates import Rate, residual_rate, success_rate
from idbits.studies.link.attacks.attacking import Successes, infer_values, link_halves
from idbits.studies.link.attacks.predicates import count_matches, random_predicates, unique_predicates
from idbits.studies.link.attacks.question import DEFAULT_ATTACKS, AttackQuestion
from idbits.studies.link.attacks.result import SyntheticAttack
from idbits.studies.link.attacks.tables import AttackTables, read_attack_tables
from idbits.studies.shared.rules import checked_rules
from idbits.wording import counted

__all__ = ["attack_synthetic"]

_ORIGINAL, _CONTROL = 1, 2


def attack_synthetic(
    sources: Sequence[Source], question: AttackQuestion, options: Sequence[OpenOptions]
) -> SyntheticAttack:
    """Attack the original people by the synthetic records and, if there is a control table, people of that one.

    ``sources`` are the synthetic, the original and perhaps the control table, each with its options.
    """
    if sum(1 for source in sources if isinstance(source, str) and source == "-") > 1:
        raise InputError("only one of the tables can come from standard input")
    tables = read_attack_tables(sources, _wanted(question), options)
    if question.infer is not None and question.infer not in [column.name for column in tables.columns]:
        raise InputError(f'"{question.infer}" is not in all tables (--infer)')
    n_attacks = _number_of_attacks(tables, question)
    with options[0].progress.step("attacking"):
        rates, n_made, notes = (
            _single_out(tables, question, n_attacks)
            if question.attack == "singling-out"
            else _attack_people(tables, question, n_attacks)
        )
    attack, baseline, on_control = rates
    risk: Rate | None = attack if on_control is None else residual_rate(attack, on_control)
    is_linking, is_inferring = question.attack == "linkability", question.attack == "inference"
    known = tuple(column.name for column in tables.columns if column.name != question.infer)
    answer = SyntheticAttack(
        attack=question.attack,
        n_synthetic=tables.sizes[0],
        n_original=tables.sizes[_ORIGINAL],
        n_control=tables.sizes[_CONTROL] if on_control is not None else None,
        left=question.left if is_linking else None,
        right=question.right if is_linking else None,
        neighbours=question.neighbours if is_linking else None,
        infer=question.infer,
        known=known if is_inferring else None,
        tolerance=question.tolerance if is_inferring else None,
        n_attacks=n_made,
        rate=attack.bounded(),
        control=None if on_control is None else on_control.bounded(),
        baseline=baseline.bounded(),
        risk=None if risk is None else risk.bounded(),
        filtered=any(each.where is not None for each in options),
        notes=(*tables.notes, *notes),
    )
    if not question.rules:
        return answer
    return replace(answer, rules=checked_rules(question.rules, answer.to_dict(), answer.n_original))


Rates = tuple[Rate, Rate, Rate | None]


def _wanted(question: AttackQuestion) -> tuple[str, ...]:
    """Return the columns to read; none for all that the tables have in common."""
    if question.attack == "linkability":
        return (*question.left, *question.right)
    if question.infer is not None and question.known:
        return (*question.known, question.infer)
    return ()


def _number_of_attacks(tables: AttackTables, question: AttackQuestion) -> int:
    n_original = tables.sizes[_ORIGINAL]
    wanted = min(DEFAULT_ATTACKS, n_original) if question.attacks is None else question.attacks
    if wanted > n_original:
        raise InputError(f"--attacks must be at most {n_original:,}, the number of original people")
    if len(tables.sizes) > _CONTROL and tables.sizes[_CONTROL] < wanted:
        n_control = tables.sizes[_CONTROL]
        raise InputError(
            f"the control has {counted(n_control, 'row')}, fewer than the {wanted:,} attacks; use --attacks {n_control}"
        )
    return wanted


def _attack_people(tables: AttackTables, question: AttackQuestion, n_attacks: int) -> tuple[Rates, int, list[str]]:
    attack: Callable[[AttackTables, AttackQuestion, int, Integers], Successes]
    attack = link_halves if question.attack == "linkability" else infer_values
    found = []
    for which in range(_ORIGINAL, len(tables.sizes)):
        generator = np.random.default_rng([question.seed, which])
        people = np.sort(generator.choice(tables.sizes[which], n_attacks, replace=False))
        found.append(attack(tables, question, which, people))
    rate, baseline = (success_rate(number, n_attacks) for number in (found[0].attack, found[0].baseline))
    control = success_rate(found[1].attack, n_attacks) if len(found) > 1 else None
    return (rate, baseline, control), n_attacks, []


def _single_out(tables: AttackTables, question: AttackQuestion, n_attacks: int) -> tuple[Rates, int, list[str]]:
    generator = np.random.default_rng([question.seed, 0])
    predicates = unique_predicates(tables, n_attacks, generator)
    if not predicates:
        raise NotEstimableError(
            "no synthetic record is unique in three of its columns, so there is nothing to single out by"
        )
    n_made = len(predicates)
    guesses = random_predicates(tables, n_made, np.random.default_rng([question.seed, 1]))
    found, guessed = (
        float(np.count_nonzero(count_matches(tables, each, _ORIGINAL) == 1)) for each in (predicates, guesses)
    )
    control = None
    if len(tables.sizes) > _CONTROL:
        matches = count_matches(tables, predicates, _CONTROL)
        scaled = scaled_control_successes(matches, tables.sizes[_CONTROL], tables.sizes[_ORIGINAL])
        control = success_rate(scaled, n_made)
    notes = (
        [f"{counted(n_made, 'condition')} singled out a synthetic record, fewer than wanted"]
        if n_made < n_attacks
        else []
    )
    return (success_rate(found, n_made), success_rate(guessed, n_made), control), n_made, notes
