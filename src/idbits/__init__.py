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
    from idbits.render.chart import Chart
    from idbits.studies.advise.result import Advice
    from idbits.studies.advise.study import advise
    from idbits.studies.apply.result import TreatedFile
    from idbits.studies.apply.study import apply
    from idbits.studies.check.result import Check
    from idbits.studies.check.study import check
    from idbits.studies.columns.result import ColumnSubsets
    from idbits.studies.columns.study import columns
    from idbits.studies.decide.result import DecisionCheck, DecisionLog, RecordedDecision
    from idbits.studies.decide.study import decide, list_decisions, verify_decisions
    from idbits.studies.disclosure.result import Disclosure, Disclosures
    from idbits.studies.disclosure.study import disclosure
    from idbits.studies.events.result import Events
    from idbits.studies.events.study import events
    from idbits.studies.gain.result import Gain
    from idbits.studies.gain.study import gain
    from idbits.studies.inspect.result import Inspection
    from idbits.studies.inspect.study import inspect
    from idbits.studies.leak.result import Leak
    from idbits.studies.leak.study import leak
    from idbits.studies.link.result import Linkage, SyntheticAttack
    from idbits.studies.link.study import link
    from idbits.studies.measure.result import Measurement, Measurements
    from idbits.studies.measure.study import measure
    from idbits.studies.overlap.result import ReleaseOverlap, ZoneOverlap
    from idbits.studies.overlap.study import overlap
    from idbits.studies.population.result import PopulationAnswer
    from idbits.studies.population.study import population
    from idbits.studies.questionnaire.result import Questionnaire
    from idbits.studies.questionnaire.study import questionnaire
    from idbits.studies.randomise.result import Release
    from idbits.studies.randomise.study import randomise
    from idbits.studies.report.result import Report
    from idbits.studies.report.study import report
    from idbits.studies.shared.verdict_text import VerdictText

__all__ = [
    "Advice", "Chart", "Check", "ColumnNotFoundError", "ColumnSubsets", "DataError", "DecisionCheck", "DecisionLog",
    "Disclosure", "Disclosures", "EngineError", "EntryNotFoundError", "Events", "Gain", "IdbitsError", "InputError",
    "Inspection", "Leak", "Linkage", "Measurement", "Measurements", "NotAllowedError", "NotEstimableError",
    "PopulationAnswer", "Questionnaire", "RecordedDecision", "RefusedError", "Release", "ReleaseOverlap", "Report",
    "RepositoryError", "SyntheticAttack", "TreatedFile", "VerdictText", "ZoneOverlap", "__version__", "advise",
    "apply", "check", "columns", "decide", "disclosure", "events", "gain", "inspect", "leak", "link",
    "list_decisions", "measure", "overlap", "population", "predict", "questionnaire", "randomise", "report",
    "repository", "verify_decisions",
]  # fmt: skip

# Engines and NumPy are imported on first use, so that `import idbits` is fast.
_LAZY = {
    "Advice": "idbits.studies.advise.result",
    "advise": "idbits.studies.advise.study",
    "Chart": "idbits.render.chart",
    "Check": "idbits.studies.check.result",
    "check": "idbits.studies.check.study",
    "Gain": "idbits.studies.gain.result",
    "Events": "idbits.studies.events.result",
    "ColumnSubsets": "idbits.studies.columns.result",
    "columns": "idbits.studies.columns.study",
    "DecisionCheck": "idbits.studies.decide.result",
    "DecisionLog": "idbits.studies.decide.result",
    "RecordedDecision": "idbits.studies.decide.result",
    "decide": "idbits.studies.decide.study",
    "list_decisions": "idbits.studies.decide.study",
    "verify_decisions": "idbits.studies.decide.study",
    "Disclosure": "idbits.studies.disclosure.result",
    "Disclosures": "idbits.studies.disclosure.result",
    "disclosure": "idbits.studies.disclosure.study",
    "Inspection": "idbits.studies.inspect.result",
    "Leak": "idbits.studies.leak.result",
    "Linkage": "idbits.studies.link.result",
    "SyntheticAttack": "idbits.studies.link.result",
    "VerdictText": "idbits.studies.shared.verdict_text",
    "Measurement": "idbits.studies.measure.result",
    "Measurements": "idbits.studies.measure.result",
    "gain": "idbits.studies.gain.study",
    "Release": "idbits.studies.randomise.result",
    "events": "idbits.studies.events.study",
    "inspect": "idbits.studies.inspect.study",
    "leak": "idbits.studies.leak.study",
    "link": "idbits.studies.link.study",
    "measure": "idbits.studies.measure.study",
    "ReleaseOverlap": "idbits.studies.overlap.result",
    "ZoneOverlap": "idbits.studies.overlap.result",
    "overlap": "idbits.studies.overlap.study",
    "PopulationAnswer": "idbits.studies.population.result",
    "population": "idbits.studies.population.study",
    "Questionnaire": "idbits.studies.questionnaire.result",
    "questionnaire": "idbits.studies.questionnaire.study",
    "randomise": "idbits.studies.randomise.study",
    "TreatedFile": "idbits.studies.apply.result",
    "apply": "idbits.studies.apply.study",
    "Report": "idbits.studies.report.result",
    "report": "idbits.studies.report.study",
}


_MODULES = {"predict", "repository"}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"idbits.{name}")
    if name not in _LAZY:
        raise AttributeError(f"module 'idbits' has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name]), name)
    if not isinstance(value, type):
        from idbits.studies.shared.python_errors import public_function

        value = public_function(value, "idbits")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
