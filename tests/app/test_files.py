"""The files that are offered: those below the folders, however the path is written."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.errors import InputError
from idbits.web.files import OfferedFolders

from .conftest import Site

REFUSED = "this file or folder is not among those that idbits was started with"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("tree")
    inside = top / "offered"
    (inside / "deep").mkdir(parents=True)
    (inside / ".secret").mkdir()
    (top / "offered-not").mkdir()
    for path in (
        inside / "a.csv", inside / "deep" / "b.csv.gz", inside / ".secret" / "c.csv", top / "outside.csv",
        top / "offered-not" / "d.csv", inside / "readme.md", inside / "100% & <b>.csv",
    ):  # fmt: skip
        path.write_text("x\n1\n")
    (inside / "link.csv").symlink_to(top / "outside.csv")
    (inside / "up").symlink_to(top)
    (inside / "hidden.csv").symlink_to(inside / ".secret" / "c.csv")
    (inside / "good.csv").symlink_to(inside / "deep" / "b.csv.gz")
    (inside / "loop").symlink_to(inside / "loop")
    os.mkfifo(inside / "pipe.csv")
    return inside


def test_a_listing_has_folders_and_tables(tree: Path) -> None:
    listing = OfferedFolders([tree]).listing("0", "")
    assert [entry.path for entry in listing.entries] == ["deep", "100% & <b>.csv", "a.csv", "good.csv"]
    assert listing.entries[0].is_folder
    assert listing.others == 6
    deep = OfferedFolders([tree]).listing("0", "deep")
    assert [entry.path for entry in deep.entries] == ["deep/b.csv.gz"]
    assert deep.parents == (("", ""), ("deep", "deep"))


@pytest.mark.parametrize(
    "path",
    [
        "../outside.csv", "deep/../../outside.csv", "/etc/passwd", "//etc/passwd", "link.csv", "up", "up/outside.csv",
        ".secret", ".secret/c.csv", "hidden.csv", "loop", "..", "./../x", "..\\outside.csv", "a.csv\0", "nothing.csv",
        "deep/./../a.csv", "../offered-not/d.csv", "pipe.csv", "%2e%2e/outside.csv", "~", "a.csv/",
        "file:///etc/passwd", "x" * 5000,
    ],
)  # fmt: skip
def test_nothing_else_is_opened(tree: Path, path: str) -> None:
    if path in ("a.csv/",):
        assert OfferedFolders([tree]).file("0", path) == tree / "a.csv"
        return
    with pytest.raises(InputError, match=REFUSED):
        OfferedFolders([tree]).file("0", path)


@pytest.mark.parametrize("root", ["1", "-1", "", "x", "0.0", "9999999999", "00001", "00", "٠"])
def test_no_other_root(tree: Path, root: str) -> None:
    with pytest.raises(InputError, match=REFUSED):
        OfferedFolders([tree]).listing(root, "")


@given(
    st.lists(st.sampled_from(["..", ".", "deep", "up", "link.csv", "a.csv", "", "/", "loop", "\\", "~"]), max_size=6)
)
def test_whatever_is_found_lies_below(tree: Path, parts: list[str]) -> None:
    try:
        found = OfferedFolders([tree]).resolve("0", "/".join(parts))
    except InputError:
        return
    assert found.is_relative_to(tree.resolve())


@given(st.text(max_size=40))
def test_any_text_is_refused_or_below(tree: Path, text: str) -> None:
    try:
        found = OfferedFolders([tree]).resolve("0", text)
    except InputError:
        return
    assert found.is_relative_to(tree.resolve())


def test_folders_that_are_not_there_are_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be opened"):
        OfferedFolders([tmp_path / "nothing"])
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is not a folder"):
        OfferedFolders([tmp_path / "file"])


@pytest.mark.big
@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", ".hidden.csv", "..%2f..%2fetc%2fpasswd", "%00"])
@pytest.mark.parametrize("where", ["/measure/columns?in=0&file=", "/measure/report?q=a&in=0&file=", "/measure?dir="])
def test_the_pages_refuse_them_too(site: Site, where: str, path: str) -> None:
    page = site.text(where + path, status=400)
    assert REFUSED[1:] in page
    # A way back to the tables that are offered.
    assert 'href="/measure"' in page
    assert "root:" not in page
    kind, _, query = where.partition("?")
    assert site.data(f"{kind}.json?{query}{path}", status=400) == {"error": REFUSED}
