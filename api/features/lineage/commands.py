"""`weir lineage`, `weir server rebuild`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from api.features.lineage import reader_commands
from api.terminal.options import As, AsOf, Output, api
from api.terminal.output import Format, console, escape, print_text, show
from api.terminal.vocabularies import Origin, Rebuilt
from api.terminal.words import noun
from catalog.errors import InvalidInput
from catalog.node_ids import read_id, write_id
from lineage.model import Basis, Direction, Kind, Level
from lineage.questions.changes import Change
from lineage.questions.exports import impact_markdown

if TYPE_CHECKING:
    from rich.tree import Tree

NodeArgument = Annotated[
    str, typer.Argument(help="dataset:NS:NAME, datasetField:NS:NAME:FIELD, job:NS:NAME, or prod/orders.")
]
Depth = Annotated[int, typer.Option(min=1, max=100, help="How many hops to follow.")]

_BASIS = "contents: whatever holds data that came from it; last_run: what the last runs read and write."

AFFECTED_EXIT = 3
"""Exit code of `weir lineage impact --fail-on` when it fails: a pipeline distinguishes it from a call that failed (1)."""


class GraphFormat(StrEnum):
    """The `-o` of `weir lineage`."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"
    CSV = "csv"
    DOT = "dot"
    MERMAID = "mermaid"


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


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    group = noun(app, "lineage")
    group.command(
        "show",
        epilog="weir lineage prod/orders --direction downstream · weir lineage prod/orders --level column ·"
        " weir lineage prod/orders -o mermaid · weir lineage prod/orders --as-of 2026-03-01T00:00:00Z"
        " · weir lineage show job:etl:load",
    )(lineage)
    group.command(
        epilog="weir lineage impact prod/orders --field value.customer.email · weir lineage impact cluster:prod -o csv ·"
        " weir lineage impact --field prod/orders:value.customer.email --change drop --fail-on affected -o markdown"
    )(impact)
    group.command(
        epilog="weir lineage reach prod/orders --to prod/report --at 2026-03-01T08:00:00Z · weir lineage reach prod/orders --at"
        " 2026-03-01T08:00:00Z"
    )(reach)
    noun(app, "server").command(epilog="weir server rebuild search · weir server rebuild lineage")(rebuild)
    reader_commands.add_to(app)


def node_id(text: str, field: str | None = None) -> str:
    """A node id from what people write: `prod/orders` is `dataset:prod:orders`, `prod/orders:value.id` its field.

    Raises InvalidInput for a word that is neither.
    """
    if "/" not in text and ":" not in text:
        raise InvalidInput(f"{text!r} names no dataset; write CLUSTER/TOPIC, as in prod/orders.")
    if not text.startswith(("dataset:", "datasetField:", "job:", "urn:")) and "/" in text:
        host, slashes, rest = text.rpartition("//")
        namespace, _, name = rest.partition("/")
        name, _, of = name.partition(":")
        if not name:
            raise InvalidInput(f"{text!r} names no dataset; write CLUSTER/TOPIC, as in prod/orders.")
        return write_id(*_kind_and(f"{host}{slashes}{namespace}", name, field or of or None))
    if field and text.startswith("dataset:"):
        parts = read_id(text)
        if parts is None:  # only the graph can tell its parts: the server finds them
            return f"datasetField:{text.removeprefix('dataset:')}:{field}"
        return write_id("field", parts[1], parts[2], field)
    return text


def _kind_and(namespace: str, name: str, field: str | None) -> tuple[str, str, str, str | None]:
    return "field" if field else "dataset", namespace, name, field


def lineage(
    node: NodeArgument,
    direction: Annotated[Direction, typer.Option(help="upstream, downstream or both.")] = Direction.BOTH,
    depth: Depth = 20,
    level: Annotated[Level, typer.Option(help="dataset or column.")] = Level.DATASET,
    as_of: AsOf = None,
    job: Annotated[list[str] | None, typer.Option(help="Only flows of this job, as job:NS:NAME.")] = None,
    namespace: Annotated[list[str] | None, typer.Option(help="Only flows within this namespace.")] = None,
    kind: Annotated[list[Kind] | None, typer.Option(help="Only edges of this kind: feeds, reads, derives...")] = None,
    origin: Annotated[list[Origin] | None, typer.Option(help="Only observed, declared or permitted edges.")] = None,
    basis: Annotated[Basis, typer.Option(help=_BASIS)] = Basis.LAST_RUN,
    output: Annotated[GraphFormat, typer.Option("-o", "--output", help="How to print the answer.")] = GraphFormat.TABLE,
    user: As = None,
) -> None:
    """Show what feeds a dataset, field or job, and what it feeds."""
    client = api(user)
    parameters: dict[str, Any] = {
        "nodeId": node_id(node),
        "direction": direction,
        "depth": depth,
        "level": level,
        "asOf": as_of,
        "job": job,
        "namespace": namespace,
        "kind": kind,
        "origin": origin,
        "basis": basis,
    }
    if output in (GraphFormat.CSV, GraphFormat.DOT, GraphFormat.MERMAID):
        print_text(client.text("/api/v1/lineage", **parameters, format=str(output)))
        return
    answer = client.get("/api/v1/lineage", **parameters)
    show(
        [_edge_row(edge, client.shortened) for edge in answer["edges"]],
        ("source", "kind", "target", "masked", "job", "origin", "from", "to", "stale", "unfinished"),
        Format(output),
        whole=answer,
        empty=_nothing_known(answer, client.shortened),
    )
    unknown = answer.get("columnsUnknown") or []
    if unknown and answer["edges"] and output is GraphFormat.TABLE:
        console.print(_unknown_columns(unknown, client.shortened), markup=False)
    if answer["truncated"]:
        console.print("The graph continues; ask with a smaller --depth or from a nearer node.")


def _nothing_known(answer: Mapping[str, Any], short: Callable[[str], str]) -> str:
    """The reason why an answer has no edges, and what to do."""
    if answer.get("columnsUnknown"):
        return f"{_unknown_columns(answer['columnsUnknown'], short)}\nWithout --level column the datasets are shown."
    return "No lineage is known for it. Point a job's OpenLineage client at this Weir."


def _unknown_columns(flows: Sequence[Mapping[str, Any]], short: Callable[[str], str]) -> str:
    """Which jobs reported no columns, of which flows, and how each can."""
    by_job: dict[tuple[str, str], list[str]] = {}
    for flow in flows:
        flowing = f"{short(flow['source'])} -> {short(flow['target'])}"
        by_job.setdefault((flow["job"] or "", flow["way"]), []).append(flowing)
    lines = []
    for (job, way), ends in by_job.items():
        more = f" and {len(ends) - 3} more" if len(ends) > 3 else ""
        who = short(job) if job else "A declaration"
        lines.append(f"{who} reported no columns of {', '.join(ends[:3])}{more}. To get them: {way}.")
    return "\n".join(lines)


def _edge_row(edge: dict[str, Any], short: Callable[[str], str]) -> dict[str, Any]:
    """`short` makes an id one that people read; a mark that is false stays empty."""
    return {
        **edge,
        **{end: short(edge[end]) for end in ("source", "target")},
        "job": short(edge.get("job") or ""),
        **{mark: edge.get(mark) or None for mark in ("masked", "stale", "unfinished")},
    }


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
    basis: Annotated[Basis, typer.Option(help=_BASIS)] = Basis.CONTENTS,
    output: Annotated[
        ImpactFormat, typer.Option("-o", "--output", help="How to print the answer; markdown for a merge request.")
    ] = ImpactFormat.TABLE,
    user: As = None,
) -> None:
    """List what breaks downstream when a dataset or field is changed or lost; in CI, fail if something does."""
    of_what = _affecting(node, field, change, fail_on)
    client = api(user)
    parameters: dict[str, Any] = {"depth": depth, "asOf": as_of, "basis": basis, **of_what}
    answer = client.get("/api/v1/impact", **parameters)
    match output:
        case ImpactFormat.CSV:
            print_text(client.text("/api/v1/impact", **parameters, format="csv"))
        case ImpactFormat.MARKDOWN:
            print_text(impact_markdown(answer, client.shortened))
        case ImpactFormat.TABLE:
            console.print(impact_tree(answer, client.shortened))
        case _:
            show(answer["affected"], (), Format(output), whole=answer)
    if _fails(answer["affected"], fail_on):
        raise typer.Exit(AFFECTED_EXIT)
    if answer["truncated"] and fail_on is not FailOn.NEVER:
        typer.echo(
            "The answer was cut, so what is not in it may be affected too; ask with a smaller --depth.", err=True
        )
        raise typer.Exit(AFFECTED_EXIT)


def _affecting(node: str | None, field: str | None, change: Change | None, fail_on: FailOn) -> dict[str, Any]:
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


def _fails(affected: list[dict[str, Any]], fail_on: FailOn) -> bool:
    match fail_on:
        case FailOn.AFFECTED:
            return bool(affected)
        case FailOn.RAW:
            return any(item["raw"] for item in affected)
        case FailOn.BREAKS:
            return any(item.get("effect") in ("breaks", "loses_input") for item in affected)
        case _:
            return False


def impact_tree(answer: dict[str, Any], short: Callable[[str], str]) -> Tree:
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
                owners = ", ".join(item.get("owners") or []) or "no owner"
                kind = "consumer group" if item.get("jobType") == "CONSUMER_GROUP" else item["type"]
                branch.add(
                    f"{kind} {escape(short(item['id']))}  {flow}{effect}{escape(commit)}  [dim]{escape(owners)}[/]"
                )
    if not answer["affected"]:
        tree.add("nothing downstream is known")
    if answer["truncated"]:
        tree.add("... and more: the answer was cut")
    return tree


def reach(
    node: NodeArgument,
    to: Annotated[str | None, typer.Option(help="Where it may have come; without it, everywhere it may have.")] = None,
    at: Annotated[str | None, typer.Option(help="When it was there, RFC 3339; without it, now.")] = None,
    until: Annotated[str | None, typer.Option(help="By when it may have come, RFC 3339.")] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show whether what was in a dataset or field at a time (a bad batch) could have come to another."""
    client = api(user)
    parameters = {"from": node_id(node), "to": node_id(to) if to else None, "at": at, "until": until}
    answer = client.get("/api/v1/lineage/reach", **parameters)
    if output is Format.TABLE and to is not None:
        if not answer["could"]:
            console.print(f"No: no way that was open then leads to {escape(client.shortened(answer['to']))}.")
            return
        sure = (
            "each step was reported again since" if answer["confirmed"] else "not every step was reported again since"
        )
        console.print(f"Yes, from {answer['arrival']} on ({sure}; {'raw' if answer['raw'] else 'masked'}):")
        rows = answer["path"]
        columns: tuple[str, ...] = ("source", "target", "job", "from", "to", "seen")
    else:
        rows = answer.get("reached", answer.get("path", []))
        columns = ("id", "type", "arrival", "hops", "confirmed", "raw")
    short = [
        {**row, **{k: client.shortened(row[k]) for k in ("id", "source", "target", "job") if row.get(k)}}
        for row in rows
    ]
    show(short, columns, output, whole=answer, empty="Nowhere: no flow out of it was open then.")


def rebuild(
    what: Annotated[Rebuilt, typer.Argument(help="search or lineage.")],
    user: As = None,
) -> None:
    """Rebuild the search index from the record store, or the lineage graph from its topic."""
    with console.status(f"Rebuilding {what} ..."):
        answer = api(user).post(f"/api/v1/rebuild/{quote(what, safe='')}")
    console.print(f"Rebuilt {what}: " + ", ".join(f"{count} {name}" for name, count in answer.items()) + ".")
