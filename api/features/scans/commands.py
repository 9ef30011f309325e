"""`weir scan`, `weir search`, `weir where-is`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from api.terminal.http import dataset_path
from api.terminal.http import Api, segment
from api.terminal.names import complete_cluster, complete_dataset, complete_entity, complete_user, require_entity
from api.terminal.options import As, AsOf, Output, api
from api.terminal.output import Format, console, errors, print_text, show
from api.terminal.vocabularies import Found
from catalog.errors import WeirError
from scanners.model import Strategy


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.command(epilog="weir scan prod · weir scan --bootstrap-servers localhost:9092 --topics 'shop.*'")(scan)
    app.command(epilog="weir search email --kind field · weir search 'customer address' --owner otto")(search)
    app.command(epilog="weir related prod/orders · weir related prod/orders --limit 30 -o json")(related)
    app.command("where-is", epilog="weir where-is --entity EMAIL_ADDRESS · weir where-is --term customer-email -o csv")(
        where_is
    )


def scan(
    cluster: Annotated[
        str | None, typer.Argument(help="A declared cluster; `prod` in the demo.", autocompletion=complete_cluster)
    ] = None,
    topics: Annotated[list[str] | None, typer.Option(help="Topic name or pattern with *; repeat for several.")] = None,
    bootstrap_servers: Annotated[
        str | None, typer.Option(help="HOST:PORT of a Kafka that is not declared yet.")
    ] = None,
    schema_registry: Annotated[str | None, typer.Option(help="Its schema registry's URL.")] = None,
    strategy: Annotated[
        Strategy, typer.Option(help="stratified, latest, earliest, random, full or since-last.")
    ] = Strategy.STRATIFIED,
    records: Annotated[int, typer.Option(min=1, help="At most this many records of each topic.")] = 1000,
    max_bytes: Annotated[int | None, typer.Option(min=1, help="At most this many bytes of each topic.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="At most this long for a group of topics.")] = None,
    dead_letter: Annotated[
        bool, typer.Option("--dead-letter", help="Send records that cannot be decoded, raw, to a dead-letter topic.")
    ] = False,
    dead_letter_topic: Annotated[
        str | None, typer.Option(help="That topic, instead of the one of the settings; begins with an underscore.")
    ] = None,
    detach: Annotated[bool, typer.Option("--detach", help="Print the scan's id and return.")] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Sample topics, learn their schemas and find personal data in them."""
    client = api(user)
    sample = {
        "strategy": strategy,
        "records": records,
        "maxBytes": max_bytes or None,
        "maxSeconds": max_seconds or None,
        "deadLetter": dead_letter_topic or dead_letter or None,
    }
    where = {"bootstrapServers": bootstrap_servers, "schemaRegistry": schema_registry} if bootstrap_servers else {}
    request = {"topics": topics or ["*"], "sample": _given(sample), **where, **_given({"cluster": cluster or None})}
    started = client.post("/api/v1/scans", request)
    if detach:
        show([started], ("id", "state"), output, whole=started)
        return
    done = follow_scan(client, started["id"])
    causes = [problem["message"] for problem in done["problems"] if not problem.get("dataset")]
    if done["datasets"] or output is not Format.TABLE:
        _show_scan(done, output)
    if done["state"] != "done":
        raise WeirError(" ".join([f"The scan {done['id']} ended as {done['state']}.", *causes]))
    for cause in causes:
        errors.print(f"[yellow]![/] {escape(cause)}")


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields without those that were left out."""
    return {name: value for name, value in fields.items() if value is not None}


def follow_scan(client: Api, identifier: str) -> dict[str, Any]:
    """Wait for a scan's end, with a progress bar on a terminal. Ctrl-C cancels the scan."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task("Scanning topics", total=1.0)
        try:
            while True:
                answer: dict[str, Any] = client.get(f"/api/v1/scans/{segment(identifier)}")
                done = f"Scanning topics, {len(answer['datasets'])} done"
                bar.update(task, completed=answer["progress"], description=done)
                if answer["state"] in ("done", "failed", "cancelled"):
                    return answer
                time.sleep(0.3)
        except KeyboardInterrupt:
            client.post(f"/api/v1/scans/{segment(identifier)}/cancel")
            raise


def _show_scan(done: dict[str, Any], output: Format) -> None:
    show(
        scan_rows(done),
        ("topic", "format", "records", "fields", "shapes", "personalData"),
        output,
        whole=done,
    )
    for problem in done["problems"]:
        if problem.get("dataset"):
            errors.print(f"[yellow]![/] {escape(problem['dataset'])} {escape(problem['message'])}")


def scan_rows(done: dict[str, Any]) -> list[dict[str, Any]]:
    """A scan's datasets as table rows."""
    return [
        {
            "topic": item["name"],
            "format": item.get("format", {}).get("value", ""),
            "records": item.get("records", 0),
            "fields": item.get("fields", 0),
            "shapes": item.get("shapes", 0),
            "personalData": ", ".join(item.get("entities", [])),
        }
        for item in done["datasets"]
    ]


def search(
    words: Annotated[list[str] | None, typer.Argument(help="What to look for; everything when absent.")] = None,
    kind: Annotated[Found | None, typer.Option(help="dataset or field.")] = None,
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
        empty = "Nothing fits. What is scanned is found; `weir get datasets` lists it."
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


def related(
    dataset: Annotated[str, typer.Argument(help="CLUSTER/TOPIC, as prod/orders.", autocompletion=complete_dataset)],
    limit: Annotated[int, typer.Option(min=1, max=50, help="At most this many.")] = 10,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List datasets that belong with one: by shared keys, by queries that read both, by lineage."""
    client = api(user)
    answer = client.get(f"{dataset_path(dataset)}/related", limit=limit)
    rows = [{**each, "why": [_related_by(reason) for reason in each["reasons"]]} for each in answer["related"]]
    show(
        rows,
        ("dataset", "why", "description"),
        output,
        whole=answer,
        title=f"{answer['total']} related to {answer['dataset']}",
        empty="None: no key is shared, no query reads another with it, none is near in lineage.",
    )
    for each in answer["missing"]:
        errors.print(f"Without {each['kind'].replace('_', ' ')}: {each['message']}", markup=False)


def _related_by(reason: Mapping[str, Any]) -> str:
    match reason["kind"]:
        case "shared_key":
            tags = "".join(f", {tag}" for tag in reason["tags"])
            return f"shares {reason['field']} with {reason['other']} ({reason['type']}{tags})"
        case "read_together":
            return f"read together in {reason['queries']} {'query' if reason['queries'] == 1 else 'queries'}"
        case _:
            return f"{reason['distance']} {'step' if reason['distance'] == 1 else 'steps'} {reason['direction']}"


def where_is(
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
    """Report every place of a field or of a kind of personal data: who reads it, where it goes, who may see it."""
    parameters = {"field": field, "entity": entity, "term": term, "asOf": as_of}
    client = api(user)
    require_entity(client, entity)
    if html or output is Format.CSV:
        print_text(client.text("/api/v1/reports/where-is", **parameters, format="html" if html else "csv"))
        return
    answer = client.get("/api/v1/reports/where-is", **parameters)
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
        title=f"{len(rows)} places",
        empty="No place is known. A scan finds them: weir scan CLUSTER.",
    )
    if output is Format.TABLE:
        for gap in answer["gaps"]:
            console.print(f"[yellow]![/] {escape(gap if isinstance(gap, str) else gap['message'])}")
