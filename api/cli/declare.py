"""`weir apply`, `diff`, `get`, `delete`: declared state, as YAML in git."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from api.cli.http import Api, segment
from api.cli.options import As, Output, api
from api.cli.output import Format, console, print_text, show
from catalog.errors import InvalidInput, WeirError
from catalog.problems import sentence

Files = Annotated[list[Path], typer.Option("-f", "--file", help="YAML file or folder; - for standard input.")]

_COLUMNS: dict[str, tuple[str, ...]] = {
    "datasets": ("reference", "format", "description", "owners", "tags", "scanned_at"),
    "clusters": ("name", "namespace", "bootstrap_servers", "schema_registry", "datasets"),
}


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.command(epilog="weir apply -f governance.yaml · weir apply -f policies/ --dry-run")(apply)
    app.command(epilog="weir diff -f governance.yaml")(diff)
    app.command(epilog="weir get datasets · weir get schema prod/orders · weir get Policy -o yaml")(get)


def apply(
    file: Files,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check and show, change nothing.")] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Delete declared things that the files no longer hold.")
    ] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Make Weir's declared state what the files say. All documents are checked before any is written."""
    _apply(file, dry_run, prune, output, user)


def diff(file: Files, prune: bool = False, output: Output = Format.TABLE, user: As = None) -> None:
    """Show what `apply` would change. Exit code 1 when something would."""
    changed = _apply(file, True, prune, output, user)
    if changed:
        raise typer.Exit(1)


def _apply(files: list[Path], dry_run: bool, prune: bool, output: Format, user: str | None) -> bool:
    answer = api(user).post_text("/api/v1/apply", read(files), dryRun=str(dry_run).lower(), prune=str(prune).lower())
    show(answer["changes"], ("action", "kind", "name", "diff"), output, whole=answer, empty="No documents.")
    return any(change["action"] != "unchanged" for change in answer["changes"])


def read(files: list[Path]) -> str:
    """The text of the files, each document marked with the file it comes from. Raises InvalidInput."""
    texts = []
    for path in files:
        if str(path) == "-":
            texts.append(sys.stdin.read())
            continue
        found = sorted([*path.glob("*.yaml"), *path.glob("*.yml")]) if path.is_dir() else [path]
        if not found:
            raise InvalidInput(f"The folder {path} holds no .yaml file.")
        for each in found:
            try:
                texts.append(each.read_text())
            except (OSError, UnicodeDecodeError) as error:
                raise InvalidInput(
                    f"The file {each} cannot be read: {getattr(error, 'strerror', 'it is not UTF-8')}."
                ) from None
    return "\n---\n".join(texts)


def get(
    kind: Annotated[str, typer.Argument(help="datasets, clusters, schema, classifications, or a kind such as Policy.")],
    name: Annotated[str | None, typer.Argument(help="One of them; CLUSTER/TOPIC for schema.")] = None,
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", help="table, json, yaml, csv; a schema also as ddl, jsonschema, avro, pydantic."
        ),
    ] = "table",
    user: As = None,
) -> None:
    """Show datasets, a schema, or declared documents; `-o yaml` prints documents that `apply` takes back."""
    client = api(user)
    if kind == "schema" and output in _EXPORTS:
        print_text(client.text(f"{dataset_path(name)}/schema", format=output))
        return
    _show(client, kind, name, _format(output, kind))


_EXPORTS = ("ddl", "spark", "jsonschema", "avro", "pydantic")


def _format(output: str, kind: str) -> Format:
    if output not in set(Format):
        mend = f"{', '.join(Format)}" + (f", {', '.join(_EXPORTS)}" if kind == "schema" else "")
        raise InvalidInput(f"Nothing is printed as {output!r} here; choose one of {mend}.")
    return Format(output)


def _show(client: Api, kind: str, name: str | None, output: Format) -> None:
    match kind:
        case "datasets" | "dataset" if name is None:
            answer = client.get("/api/v1/datasets")
            show(answer["datasets"], _COLUMNS["datasets"], output, whole=answer,
                 empty="No datasets yet: weir scan --bootstrap-servers HOST:PORT.")  # fmt: skip
        case "clusters":
            answer = client.get("/api/v1/clusters")
            show(answer["clusters"], _COLUMNS["clusters"], output, whole=answer, empty="No clusters yet.")
        case "dataset" | "datasets":
            answer = client.get(dataset_path(name))
            show([answer], _COLUMNS["datasets"], output, whole=answer)
        case "schema" | "schemas":
            _schema(client.get(f"{dataset_path(name)}/schema"), output)
        case "classifications":
            answer = client.get(f"{dataset_path(name)}/classifications")
            show(answer, ("path", "entity", "score", "state"), output, whole=answer, empty="No personal data found.")
        case _:
            _documents(client, kind, name, output)


def dataset_path(reference: str | None) -> str:
    """The API path of `prod/orders`. Raises InvalidInput when it is no CLUSTER/TOPIC."""
    cluster, _, topic = (reference or "").rpartition("/")
    if not cluster or not topic:
        raise InvalidInput("Name the dataset as CLUSTER/TOPIC, for example prod/orders.")
    return f"/api/v1/datasets/{segment(cluster)}/{segment(topic)}"


def _schema(answer: dict[str, Any], output: Format) -> None:
    rows = [
        {
            "path": f["path"],
            "types": ", ".join(f"{t} {share:.0%}" if share < 1 else t for t, share in f["types"].items()),
            "presence": f"{f['presence']:.0%}",
            "null": f"{f['null_share']:.0%}" if f["null_share"] else "",
            "distinct": f.get("distinct"),
        }
        for f in answer["fields"]
    ]
    show(rows, ("path", "types", "presence", "null", "distinct"), output, whole=answer,
         title=f"version {answer['version']}, {answer['window'].get('records', 0)} records read")  # fmt: skip
    if output is Format.TABLE and len(answer["shapes"]) > 1:
        for shape in answer["shapes"]:
            when = shape.get("when")
            console.print(
                f"shape {shape['share']:.0%}  {len(shape['paths'])} fields" + (f"  when {when}" if when else "")
            )
    if output is Format.TABLE:
        _departures(answer)


def _departures(answer: dict[str, Any]) -> None:
    """Where records depart from what was declared or registered, and what could not be read."""
    for departure in answer.get("departures", []):
        console.print(f"[yellow]![/] {escape(departure['message'])}", soft_wrap=True)
    for problem in answer.get("problems", []):
        if problem["reason"] != "departs":
            console.print(f"[yellow]![/] {escape(sentence(problem))}", soft_wrap=True)


def _documents(client: Any, kind: str, name: str | None, output: Format) -> None:
    answer = client.get(f"/api/v1/declared/{segment(kind)}", name=name)
    documents = answer["documents"]
    if name and not documents:
        raise WeirError(f"There is no {kind} named {name!r}; `weir get {kind}` lists them.")
    if output is Format.YAML:
        import yaml

        print_text(yaml.safe_dump_all(documents, sort_keys=False, allow_unicode=True))
        return
    rows = [{"kind": d["kind"], **d["metadata"], "spec": d["spec"]} for d in documents]
    show(rows, ("kind", "name", "spec"), output, whole=documents, empty=f"No {kind} is declared.")
