"""`weir contract`: contracts from what scans saw, their state, and what a change would break."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from api.terminal.http import Api, ApiRefused, segment
from api.terminal.options import As, Output, Topic, api
from api.terminal.output import Format, console, print_text, show
from api.terminal.words import noun
from catalog.declared.documents import as_document
from catalog.declared.yaml_text import dump
from catalog.errors import InvalidInput, NotSignedIn, Unavailable

if TYPE_CHECKING:
    from api.features.contracts.report import Report
    from api.features.lineage.shown_impact import Impact

BROKEN_EXIT = 3
"""Exit code where a promise is broken: a pipeline distinguishes it from a call that failed (1)."""
_RULES = ("state", "rule", "path", "text", "reason")
_Name = Annotated[str, typer.Argument(metavar="NAME", help="The contract's name; weir contract list shows them.")]


class ReportFormat(StrEnum):
    """The `-o` of `weir contract check` and `diff`."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    JUNIT = "junit"


_ReportOutput = Annotated[
    ReportFormat, typer.Option("-o", "--output", help="How to print it; markdown for a merge request, junit for CI.")
]
_Impact = Annotated[
    bool, typer.Option("--impact/--no-impact", help="Ask Weir who and what is downstream of what breaks.")
]


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    group = noun(app, "contract")
    group.command(epilog="weir contract init prod/orders > orders.yaml · weir contract init prod/orders --odcs")(init)
    group.command("list", epilog="weir contract list · weir contract list --dataset prod/orders")(list_contracts)
    group.command("show", epilog="weir contract show prod.orders · weir contract show prod.orders --odcs")(
        show_contract
    )
    group.command(
        epilog="weir contract check prod.orders · weir contract check -f orders.yaml --schema new.avsc"
        " · weir contract check -f orders.yaml --schema new.proto --old old.proto -o junit"
    )(check)
    group.command(epilog="weir contract diff old.yaml new.yaml · weir contract diff prod.orders new.yaml -o markdown")(
        diff
    )


def init(
    dataset: Topic,
    name: Annotated[str | None, typer.Option(help="Name of the contract; CLUSTER.TOPIC when absent.")] = None,
    odcs: Annotated[bool, typer.Option("--odcs", help="Print the ODCS document alone.")] = False,
    user: As = None,
) -> None:
    """Write a contract from what scans saw of a dataset. Edit it, set its status to active, and apply it."""
    answer = api(user).get("/api/v1/contracts/draft", dataset=dataset)
    _print_document(answer["document"], name or answer["name"], odcs)


def list_contracts(
    dataset: Annotated[str | None, typer.Option(help="Only contracts of this dataset, as prod/orders.")] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List declared contracts and whether they are kept."""
    answer = api(user).get("/api/v1/contracts", dataset=dataset)
    rows = [{**each, "datasets": ", ".join(each["datasets"]), **each["rules"]} for each in answer["contracts"]]
    columns = ("name", "state", "status", "version", "datasets", "broken", "undecided", "checkedAt", "owner")
    empty = "No contract is declared. weir contract init CLUSTER/TOPIC writes one from what scans saw."
    show(rows, columns, output, whole=answer, empty=empty)


def show_contract(
    name: _Name,
    odcs: Annotated[bool, typer.Option("--odcs", help="Print the ODCS document alone.")] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show what a contract promises, and what scans saw of each promise."""
    answer = api(user).get(f"/api/v1/contracts/{segment(name)}")
    if odcs:
        if answer["document"] is None:
            raise InvalidInput(f"You may not know all datasets of {name}, so its document is not shown.")
        _print_document(answer["document"], name, odcs)
        return
    _show(answer, output)


def check(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A declared contract, checked by its last scan.")
    ] = None,
    file: Annotated[Path | None, typer.Option("-f", "--file", help="A file with a contract; needs no server.")] = None,
    schema: Annotated[
        Path | None, typer.Option(help="The schema to be released: Avro (.avsc), JSON Schema, or Protobuf (.proto).")
    ] = None,
    old: Annotated[
        list[Path] | None,
        typer.Option(help="The schema before it, for the promised compatibility; several: the oldest first."),
    ] = None,
    dataset: Annotated[str | None, typer.Option(help="Which dataset, where the contract has several.")] = None,
    impact: _Impact = True,
    output: _ReportOutput = ReportFormat.TEXT,
    user: As = None,
) -> None:
    """Check a contract: by the last scan, or in CI a file against a schema. Exits with 3 where a promise is broken."""
    from api.features.contracts import offline

    if (name is None) == (file is None):
        raise InvalidInput("Give the NAME of a declared contract, or --file with one.")
    if file is None:
        if schema is not None or old:
            raise InvalidInput("--schema and --old go with --file.")
        report = _declared(api(user).post(f"/api/v1/contracts/{segment(str(name))}/check", None), dataset)
    else:
        if schema is None and (old or dataset is not None):
            raise InvalidInput("--old and --dataset go with --schema: without it the contract is only read.")
        contract = offline.contract_of(offline.read_file(file), str(file))
        report = (
            offline.lint(contract, str(file))
            if schema is None
            else offline.against_schema(contract, schema, old or [], dataset)
        )
    _finish(report, impact, output, user)


def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A file, or the name of a declared contract.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="A file, or the name of a declared contract.")],
    impact: _Impact = True,
    output: _ReportOutput = ReportFormat.TEXT,
    user: As = None,
) -> None:
    """Show what a new version of a contract promises less, and more. Exits with 3 where it promises less."""
    from api.features.contracts import offline

    before, after = (offline.contract_of(_document(each, user), each) for each in (old, new))
    _finish(offline.compared(before, after, old, new), impact, output, user)


def _document(text: str, user: str | None) -> Mapping[str, object]:
    from api.features.contracts import offline

    if Path(text).exists() or text.endswith((".yaml", ".yml", ".json")):
        return offline.read_file(Path(text))
    document: Mapping[str, object] | None = api(user).get(f"/api/v1/contracts/{segment(text)}")["document"]
    if document is None:
        raise InvalidInput(f"You may not know all datasets of {text}, so its document cannot be compared.")
    return document


def _declared(answer: _Contract, dataset: str | None) -> Report:
    from api.features.contracts.report import Finding, Report

    names = [promise["dataset"] for promise in answer["promises"]]
    if dataset is not None and dataset not in names:
        raise InvalidInput(f"The contract promises nothing of {dataset}; it has {', '.join(names) or 'no dataset'}.")
    findings = [
        Finding(
            "undecided" if rule["state"] == "waiting" else rule["state"],
            promise["dataset"],
            rule["id"],
            rule["path"],
            rule["text"],
            rule["reason"],
        )
        for promise in answer["promises"]
        for rule in promise["rules"]
        if dataset in (None, promise["dataset"])
    ]
    return Report(f"{answer['name']} by the last scans", findings)


def _finish(report: Report, impact: bool, output: ReportFormat, user: str | None) -> None:
    from api.features.contracts import report as reports

    if impact and report.breaks:
        report = _with_impact(report, user)
    written: dict[ReportFormat, Callable[[Report], str]] = {
        ReportFormat.TEXT: reports.as_text,
        ReportFormat.JSON: reports.as_json,
        ReportFormat.MARKDOWN: reports.as_markdown,
        ReportFormat.JUNIT: reports.as_junit,
    }
    print_text(written[output](report).rstrip("\n"))
    if report.breaks:
        raise typer.Exit(BROKEN_EXIT)


def _with_impact(report: Report, user: str | None) -> Report:
    """With what is downstream of each break; where no Weir answers the report states that it lacks this."""
    from api.features.contracts.offline import places_of_breaks

    impacts: dict[str, Impact] = {}
    try:
        client = api(user)
        for key, place in places_of_breaks(report.findings).items():
            if (answer := _impact_of(client, *place)) is not None:
                impacts[key] = answer
    except (Unavailable, NotSignedIn) as error:
        note = f"Who is affected downstream is not in this report: {error.message}"
        return replace(report, notes=[*report.notes, note])
    notes = [*report.notes]
    if any(each["truncated"] for each in impacts.values()):
        notes.append("The list of what is downstream was cut; weir lineage impact shows all of it.")
    if lacking := [key.rstrip(":") for key in places_of_breaks(report.findings) if key not in impacts]:
        notes.append(f"Weir knows no lineage of {', '.join(lacking[:5])}.")
    return replace(report, impacts=impacts, notes=notes)


def _impact_of(client: Api, dataset: str, path: str | None, change: str) -> Impact | None:
    from api.features.lineage.node_words import node_id

    try:
        answer: Impact = client.get("/api/v1/impact", nodeId=node_id(dataset, path), change=change)
    except ApiRefused:
        return None
    return answer


def _print_document(document: Mapping[str, object], name: str, odcs: bool) -> None:
    print_text(dump([document if odcs else as_document("Contract", {"name": name}, document)]).rstrip("\n"))


class _Rule(TypedDict):
    id: str
    state: str
    path: str | None
    text: str
    reason: str


class _Promise(TypedDict):
    dataset: str
    state: str
    checkedAt: str | None
    late: bool | None
    checkEvery: float | None
    rules: list[_Rule]


class _Breach(TypedDict):
    beganAt: str
    endedAt: str | None
    text: str
    first: dict[str, int] | None


class _Contract(TypedDict):
    name: str
    title: str
    version: str
    status: str
    owner: str | None
    state: str
    purpose: str
    promises: list[_Promise]
    breaches: list[_Breach]
    notes: list[str]


def _show(answer: _Contract, output: Format) -> None:
    rules = [{**rule, "rule": rule["id"]} for promise in answer["promises"] for rule in promise["rules"]]
    if output is not Format.TABLE:
        show(rules, _RULES, output, whole=answer)
        return
    by = f" by {answer['owner']}" if answer["owner"] else ""
    console.print(f"{answer['title']} {answer['version']} ({answer['status']}){by}: {answer['state']}", markup=False)
    if answer["purpose"]:
        console.print(answer["purpose"], markup=False)
    for promise in answer["promises"]:
        checked = promise["checkedAt"] or "never"
        console.print(f"\n{promise['dataset']}: {promise['state']}, checked {checked}", markup=False)
        if promise["late"]:
            words = f"New records were not checked within {promise['checkEvery']:g} s; does the worker run? weir health"
            console.print(words, markup=False)
        show([{**rule, "rule": rule["id"]} for rule in promise["rules"]], _RULES, output, empty="Nothing is promised.")
    for breach in answer["breaches"]:
        end = f"until {breach['endedAt']}" if breach["endedAt"] else "and lasts"
        at = breach["first"]
        place = f", first at partition {at['partition']} offset {at['offset']}" if at else ""
        console.print(f"Broken from {breach['beganAt']} {end}: {breach['text']}{place}", markup=False)
    for note in answer["notes"]:
        console.print(note, markup=False)
