"""`weir request`, `approve`, `deny`, `withdraw`, `grant`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.markup import escape

from api.cli.http import segment
from api.cli.options import As, Output, api
from api.cli.output import Format, console, show
from api.cli.purposes import complete_purpose

grant_app = typer.Typer(help="See and revoke grants.", no_args_is_help=True)

Identifier = Annotated[str, typer.Argument(help="As `weir requests` shows it.")]
Reason = Annotated[str, typer.Option(help="Why; kept with the decision.")]

_REQUEST_COLUMNS = ("id", "state", "stage", "requester", "dataset", "fields", "purpose", "until")


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.command(epilog="weir request prod/orders --field value.customer.email --purpose campaign --days 7 --as ana")(
        request
    )
    app.command(epilog="weir requests --as otto")(requests)
    app.command(epilog="weir approve 3f2a... --as otto")(approve)
    app.command(epilog="weir deny 3f2a... --reason 'not for this' --as petra")(deny)
    app.command(epilog="weir withdraw 3f2a... --as ana")(withdraw)
    app.command("break-glass", epilog="weir break-glass prod/orders --purpose incident --reason 'incident 4711'")(
        break_glass
    )
    app.command(epilog="weir delegate grace --days 14 --as petra · weir delegate --end --as petra")(delegate)
    app.add_typer(grant_app, name="grant")


def request(
    dataset: Annotated[str, typer.Argument(help="CLUSTER/TOPIC.")],
    purpose: Annotated[str, typer.Option(help="What for.", autocompletion=complete_purpose)],
    field: Annotated[list[str] | None, typer.Option(help="Field path; repeat for several; all when absent.")] = None,
    days: Annotated[int, typer.Option(min=1, help="For how long.")] = 7,
    reason: Annotated[str, typer.Option(help="A word to the approvers.")] = "",
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Ask to see fields of a dataset clear, for a purpose and a time."""
    now = datetime.now(UTC)
    body = {
        "dataset": dataset,
        "fields": field or ["*"],
        "purpose": purpose,
        "from": now.isoformat(),
        "until": (now + timedelta(days=days)).isoformat(),
        "reason": reason,
    }
    answer = api(user).post("/api/v1/access-requests", body)
    show([answer], _REQUEST_COLUMNS, output, whole=answer)


def requests(
    state: Annotated[str | None, typer.Option(help="pending, review, approved, denied, cancelled or expired.")] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List access requests: yours and those you may decide."""
    answer = api(user).get("/api/v1/access-requests", state=state)
    show(answer["requests"], _REQUEST_COLUMNS, output, whole=answer, empty="No requests. Ask with `weir request`.")


def break_glass(
    dataset: Annotated[str, typer.Argument(help="CLUSTER/TOPIC.")],
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


def delegate(
    delegates: Annotated[list[str] | None, typer.Argument(help="Who decides in your place.")] = None,
    days: Annotated[int, typer.Option(min=1, max=365, help="For how long.")] = 14,
    end: Annotated[bool, typer.Option("--end", help="Decide for yourself again.")] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Name who decides access requests in your place while you are away; without a name, show it."""
    client = api(user)
    if end:
        client.delete("/api/v1/me/delegation")
        console.print("You decide for yourself again.")
        return
    if delegates:
        until = (datetime.now(UTC) + timedelta(days=days)).isoformat()
        found = client.put("/api/v1/me/delegation", {"delegates": delegates, "until": until})
    else:
        found = client.get("/api/v1/me/delegation")["delegation"]
    show(
        [found] if found else [],
        ("user", "delegates", "from", "until", "active"),
        output,
        whole=found,
        empty="No delegates.",
    )


def approve(identifier: Identifier, reason: Reason = "", output: Output = Format.TABLE, user: As = None) -> None:
    """Approve an access request's present stage."""
    _decide(identifier, "approve", reason, output, user)


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


@grant_app.command("list", epilog="weir grant list --as ana")
def grant_list(output: Output = Format.TABLE, user: As = None) -> None:
    """List grants you may see."""
    answer = api(user).get("/api/v1/grants")
    columns = ("name", "status", "subject", "dataset", "fields", "purpose", "validTo")
    show(answer["grants"], columns, output, whole=answer, empty="No grants.")


@grant_app.command("revoke", epilog="weir grant revoke NAME")
def grant_revoke(
    name: Annotated[str, typer.Argument(help="As `weir grant list` shows it.")], reason: Reason = "", user: As = None
) -> None:
    """End a grant now; a running live query that stands on it ends too."""
    api(user).delete(f"/api/v1/grants/{segment(name)}", reason=reason or None)
    console.print(f"Grant {escape(name)} is revoked.", soft_wrap=True)
