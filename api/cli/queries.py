"""`weir query`, `weir explain`."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.markup import escape

from api.cli.options import As, Output, api
from api.cli.output import Format, console, print_text, show

Sql = Annotated[str, typer.Argument(help="One SELECT over topics, e.g. SELECT * FROM prod.orders.")]
Purpose = Annotated[str | None, typer.Option(help="What for; counts only with a grant for that purpose.")]


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.command(epilog="weir query 'SELECT customer.email FROM orders' --as ana · weir query '... EMIT CHANGES'")(query)
    app.command(epilog="weir explain 'SELECT customer.email FROM orders' --as ana")(explain)


def query(
    sql: Sql,
    purpose: Purpose = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many rows.")] = 100,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Query topics with SQL; what you may not see arrives masked or not at all."""
    client = api(user)
    if sql.rstrip().rstrip(";").upper().endswith("EMIT CHANGES"):
        _tail(client, sql, purpose)
        return
    answer = client.post("/api/v1/query", {"sql": sql, "purpose": purpose, "limit": limit})
    names = [column["name"] for column in answer["columns"]]
    rows = [dict(zip(names, row, strict=True)) for row in answer["rows"]]
    show(rows, names, output, whole=answer, empty="No rows.", verbatim=True)
    if output is Format.TABLE:
        for column in answer["columns"]:
            if (decision := column["decision"]) and decision.get("effect") not in ("clear", "allow"):
                console.print(f"[dim]{column['name']}: {decision.get('text', decision)}[/]", soft_wrap=True)
        console.print(f"[dim]{window_text(answer['window'])}[/]", soft_wrap=True)
        if answer["truncated"]:
            console.print("[dim]There are more rows; raise --limit.[/]")


def window_text(window: dict[str, Any]) -> str:
    """What was read, in words."""
    tables = [
        f"{'all' if t['complete'] else 'the newest'} {t['records']:,} records of {t['dataset']}"
        for t in window["tables"]
    ]
    return "read " + ", ".join(tables) if tables else "no topic was read"


def _tail(client: Any, sql: str, purpose: str | None) -> None:
    with client.stream("/api/v1/query/stream", sql=sql, purpose=purpose) as lines:
        event = "message"
        for line in lines:
            if line.startswith("event:"):
                event = line[6:].strip()
            elif line.startswith("data:"):
                data = json.loads(line[5:])
                if event in ("end", "error"):
                    console.print(f"[yellow]{data.get('message', event)}[/]")
                    return
                print_text(json.dumps(data, ensure_ascii=False))


def explain(sql: Sql, purpose: Purpose = None, output: Output = Format.TABLE, user: As = None) -> None:
    """Say what a query may see, column by column, and what it would read; no data is touched."""
    answer = api(user).post("/api/v1/query/explain", {"sql": sql, "purpose": purpose})
    rows = [
        {
            "dataset": table["dataset"],
            "field": field["path"],
            "shown": "no" if field["effect"] == "deny" else field["mask"] or "clear",
            "why": "; ".join(dict.fromkeys(reason["text"] for reason in field["reasons"])),
        }
        for table in answer["tables"]
        for field in table["fields"]
    ]
    show(rows, ("dataset", "field", "shown", "why"), output, whole=answer, empty="The query reads no topic.")
    if output is Format.TABLE:
        decision = answer["decision"]
        console.print(f"The query would be {'answered' if decision['effect'] == 'allow' else 'refused'}.")
        for gap in decision["gaps"]:
            console.print(f"[yellow]![/] {escape(gap)}")
        if answer["window"]:
            console.print(f"It would {window_text(answer['window'])}.")
