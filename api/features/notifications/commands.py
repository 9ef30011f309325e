"""`weir notify`: how one is notified, tests of it, and what was not delivered."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from api.terminal.names import complete_user
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, show
from policies.notify.notices import Channel, ChatKind, Digest, Topic


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.add_typer(notify_app, name="notify")


notify_app = typer.Typer(no_args_is_help=True)


@notify_app.command("show", epilog="weir notify show --as ana")
def notify_show(output: Output = Format.TABLE, user: As = None) -> None:
    """Show how you are notified."""
    matches = api(user).get("/api/v1/me/notifications")
    _preference(matches, output)


@notify_app.command(
    "set", epilog="weir notify set --channel mail --digest daily --at 07:30 --zone Europe/Berlin --as ana"
)
def notify_set(
    channel: Annotated[list[Channel] | None, typer.Option(help="mail or chat; repeat for both.")] = None,
    none: Annotated[bool, typer.Option("--none", help="By no channel.")] = False,
    off: Annotated[list[Topic] | None, typer.Option(help="Topic to switch off; repeat for several.")] = None,
    on: Annotated[list[Topic] | None, typer.Option(help="Topic to switch on again; repeat for several.")] = None,
    digest: Annotated[Digest | None, typer.Option(help="at-once, hourly or daily.")] = None,
    at: Annotated[str | None, typer.Option(help="Time of a daily digest: HH:MM.")] = None,
    zone: Annotated[str | None, typer.Option(help="Zone of that time: Europe/Berlin.")] = None,
    chat_kind: Annotated[ChatKind | None, typer.Option(help="slack or teams.")] = None,
    chat_url: Annotated[
        str | None, typer.Option(help="Address of your webhook there, - to read it from the input; '' forgets it.")
    ] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Choose channels, topics, and whether at once or as a digest; what is left out stays."""
    client = api(user)
    before = client.get("/api/v1/me/notifications")
    body: dict[str, object] = {name: before[name] for name in ("channels", "digest", "at", "zone")}
    body["off"] = sorted((set(before["off"]) | set(off or ())) - set(on or ()))
    chosen = {"channels": [] if none else channel, "digest": digest, "at": at, "zone": zone}
    body |= {name: value for name, value in chosen.items() if value is not None}
    if chat_url == "-":  # an address is a secret, and arguments are seen by others on the machine
        chat_url = sys.stdin.readline().strip()
    body |= {"chatKind": chat_kind or before["chatKind"], "chatUrl": chat_url}
    _preference(client.put("/api/v1/me/notifications", body), output)


@notify_app.command("test", epilog="weir notify test --as ana · weir notify test --channel chat --user ana")
def notify_test(
    channel: Annotated[Channel, typer.Option(help="mail or chat.")] = Channel.MAIL,
    to: Annotated[
        str | None, typer.Option("--user", help="Another person, for those who manage.", autocompletion=complete_user)
    ] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Send a test message now; exit code 1 when it was not taken."""
    answer = api(user).post("/api/v1/notifications/test", {"channel": channel, "user": to})
    if output is Format.TABLE:
        console.print(f"Sent to {answer['user']} by {channel}." if answer["sent"] else f"Not sent: {answer['problem']}")
    else:
        show([answer], ("user", "channel", "sent", "problem"), output, whole=answer)
    if not answer["sent"]:
        raise typer.Exit(1)


@notify_app.command("list", epilog="weir notify list --as ana")
def notify_list(
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 50, output: Output = Format.TABLE, user: As = None
) -> None:
    """List what you were notified of, newest first."""
    answer = api(user).get("/api/v1/me/notices", limit=limit)
    show(
        answer["notices"],
        ("at", "channel", "topic", "text", "state", "problem"),
        output,
        whole=answer,
        empty="No notices.",
    )


@notify_app.command("status", epilog="weir notify status")
def notify_status(output: Output = Format.TABLE, user: As = None) -> None:
    """Show figures of everybody's notices: sent, waiting, failed and why. For those who manage."""
    answer = api(user).get("/api/v1/notifications")
    show(answer["counts"], ("channel", "state", "notices", "oldest"), output, whole=answer, empty="No notices yet.")
    if output is not Format.TABLE:
        return
    mail = answer["mail"]
    where = (
        f"{mail['host']}:{mail['port']} ({mail['security']})" if mail["host"] else "not set up (WEIR_NOTIFY__SMTP_HOST)"
    )
    console.print(
        f"Mail server: {where}. Chat services: {'allowed' if answer['chat'] else 'not allowed (WEIR_NOTIFY__CHAT)'}."
    )
    if not answer["links"]:
        console.print("Messages have no links: set WEIR_API__PUBLIC_URL.")
    for each in answer["problems"]:
        console.print(f"{each['notices']} by {each['channel']}: {each['problem']}", markup=False)
    if answer["withoutAddress"]:
        names = ", ".join(answer["withoutAddressNames"][:10])
        console.print(f"{answer['withoutAddress']} people without a known mail address: {names}", markup=False)


def _preference(matches: dict[str, object], output: Format) -> None:
    show([matches], ("user", "channels", "digest", "at", "zone", "off", "chatKind", "chatHost"), output, whole=matches)
    if output is Format.TABLE and matches["mailAvailable"] and not matches["mailAddressKnown"]:
        console.print("Your mail address is not known: it is declared in your User, or kept by the directory.")
