"""`weir backup` and `weir server keys`: on the machine of an instance, by its WEIR_HOME and its settings, without its API."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from api.config.home import Home
from api.terminal.options import Output
from api.terminal.output import Format, console, errors, escape, show
from api.terminal.words import noun
from catalog.errors import InvalidInput

VARIABLE = "WEIR_BACKUP_PASSPHRASE"
_FILE = Annotated[Path, typer.Argument(help="The backup.")]
_PASSPHRASE = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file",
        help=f"A file whose first line is the passphrase; {VARIABLE} has it when absent.",
        dir_okay=False,
    ),
]


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    group = noun(app, "backup")
    group.command(epilog="weir backup create weir.backup --passphrase-file /run/keys/backup")(create)
    group.command(epilog="weir backup verify weir.backup")(verify)
    group.command(
        epilog="WEIR_HOME=/srv/new weir backup restore weir.backup · weir backup restore weir.backup --keys-only"
    )(restore)
    noun(app, "server").command(epilog="weir server keys · weir server keys --accept masks")(keys)


def create(
    file: Annotated[Path, typer.Argument(help="A file that does not exist yet.")],
    passphrase_file: _PASSPHRASE = None,
    output: Output = Format.TABLE,
) -> None:
    """Write the record store, the audit, the declared state and the keys into one file, while Weir runs."""
    from api.wiring import backup_audit, backups

    passphrase = _passphrase(passphrase_file)
    manifest = backups.create(Home.of_environment(), file, passphrase)
    _tell(manifest, output, {"file": str(file), "bytes": file.stat().st_size, "encrypted": passphrase is not None})
    if output is Format.TABLE:
        console.print(f"{escape(str(file))}: {_rows(manifest)}, {file.stat().st_size / 1e6:,.1f} MB.")
        for each in manifest.head.left_out:
            console.print(f"Not in it: {escape(each)}.")
    if not backup_audit.is_noted(manifest):
        errors.print(
            f"[yellow]![/] The audit has no entry of this backup: the record store has the older schema"
            f" {escape(manifest.head.schema)}, so it was read only."
        )
    if passphrase is None:
        errors.print(
            f"[yellow]![/] {escape(str(file))} is not encrypted and holds the keys of the instance; keep it as safe as"
            " WEIR_HOME, or give --passphrase-file."
        )


def verify(file: _FILE, passphrase_file: _PASSPHRASE = None, output: Output = Format.TABLE) -> None:
    """Read a backup from its first byte to its last; exit code 1 where it is not as it was written."""
    from api.wiring import backups

    manifest = backups.verify(file, _passphrase(passphrase_file))
    _tell(manifest, output, {"file": str(file)})
    if output is Format.TABLE:
        head = manifest.head
        console.print(
            f"{escape(str(file))} is whole: {_rows(manifest)}, written {head.created_at} by Weir {escape(head.program)} (schema"
            f" {escape(head.schema)})."
        )


def restore(
    file: _FILE,
    passphrase_file: _PASSPHRASE = None,
    keys_only: Annotated[
        bool, typer.Option("--keys-only", help="Only the keys, for a further host of the same record store.")
    ] = False,
    accept_broken_audit: Annotated[
        bool,
        typer.Option("--accept-broken-audit", help="Restore an audit that did not hold when it was backed up."),
    ] = False,
) -> None:
    """Restore a backup into an empty record store and WEIR_HOME: all of it, or nothing."""
    from api.wiring import backups

    home, passphrase = Home.of_environment(), _passphrase(passphrase_file)
    if keys_only:
        names = backups.restore_keys(home, file, passphrase)
        console.print(f"{len(names)} keys are in {escape(str(home.secrets))}: {', '.join(names)}.")
        return
    done = backups.restore(home, file, passphrase, accept_broken_audit)
    console.print(
        f"Restored {_rows(done.manifest)} and {done.keys} keys; every count and sum is that of the backup. The schema is"
        f" {escape(done.schema)}."
    )
    audit = done.audit
    if audit.holds:
        console.print(f"The audit holds: {audit.entries:,} entries, {audit.sealed:,} seals.")
    else:
        errors.print(f"[yellow]![/] The audit: {escape(str(audit.problem))}")
    console.print(
        "Next: weir up --detach (or start your processes), then weir server rebuild search, weir server rebuild lineage."
    )


def keys(
    accept: Annotated[
        str | None,
        typer.Option(help="Take the key of this name here from now on; what the other one made is lost."),
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    """Compare the keys of this WEIR_HOME with those that the record store was begun with."""
    from api.wiring import key_statements

    home = Home.of_environment()
    if accept is not None:
        key_statements.accept(home, accept)
        errors.print(f"The key {escape(accept)} of {escape(str(home.root))} is now the one of the record store.")
    rows = key_statements.listed(home)
    show(rows, ("name", "purpose", "state", "fingerprint", "statedBy", "statedAt"), output, whole={"keys": rows})


def _rows(manifest: Any) -> str:
    tables = [part for part in manifest.parts if part.name.startswith("table ")]
    return f"{sum(part.rows for part in tables):,} rows of {len(tables)} tables"


def _tell(manifest: Any, output: Format, more: dict[str, object]) -> None:
    """The manifest where somebody asked for it, and the tables that have rows on a terminal."""
    rows = [{"part": part.name, "rows": part.rows, "sha256": part.sha256} for part in manifest.parts if part.rows]
    shown = ("part", "rows") if output is Format.TABLE else ("part", "rows", "sha256")
    show(rows, shown, output, whole={**more, **manifest.as_json()})


def _passphrase(file: Path | None) -> str | None:
    """The passphrase, None where none is given. Raises InvalidInput for an empty one and for a file that cannot be read."""
    if file is None:
        text = os.environ.get(VARIABLE)
        source = VARIABLE
    else:
        source = str(file)
        try:
            text = (file.read_text().splitlines() or [""])[0]
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not text"
            raise InvalidInput(f"The passphrase in {file} cannot be read: {why}.") from None
    if text is not None and not text.strip():
        raise InvalidInput(f"{source} is empty; give a passphrase, or leave it out for a backup that is not encrypted.")
    return text
