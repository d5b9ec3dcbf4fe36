"""Counts of public statistics that come with idbits: real answers from the first minute."""

from idbits.examples.public.statistics import AMERICAN_BIRTHS, DUTCH_AGES, NORWEGIAN_AGES, STATISTICS, PublicStatistic

__all__ = ["AMERICAN_BIRTHS", "DUTCH_AGES", "NORWEGIAN_AGES", "STATISTICS", "PublicStatistic"]
