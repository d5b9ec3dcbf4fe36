"""Prediction before anything is collected: the studies behind ``idbits predict`` and ``idbits.predict``."""

from idbits.studies.predict.correlated import correlated
from idbits.studies.predict.group import group
from idbits.studies.predict.singletons import singletons
from idbits.studies.predict.suspects import suspects
from idbits.studies.predict.uniqueness import uniqueness
from idbits.studies.predict.width import width

__all__ = ["correlated", "group", "singletons", "suspects", "uniqueness", "width"]
