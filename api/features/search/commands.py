"""`weir search`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from api.terminal.names import complete_cluster, complete_entity, complete_user, require_entity
from api.terminal.options import As, Output, api
from api.terminal.output import Format, show
from api.terminal.vocabularies import SearchKind


def add_to(app: typer.Typer) -> None:
    """Register this module's command."""
    app.command(epilog="weir search email --kind field · weir search 'customer address' --owner otto")(search)


def search(
    words: Annotated[list[str] | None, typer.Argument(help="What to look for; everything when absent.")] = None,
    kind: Annotated[SearchKind | None, typer.Option(help="dataset or field.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only with this tag.")] = None,
    owner: Annotated[str | None, typer.Option(help="Only of this owner.", autocompletion=complete_user)] = None,
    entity: Annotated[
        str | None,
        typer.Option(help="Only fields that hold this kind of personal data.", autocompletion=complete_entity),
    ] = None,
    cluster: Annotated[str | None, typer.Option(help="Only of this cluster.", autocompletion=complete_cluster)] = None,
    datasets: Annotated[bool, typer.Option("--datasets", help="Datasets, each with its best fields.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Why each hit has its place.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most this many.")] = 20,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Search datasets and fields. Filters may be typed among the words: owner:otto tag:PII type:timestamp."""
    client = api(user)
    require_entity(client, entity)
    answer = client.get(
        "/api/v1/search",
        q=" ".join(words or []),
        kind=kind,
        tag=tag,
        owner=owner,
        entity=entity,
        cluster=cluster,
        group="dataset" if datasets else None,
        explain=explain or None,
        limit=limit,
    )
    empty = "The catalog is empty: weir scan --bootstrap-servers HOST:PORT."
    if words or kind or tag or owner or entity or cluster:
        empty = "Nothing fits. What is scanned is found; `weir dataset list` lists it."
    rows = [{**hit, "dataset": f"{client.shortened(hit['namespace'])}/{hit['name']}"} for hit in answer["hits"]]
    for row in rows:
        row["best fields"] = [each["path"] for each in row.get("bestFields", ())]
        row["why"] = _reasons(row.get("why"))
    columns = (
        ("dataset", "best fields", "owners", "description")
        if datasets
        else ("kind", "dataset", "path", "tags", "owners", "description")
    )
    show(rows, (*columns, *(("why",) if explain else ())), output, whole=answer, title=_found(answer), empty=empty)


def _found(answer: Mapping[str, Any]) -> str:
    """How many, which words the best hit lacks, and how they may be spelled."""
    title = f"{answer['total']} found"
    if answer["leftOut"]:
        title += f", without: {', '.join(answer['leftOut'])}"
    return title + (f". Did you mean: {answer['didYouMean']}" if answer["didYouMean"] else "")


def _reasons(why: Mapping[str, Any] | None) -> str:
    """`email in name (word), custmer in path (slip)`."""
    matches = (why or {}).get("held", ())
    return ", ".join(
        f"{each['needle']} missing" if each.get("missing") else f"{each['needle']} in {each['in']} ({each['how']})"
        for each in matches
    )
