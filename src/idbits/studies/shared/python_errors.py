"""Functions as Python offers them: their errors name arguments, where those of commands name options."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, TypeVar, cast

from idbits.errors import IdbitsError
from idbits.studies.shared.python_words import SWITCHES, python_sentence

__all__ = ["arguments_of", "naming_arguments", "public_function", "public_functions", "python_error"]

Function = TypeVar("Function", bound=Callable[..., Any])

_NEGATED = {"header", "header_b"}
"""Their options say that it is false, such as ``--no-header``."""
_QUOTED = re.compile(r'("[^"]*")')


def public_function(function: Function, module: str) -> Function:
    """Return a function of a public module, where it can be pickled by its name."""
    public = naming_arguments(function)
    public.__module__, public.__qualname__ = module, function.__name__
    return public


def public_functions(module: str, *functions: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """Return functions of a public module by their names; type checkers and documentation read the imported ones."""
    return {function.__name__: public_function(function, module) for function in functions}


def naming_arguments(function: Function) -> Function:
    """Return a function whose errors name its arguments."""

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except IdbitsError as error:
            for each in _with_causes(error):
                each.args = tuple(python_error(part, function) if isinstance(part, str) else part for part in each.args)
            raise

    return cast("Function", called)


def _with_causes(error: BaseException) -> Iterator[IdbitsError]:
    """Give an error and those that a traceback shows with it."""
    seen: list[BaseException] = []
    next_one: BaseException | None = error
    while next_one is not None and next_one not in seen:
        seen.append(next_one)
        if isinstance(next_one, IdbitsError):
            yield next_one
        next_one = next_one.__cause__ or (None if next_one.__suppress_context__ else next_one.__context__)


def python_error(message: str, function: Callable[..., Any]) -> str:
    """Return the message of an error that a function raised, with arguments instead of options.

    What is in quotes stays as it is: it may be a name in the table.

    >>> from idbits.studies.predict.study import uniqueness
    >>> python_error('no column "--k"; give --k and --values, or see idbits inspect', uniqueness)
    'no column "--k"; give k= and values=, or see idbits.inspect'
    """
    hints = arguments_of(function)
    switches = (SWITCHES - set(hints)) | {
        name for name, hint in hints.items() if hint == "bool" and name not in _NEGATED
    }
    parts = _QUOTED.split(message)
    return "".join(part if part.startswith('"') else python_sentence(part, switches) for part in parts)


def arguments_of(function: Callable[..., Any]) -> dict[str, str]:
    """Return the arguments of a function with their types, including those of ``**reading`` and ``**options``."""
    arguments: dict[str, str] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        unpacked = re.fullmatch(r"Unpack\[(\w+)\]", str(parameter.annotation))
        if unpacked is None:
            arguments[name] = str(parameter.annotation)
            continue
        hints = inspect.unwrap(function).__globals__[unpacked[1]].__annotations__
        arguments |= {key: getattr(hint, "__forward_arg__", str(hint)) for key, hint in hints.items()}
    return arguments
