"""The errors that idbits raises on purpose.

::

    IdbitsError                 exit code 3
    ├── InputError              2   the request is wrong: a bad option, a missing file (also a ValueError)
    │   └── ColumnNotFoundError 2   the table does not have this column; names the nearest (also a KeyError)
    ├── DataError               3   the data cannot be measured: bad counts, unreadable dates (also a ValueError)
    │   └── UnreadDatesError    3   texts that are not dates; knows how they are written
    ├── EngineError             3   the engine failed; the cause is chained
    ├── RefusedError            1   the repository refuses an entry; names the rule and nothing more
    ├── RepositoryError         3   the repository cannot be used: not reachable, or its content was changed
    │   ├── EntryNotFoundError  3   no entry has this reference (also a KeyError)
    │   └── NotAllowedError     3   the key is unknown, or its role does not allow this
    └── NotEstimableError       3   this table does not determine the figure (also a ValueError)

A message is one line: what happened, where, what to do next. It never contains the value of a cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from idbits.wording import counted, near_names

__all__ = [
    "ColumnNotFoundError", "DataError", "EngineError", "EntryNotFoundError", "IdbitsError", "InputError",
    "NotAllowedError", "NotEstimableError", "RefusedError", "RepositoryError", "UnreadDatesError",
]  # fmt: skip


_MOST_NAMES = 12
_LONGEST_NAME = 60
# A number, a date or an email address: such a "name" is a cell of a file without a header.
_LIKE_DATA = re.compile(r"\s*[+-]?[.,]?[0-9].*|.*@.*", re.DOTALL)


class IdbitsError(Exception):
    """Base class of all errors that idbits raises on purpose."""

    exit_code = 3


class InputError(IdbitsError, ValueError):
    """The request is wrong."""

    exit_code = 2


class ColumnNotFoundError(InputError, KeyError):
    """A column that the table does not have.

    Engines pass ``TableColumns``, which also know the file, whether names may be cells, and what looks wrong.

    Examples:
        >>> raise ColumnNotFoundError("brithdate", ["birthdate", "zip"])
        Traceback (most recent call last):
        idbits.errors.ColumnNotFoundError: no column named "brithdate"; did you mean "birthdate"?
        >>> raise ColumnNotFoundError("income", ["birthdate", "zip"])
        Traceback (most recent call last):
        idbits.errors.ColumnNotFoundError: no column named "income"; the columns are birthdate, zip
    """

    def __init__(self, name: str, columns: Iterable[str]) -> None:
        source, may_be_data = getattr(columns, "source", ""), getattr(columns, "may_be_data", None)
        suspicion = getattr(columns, "suspicion", str)()
        self.name = name
        self.columns = tuple(columns)
        # If it is not known whether the names may be cells, those that look like cells are not suggested.
        names = [each for each in self.columns if may_be_data is False or not _LIKE_DATA.fullmatch(each)]
        near = "" if may_be_data else near_names(name, names)
        end = suspicion or near or _list_of_columns(self.columns, may_be_data=bool(may_be_data))
        super().__init__(f'{source}{": " if source else ""}no column named "{name}"{end}')

    def __str__(self) -> str:
        # KeyError would show the repr of the message.
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors of other processes are pickled; the message is made already.
        return _restored, (type(self), self.args, vars(self))


def _restored(kind: type[IdbitsError], args: tuple[Any, ...], state: dict[str, Any]) -> IdbitsError:
    error = kind.__new__(kind, *args)
    error.args = args
    vars(error).update(state)
    return error


def _list_of_columns(names: tuple[str, ...], *, may_be_data: bool) -> str:
    """Return the end of a sentence that lists columns, unless the names may be cells of a file without a header."""
    if may_be_data or not names or any(len(name) > _LONGEST_NAME or _LIKE_DATA.fullmatch(name) for name in names):
        return f"; the table has {counted(len(names), 'column')} (idbits inspect shows them)"
    more = len(names) - _MOST_NAMES
    listed = ", ".join(names[:_MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")
    return f"; the columns are {listed}" if len(names) > 1 else f"; the only column is {listed}"


class DataError(IdbitsError, ValueError):
    """The data cannot be measured."""


class UnreadDatesError(DataError):
    """Texts of a column that cannot be read as dates.

    Attributes:
        shape: how most of them are written, letters as A and digits as 9; None if that is not known.
    """

    def __init__(self, message: str, shape: str | None = None) -> None:
        super().__init__(message)
        self.shape = shape


class EngineError(IdbitsError):
    """The engine failed."""


class RefusedError(IdbitsError):
    """The repository refuses an entry because of a rule; ``rule`` is its name."""

    exit_code = 1

    def __init__(self, rule: str, sentence: str) -> None:
        super().__init__(sentence)
        self.rule = rule

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.rule, *self.args), vars(self)


class RepositoryError(IdbitsError):
    """The repository cannot be used."""


class EntryNotFoundError(RepositoryError, KeyError):
    """No entry has this reference."""

    def __str__(self) -> str:
        # KeyError would show the repr of the message.
        return str(self.args[0])


class NotAllowedError(RepositoryError):
    """The key does not allow this."""


class NotEstimableError(IdbitsError, ValueError):
    """A figure that this table does not determine."""
