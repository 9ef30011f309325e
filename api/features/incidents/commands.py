"""`weir incident`: what is wrong with datasets now, and what is done about it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, TypedDict

import typer

from api.terminal.http import segment
from api.terminal.names import complete_user
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, show
from api.terminal.words import noun
from catalog.errors import InvalidInput

_PATH = "/api/v1/incidents"
_COLUMNS = ("id", "state", "dataset", "title", "reason", "records", "first", "openedAt", "assignee", "source")
_Id = Annotated[str, typer.Argument(metavar="INCIDENT", help="Its id, or how it begins; weir incident list shows it.")]


class IncidentStateName(StrEnum):
    """`--state` of `weir incident list`."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"


class ResolutionName(StrEnum):
    """Why a person resolves an incident."""

    FIXED = "fixed"
    ACCEPTED = "accepted"
    FALSE_ALARM = "falseAlarm"


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    group = noun(app, "incident")
    group.command(
        "list",
        epilog="weir incident list · weir incident list --state open --dataset prod/orders"
        " · weir incident list --assignee ana",
    )(list_incidents)
    group.command("show", epilog="weir incident show 3f2a")(show_incident)
    group.command("acknowledge", epilog="weir incident acknowledge 3f2a --as ana")(acknowledge)
    group.command("assign", epilog="weir incident assign 3f2a ana · weir incident assign 3f2a --nobody")(assign)
    group.command("comment", epilog="weir incident comment 3f2a 'The producer is being changed.'")(comment)
    group.command(
        "resolve",
        epilog="weir incident resolve 3f2a --text 'Fixed in 1.4' · weir incident resolve 3f2a --resolution falseAlarm",
    )(resolve)


def list_incidents(
    state: Annotated[list[IncidentStateName] | None, typer.Option(help="Repeat for several.")] = None,
    dataset: Annotated[str | None, typer.Option(help="Only of this dataset, as prod/orders.")] = None,
    source: Annotated[str | None, typer.Option(help="Only of this contract.")] = None,
    assignee: Annotated[
        str | None, typer.Option(help="Only those this person looks after.", autocompletion=complete_user)
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 100,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List incidents: those that are not resolved first, each the newest first."""
    states = [str(each) for each in state or ()] or None
    answer = api(user).get(_PATH, state=states, dataset=dataset, source=source, assignee=assignee, limit=limit)
    rows = [{**each, "id": each["id"][:8], "first": _place(each["first"])} for each in answer["incidents"]]
    show(rows, _COLUMNS, output, whole=answer, empty="No incident.")
    if answer["more"] and output is Format.TABLE:
        console.print("There are more; --limit shows them, or filter.")


def show_incident(id: _Id, output: Output = Format.TABLE, user: As = None) -> None:
    """Show an incident: what was seen, its history, and what is downstream of it."""
    client = api(user)
    _show(client.get(_at(_find(client, id))), output)


def acknowledge(id: _Id, output: Output = Format.TABLE, user: As = None) -> None:
    """State that you look at an incident."""
    client = api(user)
    _show(client.post(_at(_find(client, id), "acknowledge"), None), output)


def assign(
    id: _Id,
    to: Annotated[str | None, typer.Argument(metavar="PERSON", autocompletion=complete_user)] = None,
    nobody: Annotated[bool, typer.Option("--nobody", help="Nobody looks after it any more.")] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Make a person look after an incident. Who takes it for themselves acknowledges it."""
    if (to is None) == (not nobody):
        raise InvalidInput("Give a PERSON, or --nobody.")
    client = api(user)
    _show(client.put(_at(_find(client, id), "assignee"), {"user": to}), output)


def comment(
    id: _Id,
    text: Annotated[str, typer.Argument(help="What to write.")],
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Write something about an incident, for all who may see it."""
    client = api(user)
    _show(client.post(_at(_find(client, id), "comments"), {"text": text}), output)


def resolve(
    id: _Id,
    resolution: Annotated[
        ResolutionName,
        typer.Option(help="fixed opens it again when a check still sees it 15 minutes later; the others leave it."),
    ] = ResolutionName.FIXED,
    text: Annotated[str, typer.Option(help="Why it is over.")] = "",
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """State that an incident is over. It is resolved by itself when a check sees nothing wrong any more."""
    client = api(user)
    body = {"resolution": str(resolution), "text": text}
    _show(client.post(_at(_find(client, id), "resolve"), body), output)


def _at(id: str, *more: str) -> str:
    return "/".join((_PATH, segment(id), *more))


def _find(client: Any, begun: str) -> str:
    """The id that begins so. Raises InvalidInput where several do; what fits none is left to the server."""
    if len(begun) >= 32:
        return begun
    ids = [each["id"] for each in client.get(_PATH, limit=1000)["incidents"] if each["id"].startswith(begun)]
    if len(ids) > 1:
        raise InvalidInput(f"{len(ids)} incidents begin with {begun!r}; write more of the id.")
    return str(ids[0]) if ids else begun


class _Place(TypedDict):
    partition: int
    offset: int


class _Step(TypedDict):
    at: str
    kind: str
    by: str | None
    text: str | None


class _Incident(TypedDict):
    id: str
    title: str
    state: str
    reason: str | None
    first: _Place | None
    last: _Place | None
    history: list[_Step]
    affected: list[str]
    affectedMore: bool
    affectedProblem: str | None


def _show(answer: _Incident, output: Format) -> None:
    if output is not Format.TABLE:
        show([answer], _COLUMNS, output, whole=answer)
        return
    console.print(f"{answer['title']}: {answer['state']}", markup=False)
    if answer["reason"]:
        console.print(f"{answer['reason']}.", markup=False)
    show([{**answer, "id": answer["id"][:8], "first": _place(answer["first"]), "last": _place(answer["last"])}],
         ("id", "dataset", "source", "rule", "records", "share", "first", "last", "checks", "assignee"), output)  # fmt: skip
    for step in answer["history"]:
        by = f" by {step['by']}" if step["by"] else ""
        text = f": {step['text']}" if step["text"] else ""
        console.print(f"{step['at']} {step['kind']}{by}{text}", markup=False)
    if answer["affectedProblem"]:
        console.print(f"What is downstream is not known: {answer['affectedProblem']}", markup=False)
    elif answer["affected"]:
        more = " and more" if answer["affectedMore"] else ""
        console.print(f"Downstream: {', '.join(answer['affected'])}{more}", markup=False)


def _place(place: _Place | None) -> str | None:
    return f"{place['partition']}:{place['offset']}" if place else None
