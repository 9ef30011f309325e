"""`weir connector`: connectors of Kafka Connect. They are declared: `weir apply -f`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from api.terminal.http import segment
from api.terminal.names import complete_cluster, complete_connector
from api.terminal.options import As, Output, api
from api.terminal.output import Format, errors, print_text, show

Connector = Annotated[
    str, typer.Argument(help="The connector's name, as in `weir connector list`.", autocompletion=complete_connector)
]
app = typer.Typer(no_args_is_help=True)


def add_to(main: typer.Typer) -> None:
    """Register this module's commands."""
    main.add_typer(app, name="connector")
    app.command("list", epilog="weir connector list · weir connector list -o json")(connectors)
    app.command(epilog="weir connector describe shop-customers")(describe)
    app.command(epilog="weir connector plugins prod")(plugins)
    app.command(
        epilog="weir connector mask prod/shop.public.customers · weir connector mask shop-customers > masks.json"
    )(mask)
    app.command(epilog="weir connector pause shop-customers")(pause)
    app.command(epilog="weir connector resume shop-customers")(resume)
    app.command(epilog="weir connector stop shop-customers")(stop)
    app.command(epilog="weir connector restart shop-customers")(restart)


def connectors(output: Output = Format.TABLE, user: As = None) -> None:
    """List the declared connectors with their state."""
    answer = api(user).get("/api/v1/connectors")["connectors"]
    shown = [
        {**each, "error": each["error"] or "", "tasks": _tasks(each["tasks"]), "differs": each["differs"]}
        for each in answer
    ]
    columns = ("name", "state", "type", "cluster", "tasks", "differs", "error")
    empty = "There is no connector yet; docs/how-to/connectors.md shows how one is declared."
    show(shown, columns, output, whole=answer, empty=empty)


def describe(name: Connector, output: Output = Format.TABLE, user: As = None) -> None:
    """Show one connector: tasks, topics, what it joins, and where it differs from what is declared."""
    answer = api(user).get(f"/api/v1/connectors/{segment(name)}")
    if output is not Format.TABLE:
        show([answer], ("name", "state"), output, whole=answer)
        return
    pending = answer["pending"]
    plain = {
        "state": answer["state"],
        "plugin": answer["plugin"],
        "worker": f"{answer['worker'] or ''} (cluster {answer['cluster']})",
        "tasks": _tasks(answer["tasks"]),
        "topics": ", ".join(answer["topics"]),
        "outside": ", ".join(answer["outside"]),
        "dead letters": answer["deadLetters"],
        "error": answer["error"],
        "pending": f"since {pending['since']}: {pending['reason'] or 'to be applied'}" if pending else None,
        **{f"task {task['id']}": task["error"] for task in answer["tasks"] if task["error"]},
        **{f"changed: {each['field']}": _change(each) for each in answer["drift"] or ()},
    }
    rows = [{"": key, answer["name"]: value} for key, value in plain.items() if value]
    show(rows, ("", answer["name"]), output)


def plugins(
    cluster: Annotated[str, typer.Argument(help="A declared cluster.", autocompletion=complete_cluster)],
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List the connector classes that a cluster's Kafka Connect has."""
    answer = api(user).get(f"/api/v1/clusters/{segment(cluster)}/connector-plugins")["plugins"]
    show(answer, ("class", "type", "version"), output, whole=answer, empty="The worker has no plugin.")


def mask(
    name: Annotated[
        str,
        typer.Argument(
            metavar="DATASET|CONNECTOR",
            help="CLUSTER/TOPIC, or a connector of any cluster.",
            autocompletion=complete_connector,
        ),
    ],
    whole: Annotated[bool, typer.Option("--whole", help="The whole answer, with each field and its setting.")] = False,
    user: As = None,
) -> None:
    """Print settings that mask at the source what an ordinary reader sees masked, as JSON to paste."""
    key = "dataset" if "/" in name else "connector"
    answer = api(user).get("/api/v1/connector-masks", **{key: name})
    connectors = answer["connectors"]
    properties = connectors[0]["properties"] if len(connectors) == 1 else _by_connector(connectors)
    print_text(json.dumps(answer if whole else properties, indent=2, ensure_ascii=False))
    for each in connectors:
        for sentence in (*each["notes"], *(masked["note"] for masked in each["masks"] if masked["note"])):
            errors.print(f"{each['connector']}: {sentence}", markup=False)
        leaking = [leak["path"] for leak in each["leaks"]]
        if leaking:
            errors.print(f"{each['connector']} leaves unmasked now: {', '.join(leaking)}", markup=False)
    for sentence in answer["notes"]:
        errors.print(sentence, markup=False)


def _by_connector(connectors: Sequence[Mapping[str, Any]]) -> dict[str, object]:
    return {f"{each['cluster']}/{each['connector']}": each["properties"] for each in connectors}


def pause(name: Connector, user: As = None) -> None:
    """Let the connector's tasks wait."""
    _act(name, "pause", user, f"{name} pauses; weir connector resume {name} continues it.")


def resume(name: Connector, user: As = None) -> None:
    """Continue after a pause or a stop."""
    _act(name, "resume", user, f"{name} continues.")


def stop(name: Connector, user: As = None) -> None:
    """End the connector's tasks; it and its offsets stay."""
    _act(name, "stop", user, f"{name} stops; weir connector resume {name} continues it.")


def restart(name: Connector, user: As = None) -> None:
    """Start the connector and all its tasks again."""
    _act(name, "restart", user, f"{name} starts again.")


def _act(name: str, action: str, user: str | None, sentence: str) -> None:
    api(user).post(f"/api/v1/connectors/{segment(name)}/{action}", {})
    errors.print(sentence)


def _tasks(tasks: Sequence[Mapping[str, str]]) -> str:
    states = [task["state"] for task in tasks]
    return ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))


def _change(each: dict[str, object]) -> str:
    declared = "not declared" if each["declared"] is None else f"declared {each['declared']}"
    actual = "not there" if each["actual"] is None else each["actual"]
    return f"{declared}; at the worker {actual}"
