"""`weir up`, `down`, `status`, `demo`, and the processes of `weir server`."""

from __future__ import annotations

import json
import os
import sys
from enum import StrEnum
from typing import Annotated

import typer

from api.config.extras import notices
from api.config.home import Home
from api.config.plugs import problems
from api.terminal.options import Output
from api.terminal.output import Format, console, errors, escape, print_text, show
from api.terminal.words import noun


class Optional(StrEnum):
    """Servers that are started only for who names them."""

    CONNECT = "connect"


Detach = Annotated[bool, typer.Option("--detach", "-d", help="Return when everything is ready, and leave it running.")]


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.command(epilog="weir up --detach · WEIR_HOME=/tmp/second weir up --detach (a second instance beside it)")(up)
    app.command(epilog="weir down · weir down --wipe (deletes the data too)")(down)
    app.command(epilog="weir status · weir status -o json")(status)
    app.command(epilog="weir demo · weir demo --exit · weir demo --detach")(demo)
    group = noun(app, "server")
    group.command(epilog="weir server settings -o yaml > weir.yaml")(settings)
    group.command("api", epilog="WEIR_DATABASE__URL=postgresql+psycopg://... weir server api")(serve)
    group.command(epilog="weir server worker")(worker)
    group.command("view-runner", epilog="weir server view-runner")(view_runner)


def up(
    detach: Detach = False,
    also: Annotated[
        list[Optional] | None, typer.Option("--with", help="Start this server too (may be repeated).")
    ] = None,
) -> None:
    """Start the local servers and Weir itself; an instance that runs is healed."""
    from api.cli.running import Running

    running = Running(Home.of_environment())
    running.up(detach, [str(each) for each in also or ()])
    errors.print(f"Weir answers at [bold]{running.url}[/]; its admin token is in {running.home.admin_token}.")
    if open_to_all := running.open_servers:
        errors.print(
            f"Any user of this machine can read {', '.join(open_to_all)} directly; WEIR_STACK__SECURED=true starts them"
            " with passwords."
        )
    _tell(problems())
    if detach:
        errors.print("Stop it with `weir down`. A catalog begins with: weir scan --bootstrap-servers HOST:PORT")
    else:
        errors.print("Ctrl-C stops it.")
        running.stay()


def down(wipe: Annotated[bool, typer.Option("--wipe", help="Delete the data of the instance too.")] = False) -> None:
    """Stop every process of the instance."""
    from api.cli.running import Running

    stopped = Running(Home.of_environment()).down(wipe)
    errors.print(f"Stopped {stopped} processes." if stopped else "Nothing was running.")


def status(output: Output = Format.TABLE) -> None:
    """Show each process of the instance: address, version, pid, memory."""
    from api.cli.running import Running

    running = Running(Home.of_environment())
    rows = running.status()
    sentences = [*notices(), *problems()]
    whole = {"url": running.serving(rows), "home": str(running.home.root), "servers": rows, "notices": sentences}
    shown = [{**row, "memory": f"{row['memory'] / 1e6:.0f} MB" if row["memory"] else ""} for row in rows]
    show(shown, ("name", "state", "url", "version", "pid", "memory"), output, whole=whole)
    if output is Format.TABLE:
        total = sum(row["memory"] or 0 for row in rows)
        console.print(
            f"{total / 1e9:.2f} GB in all. " + (f"Weir: {whole['url']}" if whole["url"] else "Weir is down: weir up")
        )
        _tell(sentences)


def _tell(sentences: list[str]) -> None:
    for each in sentences:
        errors.print(f"[yellow]![/] {escape(each)}")


def demo(
    detach: Detach = False,
    leave: Annotated[bool, typer.Option("--exit", help="Stop everything after the story.")] = False,
    secured: Annotated[
        bool,
        typer.Option(
            "--secured",
            help="The servers ask for passwords, and a Kafka consumer loses a topic and reads a masked copy.",
        ),
    ] = False,
) -> None:
    """Start everything and run the demo: topics, schemas, personal data, lineage, a masked query and an approved one."""
    from api.cli.running import Running

    if detach and leave:
        raise typer.BadParameter("--detach leaves Weir running and --exit ends it; give one of them.")
    if secured:
        os.environ["WEIR_STACK__SECURED"] = "true"
    running = Running(Home.of_environment())
    code = running.demo(detach, consumer=secured)
    if leave:
        running.down()
    elif not detach:
        errors.print("Ctrl-C stops it.")
        running.stay()
    if code:
        raise typer.Exit(code)


def settings(output: Output = Format.YAML) -> None:
    """Print every setting with its default, to begin a weir.yaml."""
    from api.config.settings import documented

    if output is not Format.YAML:
        columns = ("variable", "default", "meaning")
        show([dict(zip(columns, each, strict=True)) for each in documented()], columns, output)
        return
    import yaml

    lines: list[str] = ["# Settings of Weir: save as WEIR_HOME/weir.yaml and keep what you change."]
    section = ""
    for variable, default, meaning in documented():
        room, name = variable.removeprefix("WEIR_").lower().split("__", 1)
        if room != section:
            lines.append(f"# {room}:")
            section = room
        written = {name: json.loads(json.dumps(default, default=str))}
        value = yaml.safe_dump(written, default_flow_style=True, width=sys.maxsize).strip()[1:-1]
        lines.append(f"#   {value}  # {' '.join(meaning.split())}")  # a line each, or one of them is no comment
    print_text("\n".join(lines))


def serve() -> None:
    """Run the HTTP API in the foreground (what `up` starts for you)."""
    from api.processes.serve import serve as run

    run(_private(Home.of_environment()))


def worker() -> None:
    """Run the background worker in the foreground: scans, the lineage fold, expiry (what `up` starts for you)."""
    from api.processes.worker import run

    run(_private(Home.of_environment()))


def view_runner(
    parent: Annotated[int | None, typer.Option(help="End with the process of this pid.", hidden=True)] = None,
) -> None:
    """Run the stream views in the foreground (what the worker starts for you when a view is declared)."""
    from api.processes.view_runner import run

    run(_private(Home.of_environment()), parent)


def _private(home: Home) -> Home:
    """From here on this process writes files for its user alone; what was open to others in the folder is closed."""
    from stack.home import make_private

    os.umask(0o077)
    make_private(home.root)
    return home
