"""The role of each column, judged by evidence: its name, its values, and its relation to other columns.

``words`` and ``names`` read names. ``naming``, ``content`` and ``times`` turn names and values into evidence, ``fitting``
compares the two, and ``judgement`` weighs them. ``judging`` collects the facts from a table, ``choice`` draws conclusions,
and ``report`` describes columns for people.
"""

from idbits.studies.shared.roles.choice import (
    PersonCandidate,
    columns_someone_may_know,
    is_known,
    person_candidates,
)
from idbits.studies.shared.roles.evidence import Role, Subject
from idbits.studies.shared.roles.judgement import RoleJudgement
from idbits.studies.shared.roles.judging import (
    ColumnsToLoad,
    columns_to_look_at,
    judge_all_rows,
    judge_columns,
    must_withhold_names,
)
from idbits.studies.shared.roles.report import ColumnReport, report_columns, shown_role, suggest_columns

__all__ = [
    "ColumnReport", "ColumnsToLoad", "PersonCandidate", "Role", "RoleJudgement", "Subject", "columns_someone_may_know",
    "columns_to_look_at", "is_known", "judge_all_rows", "judge_columns", "must_withhold_names", "person_candidates",
    "report_columns", "shown_role", "suggest_columns",
]  # fmt: skip
