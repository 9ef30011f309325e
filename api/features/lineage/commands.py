"""`weir lineage`, `weir server rebuild`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, NotRequired, TypedDict
from urllib.parse import quote

import typer

from api.features.lineage import impact_command, reader_commands
from api.features.lineage.node_words import BASIS, Depth, NodeArgument, node_id
from api.terminal.options import As, AsOf, Output, api
from api.terminal.output import Format, console, escape, print_text, show
from api.terminal.vocabularies import Origin, Rebuilt
from api.terminal.words import noun
from lineage.model import Basis, Direction, Kind, Level


class GraphFormat(StrEnum):
    """The `-o` of `weir lineage`."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"
    CSV = "csv"
    DOT = "dot"
    MERMAID = "mermaid"


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    group = noun(app, "lineage")
    group.command(
        "show",
        epilog="weir lineage prod/orders --direction downstream · weir lineage prod/orders --level column ·"
        " weir lineage prod/orders -o mermaid · weir lineage prod/orders --as-of 2026-03-01T00:00:00Z"
        " · weir lineage show job:etl:load",
    )(lineage)
    impact_command.add_to(group)
    group.command(
        epilog="weir lineage reach prod/orders --to prod/report --at 2026-03-01T08:00:00Z · weir lineage reach prod/orders --at"
        " 2026-03-01T08:00:00Z"
    )(reach)
    noun(app, "server").command(epilog="weir server rebuild search · weir server rebuild lineage")(rebuild)
    reader_commands.add_to(app)


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
    basis: Annotated[Basis, typer.Option(help=BASIS)] = Basis.LAST_RUN,
    output: Annotated[GraphFormat, typer.Option("-o", "--output", help="How to print the answer.")] = GraphFormat.TABLE,
    user: As = None,
) -> None:
    """Show what feeds a dataset, field or job, and what it feeds."""
    client = api(user)
    parameters: dict[str, object] = {
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


class _Edge(TypedDict):
    source: str
    target: str
    job: NotRequired[str]
    masked: NotRequired[bool]
    stale: bool
    unfinished: NotRequired[bool]


def _edge_row(edge: _Edge, short: Callable[[str], str]) -> dict[str, object]:
    """`short` makes an id one that people read; a mark that is false stays empty."""
    return {
        **edge,
        "source": short(edge["source"]),
        "target": short(edge["target"]),
        "job": short(edge.get("job") or ""),
        **{mark: edge.get(mark) or None for mark in ("masked", "stale", "unfinished")},
    }


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
