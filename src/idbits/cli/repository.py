"""``idbits repository``: keys, accounts, vocabulary, inventories, the audit log, backups."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.help import HelpCommand, new_app
from idbits.cli.output import print_answer, write_file
from idbits.cli.repository_exchange import exchange_app
from idbits.cli.repository_options import (
    ACTOR,
    Address,
    File,
    Insecure,
    Name,
    Ref,
    needing_web,
    opened,
    opened_here,
    print_notice,
    read_public_key,
)
from idbits.errors import InputError
from idbits.file_guard import will_write

__all__ = ["repository_app"]

repository_app = new_app("repository", "Manage keys, accounts, entries, the audit log and backups.")

NewFile = Annotated[Path, typer.Argument(help="The file to write.", show_default=False), options.WRITTEN]
NewKeyFile = Annotated[
    Path | None, typer.Option("--key", help="The file of your signing key.", metavar="FILE"), options.WRITTEN
]


@repository_app.command("keygen", cls=HelpCommand)
@options.sharing
def keygen_command(output: options.Output, key: NewKeyFile = None) -> None:
    """Make a signing key and print its public half.

    Examples:
        idbits repository keygen
        idbits repository keygen --key publisher.pem
        idbits repository keygen --json
    """
    with needing_web():
        from idbits.repository.connecting import default_key_file
        from idbits.signing import SigningKey
    path = key if key is not None else default_key_file()
    public = path.with_name(f"{path.name}.pub")
    will_write(public, "the public half of --key")
    if public.exists():
        raise InputError(f'"{public}" already exists; a key is never overwritten')
    made = SigningKey.generate()
    made.write(path)
    write_file(public, made.public_key + "\n")
    sentence = f"The key is in {path}; only you can read it. Give {path}.pub to the administrator of the repository."
    print_notice(output, "keygen", "Key created", sentence, public_key=made.public_key, file=str(path))


@repository_app.command("add", cls=HelpCommand)
@options.sharing
def add_command(
    name: Name,
    output: options.Output,
    role: Annotated[str, typer.Option(help="reader, publisher or admin.", metavar="ROLE")] = "reader",
    public_key: Annotated[
        str | None, typer.Option(help="The public half of a publisher's signing key, or its file.", metavar="KEY")
    ] = None,
    holder: Annotated[
        str | None, typer.Option(help="The data holder that a publisher publishes for.", metavar="NAME")
    ] = None,
    repository: Address = None,
) -> None:
    """Add an account and print its key once.

    Examples:
        idbits repository add analyst
        idbits repository add registry --role publisher --public-key key.pem.pub --holder "City of Amsterdam"
        idbits repository add chief --role admin
    """
    signing = read_public_key(public_key)
    with opened_here(repository, create=True) as store:
        made = store.add_account(name, role, by=ACTOR, public_key=signing, holder=holder)
    sentence = "This key is shown only once. Put it in IDBITS_API_KEY, or in a file named by IDBITS_API_KEY_FILE."
    print_notice(output, "add", f"Added {role} {name}", sentence, name=name, role=role, key=made)


@repository_app.command("revoke", cls=HelpCommand)
@options.sharing
def revoke_command(name: Name, output: options.Output, repository: Address = None) -> None:
    """Revoke an account's key; its entries stay published.

    Examples:
        idbits repository revoke registry
        idbits repository revoke registry --repository repository.db
        idbits repository revoke registry --json
    """
    with opened_here(repository) as store:
        store.revoke(name, by=ACTOR)
    print_notice(output, "revoke", f"Revoked {name}", "Its key no longer works.", name=name)


@repository_app.command("accounts", cls=HelpCommand)
@options.sharing
def accounts_command(output: options.Output, repository: Address = None) -> None:
    """List the accounts.

    Examples:
        idbits repository accounts
        idbits repository accounts --repository repository.db
        idbits repository accounts --json
    """
    with opened_here(repository) as store:
        from idbits.repository.notices import AccountList

        print_answer(AccountList(accounts=tuple(store.accounts())), output)


@repository_app.command("entries", cls=HelpCommand)
@options.sharing
def entries_command(
    output: options.Output,
    text: Annotated[str | None, typer.Option(help="Words to search for.", metavar="TEXT")] = None,
    every: Annotated[bool, typer.Option("--all", help="Include superseded and retracted entries.")] = False,
    limit: Annotated[int, typer.Option(help="The most entries to list.", min=1, max=1000)] = 100,
    repository: Address = None,
    insecure: Insecure = False,
) -> None:
    """List entries, newest first.

    Examples:
        idbits repository entries
        idbits repository entries --text Amsterdam
        idbits repository entries --all --limit 20
    """
    status = ("current", "superseded", "retracted") if every else ("current",)
    with opened(repository, insecure=insecure) as store:
        from idbits.repository.notices import EntryList

        listing = store.entries(text=text, status=status, limit=limit)
    print_answer(EntryList(entries=listing.entries, unverified=listing.unverified), output)


@repository_app.command("retract", cls=HelpCommand)
@options.sharing
def retract_command(
    ref: Ref,
    output: options.Output,
    reason: Annotated[str | None, typer.Option(help="The reason, in one line.", metavar="TEXT")] = None,
    repository: Address = None,
    insecure: Insecure = False,
) -> None:
    """Retract an entry: its figures are no longer shown.

    The entry stays in the audit log.

    Examples:
        idbits repository retract 0149d24b01f0231d --reason "counted twice"
        idbits repository retract 0149d24b01f0231d --reason "wrong year" --repository https://repository.example
        idbits repository retract 0149d24b01f0231d --reason "counted twice" --json
    """
    with opened(repository, insecure=insecure) as store:
        entry = store.retract(ref, reason or "", by=ACTOR)
    print_notice(output, "retract", f"Retracted {entry.ref}", "Its figures are no longer shown.", ref=ref)


@repository_app.command("decide", cls=HelpCommand)
@options.sharing
def decide_command(
    ref: Ref,
    decision: Annotated[str, typer.Argument(help="The decision, in one sentence.", show_default=False)],
    output: options.Output,
    by: Annotated[str | None, typer.Option(help="The person or board that decided.", metavar="NAME")] = None,
    why: Annotated[str | None, typer.Option(help="The reason, in one or two sentences.", metavar="TEXT")] = None,
    repository: Address = None,
    insecure: Insecure = False,
) -> None:
    """Record a decision that is based on an entry.

    Records who decided and why in the audit log.

    Examples:
        idbits repository decide 0149d24b01f0231d "Ask for the year only" --by "Ethics board" --why "Few share a date"
        idbits repository decide 0149d24b01f0231d "Release" --by "Data office" --why "Groups of 10 or more"
        idbits repository decide 0149d24b01f0231d "Do not release" --by "Board" --why "Many are unique" --json
    """
    if not by or not why:
        raise InputError('give who decided and why: --by "Ethics board" --why "fewer than 10 people share a birthdate"')
    with opened(repository, insecure=insecure) as store:
        sequence = store.decide(ref=ref, decision=decision, by=by, why=why, recorded_by=ACTOR)
    sentence = f"Recorded in line {sequence:,} of the audit log."
    facts = {"ref": ref, "decision": decision, "by": by, "why": why}
    print_notice(output, "decide", f"Decision on {ref} recorded", sentence, **facts, sequence=sequence)


@repository_app.command("decisions", cls=HelpCommand)
@options.sharing
def decisions_command(ref: Ref, output: options.Output, repository: Address = None, insecure: Insecure = False) -> None:
    """List the decisions that are based on an entry, oldest first.

    Examples:
        idbits repository decisions 0149d24b01f0231d
        idbits repository decisions 0149d24b01f0231d --json
        idbits repository decisions 0149d24b01f0231d --repository https://repository.example
    """
    with opened(repository, insecure=insecure) as store:
        from idbits.repository.notices import DecisionList

        store.entry(ref)
        print_answer(DecisionList(ref=ref, decisions=tuple(store.decisions(ref))), output)


@repository_app.command("vocabulary", cls=HelpCommand)
@options.sharing
def vocabulary_command(
    output: options.Output,
    add: Annotated[
        str | None, typer.Option(help="Add this concept, or aliases to an existing one.", metavar="NAME")
    ] = None,
    kind: Annotated[str, typer.Option(help="text, integer, number, boolean or date.", metavar="KIND")] = "text",
    description: Annotated[
        str | None, typer.Option(help="One sentence that describes the concept.", metavar="TEXT")
    ] = None,
    alias: Annotated[
        list[str] | None,
        typer.Option(help="Another name, e.g. pc4=prefix4 or postnummer (repeatable).", metavar="NAME[=TRANSFORMS]"),
    ] = None,
    repository: Address = None,
    insecure: Insecure = False,
) -> None:
    """Show the vocabulary, or add to it.

    Examples:
        idbits repository vocabulary
        idbits repository vocabulary --add "shoe size" --kind number --alias schoenmaat
        idbits repository vocabulary --add postcode --alias pc4=prefix4
    """
    with opened(repository, insecure=insecure) as store:
        from idbits.repository.notices import WordList

        if add is not None:
            aliases = {name: transforms for name, _, transforms in (given.partition("=") for given in alias or [])}
            new = {"name": add, "kind": kind, "description": description or "", "aliases": aliases}
            store.extend_vocabulary(new, by=ACTOR)
        print_answer(WordList(concepts=store.vocabulary().concepts), output)


@repository_app.command("inventory", cls=HelpCommand)
@options.sharing
def inventory_command(
    output: options.Output,
    file: Annotated[
        Path | None, typer.Argument(help="A TOML file of tables and questionnaires to record.", show_default=False)
    ] = None,
    repository: Address = None,
    insecure: Insecure = False,
) -> None:
    """Show or record who holds which columns and asks which questions.

    Examples:
        idbits repository inventory
        idbits repository inventory inventory.toml
        idbits repository inventory --json
    """
    with opened(repository, insecure=insecure) as store:
        from idbits.repository.notices import Inventory, read_inventory

        if file is not None:
            tables, questionnaires = read_inventory(file)
            for table in tables:
                store.record_table(table, by=ACTOR)
            for questionnaire in questionnaires:
                store.record_questionnaire(questionnaire, by=ACTOR)
        shown = Inventory(tables=tuple(store.tables()), questionnaires=tuple(store.questionnaires()))
    print_answer(shown, output)


@repository_app.command("match", cls=HelpCommand)
@options.sharing
def match_command(
    output: options.Output,
    published: Annotated[bool, typer.Option("--published", help="Include what is already published.")] = False,
    repository: Address = None,
    insecure: Insecure = False,
) -> None:
    """List the quasi-identifiers worth publishing, most exposed first.

    Examples:
        idbits repository match
        idbits repository match --published
        idbits repository match --json
    """
    with opened(repository, insecure=insecure) as store:
        from idbits.repository.notices import MatchList

        print_answer(MatchList(matches=tuple(store.matches(published=published))), output)


@repository_app.command("verify", cls=HelpCommand)
@options.sharing
def verify_command(
    output: options.Output,
    receipt: Annotated[
        str | None, typer.Option(help="A receipt that the log must still contain.", metavar="NUMBER:HASH")
    ] = None,
    repository: Address = None,
) -> None:
    """Check the audit log, every row and every signature.

    The exit code is 1 if something is wrong.

    Examples:
        idbits repository verify
        idbits repository verify --receipt 12:9f2c...
        idbits repository verify --json
    """
    kept = None
    if receipt is not None:
        number, _, hash_ = receipt.partition(":")
        if not number.isdecimal() or len(hash_) != 64:
            raise InputError("--receipt must be NUMBER:HASH, as idbits publish prints it")
        kept = (int(number), hash_)
    with opened_here(repository) as store:
        from idbits.repository.notices import Verification

        problems = tuple(store.verify(kept))
        answer = Verification(problems=problems, head=store.head())
    print_answer(answer, output)
    if problems:
        raise SystemExit(1)


@repository_app.command("backup", cls=HelpCommand)
@options.sharing
def backup_command(file: NewFile, output: options.Output, repository: Address = None) -> None:
    """Write the whole repository to a file (JSON lines)

    Others can publish at the same time.

    Examples:
        idbits repository backup repository-backup.jsonl
        idbits repository backup backup.jsonl --repository repository.db
        idbits repository backup backup.jsonl --json
    """
    with opened_here(repository) as store:
        from idbits.repository.backups import backup

        rows = backup(store, file)
    sentence = f"{rows:,} rows written to {file}. It contains digests of keys: protect it like the repository."
    print_notice(output, "backup", "Backed up", sentence, rows=rows, file=str(file))


@repository_app.command("restore", cls=HelpCommand)
@options.sharing
def restore_command(file: File, output: options.Output, repository: Address = None) -> None:
    """Restore a backup into an empty repository, and verify it.

    Examples:
        idbits repository restore repository-backup.jsonl --repository new.db
        idbits repository restore repository-backup.jsonl
        idbits repository restore backup.jsonl --repository new.db --json
    """
    with opened_here(repository, create=True) as store:
        from idbits.repository.backups import restore

        rows = restore(store, file)
    sentence = f"{rows:,} rows restored; the log, the rows and the signatures are valid."
    print_notice(output, "restore", "Restored", sentence, rows=rows, file=str(file))


@repository_app.command("export", cls=HelpCommand)
@options.sharing
def export_command(file: NewFile, output: options.Output, repository: Address = None) -> None:
    """Write the vocabulary and all signed entries to a file.

    The file has JSON lines and contains no keys.

    Examples:
        idbits repository export entries.jsonl
        idbits repository export entries.jsonl --repository repository.db
        idbits repository export entries.jsonl --json
    """
    with opened_here(repository) as store:
        from idbits.repository.backups import export

        entries = export(store, file)
    number = f"{entries:,} {'entry' if entries == 1 else 'entries'}"
    sentence = f"{number} written to {file}, with signatures and without keys."
    print_notice(output, "export", "Exported", sentence, entries=entries, file=str(file))


repository_app.registered_commands.extend(exchange_app.registered_commands)
