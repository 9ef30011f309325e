"""`weir cluster groups`, `weir cluster connectors`, `weir dataset readers`, `weir lineage sql`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from api.terminal.http import segment
from api.terminal.names import complete_cluster
from api.terminal.options import As, AsOf, Output, Topic, api
from api.terminal.output import Format, console, errors, escape, show
from api.terminal.text_input import text_of
from api.terminal.words import noun
from catalog.errors import InvalidInput

Cluster = Annotated[
    str, typer.Argument(help="A declared cluster; `prod` in the demo.", autocompletion=complete_cluster)
]


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    cluster, dataset, lineage = (noun(app, name) for name in ("cluster", "dataset", "lineage"))
    cluster.command(epilog="weir cluster groups prod · weir cluster groups prod --topic orders -o json")(groups)
    cluster.command(epilog="weir cluster connectors prod")(connectors)
    dataset.command(
        epilog="weir dataset readers prod/orders · weir dataset readers prod/orders --as-of 2026-03-01T00:00:00Z"
    )(readers)
    lineage.command(
        "sql", epilog="weir lineage sql job.sql --dialect flink --cluster prod · cat q.sql | weir lineage sql -"
    )(sql_lineage)


def groups(
    cluster: Cluster,
    topic: Annotated[str | None, typer.Option(help="Only groups that read this topic.")] = None,
    search: Annotated[str | None, typer.Option(help="Only groups whose name holds this.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500)] = 100,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List consumer groups: members, topics, and how far each is behind."""
    answer = api(user).get(
        f"/api/v1/clusters/{segment(cluster)}/consumer-groups", topic=topic, search=search, limit=limit
    )
    rows = [
        {
            **group,
            "topics": [t["topic"] for t in group["topics"]],
            "lag": sum(t["lag"] or 0 for t in group["topics"]) if group["topics"] else "",
        }
        for group in answer["groups"]
    ]
    show(
        rows,
        ("name", "state", "members", "topics", "lag"),
        output,
        whole=answer,
        title=f"{answer['total']} groups",
        empty="No consumer group fits." if topic or search else "No consumer group reads from this cluster.",
    )


def connectors(cluster: Cluster, output: Output = Format.TABLE, user: As = None) -> None:
    """List the connectors of the cluster's Kafka Connect."""
    answer = api(user).get(f"/api/v1/clusters/{segment(cluster)}/connectors")
    show(
        answer["connectors"],
        ("name", "type", "state", "topics", "outside"),
        output,
        whole=answer,
        empty="Kafka Connect runs no connector.",
    )


def readers(
    dataset: Topic,
    as_of: AsOf = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show who reads a dataset: observed, declared, and permitted."""
    cluster, _, topic = dataset.partition("/")
    if not topic:
        raise InvalidInput(f"{dataset!r} is not CLUSTER/TOPIC, as in prod/orders.")
    client = api(user)
    answer = client.get(f"/api/v1/datasets/{segment(cluster)}/{segment(topic)}/readers", asOf=as_of)
    rows: list[dict[str, object]] = [
        {
            "how": origin,
            "kind": r["kind"],
            "reader": client.shortened(r["job"]),
            "seen": r["seen"],
            "owners": r["owners"],
        }
        for origin in ("observed", "declared")
        for r in answer[origin]
    ]
    rows += [
        {"how": "permitted", "kind": r["kind"], "reader": r["subject"], "seen": "", "owners": []}
        for r in answer["permitted"] or ()
    ]
    show(rows, ("how", "kind", "reader", "seen", "owners"), output, whole=answer, empty="Nobody is known to read it.")
    if answer["permitted"] is None:
        errors.print("Who may read it by Weir is shown to its owners and to those with the permission report:read.")


def sql_lineage(
    file: Annotated[str, typer.Argument(help="A file with SQL; - for standard input.")],
    dialect: Annotated[str | None, typer.Option(help="spark, flink, ksqldb, trino, postgres, mysql, ...")] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Where tables without a cluster are looked up.", autocompletion=complete_cluster)
    ] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show which columns a statement makes of which, over the catalog's schemas, without running it."""
    body = {"sql": text_of(Path(file)), "dialect": dialect, "cluster": cluster}
    answer = api(user).post("/api/v1/lineage/sql", body)
    rows = [
        {
            "from": f"{e['source']['table']}.{e['source']['column']}",
            "to": ".".join(part for part in (e["target"]["table"], e["target"]["column"]) if part),
            "how": e["subtype"].lower(),
            "masked": e["masking"] or None,
        }
        for e in answer["edges"]
    ]
    show(rows, ("from", "to", "how", "masked"), output, whole=answer, empty="No column of it could be determined.")
    if output is Format.TABLE:
        for sentence in answer["unknown"]:
            console.print(f"[yellow]![/] {escape(sentence)}")
