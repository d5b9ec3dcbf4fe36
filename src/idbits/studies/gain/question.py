"""The question to ``idbits gain``, read and checked before a table is opened."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from idbits.errors import InputError
from idbits.reading import Names, name_list
from idbits.studies.shared.next_command import quoted_names
from idbits.values.attributes import Attribute, Kind, parse_attribute, split_names
from idbits.wording import counted, near_names

__all__ = ["Attacker", "Question", "accuracies_of", "accuracy_of", "attacker_of", "check_known", "resolved", "sweep_of"]

_MOST_SUBSETS = 10_000_000


@dataclass(frozen=True, slots=True)
class Attacker:
    """The attacker: the strongest, one who knows any n features, or one who knows named features."""

    kind: str
    n_known: int = 0
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.kind == "knows":
            return f"knows:{self.n_known}"
        return f"named:{quoted_names(self.names)}" if self.kind == "named" else self.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The question, apart from the table and its columns.

    Attributes:
        kept_cells: the number of cells that are always kept, to find the most exposed rows of a large table.
    """

    attacker: Attacker
    accuracy: float | Mapping[str, float] = 1.0
    priors: Mapping[str, object] = field(default_factory=dict)
    smoothing: float = 0.0
    threshold: float = 1.0
    percentile: float = 95.0
    subsets: int = 1000
    seed: int = 0
    mutual: bool = False
    csf: bool = False
    cells: bool = False
    kept_cells: int = 0

    def columns(self, sweep: Names | None) -> set[str]:
        """Return the columns that options name, which are examined even if nobody lists the columns."""
        accuracy = self.accuracy if isinstance(self.accuracy, Mapping) else ()
        named = {*self.attacker.names, *accuracy, *self.priors}
        swept = name_list(sweep) if sweep is not None else []
        return {*named, *swept, *(name.partition(":")[0] for name in swept)}

    def check(self) -> None:
        """Refuse numbers out of range and options that cannot be combined."""
        if not (math.isfinite(self.threshold) and self.threshold > 0):
            raise InputError("--threshold must be a number of bits above 0")
        if not 0 <= self.percentile <= 100:
            raise InputError("--percentile must be from 0 to 100")
        if not 0 <= self.smoothing < 1:
            raise InputError("--smoothing must be at least 0 and below 1")
        if not 1 <= self.subsets <= _MOST_SUBSETS:
            raise InputError(f"--subsets must be from 1 to {_MOST_SUBSETS:,}")
        if self.seed < 0:
            raise InputError("--seed must be at least 0")
        if self.smoothing and not self.priors:
            raise InputError("--smoothing needs a prior; give one with --prior")
        if self.csf and self.attacker.kind == "knows":
            raise InputError("--cells-as csf and --attacker knows:N cannot be combined; use --attacker named:age,zip")


def attacker_of(text: str) -> Attacker:
    """Read an attacker.

    >>> attacker_of("knows:2"), str(attacker_of("named:zip,sex"))
    (Attacker(kind='knows', n_known=2, names=()), 'named:zip,sex')
    """
    kind, _, rest = text.partition(":")
    if text == "strongest":
        return Attacker("strongest")
    if kind == "knows" and re.fullmatch("[0-9]{1,6}", rest, re.ASCII):
        return Attacker("knows", n_known=int(rest))
    if kind == "named" and rest.strip():
        return Attacker("named", names=tuple(split_names(rest)))
    raise InputError("--attacker must be strongest, knows:2 (any two other columns) or named:age,zip (these columns)")


def accuracy_of(accuracy: float | str | Mapping[str, float] | None) -> float | dict[str, float]:
    """Read how far the attacker trusts the table: one number, or ``age=0.5,zip=0.9``.

    >>> accuracy_of("0.8"), accuracy_of("age=0.5,zip=0.9")
    (0.8, {'age': 0.5, 'zip': 0.9})
    """
    if accuracy is None:
        return 1.0
    if isinstance(accuracy, Mapping):
        return {name: _share(number) for name, number in accuracy.items()}
    if isinstance(accuracy, str) and "=" in accuracy:
        pairs = [part.rpartition("=") for part in split_names(accuracy)]
        if not all(name for name, _, _ in pairs):
            raise InputError("--accuracy must be one number, or a number per column: --accuracy age=0.5,zip=0.9")
        return {name.strip(): _share(number) for name, _, number in pairs}
    return _share(accuracy)


def _share(number: float | str) -> float:
    try:
        share = float(number)
    except (TypeError, ValueError):
        share = math.nan
    if not 0 <= share <= 1:
        raise InputError("--accuracy must be from 0 to 1: --accuracy 0.8, or --accuracy age=0.5,zip=0.9")
    return share


def accuracies_of(accuracy: float | Mapping[str, float], features: Sequence[Attribute]) -> tuple[float, ...]:
    """Return the accuracy of each feature; 1 for features that are not named."""
    if not isinstance(accuracy, Mapping):
        return (accuracy,) * len(features)
    indices = resolved(accuracy, features, "--accuracy")
    by_index = dict(zip(indices, accuracy.values(), strict=True))
    return tuple(by_index.get(index, 1.0) for index in range(len(features)))


def resolved(names: Names | Mapping[str, object], features: Sequence[Attribute], option: str) -> list[int]:
    """Return the indices of the features that an option names, by feature or by column."""
    indices = []
    for name in name_list(names) if isinstance(names, str) else list(names):
        fitting = [index for index, feature in enumerate(features) if feature.name == name]
        fitting = fitting or [index for index, feature in enumerate(features) if feature.column == name]
        if len(fitting) > 1:
            views = " or ".join(f'"{features[index].name}"' for index in fitting)
            raise InputError(f'{option}: "{name}" has {len(fitting)} views; name one of them: {views}')
        if not fitting:
            near = near_names(name, [feature.name for feature in features])
            number = counted(len(features), "column")
            raise InputError(f'{option}: "{name}" is not among the {number} examined{near}')
        indices.append(fitting[0])
    if len(set(indices)) < len(indices):
        raise InputError(f"{option} names a column twice")
    return indices


def check_known(attacker: Attacker, features: Sequence[Attribute]) -> tuple[int, ...]:
    """Return the indices of the features that a named attacker knows; refuse more than there are."""
    if attacker.kind == "knows" and attacker.n_known > len(features) - 1:
        raise InputError(
            f"--attacker {attacker} is too many: with {counted(len(features), 'column')} an attacker can know at most "
            f"{len(features) - 1} besides the one to be learnt"
        )
    return tuple(resolved(attacker.names, features, "--attacker")) if attacker.kind == "named" else ()


def sweep_of(
    sweep: Names, table_columns: Mapping[str, Kind], features: Sequence[Attribute]
) -> list[tuple[int, Attribute]]:
    """Return the steps of a sweep: which feature is replaced, and by which view of its column."""
    steps = []
    for name in name_list(sweep):
        attribute = parse_attribute(name, table_columns)
        views = [index for index, feature in enumerate(features) if feature.column == attribute.column]
        if len(views) > 1:
            raise InputError(f'--sweep: "{attribute.column}" has {len(views)} views in --columns; keep one of them')
        if not views:
            raise InputError(f'--sweep: "{attribute.column}" is not among the columns examined; add it to --columns')
        steps.append((views[0], attribute))
    return steps
