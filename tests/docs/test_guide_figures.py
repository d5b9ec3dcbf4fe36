"""The figures of the guide are those that the answers draw today."""

from __future__ import annotations

import sys
from pathlib import Path

IMAGES = Path(__file__).parents[2] / "docs" / "images"
sys.path.append(str(Path(__file__).parents[2] / "experiments"))


def test_the_figures_of_the_guide_are_drawn_from_the_answers(shared_data: Path, tmp_path: Path) -> None:
    from guide_figures import draw

    draw(shared_data, tmp_path)
    drawn = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert sorted(drawn) == sorted(path.name for path in IMAGES.glob("guide-*.svg"))
    assert len(drawn) == 18
    for name, picture in drawn.items():
        assert picture == (IMAGES / name).read_text(encoding="utf-8"), f"run experiments/guide_figures.py for {name}"
