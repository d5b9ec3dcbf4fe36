"""What does a second table tell about the records of a release? The study behind ``idbits link``."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Unpack, overload

from idbits.engines.base import OpenOptions, Source, Table
from idbits.engines.local_linking import FETCHED
from idbits.engines.open import is_database, open_table
from idbits.errors import DataError, InputError, NotEstimableError
from idbits.file_guard import guarded_files
from idbits.measures.entropy import entropy_bits
from idbits.reading import SECOND_OPTIONS, Names
from idbits.studies.link.attacks.question import attack_question
from idbits.studies.link.attacks.result import SyntheticAttack
from idbits.studies.link.equal_values import ComparedTables, link_equal_values
from idbits.studies.link.figures import linkage_of
from idbits.studies.link.linked_columns import LinkedColumns, linked_columns
from idbits.studies.link.links import Links
from idbits.studies.link.options import LinkOptions
from idbits.studies.link.probabilistic.figures import with_odds
from idbits.studies.link.probabilistic.settings import link_settings
from idbits.studies.link.probabilistic.study import link_probabilistically, refuse_databases
from idbits.studies.link.question import LinkQuestion, link_question
from idbits.studies.link.reading import PairedReading, open_second, paired_options
from idbits.studies.link.records import write_records
from idbits.studies.link.result import Linkage
from idbits.studies.link.tolerances import ComparedColumn
from idbits.studies.shared.next_command import command_line
from idbits.studies.shared.row_files import check_row_file
from idbits.studies.shared.rules import CheckedRule, checked_rules
from idbits.values.attributes import Attribute
from idbits.values.shapes import shape_of
from idbits.wording import counted, counted_people

__all__ = [
    "LinkQuestion", "LinkedColumns", "link", "link_loaded_tables", "link_of_tables", "link_question", "link_sources",
    "linked_columns", "open_second", "paired_options",
]  # fmt: skip

_MOST_LABELS = 10_000
_MOST_PAIRS = 10**9
_OF_SECOND = tuple(f"{name}_b" for name in SECOND_OPTIONS)


@overload
def link(
    a: Source,
    b: Source | None = None,
    on: Names | None = None,
    *,
    original: None = None,
    **options: Unpack[LinkOptions],
) -> Linkage: ...


@overload
def link(
    a: Source,
    b: Source | None = None,
    on: Names | None = None,
    *,
    original: Source,
    **options: Unpack[LinkOptions],
) -> SyntheticAttack: ...


@guarded_files()
def link(
    a: Source,
    b: Source | None = None,
    on: Names | None = None,
    *,
    truth: str | None = None,
    truth_a: str | None = None,
    truth_b: str | None = None,
    coverage: float | None = None,
    sensitive: Names | None = None,
    also: Names | None = None,
    nulls: str = "none",
    max_pairs: int = _MOST_PAIRS,
    probabilistic: bool = False,
    block: str | Sequence[Names] | None = None,
    levels: str | Sequence[str] | None = None,
    threshold: float | None = None,
    original: Source | None = None,
    control: Source | None = None,
    attack: str | None = None,
    left: Names | None = None,
    right: Names | None = None,
    neighbours: int | None = None,
    infer: str | None = None,
    known: Names | None = None,
    tolerance: float | None = None,
    attacks: int | None = None,
    records: str | os.PathLike[str] | None = None,
    reveal: bool = False,
    rules: Names | None = None,
    seed: int = 0,
    **reading: Unpack[PairedReading],
) -> Linkage | SyntheticAttack:
    """Link the records of a release with a second table of people, as an attacker would.

    Args:
        a: the release: a path, a glob of paths, a database or a frame, with one row per person.
        b: the second table, which somebody has: one row per person, with names or without.
        on: the columns that both tables have, ``["birthdate", "zip"]``; ``"birthdate=dob"`` if the second table calls
            one otherwise, ``"birthdate:year"`` for coarser values, ``"birthdate~3d"`` for values that are nearly equal.
        truth: the column of both tables that identifies people, to check the links; it is never compared or shown.
        truth_a: the same column of the release, if it has another name there.
        truth_b: the same column of the second table.
        coverage: the chance that the person of a record is in the second table; 1 if everyone is.
        sensitive: columns of the release that must not be learnt.
        also: columns of the second table that the release lacks, such as a name.
        nulls: ``"none"`` if a null matches nobody, ``"ignore"`` to compare the other columns of such a record.
        max_pairs: the largest number of pairs to compare, for values that are nearly equal.
        probabilistic: whether records are linked by the odds that they are the same person, with typing errors.
        block: columns that are equal in the pairs to compare, ``["zip,sex", "birthdate"]``; chosen if none are given.
        levels: how far values may agree, ``["surname=equal,jw0.9,else"]``, instead of the levels of their kind.
        threshold: the least probability of a claim, 0.5 if it is not given.
        original: the people from whom the synthetic table ``a`` was made; attacks it instead of linking.
        control: people of the same kind from whom it was not made.
        attack: ``"singling-out"``, ``"linkability"`` or ``"inference"``.
        left: the columns of one half of a record.
        right: the columns of the other half.
        neighbours: how many of the nearest records are compared, 1 if it is not given.
        infer: the column to guess.
        known: the columns that are known.
        tolerance: how near a guessed number must be, 0.05 if it is not given.
        attacks: the largest number of attacks, 2,000 if it is not given.
        records: a file (.csv, .parquet) to write the links of every record to.
        reveal: also write there which row of the second table is claimed; for internal use only.
        rules: rules that the figures must meet, ``"records.one_to_one <= 0"``, ``"risk.high <= 5%"``.
        seed: the seed of attacks on synthetic data.
        reading: how the tables are read, see ``idbits.reading.Reading``; options of the second end in ``_b``.

    Examples:
        >>> import pyarrow
        >>> released = pyarrow.table({"zip": ["1011", "1012", "1012"], "sex": ["F", "M", "M"]})
        >>> voters = pyarrow.table({"zip": ["1011", "1012", "1013"], "sex": ["F", "M", "F"]})
        >>> link(released, voters, "zip,sex").records
        RecordClasses(no_candidate=0, nulls=0, one_to_one=1, crowded=2, ambiguous=0)
    """
    if original is not None:
        asked = attack_question(
            attack, left=left, right=right, neighbours=neighbours, infer=infer, known=known, tolerance=tolerance,
            attacks=attacks, rules=rules, seed=seed,
        )  # fmt: skip
        _refuse_link_options(
            b=b, on=on, truth=truth, truth_a=truth_a, truth_b=truth_b, coverage=coverage, sensitive=sensitive,
            also=also, nulls=nulls != "none", max_pairs=max_pairs != _MOST_PAIRS, probabilistic=probabilistic,
            block=block, levels=levels, threshold=threshold, records=records, reveal=reveal,
            **{name: value for name, value in reading.items() if name in _OF_SECOND and name != "header_b"},
            header_b=reading.get("header_b") is False,
        )  # fmt: skip
        # Arrow's functions take a while to import.
        from idbits.studies.link.attacks.study import attack_synthetic

        sources = [a, original, *([control] if control is not None else [])]
        return attack_synthetic(sources, asked, [paired_options(reading)[0]] * len(sources))
    _refuse_attack_options(control=control, attack=attack, left=left, right=right, neighbours=neighbours, infer=infer,
                           known=known, tolerance=tolerance, attacks=attacks)  # fmt: skip
    if b is None:
        raise InputError("name the second table, or the original people of a synthetic table (--original)")
    settings = link_settings(
        block, levels, threshold, is_probabilistic=probabilistic, coverage=coverage, sensitive=sensitive
    )
    question = link_question(
        on=on, truth=truth, truth_a=truth_a, truth_b=truth_b, coverage=coverage, sensitive=sensitive, also=also,
        nulls=nulls, max_pairs=max_pairs, rules=rules, probabilistic=settings,
    )  # fmt: skip
    options, second_options = paired_options(reading)
    if all(isinstance(source, str) and source == "-" for source in (a, b)):
        raise InputError("only one of the two tables can come from standard input")
    file = check_row_file(records, "--records") if records is not None else None
    if reveal and file is None:
        raise InputError("--reveal is for --records: it writes which row of the second table is claimed")
    if file is not None and (options.count is not None or second_options.count is not None):
        raise InputError("--records needs one row per person; leave out --count and --count-b")
    options, second_options = (replace(each, in_order=file is not None) for each in (options, second_options))
    return link_sources(a, b, question, (options, second_options), file=file, reveal=reveal)


def link_sources(
    a: Source,
    b: Source,
    question: LinkQuestion,
    options: tuple[OpenOptions, OpenOptions],
    *,
    file: Path | None = None,
    reveal: bool = False,
) -> Linkage:
    """Open two tables, each with its own options, and link them."""
    if question.probabilistic is not None:
        refuse_databases((a, b))
    with closing(open_table(a, options[0])) as first, closing(open_second(b, options[1], first)) as second:
        answer = link_of_tables(first, second, question, options, file=file, reveal=reveal)
        first.check_unchanged()
        second.check_unchanged()
    notes = [*answer.notes, *_notes_about_sources(a, b, options)]
    if any(map(is_database, (a, b))) and (answer.mode != "exact" or is_database(a) != is_database(b)):
        notes.append(FETCHED)
    command = _next_command(a, answer, options[0])
    return replace(answer, notes=tuple(dict.fromkeys(notes)), next_command=command)


def _refuse_link_options(**given: object) -> None:
    for name, value in given.items():
        if value not in (None, False, (), []):
            option = "a second table" if name == "b" else f"--{name.replace('_', '-')}"
            raise InputError(f"an attack on synthetic data (--original) does not use {option}")


def _refuse_attack_options(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise InputError(f"--{name} is for attacks on synthetic data; add --original")


def link_of_tables(
    first: Table,
    second: Table,
    question: LinkQuestion,
    options: tuple[OpenOptions, OpenOptions],
    *,
    file: Path | None = None,
    reveal: bool = False,
) -> Linkage:
    """Link two open tables of which nothing is loaded yet."""
    columns = linked_columns(question, first, second)
    first.load(columns.of_first)
    second.load(columns.of_second)
    return link_loaded_tables(first, second, columns, question, options, file=file, reveal=reveal)


def link_loaded_tables(
    first: Table,
    second: Table,
    columns: LinkedColumns,
    question: LinkQuestion,
    options: tuple[OpenOptions, OpenOptions],
    *,
    file: Path | None = None,
    reveal: bool = False,
) -> Linkage:
    """Link two tables of which these columns are loaded."""
    compared, truth, sensitive = columns.compared, columns.truth, columns.sensitive
    own, theirs = columns.own, columns.theirs
    for table, which, opened in ((first, "first", options[0]), (second, "second", options[1])):
        if table.n_people() == 0:
            left = "no row is left after the filter" if opened.where else "it has no rows"
            raise NotEstimableError(f"the {which} table has nobody in it: {left}")
    with_rows = file is not None
    tables = ComparedTables(first, second, (own, theirs), truth, sensitive, with_rows)
    odds = None
    if question.probabilistic is not None:
        odds = link_probabilistically((first, second), compared, truth, question, options)
        links, mode = Links(odds.counts, {}, records=odds.records), "probabilistic"
    else:
        links = _links(tables, compared, question, options)
        mode = "exact" if all(item.is_exact for item in compared) and not question.ignore_nulls else "tolerance"
    _require_coverage(question, links)
    added = _added_bits(second, theirs, columns.also)
    notes = [*first.notes, *second.notes, *_notes_about_columns(compared), *_notes_about_writing(tables, links)]
    answer = linkage_of(question, links, mode, first.n_people(), second.n_people(), added)
    if odds is not None:
        answer, notes = with_odds(answer, odds), [*notes, *odds.notes]
    if file is not None:
        write_records(file, links, answer, options[0].progress, reveal=reveal)
    rules: tuple[CheckedRule, ...] = ()
    if question.rules:
        missing = "this figure does not exist for these tables"
        rules = checked_rules(question.rules, answer.to_dict(), answer.n_records, missing)
    filtered = any(each.where is not None for each in options)
    return replace(
        answer, rules=rules, notes=tuple(dict.fromkeys(notes)), filtered=filtered, internal=reveal,
        records_file=os.fspath(file) if file is not None else None,
    )  # fmt: skip


def _links(
    tables: ComparedTables,
    compared: Sequence[ComparedColumn],
    question: LinkQuestion,
    options: tuple[OpenOptions, OpenOptions],
) -> Links:
    """Link by equal values if possible, which gives most figures; otherwise by pairs of values that are near."""
    if all(item.is_exact for item in compared) and not question.ignore_nulls:
        return link_equal_values(tables)
    # Arrow's functions take a while to import.
    from idbits.studies.link.near_values import cleaned_rows, link_near_values

    if question.ignore_nulls or any(item.tolerance is not None for item in compared):
        return link_near_values(tables, compared, options, question.max_pairs, ignore_nulls=question.ignore_nulls)
    return link_equal_values(tables, cleaned_rows(tables, compared))


def _require_coverage(question: LinkQuestion, links: Links) -> None:
    """Refuse ``--coverage 1`` if the second table lacks people of the release."""
    if question.coverage != 1:
        return
    counts = links.counts
    people = counts.records * counts.values
    nobody = int(people[counts.candidates == 0].sum())
    reasons = []
    if nobody:
        reasons.append(f"{counted(nobody, 'record')} {'has' if nobody == 1 else 'have'} nobody in the second table")
    if links.pairs is not None:
        pairs = links.pairs
        over = (pairs.records > pairs.people) & (pairs.people > 0)
        if over.any():
            records = int((pairs.records * pairs.values)[over].sum())
            held = int((pairs.people * pairs.values)[over].sum())
            reasons.append(f"{counted(records, 'record')} share values with only {counted_people(held)} of it")
    if reasons:
        raise DataError(f"{' and '.join(reasons)}, so not everyone is in it; leave out --coverage 1")


def _added_bits(table: Table, on: Sequence[Attribute], also: Sequence[Attribute]) -> float | None:
    """Return what further columns of the second table tell beyond the compared ones."""
    if not also:
        return None
    whole, compared = table.spectrum([*on, *also]), table.spectrum(list(dict.fromkeys(on)))
    return max(0.0, entropy_bits(whole) - entropy_bits(compared))


def _notes_about_columns(compared: Sequence[ComparedColumn]) -> list[str]:
    notes = []
    for item in compared:
        for own, other in zip(item.first, item.second, strict=True):
            kinds = (own.result_kind, other.result_kind)
            if kinds[0] is not kinds[1] and item.is_exact:
                notes.append(
                    f'"{own.name}" is {kinds[0]} in the first table and {kinds[1]} in the second: compared as text'
                )
    return notes


def _notes_about_writing(tables: ComparedTables, links: Links) -> list[str]:
    """Return notes on columns of which no value is in both tables, with the shapes of their values."""
    notes = []
    for index in links.without_common_value:
        own, other = tables.on[0][index], tables.on[1][index]
        note = f'not one value of "{own.name}" is written alike in the two tables'
        if tables.first.trials_are_cheap and tables.second.trials_are_cheap:
            shapes = (_usual_shape(tables.first.labels(own)), _usual_shape(tables.second.labels(other)))
            note += f": mostly {shapes[0]} in the first, {shapes[1]} in the second" if all(shapes) else ""
        notes.append(note)
    return notes


def _usual_shape(labels: Sequence[str | None]) -> str | None:
    shapes = Counter(shape_of(text) for text in labels[:_MOST_LABELS] if text is not None)
    return min(shapes, key=lambda shape: (-shapes[shape], shape)) if shapes else None


def _notes_about_sources(a: Source, b: Source, options: tuple[OpenOptions, OpenOptions]) -> list[str]:
    paths = [os.path.realpath(each) if isinstance(each, str | os.PathLike) else each for each in (a, b)]
    same = paths[0] is paths[1] or (all(isinstance(path, str) for path in paths) and paths[0] == paths[1])
    same = same and not (isinstance(a, str) and a == "-")
    alike = all(getattr(options[0], name) == getattr(options[1], name) for name in ("where", "table", "query", "sheet"))
    return ["a table linked with itself: idbits measure gives the same figures and more"] if same and alike else []


def _next_command(a: Source, answer: Linkage, options: OpenOptions) -> str | None:
    """Return the search for a treatment after which every record has company."""
    if not isinstance(a, str | os.PathLike) or os.fspath(a) == "-" or not answer.records.one_to_one:
        return None
    names = [text.partition("~")[0].partition("=")[0] for text in answer.on if "+" not in text]
    if not names:
        return None
    goal = f"--goal {shlex.quote('k_min >= 5')}"
    return command_line(names, os.fspath(a), options, goal).replace("idbits measure", "idbits advise", 1)
