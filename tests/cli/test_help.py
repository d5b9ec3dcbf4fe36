"""Help: one line per command that fits, panels of options, three examples that parse; a map when nothing is typed."""

import shlex
from collections.abc import Iterator

import pytest
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from commands import Run
from idbits.cli.main import app

WIDTH = 80


def commands(group: TyperGroup, *names: str) -> Iterator[tuple[str, TyperCommand]]:
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from commands(command, *names, name)
        else:
            assert isinstance(command, TyperCommand)
            yield " ".join([*names, name]), command


ROOT = get_command(app)
assert isinstance(ROOT, TyperGroup)
COMMANDS = dict(commands(ROOT))


def shown(run: Run, *words: str) -> str:
    ended = run(*words)
    assert (ended.code, ended.err) == (0, "")
    return ended.out


@pytest.mark.parametrize("words", [[], ["--help"], ["predict", "-h"], ["repository", "-h"]])
def test_lists_of_commands_fit_a_terminal_and_are_not_cut(run: Run, words: list[str]) -> None:
    lines = shown(run, *words).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert not [line for line in lines if line.endswith("...") and "ARGS" not in line]
    group = ROOT.commands[words[0]] if words and not words[0].startswith("-") else ROOT
    assert isinstance(group, TyperGroup)
    for name in group.commands:
        (line,) = [line for line in lines if line.startswith(f"  {name} ")]
        assert len(line.split()) >= 3


def test_idbits_alone_prints_a_map(run: Run) -> None:
    text = shown(run)
    assert "Usage" not in text
    for words in ("idbits serve", "idbits inspect people.csv", "idbits demo", "--help"):
        assert words in text


def test_commands_are_in_groups(run: Run) -> None:
    headings = [line.rstrip(":") for line in shown(run, "--help").splitlines() if line and line[0].isalpha()]
    assert headings[1:] == [
        "Look at a table", "Decide", "Before collecting", "Repository of published figures", "Set-up", "Options",
    ]  # fmt: skip


def test_options_are_in_panels(run: Run) -> None:
    lines = shown(run, "measure", "--help").splitlines()
    headings = [line for line in lines if line.endswith(":") and line[0].isalpha()]
    assert headings == [
        "Arguments:", "What to measure:", "How to read the table:", "Output:", "Cluster:", "Examples:",
    ]  # fmt: skip
    where = {word: index for index, line in enumerate(lines) for word in line.split()[:1]}
    reading, output, cluster = (lines.index(heading) for heading in headings[2:5])
    assert where["--qid"] < reading < where["--delimiter"] < output < where["--json"] < cluster < where["--engine"]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_fits_and_ends_with_three_examples(run: Run, name: str) -> None:
    text = shown(run, *name.split(), "--help")
    assert max(map(len, text.splitlines())) <= WIDTH
    examples = text.partition("Examples:\n")[2].replace("\\\n", "").strip().splitlines()
    assert len(examples) == 3
    for example in examples:
        program, *words = shlex.split(example)
        assert program == "idbits"
        own = words[len(name.split()) :]
        assert words[: len(name.split())] == name.split()
        COMMANDS[name].make_context(name, own)
