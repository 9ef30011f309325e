"""`weir scan`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, TypedDict

import typer

from api.terminal.http import Api, segment
from api.terminal.names import complete_cluster
from api.terminal.options import As, Output, api
from api.terminal.output import Format, errors, escape, show
from catalog.errors import WeirError
from scanners.model import Strategy


def add_to(app: typer.Typer) -> None:
    """Register this module's command."""
    app.command(epilog="weir scan prod · weir scan --bootstrap-servers localhost:9092 --topics 'shop.*'")(scan)


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
    reread: Annotated[
        bool, typer.Option("--reread", help="Read also topics that did not change since their last scan.")
    ] = False,
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
    given = _given({"cluster": cluster or None, "reread": reread or None})
    request = {"topics": topics or ["*"], "sample": _given(sample), **where, **given}
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


def _given(fields: Mapping[str, Any]) -> dict[str, object]:
    """The fields without those that were left out."""
    return {name: value for name, value in fields.items() if value is not None}


class _Item(TypedDict):
    """What a scan read of a dataset; what it did not get to is missing."""

    name: str
    format: NotRequired[dict[str, str]]
    records: NotRequired[int]
    fields: NotRequired[int]
    shapes: NotRequired[int]
    entities: NotRequired[list[str]]
    unchanged: NotRequired[bool]


class Scan(TypedDict):
    """A scan, while it runs and after it."""

    id: str
    state: str
    progress: float
    datasets: list[_Item]
    problems: list[dict[str, str]]


def follow_scan(client: Api, identifier: str) -> Scan:
    """Wait for a scan's end, with a progress bar on a terminal. Ctrl-C cancels the scan."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=errors.rich, transient=True, disable=not errors.rich.is_terminal) as bar:
        task = bar.add_task("Scanning topics", total=1.0)
        try:
            while True:
                answer: Scan = client.get(f"/api/v1/scans/{segment(identifier)}")
                done = f"Scanning topics, {len(answer['datasets'])} done"
                bar.update(task, completed=answer["progress"], description=done)
                if answer["state"] in ("done", "failed", "cancelled"):
                    return answer
                time.sleep(0.3)
        except KeyboardInterrupt:
            client.post(f"/api/v1/scans/{segment(identifier)}/cancel")
            raise


def _show_scan(done: Scan, output: Format) -> None:
    show(
        scan_rows(done),
        ("topic", "format", "records", "fields", "shapes", "personalData"),
        output,
        whole=done,
    )
    if same := sum(1 for item in done["datasets"] if item.get("unchanged")):
        topics = "1 topic" if same == 1 else f"{same:,} topics"
        errors.print(f"{topics} did not change since the last scan and gave its figures; --reread reads again.")
    for problem in done["problems"]:
        if problem.get("dataset"):
            errors.print(f"[yellow]![/] {escape(problem['dataset'])} {escape(problem['message'])}")


def scan_rows(done: Scan) -> list[dict[str, object]]:
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
