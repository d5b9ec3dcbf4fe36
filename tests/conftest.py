"""What all tests share: which are slow and why, how Hypothesis draws, where real data are, what a skip means."""

import os
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

import databases
import running

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

NO_SKIP = os.environ.get("IDBITS_NO_SKIP") == "1"
SHARED_DATA = Path(os.environ.get("IDBITS_SHARED_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")

# The time that pages show, so that the same table gives the same page.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1763372040")

settings.register_profile("local", deadline=None)
settings.register_profile(
    "repeatable", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", parent=settings.get_profile("repeatable"))
settings.load_profile("repeatable" if NO_SKIP or os.environ.get("CI") == "true" else "local")

MARKS_BY_PLACE = {
    "app/test_access.py": "process",
    "app/test_decisions.py": "process",
    "app/test_first_minute.py": "big",
    "app/test_attack_page.py": "process",
    "app/test_link_page.py": "process",
    "app/test_table_routes.py": "process",
    "app/test_work_queue.py": "process",
    "app/test_measure_page.py": "process",
    "app/test_pages.py": "process",
    "app/test_path_page.py": "process",
    "app/test_treat_page.py": "process",
    "app/test_overlap_page.py": "process",
    "browser": "browser",
    "cli/test_apply_command.py": "big",
    "cli/test_check_causes.py": "big",
    "cli/test_completion.py": "process",
    "cli/test_files_kept.py": "big",
    "cli/test_home_paths.py": "big",
    "cli/test_report_command.py": "big",
    "cli/test_report_pdf.py": "big",
    "cli/test_streams.py": "process",
    "cli/test_wrong_files.py": "big",
    "docs": "docs",
    "notebooks/test_compose.py": "process",
    "notebooks/test_notebooks.py": "docs",
    "pipelines": "process",
    "portability/test_other_systems.py": "process",
    "release/test_wheel.py": "process",
    "engines/test_record_count.py": "big",
    "engines/test_sample_estimates.py": "big",
    "examples/test_registry.py": "big",
    "formats/test_archives.py": "big",
    "formats/test_memory.py": "big",
    "formats/test_same_answer.py": "big",
    "formats/test_title_rows.py": "big",
    "fuzz": "big",
    "golden/test_arx_optima.py": "big",
    "golden/test_arx_presence.py": "big",
    "golden/test_link_febrl.py": "big",
    "measures/population/test_estimate.py": "big",
    "render/test_pdf.py": "big",
    "render/test_report_page.py": "big",
    "repository/test_connections.py": "process",
    "repository/test_convergence.py": "big",
    "repository/test_crash.py": "process",
    "repository/test_faults.py": "process",
    "repository/test_following.py": "big",
    "repository/test_importing.py": "big",
    "repository/test_lying_servers.py": "big",
    "repository/test_verified_blocks.py": "big",
    "repository/test_verification.py": "server",
    "repository/test_load.py": "server",
    "repository/test_openapi.py": "big",
    "repository/test_proxy.py": "process",
    "results": "big",
    "studies/apply/test_advised_plans.py": "big",
    "studies/apply/test_mixed_plans.py": "big",
    "studies/apply/test_tied_groups.py": "big",
    "studies/test_report_findings.py": "big",
    "studies/test_report_sources.py": "big",
    "studies/test_report_treatments.py": "big",
    "studies/link/test_odds_by_brute_force.py": "big",
    "studies/apply/test_release.py": "big",
    "studies/apply/test_treated_rows.py": "big",
    "studies/advise/test_advise.py": "big",
    "studies/advise/test_sensitive_figures.py": "big",
    "studies/link/test_against_slow_links.py": "big",
    "studies/predict/test_predict_trust.py": "big",
    "studies/events/test_trajectory_gain.py": "big",
    "studies/leak/test_leak.py": "big",
    "roles/test_scores.py": "big",
    "spark": "spark",
}
"""Marks of whole folders and files below ``tests/``; ``make quick`` leaves out every test that has one."""

SLOW_TESTS = (
    set()
    if os.environ.get("IDBITS_SLOW_TESTS") == "unmarked"
    else set(Path(__file__).with_name("slow_tests.txt").read_text(encoding="utf-8").split())
)
"""Tests that are marked ``big`` because of their times; ``make slow-tests`` measures all tests and writes the list."""

QUICK_EXAMPLES = 8
"""What Hypothesis draws for a test in ``make quick``, also if the test asks for more."""

MARKS_BY_PARAMETER = {"spark": "spark", "postgresql": "server", "mariadb": "server"}
MARKS_BY_FIXTURE = {"spawn": "process", "start": "process", "server": "server"} | MARKS_BY_PARAMETER
ONE_WORKER = {
    "spark": re.compile(r"^tests/spark/|(?:\[|-)spark(?:\]|-)|how-to/spark\.md"),
    "browser": re.compile(r"^tests/browser/"),
    # They change what a server has only once: the role of the documentation, the list of who needs a password.
    "roles": re.compile(r"^tests/sql/test_(roles|passwords)\.py"),
}
"""Tests that share what is started once per run, by their ids: each kind goes to one worker."""
FILE_BY_FILE = re.compile(
    r"^tests/(sql|app|frozen)/|^tests/render/test_(report_page|pdf)|^tests/cli/test_report_command"
)
"""Files whose tests share a server or a page that takes seconds to make: each goes to one worker as a whole."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--constructors",
        default="all",
        help="The engines to run the engine suites on, e.g. plain,duckdb-csv,sqlite; all of them if not given.",
    )


def pytest_configure(config: pytest.Config) -> None:
    # Workers inherit its name.
    databases.run_folder()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tests = Path(__file__).parent
    for item in items:
        place = item.path.relative_to(tests).as_posix() if item.path.is_relative_to(tests) else ""
        for mark in sorted(_marks(item, place)):
            item.add_marker(mark)
        if settings.get_current_profile_name() == "quick":
            _draw_few_examples(item)


class Scheduling(LoadScopeScheduling):
    """Gives a worker one test after the other, but what ``ONE_WORKER`` and ``FILE_BY_FILE`` name as a whole.

    pytest-xdist has marks for this (``xdist_group``) that do nothing under pytest 9.
    """

    def _split_scope(self, nodeid: str) -> str:
        own = nodeid.partition("::")[0] if FILE_BY_FILE.search(nodeid) else nodeid
        return next((kind for kind, ids in ONE_WORKER.items() if ids.search(nodeid)), own)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    return Scheduling(config, log)


def _marks(item: pytest.Item, place: str) -> set[str]:
    marks = {mark for start, mark in MARKS_BY_PLACE.items() if f"{place}/".startswith(f"{start}/")}
    if f"{place}::{item.name.partition('[')[0]}" in SLOW_TESTS:
        marks.add("big")
    fixtures = set(getattr(item, "fixturenames", ()))
    marks |= {mark for fixture, mark in MARKS_BY_FIXTURE.items() if fixture in fixtures and "browser" not in marks}
    parameters = [value for value in _parameters(item) if isinstance(value, str)]
    return marks | {mark for value, mark in MARKS_BY_PARAMETER.items() if value in parameters}


def _draw_few_examples(item: pytest.Item) -> None:
    """Limit the examples of a test, which a profile alone does not do for a test that has settings."""
    test = getattr(item, "obj", None)
    chosen = getattr(test, "_hypothesis_internal_use_settings", None)
    if chosen is not None:
        few = settings(chosen, max_examples=min(chosen.max_examples, QUICK_EXAMPLES))
        getattr(test, "__func__", test)._hypothesis_internal_use_settings = few


def _parameters(item: pytest.Item) -> list[object]:
    call = getattr(item, "callspec", None)
    return [] if call is None else list(call.params.values())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    running.marks_of_running_test = {mark.name for mark in item.iter_markers()}
    result = yield
    running.marks_of_running_test = None
    return result


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real data beside the repository."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"real data are not there: no folder {SHARED_DATA} (IDBITS_SHARED_DATA says where it is)")
    return SHARED_DATA


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    return _without_skip(report)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    return _without_skip(report)


def _without_skip(report: Report) -> Report:
    """Turn a skip into a failure where nothing may be skipped; expected failures stay what they are."""
    if NO_SKIP and report.outcome == "skipped" and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"skipped, but IDBITS_NO_SKIP=1 allows no skip: {reason}"
    return report
