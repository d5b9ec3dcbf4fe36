"""A chart with what it shows in words: the same in a report, in a notebook and in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from idbits.render.blocks import TableBlock
from idbits.render.page import Figure
from idbits.render.svg import VegaLite

if TYPE_CHECKING:
    from idbits.render.drawing import Drawing

__all__ = ["DescribedChart"]


@dataclass(frozen=True, slots=True)
class DescribedChart:
    """A chart.

    Attributes:
        chart: a drawing, or a specification that is drawn at both widths.
        words: what it shows, for people who cannot see it.
        title: what it shows, in a few words.
    """

    chart: VegaLite | Drawing
    words: str
    title: str

    def with_table(self, table: TableBlock | None) -> Figure:
        """Return it as a figure of a page, with the table behind it; None if the section has the numbers."""
        return Figure(self.chart, self.words, table, self.title)
