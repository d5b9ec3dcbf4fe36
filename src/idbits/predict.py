"""Predictions before any data are collected: how many of k people will be unique.

>>> import idbits.predict
>>> round(idbits.predict.uniqueness(29, values=95).probability.exact, 4)
0.0084
"""

from idbits.studies.predict.result import (
    CorrelatedPrediction,
    GroupPrediction,
    SingletonsPrediction,
    SuspectsPrediction,
    UniquenessPrediction,
    WidthPrediction,
)
from idbits.studies.predict.study import correlated, group, singletons, suspects, uniqueness, width
from idbits.studies.shared.python_errors import public_functions

__all__ = [
    "CorrelatedPrediction", "GroupPrediction", "SingletonsPrediction", "SuspectsPrediction", "UniquenessPrediction",
    "WidthPrediction", "correlated", "group", "singletons", "suspects", "uniqueness", "width",
]  # fmt: skip

globals().update(public_functions(__name__, correlated, group, singletons, suspects, uniqueness, width))
