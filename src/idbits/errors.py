"""Everything that idbits raises on purpose.

::

    IdbitsError                 exit code 3
    ├── InputError              2   the question is wrong: a bad option, a missing file (also a ValueError)
    │   └── ColumnNotFoundError 2   a column that the table does not have; offers near names (also a KeyError)
    ├── DataError               3   the data cannot be measured as asked: bad counts, unfit values (also a ValueError)
    ├── EngineError             3   the engine failed; the cause is chained
    ├── RefusedError            1   the repository refuses an entry; says by which rule and nothing more
    ├── RepositoryError         3   the repository cannot be used: not reachable, or what it holds has been changed
    │   ├── EntryNotFoundError  3   no entry has this reference (also a KeyError)
    │   └── NotAllowedError     3   the key that was sent is unknown, or its role may not do this
    └── NotEstimableError       3   a figure that does not exist for this table (also a ValueError)

Messages are one sentence, never hold a cell value, and say what to do next where that is known.
"""

from __future__ import annotations

from collections.abc import Iterable

from idbits.wording import counted, near_names

__all__ = [
    "ColumnNotFoundError", "DataError", "EngineError", "EntryNotFoundError", "IdbitsError", "InputError",
    "NotAllowedError", "NotEstimableError", "RefusedError", "RepositoryError",
]  # fmt: skip


class IdbitsError(Exception):
    """Base of all errors that idbits raises on purpose."""

    exit_code = 3


class InputError(IdbitsError, ValueError):
    """The question cannot be asked like this."""

    exit_code = 2


class ColumnNotFoundError(InputError, KeyError):
    """A column that the table does not have.

    >>> raise ColumnNotFoundError("brithdate", ["birthdate", "zip"])
    Traceback (most recent call last):
    idbits.errors.ColumnNotFoundError: there is no column "brithdate"; did you mean "birthdate"?
    """

    def __init__(self, name: str, columns: Iterable[str]) -> None:
        self.name = name
        self.columns = tuple(columns)
        # All names are not listed here: in a file without a header they are the cells of its first row.
        number = counted(len(self.columns), "column")
        end = near_names(name, self.columns) or f" among the {number} (idbits inspect shows them)"
        super().__init__(f'there is no column "{name}"{end}')

    def __str__(self) -> str:
        # KeyError would show the repr of the message.
        return str(self.args[0])


class DataError(IdbitsError, ValueError):
    """The data cannot be measured as asked."""


class EngineError(IdbitsError):
    """The engine that counts has failed."""


class RefusedError(IdbitsError):
    """The repository refuses an entry. Attributes: rule (the rule's name)."""

    exit_code = 1

    def __init__(self, rule: str, sentence: str) -> None:
        super().__init__(sentence)
        self.rule = rule


class RepositoryError(IdbitsError):
    """The repository cannot be used."""


class EntryNotFoundError(RepositoryError, KeyError):
    """No entry has this reference."""

    def __str__(self) -> str:
        # KeyError would show the repr of the message.
        return str(self.args[0])


class NotAllowedError(RepositoryError):
    """Who asks may not do this."""


class NotEstimableError(IdbitsError, ValueError):
    """A figure that does not exist for this table."""
