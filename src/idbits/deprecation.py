"""Names that have a better one now: they work, and say once which name to use."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["renamed_argument", "warn_renamed"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
_WARNED: set[str] = set()


def warn_renamed(old: str, new: str, *, since: str, stacklevel: int = 3) -> None:
    """Warn once per program that a name is deprecated; by default, where the caller of the caller is."""
    if old in _WARNED:
        return
    _WARNED.add(old)
    message = f"{old} is deprecated since idbits {since} and will be removed in version 2; use {new}"
    warnings.warn(message, DeprecationWarning, stacklevel=stacklevel)


def renamed_argument(
    old: str, new: str, *, since: str
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Return a decorator that lets a function take an argument under its old name, too.

    >>> @renamed_argument("colour", "color", since="1.0.0")
    ... def paint(color: str) -> str:
    ...     return color
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     print(paint(colour="red"), len(caught))
    red 1
    """

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @functools.wraps(function)
        def renaming(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            if old in kwargs:
                if new in kwargs:
                    raise TypeError(f"{function.__name__}() takes {new} or its old name {old}, not both")
                name = f"the argument {old} of {function.__name__}()"
                warn_renamed(name, new, since=since)
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return renaming

    return decorate
