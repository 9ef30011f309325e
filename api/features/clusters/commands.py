"""`weir cluster`: the Kafka clusters that Weir knows, and the packages of a Spark cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from api.terminal.http import segment
from api.terminal.names import complete_cluster
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, escape, show
from api.terminal.text_input import text_of
from api.terminal.words import noun
from catalog.errors import InvalidInput, WeirError

_COLUMNS = ("name", "namespace", "bootstrapServers", "schemaRegistry")


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    group = noun(app, "cluster")
    group.command("list", epilog="weir cluster list · weir cluster list -o json")(list_clusters)
    group.command("show", epilog="weir cluster show prod")(show_cluster)
    group.command("test", epilog="weir cluster test prod · weir cluster test -f cluster.yaml")(test_cluster)
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


def test_cluster(
    name: Annotated[str | None, typer.Argument(help="A known cluster.", autocompletion=complete_cluster)] = None,
    file: Annotated[
        Path | None, typer.Option("-f", "--file", help="A document of kind Cluster that is not declared yet.")
    ] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Ask the servers of a cluster, from where Weir runs: what answers, which known cluster that is, what is wrong."""
    if (name is None) is (file is None):
        raise InvalidInput("Name a known cluster, or give --file with a document of kind Cluster.")
    client = api(user)
    if file is None:
        answer = client.post(f"/api/v1/clusters/{segment(str(name))}/test")
    else:
        answer = client.post("/api/v1/clusters/test", _cluster_in(file))
    rows = [{**each, "ok": "yes" if each["ok"] else "no"} for each in answer["checks"]]
    show(rows, ("what", "ok", "message"), output, whole=answer)
    if wrong := [each["what"] for each in answer["checks"] if not each["ok"]]:
        raise WeirError(f"{', '.join(wrong)} did not answer as declared; the table shows why.")


def _cluster_in(file: Path) -> dict[str, object]:
    """The one cluster of a file, as the API tests it. Raises InvalidInput."""
    import yaml

    try:
        documents = [each for each in yaml.safe_load_all(text_of(file)) if isinstance(each, dict)]
    except yaml.YAMLError:
        raise InvalidInput(f"{file} cannot be read as YAML; check its text.") from None
    clusters = [each for each in documents if each.get("kind") == "Cluster"]
    if len(clusters) != 1:
        raise InvalidInput(f"{file} has {len(clusters)} documents of kind Cluster; give a file with one.")
    (document,) = clusters
    return {"name": str((document.get("metadata") or {}).get("name") or ""), "spec": document.get("spec") or {}}


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
