"""`weir agent`: agents that act for people, what they did, and their end."""

from __future__ import annotations

from typing import Annotated, TypedDict

import typer

from api.terminal.http import segment
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, escape, show

agent_app = typer.Typer(no_args_is_help=True)
_ID = Annotated[str, typer.Argument(help="As `weir agent list` shows it.")]
_COLUMNS = ("id", "name", "user", "purpose", "datasets", "rowsToday", "rowsADay", "usedAt", "expiresAt", "active")


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.add_typer(agent_app, name="agent")


@agent_app.command("list", epilog="weir agent list --all")
def agent_list(
    everybody: Annotated[
        bool, typer.Option("--all", help="Everybody's, for those who manage, review or audit.")
    ] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List your agents: their limits, and the rows they were given today."""
    answer = api(user).get("/api/v1/agents", **({"all": "true"} if everybody else {}))
    rows = [{**each, "datasets": ", ".join(each["datasets"])} for each in answer["agents"]]
    show(rows, _COLUMNS, output, whole=answer, empty="No agents.")


@agent_app.command("show", epilog="weir agent show tok_3f2a19c40d7e --limit 50")
def agent_show(
    identifier: _ID,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most this many calls.")] = 20,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show one agent, and what it did lately."""
    answer = api(user).get(f"/api/v1/agents/{segment(identifier)}", limit=limit)
    if output is Format.TABLE:
        agent: _Agent = answer["agent"]
        masked = ", masked values only" if agent["maskedOnly"] else ""
        state = "active" if agent["active"] else "ended"
        console.print(
            f"{agent['name']} acts for {agent['user']}, for {agent['purpose']}, on {', '.join(agent['datasets'])}:"
            f" {agent['rows']:,} rows an answer, {agent['rowsToday']:,} of {agent['rowsADay']:,} rows today{masked}."
            f" It is {state}, until {agent['endedAt'] or agent['expiresAt']}.",
            markup=False,
        )
    columns = ("at", "tool", "action", "target", "decision", "rows")
    show(answer["calls"], columns, output, whole=answer, empty="It did nothing yet.")


class _Agent(TypedDict):
    name: str
    user: str
    purpose: str
    datasets: list[str]
    rows: int
    rowsToday: int
    rowsADay: int
    maskedOnly: bool
    active: bool
    endedAt: str | None
    expiresAt: str | None


@agent_app.command("end", epilog="weir agent end tok_3f2a19c40d7e")
def agent_end(identifier: _ID, user: As = None) -> None:
    """End an agent now: its next call is refused, and what it runs ends within a second."""
    answer = api(user).delete(f"/api/v1/agents/{segment(identifier)}")
    console.print(f"Agent {escape(answer['agent']['name'])} ({escape(identifier)}) is ended.")
