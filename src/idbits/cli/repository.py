"""``idbits repository``: keys, accounts, vocabulary, inventories, the audit log, backups."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import print_answer, write_file
from idbits.cli.repository_options import ACTOR, Address, Insecure, needing_web, opened, opened_here, print_notice
from idbits.errors import InputError
from idbits.file_guard import note_read, will_write

__all__ = ["repository_app"]

repository_app = typer.Typer(
    name="repository",
    help="Keys, accounts, vocabulary, inventories, audit log and backups of a repository.",
    no_args_is_help=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Name = Annotated[str, typer.Argument(help="The name of the account.", show_default=False)]
File = Annotated[Path, typer.Argument(help="The file.", show_default=False)]
NewFile = Annotated[Path, typer.Argument(help="The file.", show_default=False), options.WRITTEN]
NewKeyFile = Annotated[
    Path | None, typer.Option("--key", help="The file of your signing key.", metavar="FILE"), options.WRITTEN
]
Ref = Annotated[str, typer.Argument(help="The reference of the entry.", show_default=False)]


@repository_app.command("keygen")
@options.sharing
def keygen_command(output: options.Output, key: NewKeyFile = None) -> None:
    """Make a signing key, for your eyes only, and print its public half.

    Example: idbits repository keygen
    """
    with needing_web():
        from idbits.repository.connecting import default_key_file
        from idbits.repository.signing import SigningKey
    path = key if key is not None else default_key_file()
    public = path.with_name(f"{path.name}.pub")
    will_write(public, "the public half of --key")
    if public.exists():
        raise InputError(f'"{public}" is there already; a key is never overwritten')
    made = SigningKey.generate()
    made.write(path)
    write_file(public, made.public_key + "\n")
    sentence = f"The key is in {path}; nobody else can read it. Give {path}.pub to the repository's admin."
    print_notice(output, "keygen", "Key made", sentence, public_key=made.public_key, file=str(path))


@repository_app.command("add")
@options.sharing
def add_command(
    name: Name,
    output: options.Output,
    role: Annotated[str, typer.Option(help="reader, publisher or admin.", metavar="ROLE")] = "reader",
    public_key: Annotated[
        str | None, typer.Option(help="The public half of a publisher's signing key, or its file.", metavar="KEY")
    ] = None,
    holder: Annotated[
        str | None, typer.Option(help="The data holder in whose name a publisher publishes.", metavar="NAME")
    ] = None,
    repository: Address = None,
) -> None:
    """Add an account and print its key, once.

    Example: idbits repository add registry --role publisher --public-key key.pem.pub --holder "City of Amsterdam"
    """
    if public_key is not None and len(public_key) < 4096 and Path(public_key).is_file():
        note_read(public_key)
        public_key = Path(public_key).read_text(encoding="ascii", errors="replace").strip()
    with opened_here(repository, create=True) as store:
        made = store.add_account(name, role, by=ACTOR, public_key=public_key, holder=holder)
    sentence = "This key is shown once. It goes into IDBITS_API_KEY, or into a file that IDBITS_API_KEY_FILE names."
    print_notice(output, "add", f"Added {role} {name}", sentence, name=name, role=role, key=made)


@repository_app.command("revoke")
@options.sharing
def revoke_command(name: Name, output: options.Output, repository: Address = None) -> None:
    """End an account: its key opens nothing any more; what it published stays.

    Example: idbits repository revoke registry
    """
    with opened_here(repository) as store:
        store.revoke(name, by=ACTOR)
    print_notice(output, "revoke", f"Revoked {name}", "Its key opens nothing any more.", name=name)


@repository_app.command("accounts")
@options.sharing
def accounts_command(output: options.Output, repository: Address = None) -> None:
    """List the accounts.

    Example: idbits repository accounts
    """
    with opened_here(repository) as store:
        from idbits.repository.notices import AccountList

        print_answer(AccountList(accounts=tuple(store.accounts())), output)


@repository_app.command("entries")
@options.sharing
def entries_command(
    output: options.Output,
    text: Annotated[str | None, typer.Option(help="Words to look for.", metavar="TEXT")] = None,
    every: Annotated[bool, typer.Option("--all", help="Superseded and retracted ones, too.")] = False,
    limit: Annotated[int, typer.Option(help="How many to list, newest first.", min=1, max=1000)] = 100,
    repository: Address = None,
    insecure: Insecure = False,
) -> None:
    """List entries, newest first.

    Example: idbits repository entries --text Amsterdam
    """
    status = ("current", "superseded", "retracted") if every else ("current",)
    with opened(repository, insecure=insecure) as store:
        from idbits.repository.notices import EntryList

        listing = store.entries(text=text, status=status, limit=limit)
    print_answer(EntryList(entries=listing.entries, unverified=listing.unverified), output)


@repository_app.command("retract")
@options.sharing
def retract_command(
    ref: Ref,
    output: options.Output,
    reason: Annotated[str | None, typer.Option(help="Why, in one line.", metavar="TEXT")] = None,
    repository: Address = None,
    insecure: Insecure = False,
) -> None:
    """Retract an entry: it stays in the log, and its figures are no longer shown.

    Example: idbits repository retract 0149d24b01f0231d --reason "counted twice"
    """
    with opened(repository, insecure=insecure) as store:
        entry = store.retract(ref, reason or "", by=ACTOR)
    print_notice(output, "retract", f"Retracted {entry.ref}", "Its figures are no longer shown.", ref=ref)


@repository_app.command("decide")
@options.sharing
def decide_command(
    ref: Ref,
    decision: Annotated[str, typer.Argument(help="What was decided, in one sentence.", show_default=False)],
    output: options.Output,
    by: Annotated[str | None, typer.Option(help="Who decided: a person or a board.", metavar="NAME")] = None,
    why: Annotated[str | None, typer.Option(help="Why, in one or two sentences.", metavar="TEXT")] = None,
    repository: Address = None,
    insecure: Insecure = False,
) -> None:
    """Record a decision that rests on an entry, with who decided and why.

    Example: idbits repository decide 0149d24b01f0231d "Ask for the year of birth only" --by "Ethics board" --why "..."
    """
    if not by or not why:
        raise InputError('say who decided and why: --by "Ethics board" --why "fewer than 10 people share a birthdate"')
    with opened(repository, insecure=insecure) as store:
        sequence = store.decide(ref=ref, decision=decision, by=by, why=why, recorded_by=ACTOR)
    sentence = f"It is line {sequence:,} of the audit log."
    facts = {"ref": ref, "decision": decision, "by": by, "why": why}
    print_notice(output, "decide", f"Decision on {ref} recorded", sentence, **facts, sequence=sequence)


@repository_app.command("decisions")
@options.sharing
def decisions_command(ref: Ref, output: options.Output, repository: Address = None, insecure: Insecure = False) -> None:
    """List the decisions that rest on an entry, oldest first.

    Example: idbits repository decisions 0149d24b01f0231d
    """
    with opened(repository, insecure=insecure) as store:
        from idbits.repository.notices import DecisionList

        store.entry(ref)
        print_answer(DecisionList(ref=ref, decisions=tuple(store.decisions(ref))), output)


@repository_app.command("vocabulary")
@options.sharing
def vocabulary_command(
    output: options.Output,
    add: Annotated[
        str | None, typer.Option(help="Add this concept, or aliases to it if it is known.", metavar="NAME")
    ] = None,
    kind: Annotated[str, typer.Option(help="text, integer, number, boolean or date.", metavar="KIND")] = "text",
    description: Annotated[str | None, typer.Option(help="One plain sentence.", metavar="TEXT")] = None,
    alias: Annotated[
        list[str] | None,
        typer.Option(help="Another name, e.g. pc4=prefix4 or postnummer. Repeats.", metavar="NAME[=TRANSFORMS]"),
    ] = None,
    repository: Address = None,
    insecure: Insecure = False,
) -> None:
    """Show the vocabulary, or add to it.

    Example: idbits repository vocabulary --add "shoe size" --kind number --alias schoenmaat
    """
    with opened(repository, insecure=insecure) as store:
        from idbits.repository.notices import WordList

        if add is not None:
            aliases = {name: transforms for name, _, transforms in (given.partition("=") for given in alias or [])}
            new = {"name": add, "kind": kind, "description": description or "", "aliases": aliases}
            store.extend_vocabulary(new, by=ACTOR)
        print_answer(WordList(concepts=store.vocabulary().concepts), output)


@repository_app.command("inventory")
@options.sharing
def inventory_command(
    output: options.Output,
    file: Annotated[
        Path | None, typer.Argument(help="A TOML file of tables and questionnaires to write down.", show_default=False)
    ] = None,
    repository: Address = None,
    insecure: Insecure = False,
) -> None:
    """Show which holders have which columns and which questions are asked where, or write them down.

    Example: idbits repository inventory inventory.toml
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


@repository_app.command("match")
@options.sharing
def match_command(
    output: options.Output,
    published: Annotated[bool, typer.Option("--published", help="List what is published already, too.")] = False,
    repository: Address = None,
    insecure: Insecure = False,
) -> None:
    """List the quasi-identifiers worth publishing, most exposed first.

    Example: idbits repository match
    """
    with opened(repository, insecure=insecure) as store:
        from idbits.repository.notices import MatchList

        print_answer(MatchList(matches=tuple(store.matches(published=published))), output)


@repository_app.command("verify")
@options.sharing
def verify_command(
    output: options.Output,
    receipt: Annotated[
        str | None, typer.Option(help="A receipt that must still be in the log.", metavar="NUMBER:HASH")
    ] = None,
    repository: Address = None,
) -> None:
    """Check the audit log, every row and every signature; exit code 1 when something does not fit.

    Example: idbits repository verify
    """
    kept = None
    if receipt is not None:
        number, _, hash_ = receipt.partition(":")
        if not number.isdecimal() or len(hash_) != 64:
            raise InputError("a receipt is written NUMBER:HASH, as idbits publish prints it")
        kept = (int(number), hash_)
    with opened_here(repository) as store:
        from idbits.repository.notices import Verification

        problems = tuple(store.verify(kept))
        answer = Verification(problems=problems, head=store.head())
    print_answer(answer, output)
    if problems:
        raise SystemExit(1)


@repository_app.command("backup")
@options.sharing
def backup_command(file: NewFile, output: options.Output, repository: Address = None) -> None:
    """Write everything to a file (JSON lines), also while others publish.

    Example: idbits repository backup repository-backup.jsonl
    """
    with opened_here(repository) as store:
        from idbits.repository.backups import backup

        rows = backup(store, file)
    sentence = f"{rows:,} rows are in {file}. It holds digests of keys: keep it as you keep the repository."
    print_notice(output, "backup", "Backed up", sentence, rows=rows, file=str(file))


@repository_app.command("restore")
@options.sharing
def restore_command(file: File, output: options.Output, repository: Address = None) -> None:
    """Read a backup into an empty repository, and verify it.

    Example: idbits repository restore repository-backup.jsonl --repository new.db
    """
    with opened_here(repository, create=True) as store:
        from idbits.repository.backups import restore

        rows = restore(store, file)
    sentence = f"{rows:,} rows are back; log, rows and signatures verify."
    print_notice(output, "restore", "Restored", sentence, rows=rows, file=str(file))


@repository_app.command("export")
@options.sharing
def export_command(file: NewFile, output: options.Output, repository: Address = None) -> None:
    """Write the vocabulary and all entries with their signatures to a file (JSON lines).

    Example: idbits repository export entries.jsonl
    """
    with opened_here(repository) as store:
        from idbits.repository.backups import export

        entries = export(store, file)
    number = f"{entries:,} {'entry is' if entries == 1 else 'entries are'}"
    sentence = f"{number} in {file}, with signatures and without any key."
    print_notice(output, "export", "Exported", sentence, entries=entries, file=str(file))
