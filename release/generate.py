"""Writes the manual pages and the completion scripts that come with the wheel, from the definitions of the commands.

``make freeze`` runs it; a test compares the files in ``release/share`` with what it writes.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.completion import get_completion_script  # type: ignore[attr-defined, unused-ignore]
from typer.main import get_command

from idbits._version import __version__
from idbits.cli.help import command_groups
from idbits.cli.main import app

SHARE = Path(__file__).parent / "share"
_COMPLETION = {
    "bash": "bash-completion/completions/idbits",
    "zsh": "zsh/site-functions/_idbits",
    "fish": "fish/vendor_completions.d/idbits.fish",
}
_EXIT_CODES = {
    "0": "The answer was given, and every rule is kept.",
    "1": "A rule of the policy, or a goal, is not met.",
    "2": "The question is wrong: an unknown option, column or file.",
    "3": "The data cannot be measured as asked.",
    "130": "Stopped by Ctrl-C.",
}
_ENVIRONMENT = {
    "IDBITS_DATA": "The folder of the repository and of the signing key.",
    "IDBITS_DEBUG": "Shows the details of an internal error.",
    "NO_COLOR": "Turns colours off.",
    "SOURCE_DATE_EPOCH": "The time that reports show, in seconds since 1970.",
}


def generated() -> dict[str, str]:
    """Return all files, by their paths below ``share``."""
    root: Any = get_command(app)
    files = {path: _completion(shell) for shell, path in _COMPLETION.items()}
    files["man/man1/idbits.1"] = _overview(root)
    for name, command in leaf_commands(root):
        files[f"man/man1/idbits-{name.replace(' ', '-')}.1"] = _page(name, command)
    return files


def leaf_commands(group: Any, above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each command that has no commands of its own, with its whole name."""
    for name, command in group.commands.items():
        if getattr(command, "commands", None):
            yield from leaf_commands(command, f"{above}{name} ")
        else:
            yield f"{above}{name}", command


def _completion(shell: str) -> str:
    script = get_completion_script(prog_name="idbits", complete_var="_IDBITS_COMPLETE", shell=shell).strip()
    if shell == "zsh":
        # zsh reads the file at the first Tab, and that Tab wants an answer, too.
        script += '\n\n_idbits_completion "$@"'
    return script + "\n"


def _overview(root: Any) -> str:
    lines = [_title("idbits"), ".SH NAME", f"idbits \\- {_text(_first_line(root.help))}"]
    lines += [".SH SYNOPSIS", ".B idbits", ".I COMMAND", "[OPTIONS] [ARGUMENTS]"]
    lines += [
        ".SH DESCRIPTION",
        _text("idbits COMMAND --help explains a command, and so does its page: man idbits-measure."),
    ]
    for title, commands in command_groups(root, root.make_context("idbits", [], resilient_parsing=True)).items():
        lines.append(f".SH {_text(title).upper()}")
        for name, summary in commands:
            lines += [".TP", f".B {_text(name)}", _text(f"{summary}.")]
    lines += [".SH OPTIONS", *_options(root)]
    lines += _list("EXIT STATUS", _EXIT_CODES) + _list("ENVIRONMENT", _ENVIRONMENT)
    return "\n".join(lines) + "\n"


def _page(name: str, command: Any) -> str:
    words, _, examples = inspect.cleandoc(command.help or "").partition("Examples:")
    summary, *paragraphs = (" ".join(part.split()) for part in words.strip().split("\n\n"))
    usage = command.collect_usage_pieces(command.make_context(name, [], resilient_parsing=True))
    lines = [_title(f"idbits-{name.replace(' ', '-')}"), ".SH NAME"]
    lines += [f"idbits\\-{_text(name.replace(' ', '-'))} \\- {_text(summary.rstrip('.'))}"]
    lines += [".SH SYNOPSIS", f".B idbits {_text(name)}", _text(" ".join(usage)), ".SH DESCRIPTION", _text(summary)]
    for paragraph in paragraphs:
        lines += [".PP", _text(paragraph)]
    lines += [".SH OPTIONS", *_options(command)]
    if examples.strip():
        lines += [".SH EXAMPLES"]
        for example in filter(None, map(str.strip, examples.splitlines())):
            lines += [".PP", ".nf", _text(example), ".fi"]
    lines += [".SH SEE ALSO", ".BR idbits (1)"]
    return "\n".join(lines) + "\n"


def _options(command: Any) -> Iterator[str]:
    context = command.make_context("idbits", [], resilient_parsing=True)
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None:
            continue
        is_argument = parameter.param_type_name == "argument"
        yield ".TP"
        yield f".B {_text(parameter.name.upper() if is_argument else record[0])}"
        yield _text(" ".join(record[1].split()) or "See the description.")


def _list(title: str, items: dict[str, str]) -> list[str]:
    return [f".SH {title}", *(line for name, text in items.items() for line in (".TP", f".B {name}", _text(text)))]


def _title(name: str) -> str:
    return f'.TH {_text(name).upper()} 1 "" "idbits {__version__}" "idbits manual"'


def _first_line(text: str | None) -> str:
    return inspect.cleandoc(text or "").splitlines()[0].rstrip(".")


def _text(text: str) -> str:
    r"""Return a text as a line of a manual page.

    >>> print(_text("--qid a\\b"), _text(".csv"))
    \-\-qid a\eb \&.csv
    """
    line = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", line)


def main() -> None:
    """Write the files, and remove those of commands that are gone."""
    files = generated()
    for path in (path for path in SHARE.rglob("*") if path.is_file()):
        if path.relative_to(SHARE).as_posix() not in files:
            path.unlink()
    for name, content in files.items():
        (SHARE / name).parent.mkdir(parents=True, exist_ok=True)
        (SHARE / name).write_text(content, encoding="utf-8", newline="\n")
    sys.stdout.write(f"{len(files)} files in {SHARE}\n")


if __name__ == "__main__":
    main()
