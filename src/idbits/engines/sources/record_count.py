"""How many records a text file has, counted from its bytes alone: what a reader returns is compared with it.

DuckDB passes over a row without quotes that is longer than its buffer (128 MiB) and says nothing.
"""

from __future__ import annotations

import numpy as np

__all__ = ["RecordCount"]

_LF, _QUOTE = 10, 34


class RecordCount:
    """Counts records in bytes that come in pieces; within double quotes a line end is none.

    Quotes in the middle of a field without quotes make the count wrong. Then it does not agree with the reader's, and
    the file is read in the slow way, which is always right.

    >>> count = RecordCount()
    >>> for piece in (b'zip,sex\\r\\n10', b'11,F\\r\\n\\r', b'\\n"10\\n12",M'):
    ...     count.add(piece)
    >>> count.records(), count.records(blank=True)
    (3, 4)
    """

    def __init__(self) -> None:
        self._filled = 0
        self._blank = 0
        self._in_quotes = False
        self._has_bytes = False
        self._after_return = False

    def records(self, *, blank: bool = False) -> int:
        """Return the number of records so far; in a file of one column, blank lines are records, too."""
        return self._filled + (self._blank if blank else 0) + self._has_bytes

    def add(self, piece: bytes) -> None:
        """Take the next bytes."""
        if self._after_return and piece[:1] == b"\n":
            piece = piece[1:]
        if not piece:
            return
        self._after_return = piece.endswith(b"\r")
        if b"\r" in piece:
            # One byte a line end, as elsewhere.
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        codes = np.frombuffer(piece, np.uint8)
        is_end = codes == _LF
        is_blank = np.empty(len(codes), bool)
        # The first line may have begun in the piece before.
        is_blank[0] = is_end[0] and not self._has_bytes
        np.logical_and(is_end[1:], is_end[:-1], out=is_blank[1:])
        if self._in_quotes or b'"' in piece:
            ends = np.flatnonzero(is_end)
            quotes = np.flatnonzero(codes == _QUOTE)
            outside = (np.searchsorted(quotes, ends) & 1) == self._in_quotes
            self._in_quotes ^= len(quotes) % 2 == 1
            n_ended, n_blank = np.count_nonzero(outside), np.count_nonzero(is_blank[ends] & outside)
        else:
            n_ended, n_blank = np.count_nonzero(is_end), np.count_nonzero(is_blank)
        self._filled += int(n_ended - n_blank)
        self._blank += int(n_blank)
        self._has_bytes = self._in_quotes or not is_end[-1]
