"""Arrow arrays from NumPy arrays and texts, by their buffers.

``pyarrow.array`` imports pandas, if it is installed, which takes as long as linking two small tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow
from numpy.typing import NDArray

__all__ = ["array_of", "text_array"]


def array_of(values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> pyarrow.Array:
    """Return numbers as they are, with nulls where they are missing.

    >>> array_of(np.array([1, 2]), np.array([False, True])).to_pylist()
    [1, None]
    """
    known = None if missing is None else pyarrow.py_buffer(np.packbits(~missing, bitorder="little"))
    data = pyarrow.py_buffer(np.ascontiguousarray(values))
    return pyarrow.Array.from_buffers(pyarrow.from_numpy_dtype(values.dtype), len(values), [known, data])


def text_array(texts: Sequence[str]) -> pyarrow.Array:
    """Return texts, none of which is null.

    >>> text_array(["a", "", "é"]).to_pylist()
    ['a', '', 'é']
    """
    parts = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(parts))]
    return pyarrow.Array.from_buffers(pyarrow.large_string(), len(parts), buffers)
