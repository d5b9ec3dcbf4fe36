"""``idbits repository``: entries of other repositories, imported or followed, and conflicts with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from idbits.cli import options
from idbits.cli.help import HelpCommand, new_app
from idbits.cli.output import print_answer
from idbits.cli.progress import progress_on_stderr
from idbits.cli.repository_options import (
    ACTOR,
    Address,
    File,
    Insecure,
    Name,
    Ref,
    opened,
    opened_here,
    print_notice,
    read_public_key,
)
from idbits.errors import InputError, RepositoryError
from idbits.storage import expand_home

if TYPE_CHECKING:
    from idbits.repository.syncing import SyncOutcome

__all__ = ["exchange_app"]

Url = Annotated[str, typer.Argument(help="The address of the other repository.", show_default=False)]

exchange_app = new_app("exchange", "Exchange entries with other repositories.")


@exchange_app.command("trust", cls=HelpCommand)
@options.sharing
def trust_command(
    name: Name,
    output: options.Output,
    public_key: Annotated[
        str | None, typer.Option(help="The public half of the publisher's signing key, or its file.", metavar="KEY")
    ] = None,
    holder: Annotated[str | None, typer.Option(help="The data holder that it publishes for.", metavar="NAME")] = None,
    repository: Address = None,
) -> None:
    """Trust a publisher of another repository.

    Its entries can then be imported. It gets no API key here.

    Examples:
        idbits repository trust oslo --public-key oslo.pem.pub --holder "City of Oslo"
        idbits repository trust oslo --public-key oslo.pem.pub --holder "City of Oslo" --repository repository.db
        idbits repository trust oslo --public-key oslo.pem.pub --holder "City of Oslo" --json
    """
    key = read_public_key(public_key)
    if key is None or holder is None:
        raise InputError('give the key and the data holder: --public-key oslo.pem.pub --holder "City of Oslo"')
    with opened_here(repository, create=True) as store:
        store.trust(name, key, holder, by=ACTOR)
    sentence = f"Entries of {holder} that are signed with this key can be imported."
    print_notice(output, "trust", f"Trusted {name}", sentence, name=name, holder=holder, public_key=key)


@exchange_app.command("import", cls=HelpCommand)
@options.sharing
def import_command(
    file: File,
    output: options.Output,
    source: Annotated[
        str | None, typer.Option("--from", help="The name of the other repository, for the audit log.", metavar="NAME")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing; show what would be imported.")] = False,
    repository: Address = None,
) -> None:
    """Import the entries that idbits repository export wrote.

    Entries keep their signatures; only those of trusted publishers are added. The exit code is 1 if something is
    refused or needs a decision.

    Examples:
        idbits repository import entries.jsonl --dry-run
        idbits repository import entries.jsonl --from "Statistics Norway"
        idbits repository import entries.jsonl --repository repository.db --json
    """
    with opened_here(repository, create=True) as store, progress_on_stderr(quiet=output.quiet) as progress:
        from idbits.repository.exchange_notices import ImportAnswer
        from idbits.repository.export_files import import_file

        summary = import_file(store, file, source=source, by=ACTOR, dry_run=dry_run, progress=progress)
    print_answer(ImportAnswer(summary=summary), output)
    if summary.needs_attention:
        raise SystemExit(1)


@exchange_app.command("follow", cls=HelpCommand)
@options.sharing
def follow_command(
    url: Url,
    output: options.Output,
    api_key_file: Annotated[
        Path | None, typer.Option(help="A private file with your API key for that repository.", metavar="FILE")
    ] = None,
    repository: Address = None,
    insecure: Insecure = False,
) -> None:
    """Follow another repository: sync adds what is new in it.

    Examples:
        idbits repository follow https://repository.example
        idbits repository follow https://repository.example --api-key-file example.key
        idbits repository follow https://repository.example --repository repository.db --json
    """
    with opened_here(repository, create=True) as store:
        from idbits.repository.client import checked_address
        from idbits.repository.connecting import read_api_key

        key_file = None
        if api_key_file is not None:
            read_api_key(str(api_key_file))
            key_file = str(Path(expand_home(str(api_key_file))).resolve())
        checked_address(url, insecure=insecure)
        followed = store.follow(url, by=ACTOR, key_file=key_file, insecure=insecure)
    sentence = "Read it with idbits repository sync. Only entries of trusted publishers are added."
    print_notice(output, "follow", f"Following {followed.url}", sentence, url=followed.url)


@exchange_app.command("unfollow", cls=HelpCommand)
@options.sharing
def unfollow_command(url: Url, output: options.Output, repository: Address = None) -> None:
    """Stop following another repository; its entries stay.

    Examples:
        idbits repository unfollow https://repository.example
        idbits repository unfollow https://repository.example --repository repository.db
        idbits repository unfollow https://repository.example --json
    """
    with opened_here(repository) as store:
        store.unfollow(url, by=ACTOR)
    print_notice(output, "unfollow", f"No longer following {url}", "Its entries stay.", url=url)


@exchange_app.command("followed", cls=HelpCommand)
@options.sharing
def followed_command(output: options.Output, repository: Address = None) -> None:
    """List the followed repositories, how far each was read, and problems.

    Examples:
        idbits repository followed
        idbits repository followed --repository repository.db
        idbits repository followed --json
    """
    with opened_here(repository) as store:
        from idbits.repository.exchange_notices import FollowedList

        print_answer(FollowedList(followed=tuple(store.followed())), output)


@exchange_app.command("sync", cls=HelpCommand)
@options.sharing
def sync_command(
    output: options.Output,
    url: Annotated[str | None, typer.Argument(help="The repository to read; default: all.", show_default=False)] = None,
    repository: Address = None,
) -> None:
    """Add what is new in the followed repositories.

    It can be interrupted, and then goes on where it stopped. The exit code is 1 if something is refused or needs a
    decision, and 3 if a repository cannot be read or contradicts itself.

    Examples:
        idbits repository sync
        idbits repository sync https://repository.example
        idbits repository sync --repository repository.db --json
    """
    outcomes: list[SyncOutcome] = []
    failed: list[tuple[str, str]] = []
    with opened_here(repository) as store, progress_on_stderr(quiet=output.quiet) as progress:
        from idbits.repository.exchange_notices import SyncAnswer
        from idbits.repository.syncing import sync

        for each in [url] if url is not None else [followed.url for followed in store.followed()]:
            try:
                outcomes.append(sync(store, each, by=ACTOR, progress=progress))
            except (RepositoryError, InputError) as error:
                # A key file that is missing must not keep us from reading the others.
                if url is not None and isinstance(error, InputError):
                    raise
                failed.append((each, str(error)))
    print_answer(SyncAnswer(outcomes=tuple(outcomes), failed=tuple(failed)), output)
    if failed or any(outcome.summary.needs_attention for outcome in outcomes):
        raise SystemExit(3 if failed else 1)


@exchange_app.command("conflicts", cls=HelpCommand)
@options.sharing
def conflicts_command(
    output: options.Output,
    every: Annotated[bool, typer.Option("--all", help="Include conflicts that are decided.")] = False,
    repository: Address = None,
    insecure: Insecure = False,
) -> None:
    """List conflicts with other repositories.

    Examples:
        idbits repository conflicts
        idbits repository conflicts --all
        idbits repository conflicts --json
    """
    with opened(repository, insecure=insecure) as store:
        from idbits.repository.exchange_notices import ConflictList

        print_answer(ConflictList(conflicts=tuple(store.conflicts(decided=every))), output)


@exchange_app.command("resolve", cls=HelpCommand)
@options.sharing
def resolve_command(
    ref: Ref,
    output: options.Output,
    keep: Annotated[str | None, typer.Option(help="ours or theirs.", metavar="SIDE")] = None,
    reason: Annotated[str | None, typer.Option(help="The reason, in one line.", metavar="TEXT")] = None,
    repository: Address = None,
    insecure: Insecure = False,
) -> None:
    """Decide a conflict with another repository.

    Records the decision and its reason in the audit log.

    Examples:
        idbits repository resolve 0149d24b01f0231d --keep ours --reason "theirs reveals a village"
        idbits repository resolve 0149d24b01f0231d --keep theirs --reason "counted twice"
        idbits repository resolve 0149d24b01f0231d --keep ours --reason "we asked the holder" --json
    """
    if keep is None or reason is None:
        raise InputError('give the side to keep and the reason: --keep ours --reason "theirs reveals a village"')
    with opened(repository, insecure=insecure) as store:
        conflict = store.resolve(ref, keep, reason, by=ACTOR)
    sentence = "Our entries stay as they are." if keep == "ours" else "Their version is used here now."
    if keep == "theirs" and conflict.kind == "differs":
        sentence = "Both entries are shown here now."
    facts = {"ref": ref, "kind": conflict.kind, "kept": keep, "reason": reason}
    print_notice(output, "resolve", f"Conflict about {ref} decided", sentence, **facts)
