"""The experiments on real data print what docs/explanation/experiments.md shows.

After a change, ``python tests/docs/test_experiments.py FOLDER`` writes what they print now into the page.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "experiments.md"
SECTION = re.compile(r"```text\n== (\S+): .*\n((?:.*\n)*?)```\n")


def experiments() -> ModuleType:
    spec = importlib.util.spec_from_file_location("experiments_predict", ROOT / "experiments" / "predict.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXPERIMENTS = experiments()


def printed(name: str, folder: Path) -> str:
    return "".join(line.rstrip() + "\n" for line in EXPERIMENTS.EXPERIMENTS[name](folder))


def test_the_page_shows_every_experiment() -> None:
    shown = [name for name, _ in SECTION.findall(PAGE.read_text(encoding="utf-8"))]
    assert shown == list(EXPERIMENTS.EXPERIMENTS)


@pytest.mark.parametrize("name", EXPERIMENTS.EXPERIMENTS)
def test_an_experiment_prints_what_the_page_shows(name: str, shared_data: Path) -> None:
    assert printed(name, shared_data) == dict(SECTION.findall(PAGE.read_text(encoding="utf-8")))[name]


def test_published_deviations_are_those_of_the_data(shared_data: Path) -> None:
    """S2 6.3.2: sd 5.289 kg and 4.830 cm; S2 6.4.2: correlation 0.5028."""
    people = EXPERIMENTS.heights_and_weights(shared_data)
    assert len(people) == 25_000
    assert people.std(axis=0, ddof=1) == pytest.approx([4.830, 5.289], abs=5e-4)


def test_the_command_gives_what_the_experiment_uses(shared_data: Path) -> None:
    from idbits import predict

    source = f"{shared_data / 'norway-municipality-ages.csv.gz'}:age"
    where = f"year = {EXPERIMENTS.YEAR} and location_code = 'municip0301' and age <= 94"
    asked = predict.uniqueness(29, distribution=source, count="pop", where=where)
    people = EXPERIMENTS.municipalities(shared_data)["municip0301"]
    counted = EXPERIMENTS.one(people, 94)
    assert asked.n_values == counted.n_values == 95
    assert asked.kappa_nats == pytest.approx(counted.kappa_nats, rel=1e-12)
    log_chance = EXPERIMENTS.log_uniqueness(counted, 29)
    assert asked.probability.log10 == pytest.approx(log_chance / EXPERIMENTS.math.log(10), rel=1e-12)


def update(folder: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")

    def fresh(match: re.Match[str]) -> str:
        name = match[1]
        said = EXPERIMENTS.EXPERIMENTS[name].__doc__
        return f"```text\n== {name}: {said}\n{printed(name, folder)}```\n"

    PAGE.write_text(SECTION.sub(fresh, text), encoding="utf-8")


if __name__ == "__main__":
    update(Path(sys.argv[1]))
