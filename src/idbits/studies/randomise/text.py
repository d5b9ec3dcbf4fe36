"""A randomised release as text: how it was drawn, but not its rows, which are personal data."""

from __future__ import annotations

from idbits.render.blocks import Block, Paragraph
from idbits.render.numbers import significant
from idbits.studies.randomise.result import EXPERIMENTAL, Release
from idbits.studies.shared.presentation import show
from idbits.wording import counted

__all__: list[str] = []


@show.register
def _(release: Release) -> list[Block]:
    size = f"{counted(release.table.num_rows, 'row')} and {counted(release.table.num_columns, 'column')}"
    return [
        Paragraph(
            f"{size}, randomised with the {release.mechanism} mechanism, epsilon "
            f"{significant(release.epsilon, 6)} per cell, seed {release.seed} ({EXPERIMENTAL})."
        )
    ]
