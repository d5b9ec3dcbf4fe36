"""The dialect of a text file: its encoding, delimiter, quotes and column names, detected from its beginning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from idbits.engines.sources.cell_texts import looks_like_data
from idbits.engines.sources.encoding import FileHead, Packing, decode_head, find_encoding, read_head, shown_path
from idbits.engines.sources.footer import count_footer_rows, footer_note, last_rows
from idbits.engines.sources.layout import TextLayout, find_layout, layout_at
from idbits.engines.sources.row_comparison import looks_like_rows
from idbits.engines.sources.sample import TextSample
from idbits.errors import DataError, InputError

__all__ = ["HEAD_BYTES", "Dialect", "Lead", "read_dialect"]

HEAD_BYTES = 1 << 18
_MOST_BYTES = 1 << 26


@dataclass(frozen=True, slots=True)
class Lead:
    """What is above the data of a file besides one row of names: titles, and the names themselves.

    Attributes:
        lines: how many lines it has.
        is_simple: whether each of its rows is one line, so that every reader counts them alike.
    """

    lines: int
    is_simple: bool


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file is written.

    Attributes:
        names: the column names; a column without a name is column1, column2, ... by its position.
        header: whether a row contains the names.
        doubtful: whether the names look like data.
        rival: another delimiter that would separate the rows as evenly.
        blank_start: whether the file begins with an empty line.
        packing: none, gzip or zstd.
        lead: what to skip above the data, if it is not just the first row.
        like_rows: whether the names look like the rows below them, as in a file without a header.
        header_notes: what was decided about the rows above the data, and what is below them.
        header_row: the number of the row with the names, if it is not the first.
        suspect_row: the number of another row that may contain the names.
    """

    delimiter: str
    names: tuple[str, ...]
    packing: Packing
    encoding: str = "utf-8"
    quote: str = '"'
    header: bool = True
    doubtful: bool = False
    rival: str = ""
    blank_start: bool = False
    lead: Lead | None = None
    like_rows: bool = field(default=False, compare=False)
    header_notes: tuple[str, ...] = field(default=(), compare=False)
    header_row: int | None = field(default=None, compare=False)
    suspect_row: int | None = field(default=None, compare=False)

    @property
    def reads_header(self) -> bool:
        """Whether the row of names is read first; below a lead, the data are."""
        return self.header and self.lead is None


def read_dialect(
    path: Path,
    *,
    delimiter: str | None = None,
    header: bool = True,
    encoding: str | None = None,
    header_row: int | None = None,
) -> Dialect:
    """Return the dialect of a file; its delimiter gives the first rows of the table the same number of fields."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '\r\n"'):
        raise InputError("--delimiter must be one character, not a quote or a line break (write a tab as '\\t')")
    head, codec, text = _decoded_head(path, encoding, HEAD_BYTES)
    if not text.strip("\r\n"):
        raise DataError(f"{shown_path(path)} is empty")
    sample = TextSample(text, head.whole)
    if header_row is None:
        layout = find_layout(sample, delimiter, has_names=header)
    else:
        layout = _layout_at_row(path, sample, delimiter, encoding, header_row)
    if layout is None:
        raise DataError(f"the first row of {shown_path(path)} is too long, or a quote in it is not closed")
    dialect = _dialect(
        path, head.packing, codec, layout, text[0] in "\r\n", header=header, is_chosen=header_row is not None
    )
    below = layout.body if head.whole else last_rows(path, head.packing, codec, layout.delimiter, layout.quote)
    footer = count_footer_rows(below, len(dialect.names))
    return replace(dialect, header_notes=(*dialect.header_notes, footer_note(footer))) if footer else dialect


def _decoded_head(path: Path, encoding: str | None, size: int) -> tuple[FileHead, str, str]:
    head = read_head(path, size)
    codec = find_encoding(head.data, encoding, path)
    try:
        return head, codec, decode_head(head.data, codec)
    except UnicodeError:
        raise DataError(f"{shown_path(path)} is not in {codec}; name its encoding with --encoding") from None


def _layout_at_row(
    path: Path, sample: TextSample, delimiter: str | None, encoding: str | None, number: int
) -> TextLayout:
    """Return the layout with the names in a row, which may be far below the beginning."""
    size = HEAD_BYTES
    while (layout := layout_at(sample, delimiter, number, shown_path(path))) is None:
        size *= 8
        if size > _MOST_BYTES:
            raise InputError(
                f"row {number:,} of {shown_path(path)} is too far below its beginning; remove the rows above the "
                "column names"
            )
        head, _, text = _decoded_head(path, encoding, size)
        sample = TextSample(text, head.whole)
    return layout


def _dialect(
    path: Path, packing: Packing, codec: str, layout: TextLayout, blank_start: bool, *, header: bool, is_chosen: bool
) -> Dialect:
    found = layout.header
    is_first = found.row == layout.first
    # A file may begin with an empty line instead of names: then its columns are numbered.
    nameless = blank_start and is_first and not is_chosen and any(map(looks_like_data, found.names))
    named = header and not nameless
    width = max(map(len, layout.rows.filled)) if nameless else len(found.names)
    names = found.names if named else [""] * width
    is_skipping = not is_first or found.data > found.row + 1 or (blank_start and named)
    return Dialect(
        layout.delimiter,
        _unique_names(names, path),
        packing,
        codec,
        layout.quote,
        named,
        doubtful=named and not is_chosen and any(map(looks_like_data, names)),
        rival=layout.rival,
        blank_start=blank_start,
        lead=Lead(layout.data_line, layout.data_line == found.data) if is_skipping else None,
        like_rows=named and not is_chosen and looks_like_rows(names, layout.body),
        header_notes=_notes(layout, named=named, is_chosen=is_chosen),
        header_row=None if is_first else found.row + 1,
        suspect_row=found.suspect + 1 if found.suspect is not None and named else None,
    )


def _notes(layout: TextLayout, *, named: bool, is_chosen: bool) -> tuple[str, ...]:
    header = layout.header
    if named:
        return () if is_chosen and not header.groups else tuple(header.notes(layout.first))
    if header.row == layout.first:
        return ()
    verb = "was" if header.row == 1 else "were"
    rows = "1 row" if header.row == 1 else f"{header.row:,} rows"
    return (f"{rows} above the data {verb} skipped",)


def _unique_names(names: Sequence[str], path: Path) -> tuple[str, ...]:
    filled = tuple(name or f"column{position}" for position, name in enumerate(names, start=1))
    first_places: dict[str, int] = {}
    for index, name in enumerate(filled, start=1):
        # By position: in a file without a header the names are cells.
        if name in first_places:
            raise DataError(
                f"columns {first_places[name]} and {index} of {shown_path(path)} have the same name; rename one of them"
            )
        first_places[name] = index
    return filled
