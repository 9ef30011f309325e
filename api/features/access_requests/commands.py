"""`weir request`: access requests, made and decided."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, TypedDict

import typer

from api.terminal.http import segment
from api.terminal.names import (
    complete_dataset,
    complete_purpose,
    complete_request,
    complete_template,
    whole_reference,
)
from api.terminal.options import As, Output, Topic, api
from api.terminal.output import Format, console, show
from api.terminal.words import noun
from policies.access_request import RequestState

Identifier = Annotated[str, typer.Argument(help="As `weir request list` shows it.", autocompletion=complete_request)]
Reason = Annotated[str, typer.Option(help="Why; kept with the decision.")]

MessageText = Annotated[str, typer.Argument(help="What you write.")]

_THREAD_COLUMNS = ("at", "by", "kind", "text")
_REQUEST_COLUMNS = ("id", "state", "stage", "requester", "dataset", "fields", "purpose", "until")


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    group = noun(app, "request")
    group.command(
        "create",
        epilog="weir request prod/orders --field value.customer.email --purpose campaign --days 7 --as ana"
        " · weir request orders --for-consumer my-app --purpose billing --as ana"
        " · weir request create list --purpose campaign --as ana",
    )(create)
    group.command("list", epilog="weir request list --as otto")(list_requests)
    group.command("show", epilog="weir request show req-3f2a9c81d04e --as otto")(show_request)
    group.command(
        epilog="weir request approve 3f2a... --as otto · weir request approve 3f2a... --field value.region --masked --days 3"
    )(approve)
    group.command(epilog="weir request deny 3f2a... --reason 'not for this' --as petra")(deny)
    group.command(epilog="weir request withdraw 3f2a... --as ana")(withdraw)
    group.command(epilog="weir request comment req-3f2a9c81d04e 'The one in spring.' --as ana")(comment)
    group.command("ask-back", epilog="weir request ask-back req-3f2a9c81d04e 'Which campaign?' --as otto")(ask_back)
    group.command(
        "break-glass", epilog="weir request break-glass prod/orders --purpose incident --reason 'incident 4711'"
    )(break_glass)
    group.command(epilog="weir request templates --as ana · weir request create --template sales-analyst --as ana")(
        templates
    )


def create(
    datasets: Annotated[
        list[str] | None, typer.Argument(help="CLUSTER/TOPIC; several make a bundle.", autocompletion=complete_dataset)
    ] = None,
    purpose: Annotated[str, typer.Option(help="What for.", autocompletion=complete_purpose)] = "",
    field: Annotated[list[str] | None, typer.Option(help="Field path; repeat for several; all when absent.")] = None,
    days: Annotated[int | None, typer.Option(min=1, help="For how long; 7, or as the template has it.")] = None,
    reason: Annotated[str, typer.Option(help="A word to the approvers.")] = "",
    ticket: Annotated[str, typer.Option(help="Id of a ticket in another system.")] = "",
    template: Annotated[
        str | None,
        typer.Option(help="Name of a template; `weir request templates` lists them.", autocompletion=complete_template),
    ] = None,
    for_consumer: Annotated[
        str | None,
        typer.Option(help="A Kafka consumer of yours that is to read: its principal, document or consumer group."),
    ] = None,
    masked: Annotated[bool, typer.Option("--masked", help="All masks stay.")] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Request fields of one or several datasets unmasked, for a purpose and a time; or use a template.

    The word create may be left out, unless the first dataset is named as a command of weir request is.
    """
    now = datetime.now(UTC)
    until = (now + timedelta(days=days)).isoformat() if days is not None else None
    if template is not None:
        if datasets or purpose or field or masked or for_consumer:
            raise typer.BadParameter("A template has datasets, fields and a purpose of its own.")
        used = {"reason": reason, "ticket": ticket, "until": until}
        answer = api(user).post(f"/api/v1/request-templates/{segment(template)}/requests", used)
        show(answer["requests"], _REQUEST_COLUMNS, output, whole=answer)
        return
    if not datasets:
        raise typer.BadParameter("Name a dataset and --purpose, or a --template.")
    if not purpose:
        raise typer.BadParameter(
            "Write what for: --purpose NAME. `weir request purposes --mine` lists those you may use."
        )
    client = api(user)
    datasets = [whole_reference(client, each) for each in datasets]
    body = {
        "fields": field or ["*"],
        "purpose": purpose,
        "from": now.isoformat(),
        "until": until or (now + timedelta(days=7)).isoformat(),
        "reason": reason,
        "ticket": ticket,
        **({"unmask": []} if masked else {}),
        **({"consumer": for_consumer} if for_consumer else {}),
    }
    if len(datasets) > 1:
        answer = client.post("/api/v1/access-requests/bundle", {**body, "datasets": datasets})
        show(answer["requests"], (*_REQUEST_COLUMNS, "bundle"), output, whole=answer)
        return
    answer = client.post("/api/v1/access-requests", {**body, "dataset": datasets[0]})
    show([answer], _REQUEST_COLUMNS, output, whole=answer)
    if answer["consumer"] is not None and output is Format.TABLE:
        name = answer["consumer"]["principal"].removeprefix("User:")
        console.print(
            f"When it is approved: weir rights client {answer['dataset']} --for-consumer {name}", markup=False
        )


def list_requests(
    state: Annotated[
        RequestState | None, typer.Option(help="pending, asked-back, review, approved, denied, cancelled or expired.")
    ] = None,
    bundle: Annotated[str | None, typer.Option(help="Only those of this bundle.")] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List access requests: yours and those you may decide."""
    answer = api(user).get("/api/v1/access-requests", state=state, bundle=bundle)
    show(
        answer["requests"],
        _REQUEST_COLUMNS,
        output,
        whole=answer,
        empty="No requests. Make one with `weir request create`.",
    )


def break_glass(
    dataset: Topic,
    purpose: Annotated[str, typer.Option(help="What for.", autocompletion=complete_purpose)],
    reason: Annotated[str, typer.Option(help="Why it cannot wait; it is in the audit.")],
    field: Annotated[list[str] | None, typer.Option(help="Field path; repeat for several; all when absent.")] = None,
    minutes: Annotated[
        int | None, typer.Option(min=1, help="For how long; as the workflow allows when absent.")
    ] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Take access at once where a workflow lets you; it is short, audited, and reviewed afterwards."""
    body = {"dataset": dataset, "fields": field or ["*"], "purpose": purpose, "reason": reason, "minutes": minutes}
    answer = api(user).post("/api/v1/access-requests/break-glass", body)
    show([answer], (*_REQUEST_COLUMNS, "grant"), output, whole=answer)
    if output is Format.TABLE:
        console.print(f"You have access until {answer['until']}; it must be reviewed by {answer['reviewBy']}.")


def approve(
    identifier: Identifier,
    reason: Reason = "",
    field: Annotated[list[str] | None, typer.Option(help="Only this field; repeat for several.")] = None,
    unmask: Annotated[list[str] | None, typer.Option(help="Only this field without masks; repeat for several.")] = None,
    masked: Annotated[bool, typer.Option("--masked", help="All masks stay.")] = False,
    days: Annotated[int | None, typer.Option(min=1, help="For fewer days than requested, from now.")] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Approve an access request's present stage, in whole or in part."""
    if masked and unmask:
        raise typer.BadParameter("Give --masked or --unmask, not both.")
    until = (datetime.now(UTC) + timedelta(days=days)).isoformat() if days is not None else None
    part = {"fields": field or None, "unmask": [] if masked else unmask or None, "until": until}
    changes = {name: value for name, value in part.items() if value is not None}
    answer = api(user).post(f"/api/v1/access-requests/{segment(identifier)}/approve", {"reason": reason, **changes})
    show([answer], _REQUEST_COLUMNS, output, whole=answer)


def deny(identifier: Identifier, reason: Reason = "", output: Output = Format.TABLE, user: As = None) -> None:
    """Deny an access request."""
    _decide(identifier, "deny", reason, output, user)


def withdraw(
    identifier: Identifier,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Take back an access request of your own that is not decided yet."""
    answer = api(user).post(f"/api/v1/access-requests/{segment(identifier)}/cancel")
    show([answer], _REQUEST_COLUMNS, output, whole=answer)


def _decide(identifier: str, verb: str, reason: str, output: Format, user: str | None) -> None:
    answer = api(user).post(f"/api/v1/access-requests/{segment(identifier)}/{verb}", {"reason": reason})
    show([answer], _REQUEST_COLUMNS, output, whole=answer)


def show_request(identifier: Identifier, output: Output = Format.TABLE, user: As = None) -> None:
    """Show a request, and its history: decisions, messages and escalations, oldest first."""
    request = api(user).get(f"/api/v1/access-requests/{segment(identifier)}")
    if output is Format.TABLE:
        show([request], _REQUEST_COLUMNS, output)
        console.print()
    show(history(request), _THREAD_COLUMNS, output, whole=request, empty="Nothing happened yet.")


class _Decision(TypedDict):
    at: str
    by: str
    verdict: str
    narrowed: dict[str, object] | None
    comment: str | None


class _Course(TypedDict):
    """Of a request: what was written and decided."""

    thread: list[dict[str, object]]
    decisions: list[_Decision]


def history(request: _Course) -> list[dict[str, object]]:
    """Messages and decisions of a request in one list, oldest first."""
    decisions: list[dict[str, object]] = [
        {
            "at": d["at"],
            "by": d["by"],
            "kind": d["verdict"] + (" in part" if d["narrowed"] else ""),
            "text": d["comment"],
        }
        for d in request["decisions"]
    ]
    return sorted([*request["thread"], *decisions], key=lambda each: str(each["at"]))


def ask_back(identifier: Identifier, text: MessageText, output: Output = Format.TABLE, user: As = None) -> None:
    """Ask the requester something; the request waits for the answer."""
    _write(identifier, "ask-back", text, output, user)


def comment(identifier: Identifier, text: MessageText, output: Output = Format.TABLE, user: As = None) -> None:
    """Write into the thread of a request; of the requester it answers a question."""
    _write(identifier, "comments", text, output, user)


def _write(identifier: str, verb: str, text: str, output: Format, user: str | None) -> None:
    answer = api(user).post(f"/api/v1/access-requests/{segment(identifier)}/{verb}", {"text": text})
    show(history(answer), _THREAD_COLUMNS, output, whole=answer)


def templates(output: Output = Format.TABLE, user: As = None) -> None:
    """List the requests that people make often, those that you may use."""
    answer = api(user).get("/api/v1/request-templates")
    columns = ("name", "description", "datasets", "fields", "purpose", "duration")
    show(answer["templates"], columns, output, whole=answer, empty="No templates are declared (kind: RequestTemplate).")
