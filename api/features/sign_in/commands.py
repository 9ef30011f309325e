"""`weir login`, `logout`, `whoami`, and sessions of `weir user`: signing in the command line by a page in the browser."""

from __future__ import annotations

import contextlib
import os
import sys
import time
import webbrowser
from typing import Annotated, TypedDict

import typer

from api.config.home import Home
from api.config.tls_client import ClientTls
from api.terminal.http import Api, instance_url, segment
from api.terminal.kept_logins import forget_login, keep_login, kept_login
from api.terminal.names import complete_user
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, escape, show
from api.terminal.words import noun
from catalog.errors import NotSignedIn, WeirError

_COLUMNS = ("id", "user", "kind", "provider", "label", "used", "idleEnd", "current")


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.command(epilog="weir login · WEIR_URL=https://weir.example.com weir login --no-browser")(login)
    app.command(epilog="weir logout")(logout)
    app.command(epilog="weir whoami · weir whoami --as ana")(whoami)
    group = noun(app, "user")
    group.command("sessions", epilog="weir user sessions · weir user sessions --all")(session_list)
    group.command("end-session", epilog="weir user end-session ses_4f...")(session_end)
    group.command("unlink", epilog="weir user unlink ana")(session_unlink)


class _Begun(TypedDict):
    """A sign-in that waits for the page."""

    addressWithCode: str
    userCode: str
    deviceCode: str
    seconds: float
    interval: float


def login(
    browser: Annotated[bool, typer.Option(help="Open the page in a browser where this machine has one.")] = True,
) -> None:
    """Sign in by a page in the browser; commands then run as you, until `weir logout`."""
    home = Home.of_environment()
    here = Api(home, anonymous=True)
    host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    begun: _Begun = here.post("/api/v1/auth/device", {"label": f"weir on {host}"[:100]})
    console.print(f"Open [bold]{escape(begun['addressWithCode'])}[/]", soft_wrap=True)
    console.print(f"and check that the page shows the code [bold]{begun['userCode']}[/].")
    if browser and _has_browser():
        with contextlib.suppress(webbrowser.Error):
            webbrowser.open(begun["addressWithCode"])
    until = time.monotonic() + begun["seconds"]
    while time.monotonic() < until:
        answer = here.post("/api/v1/auth/device/poll", {"deviceCode": begun["deviceCode"]})
        if answer["state"] == "done":
            if kept_login(home, here.url) is not None:
                # The one before would go on for weeks with nobody who could end it here.
                with contextlib.suppress(WeirError):
                    Api(home, login_only=True).post("/api/v1/auth/logout")
            kept = keep_login(home, here.url, answer["user"], answer["token"])
            where = "the keyring of this machine" if kept.place == "keyring" else f"{home.root / 'logins'} (mode 600)"
            console.print(f"You are signed in at {here.url} as {escape(kept.user)}; the session is kept in {where}.")
            return
        if answer["state"] != "pending":
            break
        time.sleep(begun["interval"])
    refused = "was refused on the page" if answer["state"] == "refused" else "was not let in within its time"
    raise NotSignedIn(f"This command line {refused}; run weir login again.")


def logout() -> None:
    """End the session that `weir login` began, and forget it."""
    home = Home.of_environment()
    url = instance_url(home)
    kept = kept_login(home, url)
    if kept is None:
        console.print(f"Nobody is signed in at {url} by weir login.")
        return
    problem: WeirError | None = None
    try:
        Api(home, login_only=True).post("/api/v1/auth/logout")
    except NotSignedIn:
        pass
    except WeirError as error:
        problem = None if error.code == "not_signed_in" else error
    forget_login(home, url)
    console.print(f"{escape(kept.user)} is signed out at {url}.")
    if problem is not None:
        raise WeirError(f"It is forgotten here, but Weir may still know the session: {problem.message}")


def whoami(output: Output = Format.TABLE, user: As = None) -> None:
    """Show who commands run as, by what, and what they may do."""
    home = Home.of_environment()
    client = api(user)
    me = client.get("/api/v1/me")
    kept = kept_login(home, client.url)
    if user is not None:
        by = f"the token of {user}"
    elif os.environ.get("WEIR_TOKEN", "").strip():
        by = "WEIR_TOKEN"
    elif ClientTls.of_environment().certificate is not None:
        by = "WEIR_CLIENT_CERTIFICATE"
    else:
        by = f"weir login ({kept.place})" if kept is not None else "the admin's token"
    facts = {"user": me["user"], "url": client.url, "by": by, **{k: me[k] for k in ("groups", "roles", "permissions")}}
    show([facts], ("user", "by", "groups", "roles", "permissions"), output, whole=facts)


def session_list(
    everybody: Annotated[bool, typer.Option("--all", help="Everybody's; needs the permission manage.")] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List sessions: yours, or everybody's."""
    answer = api(user).get("/api/v1/auth/sessions", all=everybody or None)
    show(answer["sessions"], _COLUMNS, output, whole=answer, empty="No sessions.")


def session_end(
    identifier: Annotated[str, typer.Argument(help="As `weir user sessions` shows it.")], user: As = None
) -> None:
    """End a session now."""
    api(user).delete(f"/api/v1/auth/sessions/{segment(identifier)}")
    console.print(f"Session {escape(identifier)} is over.", soft_wrap=True)


def session_unlink(
    name: Annotated[str, typer.Argument(help="The user's name here.", autocompletion=complete_user)], user: As = None
) -> None:
    """Free a user's name for another account of a provider; their sessions end."""
    api(user).delete(f"/api/v1/auth/accounts/{segment(name)}")
    console.print(f"No account is linked to {escape(name)} any more.", soft_wrap=True)


def _has_browser() -> bool:
    """A browser of a desktop: one in a terminal would take the terminal away."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
