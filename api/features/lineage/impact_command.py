"""`weir lineage impact`: what a change breaks, and a message to the owners of that."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from api.features.lineage.node_words import BASIS, Depth, node_id
from api.features.lineage.shown_impact import AffectedNode, Impact
from api.terminal.options import As, AsOf, api
from api.terminal.output import Format, console, escape, print_text, show
from lineage.model import Basis
from lineage.questions.changes import Change
from lineage.questions.exports import impact_markdown

if TYPE_CHECKING:
    from rich.tree import Tree

LONGEST_NOTE = 200
AFFECTED_EXIT = 3
"""Exit code of `weir lineage impact --fail-on` when it fails: a pipeline distinguishes it from a call that failed (1)."""


class ImpactFormat(StrEnum):
    """The `-o` of `weir lineage impact`."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"
    CSV = "csv"
    MARKDOWN = "markdown"


class FailOn(StrEnum):
    """What makes `weir lineage impact` fail."""

    NEVER = "never"
    AFFECTED = "affected"
    RAW = "raw"
    BREAKS = "breaks"


def add_to(group: typer.Typer) -> None:
    """Register this module's command."""
    group.command(
        epilog="weir lineage impact prod/orders --field value.customer.email · weir lineage impact cluster:prod -o csv ·"
        " weir lineage impact --field prod/orders:value.customer.email --change drop --fail-on affected -o markdown ·"
        ' weir lineage impact prod/orders --field value.customer.email --change drop --notify "On Monday at nine"'
    )(impact)


def impact(
    node: Annotated[
        str | None,
        typer.Argument(help="dataset:NS:NAME, datasetField:NS:NAME:FIELD, job:NS:NAME, prod/orders, or cluster:prod."),
    ] = None,
    field: Annotated[
        str | None, typer.Option(help="A field: value.customer.email of NODE, or prod/orders:value.customer.email.")
    ] = None,
    change: Annotated[
        Change | None,
        typer.Option(help="What is done to it: drop, rename, retype or mask (a field), lose (a dataset, a cluster)."),
    ] = None,
    fail_on: Annotated[
        FailOn,
        typer.Option(help=f"Exit with {AFFECTED_EXIT} if anything is affected, gets the raw value, or surely breaks."),
    ] = FailOn.NEVER,
    depth: Depth = 20,
    as_of: AsOf = None,
    basis: Annotated[Basis, typer.Option(help=BASIS)] = Basis.CONTENTS,
    output: Annotated[
        ImpactFormat, typer.Option("-o", "--output", help="How to print the answer; markdown for a merge request.")
    ] = ImpactFormat.TABLE,
    notify: Annotated[
        str | None,
        typer.Option(
            help=f"Notify the owners of what is affected, with this note: plain text of at most {LONGEST_NOTE} characters,"
            " '' for none."
        ),
    ] = None,
    user: As = None,
) -> None:
    """List what breaks downstream when a dataset or field is changed or lost; in CI, fail if something does."""
    of_what = _affecting(node, field, change, fail_on)
    if notify is not None and ("cluster" in of_what or as_of is not None):
        raise typer.BadParameter(
            "--notify needs one dataset, field or job as it is now: no cluster:NAME and no --as-of"
        )
    client = api(user)
    parameters: dict[str, object] = {"depth": depth, "asOf": as_of, "basis": basis, **of_what}
    answer = client.get("/api/v1/impact", **parameters)
    if notify is not None:
        sent = {key: parameters[key] for key in ("nodeId", "change", "depth", "basis")}
        answer["announced"] = client.post("/api/v1/impact/announcements", {**sent, "note": notify})
    match output:
        case ImpactFormat.CSV:
            print_text(client.text("/api/v1/impact", **parameters, format="csv"))
        case ImpactFormat.MARKDOWN:
            print_text(impact_markdown(answer, client.shortened))
        case ImpactFormat.TABLE:
            console.print(impact_tree(answer, client.shortened))
        case _:
            show(answer["affected"], (), Format(output), whole=answer)
    if notify is not None and output is ImpactFormat.TABLE:
        console.print(answer["announced"]["text"], markup=False)
    elif notify is not None:
        typer.echo(answer["announced"]["text"], err=True)
    if _fails(answer["affected"], fail_on):
        raise typer.Exit(AFFECTED_EXIT)
    if answer["truncated"] and fail_on is not FailOn.NEVER:
        typer.echo(
            "The answer was cut, so what is not in it may be affected too; ask with a smaller --depth.", err=True
        )
        raise typer.Exit(AFFECTED_EXIT)


def _affecting(node: str | None, field: str | None, change: Change | None, fail_on: FailOn) -> dict[str, object]:
    """The parameters that name what is changed and how. Raises BadParameter."""
    if node is None and field is None:
        raise typer.BadParameter("name a NODE, or --field DATASET:PATH")
    if node is not None and node.startswith("cluster:"):
        return {"cluster": node.removeprefix("cluster:")}
    if fail_on is FailOn.BREAKS and change is None:
        raise typer.BadParameter(
            "--fail-on breaks needs a --change: drop, rename, retype, mask or lose; without one nothing breaks"
        )
    return {"change": change, "nodeId": node_id(node, field) if node is not None else node_id(field or "")}


def _fails(affected: list[AffectedNode], fail_on: FailOn) -> bool:
    match fail_on:
        case FailOn.AFFECTED:
            return bool(affected)
        case FailOn.RAW:
            return any(item["raw"] for item in affected)
        case FailOn.BREAKS:
            return any(item.get("effect") in ("breaks", "loses_input") for item in affected)
        case _:
            return False


def impact_tree(answer: Impact, short: Callable[[str], str]) -> Tree:
    """The affected things by distance, raw values marked."""
    from rich.tree import Tree

    tree = Tree(f"[bold]{escape(short(answer['root']))}[/]")
    for hop in sorted({item["hops"] for item in answer["affected"]}):
        branch = tree.add(f"{hop} hop{'s' if hop > 1 else ''} away")
        for item in answer["affected"]:
            if item["hops"] == hop:
                flow = "[red]raw value[/]" if item["raw"] else "[green]masked on the way[/]"
                effect = f"  {item['effect'].replace('_', ' ')}" if item.get("effect") else ""
                commit = f"  at {str(item['commit'])[:12]}" if item.get("commit") else ""
                owners = ", ".join(item["owners"]) or "no owner"
                kind = "consumer group" if item.get("jobType") == "CONSUMER_GROUP" else item["type"]
                branch.add(
                    f"{kind} {escape(short(item['id']))}  {flow}{effect}{escape(commit)}  [dim]{escape(owners)}[/]"
                )
    if not answer["affected"]:
        tree.add("nothing downstream is known")
    if answer["truncated"]:
        tree.add("... and more: the answer was cut")
    return tree
