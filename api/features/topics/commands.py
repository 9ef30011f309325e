"""`weir dataset`: browse a topic's records; its partitions, configuration, groups, ACLs, rate and registry subjects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.filesize import decimal

from api.features.records.browsing import browse
from api.terminal.http import dataset_path
from api.terminal.options import As, Output, Topic, api
from api.terminal.output import Format, console, errors, escape, show
from api.terminal.words import noun
from catalog.errors import InvalidInput


def add_to(main: typer.Typer) -> None:
    """Register this module's commands."""
    app = noun(main, "dataset")
    app.command(
        epilog="weir dataset browse prod/orders · weir dataset browse prod/orders --partition 1 --offset 10 --oldest"
        " · weir dataset browse prod/orders --field value.region=EU --text example --as ana"
        " · weir dataset browse prod/orders --time 2026-03-01T00:00:00Z --oldest -o json · weir dataset browse prod/orders --follow"
    )(browse)
    app.command(epilog="weir dataset partitions prod/orders")(partitions)
    app.command(epilog="weir dataset config prod/orders · weir dataset config prod/orders --all")(config)
    app.command(epilog="weir dataset groups prod/orders · weir dataset groups prod/orders --partitions")(groups)
    app.command(epilog="weir dataset acls prod/orders")(acls)
    app.command(epilog="weir dataset rate prod/orders --hours 24")(rate)
    app.command(
        epilog="weir dataset subjects prod/payments"
        " · weir dataset subjects prod/payments --subject payments-value --version 2 --before 1"
    )(subjects)


def partitions(dataset: Topic, output: Output = Format.TABLE, user: As = None) -> None:
    """List partitions: leader, replicas, in-sync replicas, offsets, records, bytes on disk."""
    answer = api(user).get(f"{dataset_path(dataset)}/partitions")
    rows = [
        {**p, "in sync": p["inSync"], "size": None if p["size"] is None else decimal(p["size"])}
        for p in answer["partitions"]
    ]
    total = "" if answer["records"] is None else f", about {answer['records']:,} records"
    if answer["size"] is not None:
        total += f", {decimal(answer['size'])} a copy"
    show(
        rows,
        ("partition", "leader", "replicas", "in sync", "begin", "end", "records", "size"),
        output,
        whole=answer,
        title=f"{len(rows)} partitions{total}",
    )
    _withheld(answer)


def config(
    dataset: Topic,
    all_: Annotated[bool, typer.Option("--all", help="Defaults, too.")] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List the topic's configuration: what is set for the topic or the brokers, with --all the defaults too."""
    answer = api(user).get(f"{dataset_path(dataset)}/config")
    rows = [c for c in answer["configs"] if all_ or c["source"] != "default"]
    show(
        rows,
        ("name", "value", "source"),
        output,
        whole=answer,
        empty=answer["message"] or "Every setting has its default; --all lists them.",
    )


def groups(
    dataset: Topic,
    by_partition: Annotated[bool, typer.Option("--partitions", help="One row a partition, with its member.")] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List consumer groups that read the topic: members, and how far each is behind."""
    answer = api(user).get(f"{dataset_path(dataset)}/consumer-groups")
    rows = [
        {"group": g["name"], "state": g["state"], "members": [m["client"] for m in g["members"]], "lag": g["lag"]}
        for g in answer["groups"]
    ]
    columns: tuple[str, ...] = ("group", "state", "members", "lag")
    if by_partition:
        rows = [{"group": g["name"], **p} for g in answer["groups"] for p in g["partitions"]]
        columns = ("group", "partition", "committed", "end", "lag", "member")
    show(rows, columns, output, whole=answer, empty="No consumer group reads this topic.")
    if answer["unread"]:
        errors.print(f"[yellow]{answer['unread']} groups of the cluster could not be looked at.[/]")
    _withheld(answer)


def acls(dataset: Topic, output: Output = Format.TABLE, user: As = None) -> None:
    """List the brokers' ACLs that concern the topic; for its owners and for who has the permission report:read."""
    answer = api(user).get(f"{dataset_path(dataset)}/acls")
    show(
        answer["entries"],
        ("principal", "permission", "operation", "host", "resource", "pattern"),
        output,
        whole=answer,
        empty=answer["message"] or "",
    )


def rate(
    dataset: Topic,
    hours: Annotated[int, typer.Option(min=1, max=2160, help="How far back.")] = 24,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Count records by the times they are stamped with."""
    answer = api(user).get(f"{dataset_path(dataset)}/rate", hours=hours)
    most = max((b["records"] for b in answer["buckets"]), default=0)
    rows = [{**b, "share": "█" * round(40 * b["records"] / most) if most else ""} for b in answer["buckets"]]
    title = "" if answer["records"] is None else f"{answer['records']:,} records, {answer['perSecond']:.3g} a second"
    show(rows, ("at", "records", "share"), output, whole=answer, title=title, empty="Records are not counted for you.")
    _withheld(answer)


def subjects(
    dataset: Topic,
    subject: Annotated[str | None, typer.Option(help="Print a version of this subject.")] = None,
    version: Annotated[int | None, typer.Option(min=1, help="Which; the newest when absent.")] = None,
    before: Annotated[int | None, typer.Option(min=1, help="Show what changed since this version.")] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List the registry's subjects of the topic with their versions, or print one version or the difference of two."""
    client, path = api(user), dataset_path(dataset)
    answer = client.get(f"{path}/subjects")
    if subject is None:
        rows = [
            {
                "subject": s["subject"],
                "type": s["versions"][0]["type"],
                "versions": [v["version"] for v in s["versions"]],
            }
            for s in answer["subjects"]
        ]
        empty = "The registry has no subject of this topic." if answer["registry"] else "The cluster names no registry."
        show(rows, ("subject", "type", "versions"), output, whole=answer, empty=empty)
        for problem in answer["problems"]:
            errors.print(f"[yellow]{escape(problem)}[/]")
        return
    known = {s["subject"]: s["versions"] for s in answer["subjects"]}
    if subject not in known:
        raise InvalidInput(f"{dataset} has no subject {subject}; it has {', '.join(known) or 'none'}.")
    number = version or known[subject][0]["version"]
    results = client.get(f"{path}/subjects/diff", subject=subject, version=number, before=before)
    if output is not Format.TABLE:
        show(results["lines"], ("change", "text"), output, whole=results)
        return
    marks = {"same": ("  ", ""), "added": ("+ ", "green"), "removed": ("- ", "red")}
    for line in results["lines"]:
        mark, colour = marks[line["change"]]
        text = escape(mark + line["text"])
        console.print(f"[{colour}]{text}[/]" if colour else text)


def _withheld(answer: Mapping[str, Any]) -> None:
    if answer["withheld"]:
        errors.print("[dim]You see some rows only, so what counts records is withheld.[/]")
