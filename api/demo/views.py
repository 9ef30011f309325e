"""How the story's answers look on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from rich.tree import Tree


def table(*columns: str, right: Sequence[str] = ()) -> Table:
    """A light table; the columns named in `right` are numbers."""
    result = Table(box=None, pad_edge=False, header_style="bold dim", padding=(0, 2, 0, 0))
    for column in columns:
        result.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return result


def whole_words(table: Table) -> Table:
    """The table with room in each column for its longest word, so that an address or a path is not cut while others can wrap."""
    for column in table.columns:
        words = [word for text in (column.header, *column.cells) for word in _plain(text).split()]
        column.min_width = max(map(len, words), default=None)
    return table


def _plain(text: Any) -> str:
    return Text.from_markup(text).plain if isinstance(text, str) else str(text)


def short(value: Any, width: int = 40) -> str:
    """A cell's text; what is longer than `width` (a hash) is cut to its first twelve and last four characters."""
    text = "" if value is None else str(value)
    return escape(text if len(text) <= width else f"{text[:12]}…{text[-4:]}")


def name_of(identifier: str) -> str:
    """A node id as a person reads it: topic, topic and field, or job; the namespace is left out."""
    kind, _, rest = identifier.partition(":")
    at = rest.find("://")
    if at >= 0:  # kafka://host:port:name
        rest = rest[at + 3 :]
        host, _, rest = rest.partition(":")
        port, _, after = rest.partition(":")
        rest = after if port.isdigit() else f"{port}:{after}" if after else port
        del host
    else:
        rest = rest.partition(":")[2]
    return rest.replace(":", "  ", 1) if kind == "datasetField" else rest


def entities(classifications: Iterable[Mapping[str, Any]]) -> str:
    """EMAIL_ADDRESS in 3 places, PERSON in 1 ... as one short line."""
    counts: dict[str, int] = {}
    for item in classifications:
        if item["state"] != "rejected":
            counts[item["entity"]] = counts.get(item["entity"], 0) + 1
    return ", ".join(f"{entity} ×{count}" if count > 1 else entity for entity, count in sorted(counts.items()))


def flow_tree(root: str, edges: Sequence[Mapping[str, Any]]) -> Tree:
    """What flows out of `root`, by the jobs that carry it. A node that was drawn is not opened a second time."""
    tree = Tree(f"[bold]{escape(name_of(root))}[/]")
    branches = {root: tree}
    waiting = [root]
    while waiting:
        source = waiting.pop(0)
        for edge in edges:
            if edge["source"] != source:
                continue
            job = (
                f"  [dim]{escape(name_of(edge['job']) if ':' in edge['job'] else edge['job'])}[/]"
                if edge.get("job")
                else ""
            )
            branch = branches[source].add(f"→ {escape(name_of(edge['target']))}{job}")
            if edge["target"] not in branches:
                branches[edge["target"]] = branch
                waiting.append(edge["target"])
    return tree


def impact_tree(answer: Mapping[str, Any]) -> Tree:
    """What an impact answer names, by distance; where the raw value arrives is red."""
    tree = Tree(f"[bold]{escape(name_of(answer['root']))}[/]")
    for item in sorted(answer["affected"], key=lambda item: (item["hops"], item["id"])):
        if item.get("columns") == "unknown":
            flow = "[yellow]perhaps: its job reports no columns[/]"
        else:
            flow = "[red]the raw value[/]" if item["raw"] else "[green]only masked[/]"
        owners = ", ".join(map(str, item.get("owners") or ())) or "nobody"
        hops = f"{item['hops']} hop{'s' if item['hops'] > 1 else ''}"
        kind = "consumer group" if item.get("jobType") == "CONSUMER_GROUP" else item["type"]
        tree.add(f"{kind} [bold]{escape(name_of(item['id']))}[/]  {flow}  [dim]{hops}, owned by {escape(owners)}[/]")
    return tree


def places_table(places: Sequence[Mapping[str, Any]]) -> Group:
    """A where-is report, by the part of the record, and below it which places flow on."""
    rows = table("topic", "field", "in", "state", right=("in",))
    flowing = table("flows on", "to")
    order = {"key": 0, "headers": 1, "value": 2}

    def part(place: Mapping[str, Any]) -> str:
        return next((root for root in order if place["path"].startswith(root)), "value")

    for place in sorted(places, key=lambda p: (order[part(p)], p["name"], p["path"])):
        share = place.get("share")
        flows = ", ".join(
            name_of(flow["id"]) + ("" if flow.get("raw") else " (masked)") for flow in place.get("flows") or ()
        )
        rows.add_row(
            escape(place["name"]),
            escape(place["path"]),
            f"{share:.0%}" if isinstance(share, int | float) else "",
            place["state"],
        )
        if flows:
            flowing.add_row(escape(f"{place['name']} {place['path']}"), escape(flows))
    shown = [whole_words(each) for each in (rows, flowing) if each.row_count]
    return Group(*shown)


def rows_table(answer: Mapping[str, Any]) -> Table:
    """A query's rows."""
    names = [column["name"] for column in answer["columns"]]
    result = table(*names)
    for row in answer["rows"]:
        result.add_row(*(short(value) for value in row))
    return whole_words(result)
