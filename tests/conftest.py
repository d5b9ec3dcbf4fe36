"""What all tests share: how Hypothesis draws, where real data are, and what a skip means."""

import os
from collections.abc import Generator
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

NO_SKIP = os.environ.get("IDBITS_NO_SKIP") == "1"
SHARED_DATA = Path(os.environ.get("IDBITS_SHARED_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")

settings.register_profile("local", deadline=None)
settings.register_profile(
    "repeatable", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable" if NO_SKIP or os.environ.get("CI") == "true" else "local")


@pytest.fixture
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
