"""`weir view`: stream views, their rows, and operating them. Views are declared: `weir apply -f`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from api.features.views.diff_command import diff
from api.features.views.follow_command import follow
from api.terminal.http import segment
from api.terminal.names import complete_dataset, complete_group, complete_purpose, complete_view
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, errors, show, show_rows
from catalog.errors import InvalidInput

View = Annotated[str, typer.Argument(help="The view's name, as in `weir view list`.", autocompletion=complete_view)]
app = typer.Typer(no_args_is_help=True)


def add_to(main: typer.Typer) -> None:
    """Register this module's commands."""
    main.add_typer(app, name="view")
    app.command("list", epilog="weir view list · weir view list -o json")(views)
    app.command(epilog="weir view describe shop.revenue_5m")(describe)
    app.command(epilog='weir view rows shop.revenue_5m --key EU · weir view rows van_positions --where "speed > 80"')(
        rows
    )
    app.command(epilog="weir view follow van_positions | jq .row")(follow)
    app.command(epilog="weir view diff shop.revenue_5m -f revenue.yaml")(diff)
    app.command(epilog="weir view pause shop.revenue_5m")(pause)
    app.command(epilog="weir view resume shop.revenue_5m")(resume)
    app.command(epilog="weir view restart shop.revenue_5m")(restart)
    app.command(epilog="weir view rebuild shop.revenue_5m --from 2026-11-20T00:00:00Z")(rebuild)
    app.command(epilog="weir view delete shop.revenue_5m --yes")(delete)
    app.command(epilog="weir view mask-copy prod/orders --for analysts --to prod/orders-analysts")(mask_copy)


def views(output: Output = Format.TABLE, user: As = None) -> None:
    """List the views with their state and how far they are behind."""
    answer = api(user).get("/api/v1/views")["views"]
    shown = [
        {
            "name": each["name"],
            "state": each["state"],
            "generation": each["generation"],
            "behind": _behind(each["lag"]),
            "sources": ", ".join(each["sources"]),
            "topic": _topic(each["sink"]),
            "error": (each["error"] or {}).get("message", ""),
        }
        for each in answer
    ]
    columns = ("name", "state", "generation", "behind", "sources", "topic", "error")
    show(
        shown,
        columns,
        output,
        whole=answer,
        empty="There is no view yet; docs/how-to/views.md shows how one is declared.",
    )


def describe(name: View, output: Output = Format.TABLE, user: As = None) -> None:
    """Show one view: state, lag, columns, counts, and what ended it last."""
    answer = api(user).get(f"/api/v1/views/{segment(name)}")
    if output is not Format.TABLE:
        show([answer], ("name", "state"), output, whole=answer)
        return
    plain = {
        "state": f"{answer['state']} since {answer['since'] or 'now'}",
        "generation": answer["generation"],
        "building": f"{answer['building']['generation']}: {answer['building']['why']}" if answer["building"] else "",
        "rows": answer.get("rows"),
        "behind": _behind(answer["lag"]),
        "sources": ", ".join(answer["sources"]),
        "topic": _topic(answer["sink"]),
        "key": ", ".join(answer["key"]),
        "columns": ", ".join(f"{each['name']} {each['type']}" for each in answer["columns"]),
        "runs as": ", ".join(f"{key} {value}" for key, value in answer["runAs"].items()),
        "sql": answer["sql"],
        **{f"{key}": value for key, value in (answer["counts"] | answer["rates"]).items()},
        "error": (answer["error"] or {}).get("message", ""),
    }
    show(
        [{"": key, answer["name"]: value} for key, value in plain.items() if value not in ("", None)],
        ("", answer["name"]),
        output,
        verbatim=True,
    )


def rows(
    name: View,
    key: Annotated[list[str] | None, typer.Option(help="One key; once for each of its columns.")] = None,
    keys: Annotated[str | None, typer.Option(help="Several keys, between commas or as a JSON list.")] = None,
    prefix: Annotated[str | None, typer.Option(help="How the key begins.")] = None,
    where: Annotated[
        str | None,
        typer.Option(help="A condition of SQL over the columns: region = 'EU' AND (total >= 10 OR n % 2 = 0)."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Rows at most.")] = None,
    cursor: Annotated[str | None, typer.Option(help="`next` of the page before.")] = None,
    at_least: Annotated[
        str | None, typer.Option(help="Wait until these offsets are in it: PARTITION:OFFSET,...")
    ] = None,
    purpose: Annotated[
        str | None, typer.Option(help="What the rows are read for.", autocompletion=complete_purpose)
    ] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Read rows of a view by key, as you may see them."""
    parameters: dict[str, object] = {
        "key": key,
        "keys": keys,
        "prefix": prefix,
        "where": where,
        "limit": limit,
        "cursor": cursor,
        "atLeast": at_least,
        "purpose": purpose,
    }
    present = {name: value for name, value in parameters.items() if value}
    answer = api(user).get(f"/api/v1/views/{segment(name)}/rows", **present)
    names = [column["name"] for column in answer["columns"]]
    if output is Format.TABLE and answer["rows"]:
        show_rows(names, answer["rows"], exact=True)
    else:
        shown = [dict(zip(names, row, strict=True)) for row in answer["rows"]]
        show(shown, names, output, whole=answer, empty="No row has this key, or the view has none yet.")
    if output is Format.TABLE:
        for column in answer["columns"]:
            if column["decision"]["effect"] == "masked":
                text = f"{column['name']}: {column['decision']['text']}"
                errors.print(text, style="dim", markup=False)
        behind = answer["freshness"]
        console.print(f"[dim]{_behind(behind)}.[/]")
        if answer["next"]:
            errors.print(f"[dim]More: --cursor {answer['next']}[/]")


def pause(name: View, user: As = None) -> None:
    """Stop the stream and keep its state and rows."""
    _act(name, "pause", user, f"{name} is paused; weir view resume {name} continues it.")


def resume(name: View, user: As = None) -> None:
    """Continue from where the view was paused."""
    _act(name, "resume", user, f"{name} continues.")


def restart(name: View, user: As = None) -> None:
    """Start the stream again from its checkpoint, now."""
    _act(name, "restart", user, f"{name} starts again.")


def rebuild(
    name: View,
    since: Annotated[
        str | None, typer.Option("--from", help="earliest, latest or a time, in place of the declared start.")
    ] = None,
    user: As = None,
) -> None:
    """Build the rows again from the view's start; readers get the new ones when they have caught up."""
    _act(name, "rebuild", user, f"{name} is built again; weir view describe {name} shows how far it is.", since)


def delete(
    name: View,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    user: As = None,
) -> None:
    """Delete a view: its stream, state and rows, and the records of its topic."""
    client = api(user)
    answer = client.get(f"/api/v1/views/{segment(name)}/removal")
    errors.print(answer["text"])
    for reader in answer["readers"]:
        errors.print(f"[dim]  {reader['user']} read it last {reader['last']}[/]")
    if not yes:
        typer.confirm(f"Delete {name}?", abort=True)
    client.delete(f"/api/v1/declared/View/{segment(name)}")
    errors.print(f"{name} is deleted.")


def mask_copy(
    source: Annotated[str, typer.Argument(help="The topic, as CLUSTER/TOPIC.", autocompletion=complete_dataset)],
    audience: Annotated[
        str,
        typer.Option(
            "--for", help="The group or user whose masks and row filters the copy has.", autocompletion=complete_group
        ),
    ],
    to: Annotated[str, typer.Option("--to", help="The topic that is written, as CLUSTER/TOPIC.")],
    purpose: Annotated[str | None, typer.Option(help="What the copy is for.", autocompletion=complete_purpose)] = None,
    user: As = None,
) -> None:
    """Keep a copy of a topic as somebody may see it: the same keys and partitions, masked values and headers.

    The copy is a view, named as its topic: weir view list shows it, weir view delete ends it.
    """
    cluster, _, topic = to.partition("/")
    if not topic or "/" not in source:
        raise InvalidInput("Topics are written as CLUSTER/TOPIC, as in prod/orders.")
    client = api(user)
    groups = {each["metadata"]["name"] for each in client.get("/api/v1/declared/Group")["documents"]}
    run_as = {"group" if audience in groups else "user": audience} | ({"purpose": purpose} if purpose else {})
    spec = {"copyOf": source, "runAs": run_as, "sink": {"cluster": cluster, "topic": topic}}
    document = {"apiVersion": "weir/v1", "kind": "View", "metadata": {"name": topic}, "spec": spec}
    client.post_text("/api/v1/apply", json.dumps(document))
    kind = next(iter(run_as))
    errors.print(f"{to} gets the records of {source} as the {kind} {audience} may see them.")
    errors.print(f"[dim]weir view describe {topic} shows how far it is.[/]")


def _act(name: str, action: str, user: str | None, sentence: str, since: str | None = None) -> None:
    api(user).post(f"/api/v1/views/{segment(name)}/{action}", {}, **{"from": since})
    errors.print(sentence)


def _topic(sink: dict[str, str] | None) -> str:
    return f"{sink['cluster']}/{sink['topic']}" if sink else ""


def _behind(lag: dict[str, float | None]) -> str:
    records, seconds = lag.get("records"), lag.get("seconds")
    if records is None:
        return ""
    return f"{records:,} records, {seconds:.0f} s behind" if records else "up to date"
