"""idbits measures how much of a person's identity a dataset gives away, in bits.

>>> import idbits
>>> import pyarrow
>>> people = pyarrow.table({"zip": ["1011", "1011", "9985", "9985"], "sex": ["F", "M", "F", "F"]})
>>> idbits.measure(people, ["zip", "sex"]).singletons
2
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from idbits._version import __version__
from idbits.errors import (
    ColumnNotFoundError,
    DataError,
    EngineError,
    EntryNotFoundError,
    IdbitsError,
    InputError,
    NotAllowedError,
    NotEstimableError,
    RefusedError,
    RepositoryError,
)

if TYPE_CHECKING:
    from idbits import predict, repository
    from idbits.results.check import Check
    from idbits.results.column_subsets import ColumnSubsets
    from idbits.results.events import Events
    from idbits.results.gain import Gain
    from idbits.results.inspection import Inspection
    from idbits.results.leak import Leak
    from idbits.results.measurement import Measurement, Measurements
    from idbits.results.questionnaire import Questionnaire
    from idbits.results.release import Release
    from idbits.results.report import Report
    from idbits.studies.check import check
    from idbits.studies.columns import columns
    from idbits.studies.events import events
    from idbits.studies.gain import gain
    from idbits.studies.inspect import inspect
    from idbits.studies.leak import leak
    from idbits.studies.measure import measure
    from idbits.studies.questionnaire import questionnaire
    from idbits.studies.randomise import randomise
    from idbits.studies.report import report

__all__ = [
    "Check",
    "ColumnNotFoundError",
    "ColumnSubsets",
    "DataError",
    "EngineError",
    "EntryNotFoundError",
    "Events",
    "Gain",
    "IdbitsError",
    "InputError",
    "Inspection",
    "Leak",
    "Measurement",
    "Measurements",
    "NotAllowedError",
    "NotEstimableError",
    "Questionnaire",
    "RefusedError",
    "Release",
    "Report",
    "RepositoryError",
    "__version__",
    "check",
    "columns",
    "events",
    "gain",
    "inspect",
    "leak",
    "measure",
    "predict",
    "questionnaire",
    "randomise",
    "report",
    "repository",
]

# Engines and NumPy are imported when they are first needed, so that `import idbits` takes no time.
_LAZY = {
    "Check": "idbits.results.check",
    "check": "idbits.studies.check",
    "Gain": "idbits.results.gain",
    "Events": "idbits.results.events",
    "ColumnSubsets": "idbits.results.column_subsets",
    "columns": "idbits.studies.columns",
    "Inspection": "idbits.results.inspection",
    "Leak": "idbits.results.leak",
    "Measurement": "idbits.results.measurement",
    "Measurements": "idbits.results.measurement",
    "gain": "idbits.studies.gain",
    "Release": "idbits.results.release",
    "events": "idbits.studies.events",
    "inspect": "idbits.studies.inspect",
    "leak": "idbits.studies.leak",
    "measure": "idbits.studies.measure",
    "Questionnaire": "idbits.results.questionnaire",
    "questionnaire": "idbits.studies.questionnaire",
    "randomise": "idbits.studies.randomise",
    "Report": "idbits.results.report",
    "report": "idbits.studies.report",
}


_MODULES = {"predict", "repository"}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"idbits.{name}")
    if name not in _LAZY:
        raise AttributeError(f"module 'idbits' has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
