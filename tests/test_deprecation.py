"""Names of earlier versions work, warn once, and are listed in the documentation."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from pathlib import Path

import pyarrow
import pytest

from idbits import deprecation, repository
from idbits.deprecation import renamed_argument, warn_renamed

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "stability.md"


@pytest.fixture(autouse=True)
def not_yet_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deprecation, "_WARNED", set())


def test_a_warning_comes_once_and_names_the_place() -> None:
    def old_name() -> None:
        warn_renamed("old_name", "new_name", since="1.0.0")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        old_name()
        old_name()
    (warning,) = caught
    assert warning.category is DeprecationWarning
    assert warning.filename == __file__
    assert str(warning.message) == (
        "old_name is deprecated since idbits 1.0.0 and will be removed in version 2; use new_name"
    )


def test_an_old_class_is_the_new_one() -> None:
    with pytest.warns(DeprecationWarning, match=r"use idbits\.repository\.PublicationDetails"):
        assert repository.Said is repository.PublicationDetails
    with pytest.raises(AttributeError, match="no attribute 'Sayd'"):
        _ = repository.Sayd


def test_an_old_argument_is_the_new_one(tmp_path: Path) -> None:
    people = pyarrow.table({"gender": ["F", "M"] * 500})
    store, key = repository.connect(str(tmp_path / "r.db"), create=True), repository.SigningKey.generate()
    assert isinstance(store, repository.Repository)
    store.add_account("office", "publisher", by="test", public_key=key.public_key, holder="Office")
    details = repository.PublicationDetails(date="2020-01-01")
    with pytest.warns(DeprecationWarning, match=r"the argument said of publish\(\) .* use details"):
        published = repository.publish(people, "gender", {"City": "Ede"}, store, key, said=details, dry_run=True)
    expected = repository.publish(people, "gender", {"City": "Ede"}, store, key, details, dry_run=True)
    assert published.statement == expected.statement
    with pytest.raises(TypeError, match="details or its old name said, not both"):
        repository.publish(people, "gender", {"City": "Ede"}, store, key, said=details, details=details)
    store.close()


def test_other_arguments_are_left_alone() -> None:
    @renamed_argument("colour", "color", since="1.0.0")
    def paint(color: str, size: int = 1) -> tuple[str, int]:
        return color, size

    assert paint("red", size=2) == ("red", 2)


def test_every_deprecated_name_is_documented() -> None:
    rows = re.findall(
        r"^\| (\d+\.\d+\.\d+) \| (.*?) \| `(\w[\w.]*)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert [(since, old) for since, old, _ in rows] == [
        ("1.0.0", f"`idbits.repository.{next(iter(repository._RENAMED))}`"),
        ("1.0.0", "the argument `said` of `idbits.repository.publish`"),
    ]


@pytest.mark.process
def test_importing_idbits_warns_about_nothing() -> None:
    code = "import idbits, idbits.repository, idbits.predict; [getattr(idbits, name) for name in idbits.__all__]"
    ended = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning", "-c", code], capture_output=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
