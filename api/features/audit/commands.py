"""`weir audit`: the chain of decisions, searched, verified, exported, and an export checked without Weir."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypedDict
from urllib.parse import quote

import typer

from api.terminal.grouped_options import with_groups
from api.terminal.names import complete_dataset, complete_grant, complete_user
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, errors, print_text, show
from api.wiring.offline import check_audit_file
from catalog.errors import InvalidInput, WeirError

audit_app = typer.Typer(no_args_is_help=True)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which entries; what is None does not matter."""

    actor: Annotated[str | None, typer.Option(help="Only what this user did.", autocompletion=complete_user)] = None
    action: Annotated[str | None, typer.Option(help="Only this action or what begins with it, e.g. query, grant.")] = (
        None
    )
    person: Annotated[
        str | None, typer.Option(help="Only what this person did or what is about them.", autocompletion=complete_user)
    ] = None
    dataset: Annotated[
        str | None, typer.Option(help="Only what is about this CLUSTER/TOPIC.", autocompletion=complete_dataset)
    ] = None
    field: Annotated[
        str | None, typer.Option(help="Only what used this field, something in it, or what it is a part of.")
    ] = None
    grant: Annotated[
        str | None, typer.Option(help="Only what is about this grant or rests on it.", autocompletion=complete_grant)
    ] = None
    agent: Annotated[str | None, typer.Option(help="Only what the agent of this name, or of this token id, did.")] = (
        None
    )
    tool: Annotated[str | None, typer.Option(help="Only what was done by this tool, as run_query of an agent.")] = None
    since: Annotated[str | None, typer.Option(help="From then on, RFC 3339.")] = None
    until: Annotated[str | None, typer.Option(help="Before then, RFC 3339.")] = None

    def of_domain(self) -> dict[str, str | None]:
        """Those that the audit of a domain knows. Raises InvalidInput for another."""
        known = asdict(self)
        others = {name: known.pop(name) for name in ("person", "field", "grant", "agent", "tool")}
        if unfit := [name for name, value in others.items() if value]:
            raise InvalidInput(f"The audit of a domain is not searched by {unfit[0]}; leave out --{unfit[0]}.")
        return known


class FileFormat(StrEnum):
    """Formats of an export."""

    JSONL = "jsonl"
    CSV = "csv"


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.add_typer(audit_app, name="audit")


class _DomainEntries(TypedDict):
    """A page of the entries about a domain."""

    entries: list[dict[str, object]]
    note: str | None
    next: str | None


class _Shipping(TypedDict):
    """How far the audit was copied to its topic."""

    place: str | None
    position: int | None
    lag: int | None
    missed: int
    cut: int
    failures: int
    problem: str | None


def _show_domain(answer: _DomainEntries, output: Format) -> None:
    rows = [{**each, "more": "yes" if each["partial"] else ""} for each in answer["entries"]]
    show(rows, ("at", "actor", "action", "datasets", "decision", "more"), output, whole=answer, empty="No entries.")
    if output is Format.TABLE:
        if answer["note"]:
            console.print(answer["note"], markup=False)
        if answer["next"]:
            console.print(f"There are more: --cursor {answer['next']}", markup=False)


@audit_app.command(
    "list", epilog="weir audit list --dataset prod/orders --field value.customer.email --since 2026-01-01"
)
@with_groups
def audit_list(
    filters: Filters,
    domain: Annotated[
        str | None, typer.Option(help="Only what is about datasets of this domain, for its admins.")
    ] = None,
    cursor: Annotated[str | None, typer.Option(help="`next` of the answer before: the page behind it.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most this many.")] = 50,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """The latest entries of the audit chain that fit."""
    page = {"cursor": cursor, "limit": limit}
    if domain is not None:
        where = filters.of_domain()
        _show_domain(api(user).get(f"/api/v1/domains/{quote(domain, safe='')}/audit", **where, **page), output)
        return
    answer = api(user).get("/api/v1/audit", **asdict(filters), **page)
    show(
        answer["entries"],
        ("seq", "at", "actor", "action", "target", "decision"),
        output,
        whole=answer,
        empty="No entries.",
    )
    if output is Format.TABLE:
        if answer["note"]:
            console.print(answer["note"], markup=False)
        if answer["next"]:
            console.print(f"Older entries: --cursor {answer['next']}")


@audit_app.command(epilog="weir audit export --since 2026-01-01T00:00:00Z --file audit.jsonl")
@with_groups
def export(
    file: Annotated[Path, typer.Option(help="Where to write it; the signature goes to FILE.sig beside it.")],
    form: Annotated[FileFormat, typer.Option("-o", "--output", help="Format of the file.")] = FileFormat.JSONL,
    filters: Filters = Filters(),
    user: As = None,
) -> None:
    """Write entries to a file, oldest first, and the signature beside it. `weir audit verify --file` checks both."""
    draft = file.with_name(f".{file.name}.part")
    try:
        with (
            draft.open("wb") as written,
            api(user).file("/api/v1/audit/export", format=form.value, **asdict(filters)) as pieces,
        ):
            last = _all_but_last_line(pieces, written)
        signature = _of_csv(last) if form is FileFormat.CSV else last
        if b'"signature"' not in signature:
            raise InvalidInput("The export ended before its signature came; nothing was written. Try again.")
        draft.replace(file)
        file.with_name(f"{file.name}.sig").write_bytes(signature)
    except OSError as error:
        raise InvalidInput(f"{file} cannot be written: {error.strerror}.") from None
    finally:
        draft.unlink(missing_ok=True)
    console.print(f"Wrote {file} and {file.name}.sig.", markup=False)


def _all_but_last_line(pieces: Any, written: Any) -> bytes:
    """Write everything before the last line, which is given back."""
    rest = b""
    for piece in pieces:
        rest += piece
        cut = rest.rstrip(b"\r\n").rfind(b"\n") + 1
        written.write(rest[:cut])
        rest = rest[cut:]
    return rest


def _of_csv(line: bytes) -> bytes:
    import csv

    cells = next(csv.reader([line.decode("utf-8", "replace")]), [])
    return (cells[1] + "\n").encode() if len(cells) > 1 else b""


@audit_app.command(epilog="weir audit key > weir-audit.key")
def key(user: As = None) -> None:
    """Print the public key of signatures under exports. Keep it where the exports are checked."""
    print_text(api(user).get("/api/v1/audit/key")["key"])


@audit_app.command(epilog="weir audit segments -o json")
def segments(output: Output = Format.TABLE, user: As = None) -> None:
    """List the sealed segments of the chain, removed ones too, and how far the audit was shipped to its topic."""
    answer = api(user).get("/api/v1/audit/segments")
    columns = ("number", "first", "last", "from", "to", "sealedAt", "removedAt", "setting")
    show(answer["segments"], columns, output, whole=answer, empty="No segment is sealed yet.")
    if output is Format.TABLE and answer["problem"] is not None:
        console.print(answer["problem"], markup=False)
    shipping: _Shipping = answer["shipping"]
    if output is Format.TABLE and shipping["place"] is not None:
        behind = f"{shipping['lag']:,} entries behind" if shipping["lag"] else "up to date"
        console.print(f"Shipped to {shipping['place']} up to entry {shipping['position']}: {behind}.")
        if shipping["missed"]:
            console.print(f"{shipping['missed']:,} entries were removed before they could be shipped.")
        if shipping["cut"]:
            console.print(f"{shipping['cut']:,} entries were too large and went out without details.")
        if shipping["problem"]:
            console.print(f"{shipping['failures']} failures: {shipping['problem']}", markup=False)


@audit_app.command("verify", epilog="weir audit verify · weir audit verify --file audit.jsonl --key weir-audit.key")
def audit_verify(
    file: Annotated[Path | None, typer.Option(help="Check an exported file, without a running Weir.")] = None,
    key: Annotated[
        Path | None, typer.Option(help="The public key that must have signed it, as `weir audit key` gives it.")
    ] = None,
    unknown: Annotated[
        bool,
        typer.Option("--allow-unknown-key", help="Check with the file's own key, which its writer may have made."),
    ] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Check every link of the audit chain, or of an exported file with its signature by a known key; exit code 1 when one
    does not hold."""
    if file is not None:
        _verify_file(file, key, unknown, output)
        return
    if key is not None or unknown:
        raise InvalidInput("--key and --allow-unknown-key are for an exported file; name it with --file.")
    answer = api(user).get("/api/v1/audit/verify")
    show([answer], ("holds", "entries", "head", "firstBad", "sealed"), output, whole=answer)
    removed: dict[str, object] | None = answer["removed"]
    if output is Format.TABLE and removed is not None:
        console.print(
            f"Entries {removed['first']} to {removed['last']} ({removed['from']} to {removed['to']}) were removed by"
            f" {removed['setting']}, the last of them at {removed['at']}; their {removed['segments']} seals prove the rest."
        )
    if not answer["holds"] and answer.get("firstBad") is None:
        raise WeirError(f"The audit chain is not proven. {answer['problem']}")
    if not answer["holds"]:
        raise WeirError(f"The audit chain does not hold from entry {answer.get('firstBad')} on.")


def _verify_file(file: Path, key: Path | None, unknown: bool, output: Format) -> None:
    verified = check_audit_file(file, key)
    answer = verified.to_json()
    show([answer], ("holds", "entries", "first", "last", "complete", "trusted", "firstBad"), output, whole=answer)
    sys.stdout.flush()
    if not verified.holds:
        where = f"line {verified.first_bad}: " if verified.first_bad is not None else ""
        raise WeirError(f"{file} does not hold: {where}{verified.problem}")
    if output is Format.TABLE and not verified.complete:
        console.print(
            "It is a part: between some entries others are left out, as the signed filter or an earlier end has it."
        )
    if verified.trusted:
        return
    doubt = f"The key {verified.key} is {file}'s own: the writer of the file may have made it."
    if not unknown:
        raise WeirError(
            f"{doubt} Give the key of your Weir by --key (weir audit key), or check without one by --allow-unknown-key."
        )
    errors.print(f"{doubt} Give the key of your Weir by --key (weir audit key).")
