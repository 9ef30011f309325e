"""`weir token`: API tokens, of people and of service accounts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeVar

import typer

from api.config.home import Home, write_private
from api.terminal.http import segment
from api.terminal.names import complete_dataset, complete_purpose, complete_user
from api.terminal.options import Output, api
from api.terminal.output import Format, console, escape, print_text, show
from catalog.errors import InvalidInput

token_app = typer.Typer(no_args_is_help=True)
_AGENT = "For an agent"
_ID = Annotated[str, typer.Argument(help="As `weir token list` shows it.")]


T = TypeVar("T")


def _required(value: T | None, option: str) -> T:
    """Raises InvalidInput for an option that is left out."""
    if not value:
        raise InvalidInput(f"This token needs {option}.")
    return value


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.add_typer(token_app, name="token")


@token_app.command(
    "create",
    epilog="weir token create --user ana > ana.token · weir token create --user etl --scope read --scope query --days 90 ·"
    " weir token create --agent helper --purpose support --dataset prod/orders --masked-only --expires 7d > helper.token",
)
def token_create(
    user: Annotated[
        str | None,
        typer.Option(
            help="Whose token: a person or a service account; with --agent who you are when absent.",
            autocompletion=complete_user,
        ),
    ] = None,
    days: Annotated[
        int | None,
        typer.Option(min=1, help="Valid for; needed for a service account, else without an end when absent."),
    ] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(help="What it is limited to; repeat for several. All that the user may when absent."),
    ] = None,
    name: Annotated[str, typer.Option(help="What it is for.")] = "",
    save: Annotated[bool, typer.Option("--save", help="Also keep it in WEIR_HOME/tokens/USER (mode 600).")] = False,
    agent: Annotated[
        str | None,
        typer.Option(help="Name of an agent that acts for you by it, narrower than you.", rich_help_panel=_AGENT),
    ] = None,
    purpose: Annotated[
        str | None,
        typer.Option(help="The agent's one purpose.", autocompletion=complete_purpose, rich_help_panel=_AGENT),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            help="CLUSTER/TOPIC or a pattern that exists for the agent; repeat for several.",
            autocompletion=complete_dataset,
            rich_help_panel=_AGENT,
        ),
    ] = None,
    rows: Annotated[
        int | None, typer.Option(min=1, help="Most rows in one answer; 1,000 when absent.", rich_help_panel=_AGENT)
    ] = None,
    rows_a_day: Annotated[
        int | None,
        typer.Option(
            "--rows-a-day", min=1, help="Most rows in all answers of a day; 10,000 when absent.", rich_help_panel=_AGENT
        ),
    ] = None,
    masked_only: Annotated[
        bool,
        typer.Option("--masked-only", help="Personal data always shows masked to the agent.", rich_help_panel=_AGENT),
    ] = False,
    expires: Annotated[
        str | None, typer.Option(help="How long the agent's token is valid: 12h, 7d.", rich_help_panel=_AGENT)
    ] = None,
) -> None:
    """Make a token and print it on stdout, once: Weir keeps only its hash."""
    if agent is not None:
        _refuse({"--days": days is not None}, "not for a token of an agent; --expires is how long that is valid.")
        _refuse({"--name": bool(name), "--save": save}, "not for a token of an agent; leave it out.")
        body = {
            "name": agent,
            "purpose": _required(purpose, "--purpose PURPOSE"),
            "datasets": _required(dataset, "--dataset CLUSTER/TOPIC"),
            "rows": rows or 1000,
            "rowsADay": rows_a_day or 10_000,
            "maskedOnly": masked_only,
            "expiresIn": _required(expires, "--expires 7d"),
            "scopes": scope or None,
        }
        print_text(api(user).post("/api/v1/agents", body)["token"])
        return
    of_an_agent = {
        "--purpose": purpose is not None,
        "--dataset": bool(dataset),
        "--rows": rows is not None,
        "--rows-a-day": rows_a_day is not None,
        "--masked-only": masked_only,
        "--expires": expires is not None,
    }
    _refuse(of_an_agent, "for a token of an agent; add --agent NAME.")
    user = _required(user, "--user NAME")
    answer = api().post("/api/v1/tokens", {"user": user, "days": days, "name": name, "scopes": scope or None})
    if save:
        write_private(Home.of_environment().token_of(user), answer["token"] + "\n")
    print_text(answer["token"])


def _refuse(given: Mapping[str, bool], why: str) -> None:
    """Option -> whether it is given. Raises InvalidInput that names those that are."""
    names = [option for option, is_given in given.items() if is_given]
    if names:
        raise InvalidInput(f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} {why}")


@token_app.command("rotate", epilog="weir token rotate tok_3f2a19c40d7e --overlap-hours 24 > etl.token")
def token_rotate(
    identifier: _ID,
    overlap_hours: Annotated[int, typer.Option(min=0, max=720, help="How long both are good.")] = 24,
) -> None:
    """Make a token in place of another, with its scopes and life, and print it on stdout, once."""
    answer = api().post(f"/api/v1/tokens/{segment(identifier)}/rotate", {"overlapHours": overlap_hours})
    typer.echo(f"{identifier} is good until {answer['before']['expiresAt']}; {answer['id']} takes its place.", err=True)
    print_text(answer["token"])


@token_app.command("list", epilog="weir token list --user etl")
def token_list(
    user: Annotated[str | None, typer.Option(help="Only this user's.", autocompletion=complete_user)] = None,
    output: Output = Format.TABLE,
) -> None:
    """List tokens, without their text."""
    answer = api().get("/api/v1/tokens", user=user)
    columns = ("id", "user", "name", "scopes", "createdAt", "usedAt", "expiresAt", "revokedAt")
    show(answer["tokens"], columns, output, whole=answer, empty="No tokens.")


@token_app.command("revoke", epilog="weir token revoke ID")
def token_revoke(identifier: _ID) -> None:
    """End a token now."""
    api().delete(f"/api/v1/tokens/{segment(identifier)}")
    console.print(f"Token {escape(identifier)} is revoked.")
