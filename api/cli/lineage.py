"""`weir lineage`, `weir impact`, `weir rebuild`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.tree import Tree

from api.cli.options import As, AsOf, Output, api
from api.cli.output import Format, console, print_text, show

NodeArgument = Annotated[
    str, typer.Argument(help="dataset:NS:NAME, datasetField:NS:NAME:FIELD, job:NS:NAME, or prod/orders.")
]
Depth = Annotated[int, typer.Option(min=1, max=100, help="How many hops to follow.")]


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.command(epilog="weir lineage prod/orders --direction downstream · weir lineage prod/orders --level column")(
        lineage
    )
    app.command(epilog="weir impact prod/orders --field value.customer.email · weir impact prod/orders -o csv")(impact)
    app.command(epilog="weir rebuild search · weir rebuild lineage")(rebuild)


def node_id(text: str, field: str | None = None) -> str:
    """A node id from what people write: `prod/orders` is `dataset:prod:orders`."""
    if ":" not in text and "/" in text:
        namespace, _, name = text.partition("/")
        text = f"dataset:{namespace}:{name}"
    if field and text.startswith("dataset:"):
        return f"datasetField:{text.removeprefix('dataset:')}:{field}"
    return text


def lineage(
    node: NodeArgument,
    direction: Annotated[str, typer.Option(help="upstream, downstream or both.")] = "both",
    depth: Depth = 20,
    level: Annotated[str, typer.Option(help="dataset or column.")] = "dataset",
    as_of: AsOf = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show what feeds a dataset, field or job, and what it feeds."""
    client = api(user)
    answer = client.get(
        "/api/v1/lineage", nodeId=node_id(node), direction=direction, depth=depth, level=level, asOf=as_of
    )
    rows = [
        {
            **edge,
            **{end: client.shortened(edge[end]) for end in ("source", "target")},
            "job": client.shortened(edge.get("job") or ""),
            "masked": edge.get("masked") or None,
        }
        for edge in answer["edges"]
    ]
    show(rows, ("source", "kind", "target", "masked", "job", "from", "to"), output, whole=answer,
         empty="No lineage is known for it. Point a job's OpenLineage client at this Weir's /api/v1/lineage.")  # fmt: skip
    if answer["truncated"]:
        console.print("The graph goes on; ask with a smaller --depth or from a nearer node.")


def impact(
    node: NodeArgument,
    field: Annotated[str | None, typer.Option(help="A field of the dataset, as value.customer.email.")] = None,
    depth: Depth = 20,
    as_of: AsOf = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List what breaks downstream when a dataset or field is changed or lost."""
    target = node_id(node, field)
    client = api(user)
    if output is Format.CSV:
        print_text(client.text("/api/v1/impact", nodeId=target, depth=depth, asOf=as_of, format="csv"))
        return
    answer = client.get("/api/v1/impact", nodeId=target, depth=depth, asOf=as_of)
    if output is not Format.TABLE:
        show(answer["affected"], (), output, whole=answer)
        return
    console.print(impact_tree(answer, client.shortened))


def impact_tree(answer: dict[str, Any], short: Callable[[str], str]) -> Tree:
    """The affected things by distance, raw values marked."""
    tree = Tree(f"[bold]{escape(short(answer['root']))}[/]")
    for hop in sorted({item["hops"] for item in answer["affected"]}):
        branch = tree.add(f"{hop} hop{'s' if hop > 1 else ''} away")
        for item in answer["affected"]:
            if item["hops"] == hop:
                flow = "[red]raw value[/]" if item["raw"] else "[green]masked on the way[/]"
                owners = ", ".join(item.get("owners") or []) or "no owner"
                branch.add(f"{item['type']} {escape(short(item['id']))}  {flow}  [dim]{escape(owners)}[/]")
    if not answer["affected"]:
        tree.add("nothing downstream is known")
    if answer["truncated"]:
        tree.add("... and more: the answer was cut")
    return tree


def rebuild(
    what: Annotated[str, typer.Argument(help="search or lineage.")],
    user: As = None,
) -> None:
    """Rebuild the search index from the record store, or the lineage graph from its topic."""
    with console.status(f"Rebuilding {what} ..."):
        answer = api(user).post(f"/api/v1/rebuild/{what}")
    console.print(f"Rebuilt {what}: " + ", ".join(f"{count} {name}" for name, count in answer.items()) + ".")
