"""`weir cluster`: the Kafka clusters that Weir knows."""

from __future__ import annotations

from typing import Annotated

import typer

from api.terminal.http import segment
from api.terminal.names import complete_cluster
from api.terminal.options import As, Output, api
from api.terminal.output import Format, show
from api.terminal.words import noun

_COLUMNS = ("name", "namespace", "bootstrapServers", "schemaRegistry")


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    group = noun(app, "cluster")
    group.command("list", epilog="weir cluster list · weir cluster list -o json")(list_clusters)
    group.command("show", epilog="weir cluster show prod")(show_cluster)


def list_clusters(output: Output = Format.TABLE, user: As = None) -> None:
    """List the clusters, with the number of datasets of each."""
    answer = api(user).get("/api/v1/clusters")
    none = "No clusters yet: weir scan --bootstrap-servers HOST:PORT."
    show(answer["clusters"], (*_COLUMNS, "datasets"), output, whole=answer, empty=none)


def show_cluster(
    name: Annotated[str, typer.Argument(help="A declared cluster.", autocompletion=complete_cluster)],
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show one cluster: its namespace, brokers and schema registry."""
    show([api(user).get(f"/api/v1/clusters/{segment(name)}")], _COLUMNS, output)
