"""How an answer shows itself: text in a terminal, HTML in a notebook, JSON on demand.

The one way from an answer to what people see: a module ``text`` beside the module of the answer's class, imported when
it is first needed, registers a function for that class.

.. code-block:: python

    @show.register
    def _(measurement: Measurement) -> list[Block]: ...
"""

from __future__ import annotations

from functools import singledispatch
from importlib import import_module
from typing import Any, ClassVar

from idbits.render.blocks import Block
from idbits.render.text import to_text
from idbits.studies.shared.serialisation import Serialisable, to_json, with_schema

__all__ = ["Answer", "FiguresAnswer", "show"]


@singledispatch
def show(answer: object) -> list[Block]:
    """Return the blocks of an answer; each ``text`` module registers those of its own answers."""
    raise AssertionError(f"nothing shows a {type(answer).__name__}")


class Answer(Serialisable):
    """What a command returns: ``command`` is the one it answers."""

    command: ClassVar[str]

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        package, _, _ = type(self).__module__.rpartition(".")
        import_module(f"{package}.text")
        return show(self)

    def to_json(self) -> str:
        """Return the answer as one JSON object (schema idbits/1)."""
        return to_json(with_schema(self.command, self.to_dict()))

    def __str__(self) -> str:
        return to_text(self.blocks())

    def _repr_html_(self) -> str:
        # Wanted by notebooks alone.
        from idbits.render.html import to_fragment

        return to_fragment(self.blocks())


class FiguresAnswer(Answer):
    """An answer whose ``figures`` can be read from the answer itself as well: ``measurement.entropy_bits``."""

    figures: object

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "figures":
            raise AttributeError(name)
        try:
            return getattr(self.figures, name)
        except AttributeError:
            raise AttributeError(f"a {type(self).__name__.lower()} has no {name!r}") from None
