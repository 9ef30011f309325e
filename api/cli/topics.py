"""`weir topic`: browse a topic's records; its partitions, configuration, groups, ACLs, rate and registry subjects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.markup import escape

from api.cli.cells import cell
from api.cli.declare import dataset_path
from api.cli.http import Api
from api.cli.names import complete_dataset
from api.cli.options import As, Output, api
from api.cli.output import Format, console, errors, show
from api.cli.queries import Purpose, follow_query
from catalog.errors import InvalidInput

Dataset = Annotated[str, typer.Argument(help="CLUSTER/TOPIC, as prod/orders.", autocompletion=complete_dataset)]
app = typer.Typer(no_args_is_help=True, help="One topic: its records page by page, partitions, groups, configuration.")
_WIDTH = 400
"""Characters of a value that are printed on a terminal; a pipe and -o json get all of them."""


class Where(StrEnum):
    """Where a text is looked for."""

    KEY = "key"
    VALUE = "value"
    HEADERS = "headers"


def add_to(main: typer.Typer) -> None:
    """Register this module's commands."""
    main.add_typer(app, name="topic")
    app.command(
        epilog="weir topic browse prod/orders · weir topic browse prod/orders --partition 1 --offset 10 --oldest"
        " · weir topic browse prod/orders --field value.region=EU --text example --as ana"
        " · weir topic browse prod/orders --time 2026-03-01T00:00:00Z --oldest -o json · weir topic browse prod/orders --follow"
    )(browse)
    app.command(epilog="weir topic partitions prod/orders")(partitions)
    app.command(epilog="weir topic config prod/orders · weir topic config prod/orders --all")(config)
    app.command(epilog="weir topic groups prod/orders · weir topic groups prod/orders --partitions")(groups)
    app.command(epilog="weir topic acls prod/orders")(acls)
    app.command(epilog="weir topic rate prod/orders --hours 24")(rate)
    app.command(
        epilog="weir topic subjects prod/payments"
        " · weir topic subjects prod/payments --subject payments-value --version 2 --before 1"
    )(subjects)


def browse(
    dataset: Dataset,
    oldest: Annotated[bool, typer.Option("--oldest", help="The oldest records first, or from the place on.")] = False,
    partition: Annotated[int | None, typer.Option(min=0, help="Only this partition.")] = None,
    offset: Annotated[int | None, typer.Option(min=0, help="Begin at this offset.")] = None,
    time: Annotated[str | None, typer.Option(help="Begin at this time, RFC 3339.")] = None,
    key: Annotated[str | None, typer.Option(help="Only records with this key.")] = None,
    text: Annotated[str | None, typer.Option(help="Only records that hold this text.")] = None,
    where: Annotated[list[Where] | None, typer.Option("--in", help="Where the text is; repeat for several.")] = None,
    field: Annotated[
        list[str] | None, typer.Option(help="PATH=VALUE or PATH!=VALUE; PATH= is null. Repeat for several.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most this many records.")] = 10,
    cursor: Annotated[str | None, typer.Option(help="A page that an earlier answer names.")] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Uncut, with the value as it was sent where you may see it.")
    ] = False,
    follow: Annotated[bool, typer.Option("--follow", help="Print what arrives from now on.")] = False,
    purpose: Purpose = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Print records, the newest first, as you may see them. A search continues until it has enough or the topic ends."""
    client, path = api(user), dataset_path(dataset)
    parameters: dict[str, Any] = {
        "order": "oldest" if oldest else "newest",
        "partition": partition,
        "offset": offset,
        "time": time,
        "key": key,
        "text": text,
        "in": [str(each) for each in where] if where else None,
        "field": field or None,
        "whole": whole or None,
        "purpose": purpose,
    }
    if follow:
        first = client.get(f"{path}/records", **{**parameters, "limit": 1})
        follow_query(client, first["follow"], purpose)
        return
    onward = "newer" if oldest else "older"
    page, records = _pages(client, f"{path}/records", {**parameters, "cursor": cursor}, limit, onward)
    if output in (Format.JSON, Format.YAML):
        show([], (), output, whole={**page, "records": records})
    elif output is Format.CSV:
        show(
            [{**r, "headers": r["headers"] or {}, "value": r["value"]} for r in records],
            ("timestamp", "partition", "offset", "key", "headers", "value"),
            output,
        )
    else:
        _print(page, records, onward)


def _pages(
    client: Api, path: str, parameters: Mapping[str, Any], limit: int, onward: str
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The last page, and the records of all; a search continues until it has `limit` of them or the topic ends."""
    searched = any(parameters[each] for each in ("key", "text", "field"))
    cursor = parameters["cursor"]
    records: list[dict[str, Any]] = []
    read = 0
    while True:
        page: dict[str, Any] = client.get(path, **{**parameters, "limit": limit - len(records), "cursor": cursor})
        records += page["records"]
        cursor = page[onward]
        read += (page["searched"] or {}).get("records", 0)
        if len(records) >= limit or cursor is None or not searched:
            return page, records
        if errors.is_terminal:
            errors.print(f"[dim]{read:,} offsets read, {len(records)} records found …[/]", end="\r")


def _print(page: Mapping[str, Any], records: list[dict[str, Any]], onward: str) -> None:
    for record in records:
        place = "" if record["offset"] is None else f"  partition {record['partition']}  offset {record['offset']}"
        size = record["bytes"] if page["rawReadable"] else record["shownBytes"]
        console.print(f"[bold]{record['timestamp']}[/]{place}  [dim]{_size(size)}[/]")
        shown = {"key": record["key"], "headers": record["headers"] or {}, "value": record["value"]}
        lines = [("raw", record["raw"])] if record.get("raw") is not None else list(_lines(shown))
        width = max((len(name) for name, _ in lines), default=0)
        for name, value in lines:
            text = cell(value, exact=True)
            kept = text if "raw" in record or not console.on_terminal else _shortened(text)
            more = f" … {len(text) - len(kept):,} more characters" if kept != text else ""
            console.print(f"  [cyan]{escape(name.ljust(width))}[/]  {escape(kept)}[dim]{more}[/]")
    if not records:
        console.print("No record here that you may see and that fits.")
    for column in page["columns"]:
        if column["decision"]["effect"] not in ("clear", "derived"):
            console.print(f"[dim]{escape(column['name'])}: {escape(column['decision']['text'])}[/]")
    if page["unreadable_text"]:
        console.print(f"[yellow]{escape(page['unreadable_text'])}[/]")
    if page["searched"]:
        console.print(f"[dim]{page['searched']['left']:,} offsets further on.[/]")
    if page[onward]:
        console.print(f"[dim]Next page: --cursor {page[onward]}[/]")


def _lines(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """(path, value) of every leaf; `key`, `headers.trace`, `customer.email`, `items[0].sku`."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            at = key if not name or name == "value" else f"{name}.{key}"
            yield from _lines(inner, at)
    elif isinstance(value, list) and value:
        for n, inner in enumerate(value):
            yield from _lines(inner, f"{name}[{n}]")
    elif not isinstance(value, Mapping):
        yield name, value


def _shortened(text: str) -> str:
    """The beginning of a long text, up to the end of a word where one ends."""
    if len(text) <= _WIDTH:
        return text
    head = text[:_WIDTH]
    return head if text[_WIDTH] == " " or " " not in head else head.rpartition(" ")[0]


def _size(n: int | None) -> str:
    if n is None:
        return "no value"
    for unit, size in (("MB", 1_000_000), ("kB", 1000)):
        if n >= size:
            return f"{n / size:.1f} {unit}"
    return f"{n} B"


def partitions(dataset: Dataset, output: Output = Format.TABLE, user: As = None) -> None:
    """List partitions: leader, replicas, in-sync replicas, offsets, records."""
    answer = api(user).get(f"{dataset_path(dataset)}/partitions")
    rows = [{**p, "in sync": p["inSync"]} for p in answer["partitions"]]
    total = "" if answer["records"] is None else f", about {answer['records']:,} records"
    show(
        rows,
        ("partition", "leader", "replicas", "in sync", "begin", "end", "records"),
        output,
        whole=answer,
        title=f"{len(rows)} partitions{total}",
    )
    _withheld(answer)


def config(
    dataset: Dataset,
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
    dataset: Dataset,
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


def acls(dataset: Dataset, output: Output = Format.TABLE, user: As = None) -> None:
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
    dataset: Dataset,
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
    dataset: Dataset,
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
