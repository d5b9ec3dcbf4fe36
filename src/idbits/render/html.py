"""Blocks as HTML: a fragment for notebooks, a page that stands alone. Everything is escaped, nothing is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from idbits.render.blocks import Block
from idbits.render.text import safe

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["environment", "to_fragment"]


def to_fragment(blocks: Sequence[Block]) -> str:
    """Return blocks as a piece of HTML with its own style."""
    return environment().get_template("fragment.html").render(blocks=_described(blocks))


def _described(blocks: Sequence[Block]) -> list[tuple[str, Block]]:
    return [(type(block).__name__.lower(), block) for block in blocks]


@cache
def environment(package: str = "idbits.render") -> Environment:
    """Return the templates of a package, with everything escaped and no control character let through."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda shown: safe(shown) if type(shown) is str else shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
