"""People with equal sets of values, exactly: by a hash of the set first, and then value by value.

People with equal sets have equal hashes, so nobody else needs to be compared. The members of a bucket are equal if each
of its values is shared by all of them, which one sort of value and bucket shows. A bucket in which they differ (two
sets with one hash) is split.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers
from idbits.kernels.persons import Pairs, ValueBlock, values_of_people
from idbits.kernels.run_lengths import run_borders

__all__ = ["classes_of_sets", "mixed"]

Keys = NDArray[np.uint64]
Flags = NDArray[np.bool_]
Mix = Callable[[Keys], Keys]


def mixed(numbers: Keys) -> Keys:
    """Scatter numbers over 64 bits (the finalizer of SplitMix64, Steele et al. 2014).

    >>> [hex(number) for number in mixed(np.array([0, 1], np.uint64)).tolist()]
    ['0xe220a8397b1dcdaf', '0x910a2dec89025cc1']
    """
    mix = numbers + np.uint64(0x9E3779B97F4A7C15)
    mix = (mix ^ (mix >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mix = (mix ^ (mix >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mix ^ (mix >> np.uint64(31))


def classes_of_sets(
    pairs: Pairs, n_values: Integers | None = None, *, counted: bool = False, mix: Mix = mixed
) -> tuple[Integers, Integers]:
    """Number people so that those with equal sets of values have equal numbers.

    With ``counted``, the number of rows of each value must be equal, too. ``n_values`` is the number of values of each
    person, if it is known.

    Returns:
        the number of each code of a person (-1 if it does not occur), and the people of each number.
    """
    n_values = values_of_people(pairs) if n_values is None else n_values
    occurring = np.flatnonzero(n_values)
    keys = mix(_hashes(pairs, counted, mix)[occurring] + mix(n_values[occurring].astype(np.uint64)))
    order = np.argsort(keys)
    people = np.diff(run_borders(keys[order]))
    classes = np.full(pairs.n_codes, -1, np.int64)
    classes[occurring[order]] = np.repeat(np.arange(len(people)), people)
    different = _differing(pairs, classes, people, counted)
    return _split(pairs, classes, people, different, counted) if different.any() else (classes, people)


def _hashes(pairs: Pairs, counted: bool, mix: Mix) -> Keys:
    """Return the sum of the hashes of each person's values."""
    hashes = np.zeros(pairs.n_codes, np.uint64)
    for block in pairs.blocks():
        of_pairs = np.repeat(mix(block.values), block.lengths)
        if counted:
            of_pairs[block.repeated] = mix(of_pairs[block.repeated] + block.times.astype(np.uint64))
        np.add.at(hashes, block.persons, of_pairs)
    return hashes


def _differing(pairs: Pairs, classes: Integers, people: Integers, counted: bool) -> Flags:
    """Return the classes whose members do not all have the same values."""
    different = np.zeros(len(people), np.bool_)
    shared = people > 1
    if not shared.any():
        return different
    is_shared = shared[classes] & (classes >= 0)
    for block in pairs.blocks():
        wanted = np.flatnonzero(is_shared[block.persons])
        if not len(wanted):
            continue
        value, held = _sorted_with_class(block, wanted, classes, counted)
        borders = run_borders(value)
        of_run = held[borders[:-1]]
        different[of_run[np.diff(borders) != people[of_run]]] = True
    return different


def _sorted_with_class(
    block: ValueBlock, wanted: Integers, classes: Integers, counted: bool
) -> tuple[NDArray[np.generic], Integers]:
    """Return keys of value and class (and rows), in order, and the class of each."""
    of_value = np.repeat(np.arange(len(block.values)), block.lengths)[wanted].astype(np.uint64)
    held = classes[block.persons[wanted]].astype(np.uint64)
    rows = block.rows()[wanted].astype(np.uint64) if counted else np.zeros(1, np.uint64)
    class_bits, row_bits = (int(part.max(initial=0)).bit_length() for part in (held, rows))
    value_bits = len(block.values).bit_length()
    if class_bits + row_bits + value_bits > 64:
        numbers = np.unique(np.stack(np.broadcast_arrays(of_value, held, rows)), axis=1, return_inverse=True)[1]
        order = np.argsort(numbers, kind="stable")
        return numbers[order], held[order].astype(np.int64)
    keys = (of_value << np.uint64(class_bits + row_bits)) | (held << np.uint64(row_bits)) | rows
    keys.sort()
    return keys, ((keys >> np.uint64(row_bits)) & np.uint64((1 << class_bits) - 1)).astype(np.int64)


def _split(
    pairs: Pairs, classes: Integers, people: Integers, different: Flags, counted: bool
) -> tuple[Integers, Integers]:
    """Compare the members of some classes one by one, and give those that differ numbers of their own."""
    values: dict[int, list[tuple[int, int]]] = {}
    is_compared = different[classes] & (classes >= 0)
    for block in pairs.blocks():
        wanted = np.flatnonzero(is_compared[block.persons])
        of_value = np.repeat(block.values, block.lengths)[wanted].tolist()
        rows = block.rows()[wanted].tolist() if counted else [1] * len(wanted)
        for person, value, number in zip(block.persons[wanted].tolist(), of_value, rows, strict=True):
            values.setdefault(person, []).append((value, number))
    numbers: dict[tuple[tuple[int, int], ...], int] = {}
    split = classes.copy()
    for person, of_person in values.items():
        split[person] = len(people) + numbers.setdefault(tuple(of_person), len(numbers))
    # The numbers of the classes that were split are free again.
    distinct, dense, counts = np.unique(split[split >= 0], return_inverse=True, return_counts=True)
    assert len(distinct) == len(counts)
    split[split >= 0] = dense
    return split, counts.astype(np.int64)
