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
    IdbitsError,
    InputError,
    NotEstimableError,
)

if TYPE_CHECKING:
    from idbits import predict
    from idbits.results.gain import Gain
    from idbits.results.inspection import Inspection
    from idbits.results.measurement import Measurement, Measurements
    from idbits.results.questionnaire import Questionnaire
    from idbits.results.report import Report
    from idbits.studies.gain import gain
    from idbits.studies.inspect import inspect
    from idbits.studies.measure import measure
    from idbits.studies.questionnaire import questionnaire
    from idbits.studies.report import report

__all__ = [
    "ColumnNotFoundError",
    "DataError",
    "EngineError",
    "Gain",
    "IdbitsError",
    "InputError",
    "Inspection",
    "Measurement",
    "Measurements",
    "NotEstimableError",
    "Questionnaire",
    "Report",
    "__version__",
    "gain",
    "inspect",
    "measure",
    "predict",
    "questionnaire",
    "report",
]

# Engines and NumPy are imported when they are first needed, so that `import idbits` takes no time.
_LAZY = {
    "Gain": "idbits.results.gain",
    "Inspection": "idbits.results.inspection",
    "Measurement": "idbits.results.measurement",
    "Measurements": "idbits.results.measurement",
    "gain": "idbits.studies.gain",
    "inspect": "idbits.studies.inspect",
    "measure": "idbits.studies.measure",
    "Questionnaire": "idbits.results.questionnaire",
    "questionnaire": "idbits.studies.questionnaire",
    "Report": "idbits.results.report",
    "report": "idbits.studies.report",
}


_MODULES = {"predict"}


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
