"""The wheel and the source archive, built and tried without the repository.

``make smoke`` installs them with their dependencies in empty environments, for which it needs the network. Here the
dependencies are those of this environment, and idbits comes from the wheel.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import idbits

ROOT = Path(__file__).parents[2]
EXTRAS = ("files", "leak", "pdf", "spark", "sql", "web")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("build", reason="the package build is not installed (idbits[dev])")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


def test_names(built: Path) -> None:
    version = idbits.__version__
    assert {path.name for path in built.iterdir()} == {f"idbits-{version}-py3-none-any.whl", f"idbits-{version}.tar.gz"}


def test_the_wheel_has_every_file_of_the_package_and_what_it_shares(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    source = ROOT / "src"
    files = {path.relative_to(source).as_posix() for path in (source / "idbits").rglob("*") if path.is_file()}
    assert {name for name in files if "__pycache__" not in name} <= names
    data = f"idbits-{idbits.__version__}.data/data/share"
    share = ROOT / "release" / "share"
    assert {f"{data}/{path.relative_to(share).as_posix()}" for path in share.rglob("*") if path.is_file()} <= names
    assert not [name for name in names if name.startswith(("tests", "docs")) or "__pycache__" in name]


def test_the_only_data_in_the_wheel_are_counts_with_their_source(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    package = [name for name in archive.namelist() if name.startswith("idbits/")]
    assert "idbits/py.typed" in package
    public = "idbits/examples/public/"
    tables = {name.removeprefix(public) for name in package if name.startswith(public) and name.endswith(".csv.gz")}
    attribution = archive.read(f"{public}ATTRIBUTION.md").decode()
    assert tables
    assert [name for name in tables if f"`{name}`" not in attribution] == []
    texts = (".py", ".html", ".css", ".js", ".svg", ".schema.json", "/py.typed", "ATTRIBUTION.md")
    others = {name for name in package if not name.endswith(texts)} - {f"{public}{name}" for name in tables}
    assert others == {
        "idbits/studies/shared/roles/vocabulary.txt",
        "idbits/values/common_words.txt",
        "idbits/web/static/vendor/htmx-LICENSE.txt",
    }
    assert [name for name in archive.namelist() if str(ROOT).encode() in archive.read(name)] == []


def test_the_metadata(wheel: Path) -> None:
    text = zipfile.ZipFile(wheel).read(f"idbits-{idbits.__version__}.dist-info/METADATA").decode()
    metadata = Parser().parsestr(text)
    assert metadata["Version"] == idbits.__version__
    assert metadata["Author"] == "The idbits contributors"
    assert metadata["Author-email"] is None
    assert metadata.get_all("Project-URL") is None
    assert set(EXTRAS) <= set(metadata.get_all("Provides-Extra") or ())
    assert "Development Status :: 5 - Production/Stable" in (metadata.get_all("Classifier") or ())


def test_the_source_has_what_is_needed_to_build_and_test_it(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    wanted = (
        "pyproject.toml",
        "LICENSE",
        "README.md",
        "CHANGELOG.md",
        "release/share/man/man1/idbits.1",
        "tests/conftest.py",
    )
    assert set(wanted) <= names


def test_the_installed_wheel_answers_without_network(wheel: Path, tmp_path: Path) -> None:
    folder = tmp_path / "environment"
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    where = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    # Without the last option, pip would uninstall the idbits of this environment.
    target = ["--no-deps", "--quiet", "--no-index", "--prefix", str(folder), "--ignore-installed"]
    subprocess.run([sys.executable, "-m", "pip", "install", *target, str(wheel)], check=True, timeout=120)
    # Only the packages themselves: a path file in that folder is not read, so idbits is that of the wheel.
    (Path(where) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "IDBITS"))}
    said = subprocess.run(
        [python, "-P", "-c", "import idbits; print(idbits.__file__)"],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    assert said.stdout.startswith(where)
    smoke = subprocess.run(
        [python, "-P", ROOT / "release" / "smoke.py", "files", "leak", "-pdf", "-spark", "sql", "web"],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
        timeout=600,
        check=False,
    )
    assert (smoke.returncode, smoke.stdout.splitlines()[-1]) == (0, "0 failed"), smoke.stdout + smoke.stderr
    assert "FAIL" not in smoke.stdout
