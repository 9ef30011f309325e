"""`weir cluster`: the Kafka clusters that Weir knows, and the packages of a Spark cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from api.terminal.http import segment
from api.terminal.names import complete_cluster
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, escape, show
from api.terminal.words import noun

_COLUMNS = ("name", "namespace", "bootstrapServers", "schemaRegistry")


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    group = noun(app, "cluster")
    group.command("list", epilog="weir cluster list · weir cluster list -o json")(list_clusters)
    group.command("show", epilog="weir cluster show prod")(show_cluster)
    group.command(epilog="weir cluster pack environment.tar.gz · weir cluster pack environment.tar.gz --fast -o json")(
        pack
    )


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


def pack(
    file: Annotated[Path, typer.Argument(metavar="FILE.tar.gz", help="The file to write; it must not be there yet.")],
    fast: Annotated[
        bool, typer.Option("--fast", help="With hyperscan and numba, where they are installed here.")
    ] = False,
    output: Output = Format.TABLE,
) -> None:
    """Pack the Python packages that executors of a Spark cluster need, on this machine; the API is not asked."""
    from api.wiring import executor_archive

    packed = executor_archive.pack(file, fast)
    facts = {"file": str(packed.file), "bytes": packed.size, "python": packed.python, "packages": list(packed.packages)}
    if output is not Format.TABLE:
        show([facts], tuple(facts), output, whole=facts)
        return
    console.print(f"{escape(str(file))}: {len(packed.packages)} packages, {packed.size / 1e6:,.1f} MB.")
    console.print(f"Executors need Python {escape(packed.python)}; the archive refuses another one.")
