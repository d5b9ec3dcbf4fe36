"""An order of rows that depends on nothing but their values: by a hash of their labels.

Random draws that take rows in this order are the same on every engine, whatever the order of the rows and their codes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Value

__all__ = ["Hashes", "hash_order", "label_hashes", "row_hashes"]

Hashes = NDArray[np.uint64]

_FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
_BLOCK = 1 << 16
_PART_BITS = 4


def label_hashes(labels: Sequence[Value], seed: int) -> Hashes:
    """Return a hash of each label; null differs from every text.

    >>> len(set(label_hashes(["a", "b", "", None], seed=0).tolist()))
    4
    """
    key = str(seed).encode()[:64]
    texts = (b"" if label is None else b"." + label.encode("utf-8", "surrogatepass") for label in labels)
    hashes = b"".join(hashlib.blake2b(text, digest_size=8, key=key).digest() for text in texts)
    return np.frombuffer(hashes, "<u8").astype(np.uint64)


def row_hashes(codes: Sequence[NDArray[np.uint32]], hashes: Sequence[Hashes]) -> Hashes:
    """Return a hash of each row from those of its labels, column by column.

    >>> one, other = np.array([0, 1], np.uint32), np.array([1, 0], np.uint32)
    >>> labels = label_hashes(["a", "b"], seed=0)
    >>> len(set(row_hashes([one, other], [labels, labels]).tolist()))
    2
    """
    made = np.zeros(len(codes[0]), np.uint64)
    for start in range(0, len(made), _BLOCK):
        part = slice(start, start + _BLOCK)
        block = made[part]
        for column, of_code in zip(codes, hashes, strict=True):
            block += of_code[column[part]]
            # The finaliser of SplitMix64: each column must change all bits of what came before.
            block ^= block >> _SHIFTS[0]
            block *= _FACTORS[0]
            block ^= block >> _SHIFTS[1]
            block *= _FACTORS[1]
            block ^= block >> _SHIFTS[2]
    return made


def hash_order(hashes: Hashes) -> NDArray[np.uint32]:
    """Return the order of rows by their hashes, equal ones as they come; a part of them at a time, to save memory.

    >>> hash_order(np.array([1 << 63, 5, 1 << 63, 2], np.uint64)).tolist()
    [3, 1, 0, 2]
    """
    order = np.empty(len(hashes), np.uint32)
    parts = np.empty(len(hashes), np.uint8)
    np.right_shift(hashes, np.uint64(64 - _PART_BITS), out=parts, casting="unsafe")
    begin = 0
    for part in range(1 << _PART_BITS):
        rows = np.flatnonzero(parts == part)
        end = begin + len(rows)
        order[begin:end] = rows[np.argsort(hashes[rows], kind="stable")]
        begin = end
    return order
