"""The bytes of a text file: their compression and their encoding.

Bytes that are neither UTF-8 nor UTF-16 are read as cp1252, the encoding of old Windows exports, with a note.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from idbits.errors import DataError, InputError

__all__ = [
    "STANDARD_INPUT", "UTF8", "FileHead", "Packing", "decode_head", "find_encoding", "open_unpacked", "read_head",
    "reason", "shown_path", "text_lines", "unpacked_path",
]  # fmt: skip

UTF8 = "utf-8"
STANDARD_INPUT = "standard-input"
"""The name of the temporary copy of what can be read only once."""
_UNPACKED = "unpacked"
_GUESS = "cp1252"
_ERRORS = "idbits-keep-byte"


def _keep_byte(error: UnicodeError) -> tuple[str, int]:
    """Decode the five bytes that cp1252 leaves undefined as the control characters they are in Latin-1."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(map(chr, error.object[error.start : error.end])), error.end


codecs.register_error(_ERRORS, _keep_byte)

Packing = str
"""none, gzip or zstd."""


@dataclass(frozen=True, slots=True)
class FileHead:
    """The first bytes of a file, decompressed, and whether they are the whole file."""

    packing: Packing
    data: bytes
    whole: bool


@contextlib.contextmanager
def open_unpacked(path: Path) -> Iterator[tuple[Packing, BinaryIO]]:
    """Open a file and decompress it; a failure to read becomes one clear sentence."""
    try:
        with path.open("rb") as file:
            first = file.peek(4)[:4]
            if first[:2] == b"\x1f\x8b":
                with gzip.GzipFile(fileobj=file) as unpacked:
                    yield "gzip", cast("BinaryIO", unpacked)
            elif first == b"\x28\xb5\x2f\xfd":
                import pyarrow

                with pyarrow.input_stream(file, compression="zstd") as unpacked:
                    yield "zstd", cast("BinaryIO", unpacked)
            else:
                yield "none", file
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{shown_path(path)} cannot be read: {reason(error)}") from error


def unpacked_path(folder: Path, number: int, archive: Path, name: str) -> Path:
    """Return where to unpack a file of an archive: in a folder named after the archive, for messages."""
    # An equals sign in a folder would be a column of a data lake.
    return folder / _UNPACKED / str(number) / archive.name.replace("=", "-") / name


def shown_path(path: Path) -> str:
    """Return a file as messages name it: the paths of temporary copies mean nothing to users.

    >>> shown_path(Path("data/people.csv")), shown_path(Path("/tmp/idbits-1f/standard-input"))
    ('data/people.csv', 'standard input')
    >>> shown_path(unpacked_path(Path("/tmp/idbits-1f"), 0, Path("data/people.zip"), "people.csv"))
    'people.zip/people.csv'
    """
    if path.name == STANDARD_INPUT and path.parent.name.startswith("idbits-"):
        return "standard input"
    *_, folder, unpacked, _, archive, name = ("", "", "", "", *path.parts)
    if unpacked == _UNPACKED and folder.startswith("idbits-"):
        return name if archive == STANDARD_INPUT else f"{archive}/{name}"
    return str(path)


def reason(error: BaseException) -> str:
    """Return why a file cannot be read."""
    return (error.strerror if isinstance(error, OSError) else None) or "it is damaged or incomplete"


def read_head(path: Path, size: int) -> FileHead:
    """Read the first bytes of a file, and more if the first line is longer."""
    with open_unpacked(path) as (packing, stream):
        data = stream.read(size)
        whole = len(data) < size
        while not whole and b"\n" not in data and b"\r" not in data and len(data) < 64 * size:
            more = stream.read(size)
            data, whole = data + more, len(more) < size
    return FileHead(packing, data, whole)


def find_encoding(head: bytes, wanted: str | None, path: Path) -> str:
    """Return the codec of a text file that begins with these bytes."""
    if wanted is not None:
        return _known(wanted)
    if head.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return "utf-32"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\x00" in head:
        even, odd = head[0::2].count(0), head[1::2].count(0)
        # Western text in UTF-16 has a zero in nearly every second byte, always on the same side.
        if max(even, odd) < len(head) // 5 or min(even, odd) > max(even, odd) // 10:
            raise DataError(f"{shown_path(path)} is not a text file; save its table as CSV, Excel or Parquet")
        return "utf-16-le" if odd > even else "utf-16-be"
    try:
        codecs.getincrementaldecoder(UTF8)().decode(head, final=False)
    except UnicodeDecodeError:
        return _GUESS
    return UTF8


def _known(name: str) -> str:
    with contextlib.suppress(LookupError):
        codec = codecs.lookup(name)
        # No public attribute distinguishes text encodings from others such as base64.
        if codec._is_text_encoding and codec.name not in ("idna", "punycode"):  # noqa: SLF001
            return codec.name
    raise InputError(f'no encoding named "{name}"; try utf-8, cp1252, cp1250 or utf-16 (--encoding)')


def decode_head(head: bytes, codec: str) -> str:
    """Decode the beginning of a file, which may end in the middle of a character."""
    text = codecs.getincrementaldecoder(codec)(_errors(codec)).decode(head, final=False)
    return text.removeprefix("\ufeff")


def text_lines(path: Path, codec: str) -> Iterator[str]:
    """Yield the lines of a text file with their line breaks, without the byte order mark."""
    with open_unpacked(path) as (_, stream):
        text = io.TextIOWrapper(stream, encoding=codec, errors=_errors(codec), newline="")
        try:
            for number, line in enumerate(text):
                yield line if number else line.removeprefix("\ufeff")
        except UnicodeError as error:
            raise DataError(f"{shown_path(path)} is not all in {codec}; name its encoding with --encoding") from error


def _errors(codec: str) -> str:
    return _ERRORS if codec == _GUESS else "strict"
