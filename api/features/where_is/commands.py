"""`weir where-is`."""

from __future__ import annotations

from typing import Annotated

import typer

from api.terminal.names import complete_entity, entity_of, require_entity
from api.terminal.options import As, AsOf, Output, api
from api.terminal.output import Format, console, escape, print_text, show
from catalog.errors import InvalidInput


def add_to(app: typer.Typer) -> None:
    """Register this module's command."""
    app.command(
        "where-is",
        epilog="weir where-is email · weir where-is customer.email · weir where-is --term customer-email -o csv",
    )(where_is)


def where_is(
    what: Annotated[
        str | None,
        typer.Argument(
            help="A kind of personal data (email, PHONE_NUMBER) or else a field.", autocompletion=complete_entity
        ),
    ] = None,
    field: Annotated[str | None, typer.Option(help="A field name or path.")] = None,
    entity: Annotated[
        str | None, typer.Option(help="EMAIL_ADDRESS, PHONE_NUMBER ... or PII for all.", autocompletion=complete_entity)
    ] = None,
    term: Annotated[str | None, typer.Option(help="A glossary term.")] = None,
    as_of: AsOf = None,
    html: Annotated[bool, typer.Option("--html", help="A page to print.")] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Report the data locations of a field or of a kind of personal data: who reads it, where it goes, who may see it."""
    client = api(user)
    if what is not None:
        if field or entity or term:
            raise InvalidInput(f"Give {what!r} or --field, --entity, --term, not both.")
        entity = entity_of(client, what)
        field = None if entity else what
    parameters = {"field": field, "entity": entity, "term": term, "asOf": as_of}
    require_entity(client, entity)
    if html or output is Format.CSV:
        print_text(client.text("/api/v1/reports/where-is", **parameters, format="html" if html else "csv"))
        return
    # A table has no room for who may see each place, which takes the longest to find out.
    answer = client.get("/api/v1/reports/where-is", **parameters, access=output is not Format.TABLE)
    rows = [
        {
            **p,
            "flows": [client.shortened(f["id"]) + ("" if f["raw"] else " (masked)") for f in p["flows"]],
            "readers": [r["name"] for r in p["readers"]],
        }
        for p in answer["places"]
    ]
    show(
        rows,
        ("name", "path", "entity", "state", "share", "flows", "readers"),
        output,
        whole=answer,
        title=f"{len(rows)} places of {entity or field or term}",
        empty=f"No place is known.{'' if field else ' A scan finds them: weir scan CLUSTER.'}",
    )
    if output is Format.TABLE:
        for gap in answer["gaps"]:
            console.print(f"[yellow]![/] {escape(gap if isinstance(gap, str) else gap['message'])}")
