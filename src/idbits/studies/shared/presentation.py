"""How an answer is shown: text in a terminal, HTML in a notebook, JSON on request.

There is one way from an answer to the screen: the module ``text`` next to the module of the answer's class, imported
when first needed, registers a function for that class.

.. code-block:: python

    @show.register
    def _(measurement: Measurement) -> list[Block]: ...
"""

from __future__ import annotations

from functools import singledispatch
from importlib import import_module
from typing import Any, ClassVar

from idbits.render.blocks import Block, Verdict
from idbits.render.page import plain as plain_text
from idbits.render.text import to_text
from idbits.studies.shared.serialisation import Json, JsonObject, Serialisable, to_json, with_schema

__all__ = ["Answer", "FiguresAnswer", "show"]


@singledispatch
def show(answer: object) -> list[Block]:
    """Return the blocks of an answer; each ``text`` module registers a function for its answers."""
    raise AssertionError(f"no text module registers {type(answer).__name__}")


class Answer(Serialisable):
    """The answer of a command, named by ``command``."""

    command: ClassVar[str]

    def blocks(self) -> list[Block]:
        """Return the parts of the answer as they are shown."""
        package, _, _ = type(self).__module__.rpartition(".")
        import_module(f"{package}.text")
        return show(self)

    def to_dict(self) -> JsonObject:
        """Return the answer as plain data, with its verdict; the reference of the JSON output lists the keys."""
        data = super().to_dict()
        verdict = next((block for block in self.blocks() if isinstance(block, Verdict)), None)
        return data if verdict is None else {**verdict_keys(verdict), **data}

    def to_json(self) -> str:
        """Return the answer as one JSON object (schema idbits/1)."""
        return to_json(with_schema(self.command, self.to_dict()))

    def __str__(self) -> str:
        return to_text(self.blocks())

    def _repr_html_(self) -> str:
        # Only notebooks need it.
        from idbits.render.html import to_fragment

        return to_fragment(self.blocks())


def verdict_keys(verdict: Verdict) -> JsonObject:
    """Return a verdict as plain data. Scripts can rely on the level; headlines may change."""
    reasons: list[Json] = [plain_text(reason) for reason in verdict.reasons]
    return {"verdict": verdict.title, "verdict_level": str(verdict.level), "verdict_reasons": reasons}


class FiguresAnswer(Answer):
    """An answer whose ``figures`` can be read from the answer itself as well: ``measurement.entropy_bits``."""

    figures: object

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "figures":
            raise AttributeError(name)
        try:
            return getattr(self.figures, name)
        except AttributeError:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}") from None
