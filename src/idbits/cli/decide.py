"""``idbits decide``: record a decision about a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import check_place, print_answer

__all__ = ["decide_command"]


@options.sharing
def decide_command(
    output: options.Output,
    report: Annotated[
        Path | None,
        typer.Argument(
            help="The report as JSON; with --list and --verify, its folder, too.", show_default=False, metavar="REPORT"
        ),
    ] = None,
    decision: Annotated[
        str | None, typer.Option(help="approve, approve-with-treatment or refuse.", metavar="WHAT")
    ] = None,
    by: Annotated[str | None, typer.Option(help="Who decides.", metavar="NAME")] = None,
    why: Annotated[str | None, typer.Option(help="The reason.", metavar="TEXT")] = None,
    key: Annotated[Path | None, typer.Option(help="Sign with the key in this file.", metavar="FILE")] = None,
    plan: Annotated[
        Path | None, typer.Option(help="The plan of the treatment (idbits advise).", metavar="FILE")
    ] = None,
    receipt: Annotated[
        Path | None, typer.Option(help="The receipt of the treatment (idbits apply).", metavar="FILE")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="Show the recorded decisions.")] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Check the recorded decisions.")] = False,
    public_key: Annotated[
        list[str] | None,
        typer.Option(help="With --verify: a key that records must be signed with (repeatable).", metavar="KEY"),
    ] = None,
    noted: Annotated[
        list[str] | None,
        typer.Option(help="With --verify: a record that must still be there (repeatable).", metavar="NUMBER:HASH"),
    ] = None,
) -> None:
    """Record a decision about a report, and check the records.

    The record goes to decisions.jsonl beside the report, with hashes of the report, the data
    and the treatment. Each record contains the hash of the one before. With --verify the exit code is 1
    if something was changed.

    Examples:
        idbits decide report.json --decision refuse --by "A. Example" --why "half of the people are unique"
        idbits decide report.json --decision approve-with-treatment --plan plan.json --by "A. Example" --why "k is 5"
        idbits decide --verify
    """
    from idbits.errors import InputError
    from idbits.studies.decide.study import decide, list_decisions, verify_decisions

    check_place(output)
    given = {"--decision": decision, "--by": by, "--why": why, "--key": key, "--plan": plan, "--receipt": receipt}
    if list_ or verify:
        superfluous = [name for name, value in given.items() if value is not None]
        if superfluous or (list_ and verify):
            both = superfluous[0] if superfluous else "--list"
            raise InputError(f"{both} and {'--verify' if verify else '--list'} cannot be combined; run two commands")
    if not verify and (public_key or noted):
        raise InputError(f"{'--public-key' if public_key else '--noted'} is for --verify")
    if list_:
        print_answer(list_decisions(report or "."), output)
        return
    if verify:
        checked = verify_decisions(report or ".", public_key=public_key or (), noted=noted or ())
        print_answer(checked, output)
        raise SystemExit(checked.exit_code)
    if report is None:
        raise InputError("name the report to decide on, as JSON; --list and --verify need none")
    if decision is None or by is None or why is None:
        missing = next(name for name in ("--decision", "--by", "--why") if given[name] is None)
        raise InputError(f"{missing} is missing: a decision needs --decision, --by and --why")
    print_answer(decide(report, decision, by=by, why=why, key=key, plan=plan, receipt=receipt), output)
