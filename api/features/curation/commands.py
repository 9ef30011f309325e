"""`weir catalog`: what people state about datasets, as a table out and in; and `weir dataset certify`, `deprecate`, `announce`,
`property`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from api.terminal.http import dataset_path
from api.terminal.options import As, Topic, api
from api.terminal.output import console, errors, escape, print_text
from api.terminal.text_input import text_of
from api.terminal.words import noun
from catalog.errors import InvalidInput

_TABLE = "/api/v1/catalog/table"
Remove = Annotated[bool, typer.Option("--remove", help="Take it away.")]


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    catalog = noun(app, "catalog")
    catalog.command(epilog="weir catalog export > catalog.csv · weir catalog export --cluster prod --owner ana")(export)
    catalog.command("import", epilog="weir catalog import catalog.csv · weir catalog import catalog.csv --yes")(take)
    dataset = noun(app, "dataset")
    dataset.command(epilog="weir dataset certify prod/orders --note 'Checked each day'")(certify)
    dataset.command(epilog="weir dataset deprecate prod/orders --successor prod/orders_v2 --date 2026-12-31")(deprecate)
    dataset.command(epilog="weir dataset announce prod/orders 'Late on Sunday' --until 2026-12-01")(announce)
    dataset.command("property", epilog="weir dataset property prod/orders retention gold")(set_property)


def export(
    cluster: Annotated[str | None, typer.Option(help="Only of this cluster.")] = None,
    owner: Annotated[str | None, typer.Option(help="Only of this user or group.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only with this tag.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
    user: As = None,
) -> None:
    """Write what is declared of datasets and fields as CSV, for `weir catalog import`."""
    text = api(user).text(_TABLE, cluster=cluster, owner=owner, tag=tag)
    if out is None:
        print_text(text.replace("\r\n", "\n").removesuffix("\n"))
        return
    try:
        out.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise InvalidInput(f"--out {out} cannot be written: {error.strerror}.") from None
    console.print(f"Written to {escape(str(out))}.")


def take(
    file: Annotated[Path, typer.Argument(help="A CSV file, as `weir catalog export` writes it.")],
    yes: Annotated[bool, typer.Option("--yes", help="Make the changes without asking.")] = False,
    skip_refused: Annotated[
        bool, typer.Option("--skip-refused", help="Take the other datasets where lines are refused.")
    ] = False,
    user: As = None,
) -> None:
    """Show what a table would change, ask, and change it. Exit code 1 where lines are refused."""
    text = text_of(file, newline="")
    client = api(user)
    plan = client.post_text(_TABLE, text, dryRun=True)
    for change in plan["changes"]:
        console.print(f"{change['action']} {change['dataset']}", markup=False)
        console.print(change["diff"], markup=False, highlight=False)
    for each in plan["refused"]:
        errors.print(escape(f"Line {each['line']}: {each['message']}"), style="red")
    console.print(f"{len(plan['changes'])} datasets change, {plan['unchanged']} stay as they are.")
    refused = bool(plan["refused"]) and not skip_refused
    if plan["changes"] and not refused and (yes or typer.confirm("Make these changes?")):
        done = client.post_text(_TABLE, text, skipRefused=skip_refused)
        console.print(f"{len(done['changes'])} datasets are changed.")
    if plan["refused"]:
        raise typer.Exit(1)


def certify(
    dataset: Topic,
    note: Annotated[str, typer.Option(help="For what.")] = "",
    by: Annotated[str, typer.Option(help="Who vouches for it.")] = "",
    remove: Remove = False,
    user: As = None,
) -> None:
    """State that people vouch for a dataset."""
    given = {key: value for key, value in (("note", note), ("by", by)) if value}
    _change(dataset, user, {"certification": None if remove else given})


def deprecate(
    dataset: Topic,
    successor: Annotated[str | None, typer.Option(help="What to use in its place: CLUSTER/TOPIC.")] = None,
    date: Annotated[str | None, typer.Option(help="When it ends, as 2026-12-31.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why.")] = None,
    remove: Remove = False,
    user: As = None,
) -> None:
    """State that a dataset is to be used no more."""
    given = {"successor": successor, "date": date, "reason": reason}
    _change(dataset, user, {"deprecation": None if remove else {k: v for k, v in given.items() if v is not None}})


def announce(
    dataset: Topic,
    text: Annotated[str | None, typer.Argument(help="The sentence.")] = None,
    begin: Annotated[str | None, typer.Option("--from", help="From when it is shown: a date or a time.")] = None,
    until: Annotated[str | None, typer.Option(help="Until when: a date or a time.")] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Take all announcements away.")] = False,
    user: As = None,
) -> None:
    """Show a sentence to the readers of a dataset; it takes the place of those before it."""
    if (text is None) != remove:
        raise InvalidInput("Give a sentence, or --remove.")
    given = {"text": text, "from": begin, "until": until}
    announcements = [] if remove else [{k: v for k, v in given.items() if v is not None}]
    _change(dataset, user, {"announcements": announcements})


def set_property(
    dataset: Topic,
    name: Annotated[str, typer.Argument(help="A property that is declared by kind: Property.")],
    value: Annotated[str | None, typer.Argument(help="The value.")] = None,
    remove: Remove = False,
    user: As = None,
) -> None:
    """Set a property of a dataset."""
    if (value is None) != remove:
        raise InvalidInput("Give a value, or --remove.")
    _change(dataset, user, {"properties": {name: _typed(user, name, value)}})


def _typed(user: str | None, name: str, value: str | None) -> Any:
    """The value as the declared property reads it."""
    from catalog.curation.properties import parsed

    documents = api(user).get("/api/v1/declared/Property")["documents"]
    kinds = {each["metadata"]["name"]: each["spec"] for each in documents}
    return None if value is None else parsed(kinds, name, value)


def _change(dataset: str, user: str | None, body: dict[str, object]) -> None:
    answer = api(user).patch(f"{dataset_path(dataset)}/curation", body)
    console.print(f"{escape(answer['reference'])}: {answer['action']}.")
