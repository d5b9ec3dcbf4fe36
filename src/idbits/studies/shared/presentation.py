"""How an answer is shown: text in a terminal, HTML in a notebook, JSON on request.

There is one way from an answer to the screen: the module ``text`` next to the module of the answer's class, imported
when first needed, registers a function for that class.

.. code-block:: python

    @show.register
    def _(measurement: Measurement) -> list[Block]: ...
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import singledispatch
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self

from idbits.errors import InputError
from idbits.render.blocks import Block, Level, Verdict
from idbits.render.text import to_text
from idbits.studies.shared.serialisation import JsonObject, Serialisable, plain, to_json, with_schema
from idbits.studies.shared.short_repr import short_repr
from idbits.studies.shared.verdict_text import VerdictText, saved_reasons
from idbits.wording import listed_names

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from idbits.render.chart import Chart
    from idbits.render.described_chart import DescribedChart

__all__ = ["Answer", "show"]


@singledispatch
def show(answer: object) -> list[Block]:
    """Return the blocks of an answer; each ``text`` module registers a function for its answers."""
    raise AssertionError(f"no text module registers {type(answer).__name__}")


class Answer(Serialisable):
    """The answer of a command, named by ``command``.

    Two answers are equal if they are of the same class and say the same: ``to_dict()`` decides. So an answer equals
    the one that ``from_dict`` makes of its data, and the same answer from another engine. The time that it took does
    not count.
    """

    command: ClassVar[str]
    _main_table: ClassVar[str] = ""
    """The attribute with the rows of ``to_arrow()``; empty if the answer is one row."""
    _row_class: ClassVar[type | None] = None
    """The class of these rows, if there may be none."""
    _times: ClassVar[Mapping[str, str]] = {}
    """The columns of the table that are a ``"date"`` or an ``"instant"``."""
    _in_repr: ClassVar[tuple[str, ...]] = ()
    """The attributes that ``repr`` shows."""
    _not_compared: ClassVar[frozenset[str]] = frozenset()
    """Keys that differ if the same question is asked again, such as the time that it took."""

    _saved_verdict: ClassVar[VerdictText | None] = None

    def blocks(self) -> list[Block]:
        """Return the parts of the answer as they are shown."""
        if self._saved_verdict is not None:
            from idbits.studies.shared.saved_answers import saved_blocks

            return saved_blocks(self)
        package, _, _ = type(self).__module__.rpartition(".")
        import_module(f"{package}.text")
        return show(self)

    @property
    def verdict(self) -> VerdictText:
        """The headline of the answer with its level and reasons; empty if the answer judges nothing."""
        if self._saved_verdict is not None:
            return self._saved_verdict
        return VerdictText.of(next((block for block in self.blocks() if isinstance(block, Verdict)), None))

    @property
    def verdict_level(self) -> Level | None:
        """How serious the verdict is; None if the answer judges nothing."""
        return self.verdict.level if self.verdict else None

    @property
    def verdict_reasons(self) -> tuple[str, ...]:
        """The reasons of the verdict, the main one first."""
        return self.verdict.reasons

    def to_dict(self) -> JsonObject:
        """Return the answer as plain data, with its verdict; the reference of the JSON output lists the keys."""
        data, verdict = super().to_dict(), self.verdict
        if not verdict:
            return data
        return {
            "verdict": str(verdict.title),
            "verdict_level": str(verdict.level),
            "verdict_reasons": plain(saved_reasons(verdict)),
            **data,
        }

    def to_json(self) -> str:
        """Return the answer as one JSON object (schema idbits/1)."""
        return to_json(with_schema(self.command, self.to_dict()))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the answer that ``to_dict()`` or the JSON of the command was made from.

        Its figures, verdict and table are those of the saved answer. What no saved answer has, such as the source or
        whether a filter was used, is None.

        Raises:
            InputError: if the data are not an answer of this class.
        """
        from idbits.studies.shared.saved_answers import answer_of

        return answer_of(cls, data)

    def to_arrow(self) -> pyarrow.Table:
        """Return the main table of the answer as an Arrow table; the reference says what its rows are."""
        from idbits.studies.shared.answer_tables import arrow_table

        rows = getattr(self, self._main_table) if self._main_table else [self]
        return arrow_table(rows, self._row_class, self._times)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the table of ``to_arrow()`` as a pandas frame; pandas has to be installed."""
        from idbits.studies.shared.answer_tables import pandas_frame

        return pandas_frame(self.to_arrow())

    def to_polars(self) -> polars.DataFrame:
        """Return the table of ``to_arrow()`` as a polars frame; polars has to be installed."""
        from idbits.studies.shared.answer_tables import polars_frame

        return polars_frame(self.to_arrow())

    def _charts(self) -> Mapping[str, DescribedChart]:
        """Return the charts by their names, the main one first."""
        return {}

    @property
    def plot_names(self) -> tuple[str, ...]:
        """The names of the charts that ``plot`` can draw, the main one first."""
        return tuple(self._charts())

    def plot(self, name: str | None = None, *, theme: str = "light", size: str = "wide") -> Chart:
        """Return a chart, which a notebook shows and which can be saved as SVG, PNG or Vega-Lite.

        It is the chart that a report shows.

        Args:
            name: which chart, one of ``plot_names``; the main one if not given.
            theme: ``"light"`` or ``"dark"``.
            size: ``"wide"``, or ``"narrow"`` for a phone or a column of text.
        """
        from idbits.render.chart import chart_of

        charts = self._charts()
        if not charts:
            raise InputError(f"this answer of idbits {self.command} has no chart")
        chosen = next(iter(charts)) if name is None else name
        if chosen not in charts:
            raise InputError(f'no chart is named "{chosen}"{listed_names([*charts])}')
        return chart_of(chosen, charts[chosen], theme, size)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        assert isinstance(other, Answer)
        return self is other or self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash((type(self), to_json(self._compared())))

    def _compared(self) -> JsonObject:
        return {key: value for key, value in self.to_dict().items() if key not in self._not_compared}

    def __getstate__(self) -> dict[str, Any]:
        # What was computed when it was first needed is computed again.
        names = {field.name for field in fields(self)} | {"_saved_verdict"}  # type: ignore[arg-type]
        return {name: value for name, value in vars(self).items() if name in names}

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={short_repr(getattr(self, name))}" for name in self._in_repr)
        return f"{type(self).__name__}({shown})"

    def __str__(self) -> str:
        # Commands print the blocks themselves, with options instead of arguments.
        from idbits.studies.shared.python_words import in_python

        return to_text(in_python(self.blocks()))

    def _repr_html_(self) -> str:
        # Only notebooks need it.
        from idbits.render.html import to_fragment
        from idbits.studies.shared.python_words import in_python

        return to_fragment(in_python(self.blocks()))
