"""How a result shows itself: text in a terminal, HTML in a notebook, JSON on demand."""

from __future__ import annotations

from typing import Any, ClassVar

from idbits.render.blocks import Block
from idbits.render.html import to_fragment
from idbits.render.text import to_text
from idbits.studies.shared.serialisation import to_json, with_schema

__all__ = ["Shown"]


class Shown:
    """A result: a subclass gives its blocks, its data and the command it answers."""

    command: ClassVar[str]

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        raise AssertionError("each result has its own blocks")

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        raise AssertionError("each result has its own data")

    def to_json(self) -> str:
        """Return the result as one JSON object (schema idbits/1)."""
        return to_json(with_schema(self.command, self.to_dict()))

    def __str__(self) -> str:
        return to_text(self.blocks())

    def _repr_html_(self) -> str:
        return to_fragment(self.blocks())
