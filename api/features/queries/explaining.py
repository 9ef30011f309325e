"""What a query would show, in the terminal: a row for each column that was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from api.terminal.output import Format, console, escape, show


def show_explanation(answer: Mapping[str, Any], output: Format) -> None:
    """An answer of `/query/explain`. Of a query that would be refused, the fields of its datasets that are."""
    asked = [_asked(column) for column in answer["columns"]]
    refused = [_field(table["dataset"], field) for table in answer["tables"] for field in table["fields"]]
    columns = ("column", "shown", "why") if asked else ("dataset", "field", "shown", "why")
    show(asked or refused, columns, output, whole=answer, empty="The query reads no topic.")
    if output is not Format.TABLE:
        return
    decision = answer["decision"]
    console.print(f"The query would be {'answered' if decision['effect'] == 'allow' else 'refused'}.")
    for gap in decision["gaps"]:
        console.print(f"[yellow]![/] {escape(gap)}")
    if answer["window"]:
        console.print(f"It would {window_text(answer['window'])}.")
    for table in answer["tables"] if asked else ():
        console.print(f"{table['dataset']} has {len(table['fields'])} fields; -o yaml has each.", markup=False)


def _asked(column: Mapping[str, Any]) -> dict[str, object]:
    decision = column["decision"] or {"effect": "derived", "text": ""}
    why = " ".join(decision.get("opened") or ()) or decision["text"]
    return {"column": column["name"], "shown": ", ".join(decision.get("masks") or ()) or decision["effect"], "why": why}


def _field(dataset: str, field: Mapping[str, Any]) -> dict[str, object]:
    return {
        "dataset": dataset,
        "field": field["path"],
        "shown": "no" if field["effect"] == "deny" else field["mask"] or "clear",
        "why": "; ".join(dict.fromkeys(reason["text"] for reason in field["reasons"])),
    }


def window_text(window: Mapping[str, Any]) -> str:
    """What was read, in words."""
    tables = [f"{_amount(table)} of {table['dataset']}" for table in window["tables"]]
    return "read " + ", ".join(tables) if tables else "no topic was read"


def _amount(table: Mapping[str, Any]) -> str:
    """`all 1,507 records`; without the number where it would count hidden rows."""
    which = "all" if table["complete"] else "the newest"
    return f"{which} {table['records']:,} records" if "records" in table else f"{which} records"
