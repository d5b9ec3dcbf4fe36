"""``idbits report``: the page that decides."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from idbits.cli import options
from idbits.cli.output import check_place, keep_sources, print_text
from idbits.cli.progress import progress_on_stderr

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["report_command"]

_FORMATS = {"html": (".html", ".htm"), "md": (".md", ".markdown"), "json": (".json",)}


@options.sharing
def report_command(
    source: options.Source,
    reading: options.Reading,
    output: options.Output,
    cluster: options.Cluster,
    qid: Annotated[
        list[str] | None,
        typer.Option(help="Columns that someone may know, e.g. birthdate,zip,gender.", metavar="A,B,.."),
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Set sizes within each value of this column, too.", metavar="COL")
    ] = None,
    population: options.Population = None,
    population_count: options.PopulationCount = None,
    population_table: options.PopulationTable = None,
    missing: options.Missing = "error",
    person: options.Person = None,
    features: Annotated[
        str | None, typer.Option(help="Columns beside --qid for information gain and utility.", metavar="A,B,..")
    ] = None,
    sections: Annotated[
        str | None, typer.Option(help="The sections to show; all that apply if not given.", metavar="A,B,..")
    ] = None,
    format: Annotated[  # noqa: A002 (the option is called so)
        str | None, typer.Option(help="html, md or json; else told by the name of the file.", metavar="KIND")
    ] = None,
    include: Annotated[
        list[str] | None, typer.Option(help="A saved answer (--json --out FILE) as a section. Repeats.", metavar="FILE")
    ] = None,
    internal: Annotated[bool, typer.Option("--internal", help="Stamp every page as internal.")] = False,
    reveal: options.Reveal = False,
    seed: options.Seed = 0,
) -> None:
    """One page for whoever decides: the verdict, charts, what helps, what was not assessed.

    Example: idbits report people.csv --qid birthdate,zip,gender -o report.html
    """
    from idbits.errors import InputError
    from idbits.render.text import safe
    from idbits.studies.report.study import report

    reading |= cluster
    keep_sources(source, population, *(include or []))
    check_place(output)
    kind = _kind(format, output)
    if not qid:
        raise InputError("say which columns someone may know, for example --qid birthdate,zip,gender")
    if len(qid) > 1:
        raise InputError("a page is about one quasi-identifier; make one page for each (--qid)")
    if kind == "html" and output.out is None and sys.stdout.isatty():
        raise InputError("a page is for a browser; say where to write it: -o report.html")
    with progress_on_stderr(quiet=output.quiet) as progress:
        reading["progress"] = progress
        answer = report(
            source, qid[0], by, person, population=population, population_count=population_count,
            population_table=population_table, missing=missing, features=features, sections=sections,
            include=include or (), internal=internal, reveal=reveal, seed=seed, **reading,
        )  # fmt: skip
        text = _written(answer, kind)
    print_text(text, answer.notes, output)
    if output.out is not None and not output.quiet and sys.stderr.isatty():
        sys.stderr.write(f"{answer.verdict.title}. The page is in {safe(str(output.out))}.\n")


def _kind(asked: str | None, output: options.Output) -> str:
    """Return the format: as --format says, as the ending of the file says, or HTML."""
    from idbits.errors import InputError
    from idbits.render.text import safe

    if asked is not None and asked not in _FORMATS:
        raise InputError("a report is written as html, md or json (--format)")
    suffix = output.out.suffix.lower() if output.out is not None else ""
    kind = next((kind for kind, endings in _FORMATS.items() if suffix in endings), None)
    # An ending that says something else would mislead whoever opens the file; --format allows others, but no PDF.
    if suffix == ".pdf" or (suffix and kind is None and asked is None and not output.json):
        endings = ", ".join(ending for endings in _FORMATS.values() for ending in endings)
        for_pdf = "; for a PDF, open the .html file in a browser and print it" if suffix == ".pdf" else ""
        name = safe(str(output.out))
        raise InputError(f'"{name}": the name of a report must end in one of {endings}{for_pdf} (--out)')
    if output.json:
        if asked not in (None, "json"):
            raise InputError(f"--json and --format {asked} contradict each other")
        return "json"
    return asked or kind or "html"


def _written(answer: Report, kind: str) -> str:
    if kind == "json":
        return answer.to_json() + "\n"
    return answer.to_markdown() if kind == "md" else answer.to_html()
