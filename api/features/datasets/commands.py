"""`weir dataset`: datasets listed, their schemas shown and compared, kinds of personal data, related ones."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, NotRequired, TypedDict

import typer
from rich.filesize import decimal

from api.terminal.http import dataset_path
from api.terminal.options import As, Output, Topic, api
from api.terminal.output import Format, console, errors, print_text, show
from api.terminal.schema_table import show_schema
from api.terminal.words import noun


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    group = noun(app, "dataset")
    group.command("list", epilog="weir dataset list · weir dataset list -o csv")(list_datasets)
    group.command("show", epilog="weir dataset show prod/orders")(show_dataset)
    group.command(epilog="weir dataset schema prod/orders · weir dataset schema prod/orders -o avro")(schema)
    group.command(
        epilog="weir dataset diff prod/orders · weir dataset diff prod/orders --from 1 --to 3"
        " · weir dataset diff prod/orders --versions"
    )(diff)
    group.command("personal-data", epilog="weir dataset personal-data prod/orders")(personal_data)
    group.command(epilog="weir dataset related prod/orders · weir dataset related prod/orders --limit 30 -o json")(
        related
    )


_COLUMNS = ("reference", "format", "records", "size", "description", "owners", "tags", "scannedAt")


class SchemaFormat(StrEnum):
    """The `-o` of a schema."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"
    CSV = "csv"
    DDL = "ddl"
    SPARK = "spark"
    JSONSCHEMA = "jsonschema"
    AVRO = "avro"
    PYDANTIC = "pydantic"


def list_datasets(output: Output = Format.TABLE, user: As = None) -> None:
    """List all datasets that you may know of."""
    answer = api(user).all("/api/v1/datasets", "datasets")
    none = "No datasets yet: weir scan --bootstrap-servers HOST:PORT."
    show([_counted(each) for each in answer["datasets"]], _COLUMNS, output, whole=answer, empty=none)


def show_dataset(dataset: Topic, output: Output = Format.TABLE, user: As = None) -> None:
    """Show what is known of a dataset: format, records, bytes on disk, description, owners, tags, the last scan."""
    answer = api(user).get(dataset_path(dataset))
    show([_counted(answer)], _COLUMNS, output, whole=answer)


def _counted(dataset: Mapping[str, Any]) -> dict[str, object]:
    """With the records kept and the bytes of one copy, where the brokers reported them."""
    topic = dataset["topic"]
    size = topic.get("size")
    format_ = ", ".join(f"{part} {name}" for part, name in dataset["format"].items() if "." not in part)
    return {
        **dataset,
        "format": format_,
        "records": topic.get("retained"),
        "size": None if size is None else decimal(size),
    }


def schema(
    dataset: Topic,
    output: Annotated[
        SchemaFormat, typer.Option("-o", "--output", help="How to print it; ddl and what follows export it.")
    ] = SchemaFormat.TABLE,
    user: As = None,
) -> None:
    """Show the schema of a dataset: fields with types and presence, shapes, what is wrong; or export it."""
    client, path = api(user), f"{dataset_path(dataset)}/schema"
    if output.value in set(Format):
        show_schema(dataset, client.get(path), Format(output))
    else:
        print_text(client.text(path, format=str(output)))


def personal_data(dataset: Topic, output: Output = Format.TABLE, user: As = None) -> None:
    """List the kinds of personal data that scans found in a dataset, and what was decided of each."""
    answer = api(user).get(f"{dataset_path(dataset)}/classifications")
    show(answer, ("path", "entity", "score", "state"), output, whole=answer, empty="No personal data found.")


def related(
    dataset: Topic,
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


def diff(
    dataset: Topic,
    before: Annotated[int | None, typer.Option("--from", min=1, help="The older version.")] = None,
    after: Annotated[int | None, typer.Option("--to", min=1, help="The newer version; the newest by default.")] = None,
    registry: Annotated[
        bool, typer.Option("--registry", help="Also ask the schema registry whether it would take the newer one.")
    ] = False,
    versions: Annotated[bool, typer.Option("--versions", help="List all versions instead.")] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Compare two versions of a schema: the newest and the one before it by default."""
    client = api(user)
    if versions:
        listed = client.get(f"{dataset_path(dataset)}/schema/versions")
        show(
            [{**v, "changes": changes_in_short(v["changes"])} for v in listed],
            ("version", "createdAt", "fields", "shapes", "changes"),
            output,
            whole=listed,
            empty="No version yet: weir scan CLUSTER.",
        )
        return
    answer = client.get(
        f"{dataset_path(dataset)}/schema/diff", registry=registry or None, **{"from": before, "to": after}
    )
    show(
        [change_row(c) for c in answer["changes"]],
        ("change", "path", "before", "after", "firstSeen"),
        output,
        whole=answer,
        title=f"Version {answer['from']} to {answer['to']}",
        empty="Nothing changed.",
    )
    if output is not Format.TABLE:
        return
    if answer["changes"]:
        judged = answer["compatibility"]
        console.print(", ".join(f"{'' if judged[way] else 'not '}{way} compatible" for way in ("backward", "forward")))
    for verdict in answer.get("registry") or []:
        takes = "takes it" if verdict["compatible"] else f"refuses it: {' '.join(verdict['messages'])}"
        console.print(f"{verdict['subject']}: the registry {takes}", markup=False)


class _Place(TypedDict):
    partition: int
    offset: int
    time: NotRequired[str | None]


class SchemaChange(TypedDict):
    """What differs between two versions of a schema."""

    change: str
    path: str | None
    how: NotRequired[str | None]
    firstSeen: NotRequired[_Place | None]


def change_row(change: SchemaChange) -> dict[str, object]:
    """A change as a table row."""
    first = change.get("firstSeen")
    at = f"partition {first['partition']}, offset {first['offset']}, {first.get('time') or 'no time'}" if first else ""
    what = change["change"] + (f" {change['how']}" if change.get("how") else "")
    return {**change, "change": what, "path": change["path"] or "", "firstSeen": at}


def changes_in_short(changes: list[SchemaChange]) -> str:
    """How many of each kind: `2 added, 1 type`."""
    counts: dict[str, int] = {}
    for change in changes:
        counts[change["change"]] = counts.get(change["change"], 0) + 1
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())
