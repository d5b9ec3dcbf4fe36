"""``idbits report -o report.pdf``: names and formats, what is missing, half files, Ctrl-C, and the same bytes again."""

import errno
import os
import signal
import sys
from pathlib import Path

import pypdf
import pytest

from commands import Run, Spawn, Start
from idbits.examples.registry import write_registry
from idbits.render.pdf import is_pdf_possible

NEEDS_PDF = pytest.mark.skipif(not is_pdf_possible(), reason="WeasyPrint or Pango is not installed (tests/packages.sh)")


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "people.parquet"
    write_registry(path, 500)
    return path


def words(source: Path, *more: object) -> tuple[object, ...]:
    return ("report", source, "--qid", "birthdate:year,gender", "--sections", "bits", "--quiet", *more)


@NEEDS_PDF
def test_the_name_or_the_format_makes_a_pdf(run: Run, people: Path, tmp_path: Path) -> None:
    for name, more in (("r.pdf", ()), ("R.PDF", ("--format", "pdf")), ("report", ("--format", "pdf"))):
        ended = run(*words(people, "-o", tmp_path / name, *more))
        assert (ended.code, ended.out, ended.err) == (0, "", "")
    first, *others = [(tmp_path / name).read_bytes() for name in ("r.pdf", "R.PDF", "report")]
    assert first.startswith(b"%PDF-")
    assert others == [first, first]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["R.PDF", "r.pdf", "report"]
    assert "people.parquet" in pypdf.PdfReader(tmp_path / "r.pdf").pages[0].extract_text()


@pytest.mark.parametrize(
    ("name", "more", "sentence"),
    [
        ("r.PDF", ("--format", "html"), "with --format html the name of a report must end in .html (--out)"),
        ("r.pdf", ("--format", "md"), "with --format md the name of a report must end in .md (--out)"),
        ("r.pdf", ("--json",), "with --json the name of a report must end in .json (--out)"),
        ("r.html", ("--format", "pdf"), "with --format pdf the name of a report must end in .pdf (--out)"),
        ("r.txt", ("--format", "pdf"), "with --format pdf the name of a report must end in .pdf (--out)"),
        ("r.docx", (), "must end in one of .html, .htm, .md, .markdown, .json, .pdf (--out)"),
        ("r.json", ("--json", "--format", "pdf"), "--json and --format pdf contradict each other"),
    ],
)
def test_no_name_misleads_the_person_who_opens_the_file(
    run: Run, tmp_path: Path, name: str, more: tuple[str, ...], sentence: str
) -> None:
    # A table that does not exist: an error about it would mean that the work had begun.
    ended = run(*words(tmp_path / "nowhere.csv", "-o", tmp_path / name, *more))
    assert sentence in ended.failed(2)
    assert not list(tmp_path.iterdir())


def test_without_the_extra_it_says_so_before_any_work(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    ended = run(*words(tmp_path / "nowhere.csv", "-o", tmp_path / "r.pdf"))
    assert ended.failed(2) == "idbits: PDF support is not installed; run pip install 'idbits[pdf]'\n"
    assert not list(tmp_path.iterdir())


def environment_with(code: str, tmp_path: Path) -> dict[str, str]:
    """Return an environment in which Python runs some code first."""
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "sitecustomize.py").write_text(code)
    return {"PYTHONPATH": os.pathsep.join([str(tmp_path / "first"), *filter(None, sys.path)])}


@NEEDS_PDF
def test_without_pango_it_says_so_before_any_work(spawn: Spawn, tmp_path: Path) -> None:
    """The loader of libraries fails as it does without the package; the rest is real."""
    code = (
        "import cffi\nopen_library = cffi.FFI.dlopen\n"
        "def without_pango(self, name, flags=0):\n"
        "    if 'pango' in name:\n        raise OSError(f'cannot load library {name!r}')\n"
        "    return open_library(self, name, flags)\n"
        "cffi.FFI.dlopen = without_pango\n"
    )
    environment = environment_with(code, tmp_path)
    ended = spawn(*words(tmp_path / "nowhere.csv", "-o", tmp_path / "r.pdf"), environment=environment)
    assert "a PDF needs the library Pango, which is not installed" in ended.failed(2)
    assert "apt-get install libpango" in ended.err
    assert not (tmp_path / "r.pdf").exists()


@NEEDS_PDF
@pytest.mark.skipif(sys.platform != "linux", reason="fonts of Linux")
def test_without_fonts_it_says_so_before_any_work(spawn: Spawn, tmp_path: Path) -> None:
    """Pango would crash."""
    (tmp_path / "fonts.conf").write_text("<fontconfig></fontconfig>")
    environment = {"FONTCONFIG_FILE": str(tmp_path / "fonts.conf")}
    ended = spawn(*words(tmp_path / "nowhere.csv", "-o", tmp_path / "r.pdf"), environment=environment)
    assert "a PDF needs a font, and none is installed" in ended.failed(2)


@NEEDS_PDF
def test_a_full_disk_leaves_the_old_file(
    run: Run, people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r.pdf").write_bytes(b"old")

    def full(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:1000])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    ended = run(*words(people, "-o", tmp_path / "r.pdf"))
    assert ended.failed(2) == f"idbits: {tmp_path}/r.pdf cannot be written: No space left on device\n"
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("r.pdf", b"old")]


@NEEDS_PDF
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_while_a_chart_is_drawn_leaves_no_file(spawn: Spawn, people: Path, tmp_path: Path) -> None:
    """WeasyPrint swallows it there; the report must not go on without the chart."""
    code = (
        "import os, signal, sys\n"
        "def stop(frame, event, argument):\n"
        "    if event == 'call' and frame.f_code.co_name == 'draw_node':\n"
        "        sys.setprofile(None)\n        os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.setprofile(stop)\n"
    )
    environment = environment_with(code, tmp_path)
    ended = spawn(
        *words(people, "-o", tmp_path / "r.pdf"),
        environment=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert (ended.code, ended.out, ended.err) == (130, "", "idbits: stopped\n")
    assert [path.name for path in tmp_path.iterdir()] == ["first"]


@NEEDS_PDF
def test_two_processes_write_the_same_bytes(spawn: Spawn, people: Path, tmp_path: Path) -> None:
    written = []
    for seed in ("1", "2"):
        (tmp_path / seed).mkdir()
        environment = {"PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": "1763372040"}
        ended = spawn(*words(people, "-o", "r.pdf"), environment=environment, cwd=tmp_path / seed)
        assert ended.code == 0, ended.err
        written.append((tmp_path / seed / "r.pdf").read_bytes())
    assert written[0] == written[1]


@NEEDS_PDF
def test_a_pdf_goes_into_a_pipe_but_not_to_a_terminal(spawn: Spawn, start: Start, people: Path, tmp_path: Path) -> None:
    with (tmp_path / "piped.pdf").open("wb") as pipe:
        process = start(*words(people, "--format", "pdf"), stdout=pipe)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert len(pypdf.PdfReader(tmp_path / "piped.pdf").pages) >= 2
    import pty

    above, below = pty.openpty()
    ended = start(*words(people, "--format", "pdf"), stdout=below)
    _, err = ended.communicate(timeout=60)
    os.close(above)
    os.close(below)
    assert ended.returncode == 2
    assert err == b"idbits: the report is a PDF: say where to write it, for example -o report.pdf\n"
