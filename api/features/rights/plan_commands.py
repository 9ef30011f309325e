"""`weir rights plan`, `apply`, `undo`, `adopt`: ACLs at the brokers made equal to what Weir grants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from api.terminal.long_lists import print_tail
from api.terminal.names import complete_cluster
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, show

Cluster = Annotated[
    str | None, typer.Option(help="The cluster; needed where there are several.", autocompletion=complete_cluster)
]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="At most so many changes.")]
_COLUMNS = ("action", "kind", "acl", "reason")


def add_to(app: typer.Typer) -> None:
    """Register this module's commands on `weir rights`."""
    app.command(epilog="weir rights plan --cluster prod · weir rights plan -o json")(plan)
    app.command("apply", epilog="weir rights apply · weir rights apply 9f2c1e07a4b3d586 --yes --cluster prod")(
        apply_plan
    )
    app.command(epilog="weir rights undo --cluster prod")(undo)
    app.command(epilog="weir rights adopt User:orders-app --dataset prod/orders")(adopt)


def plan(cluster: Cluster = None, limit: Limit = 200, output: Output = Format.TABLE, user: As = None) -> None:
    """Show the changes that would make the brokers equal to Weir, with the reason of each. Changes nothing."""
    answer = api(user).get("/api/v1/rights/plan", cluster=cluster, limit=limit)
    _show_plan(answer, output)
    if output is Format.TABLE and answer["total"] and answer["mayApply"]:
        console.print(
            f"Apply it by: weir rights apply {answer['id']} --yes --cluster {answer['cluster']}", markup=False
        )


def apply_plan(
    plan: Annotated[str | None, typer.Argument(help="Id of the plan that you looked at.")] = None,
    cluster: Cluster = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Change the ACLs; else the plan is shown, and nothing is changed.")
    ] = False,
    limit: Limit = 200,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Make the changes of a plan at the brokers, as one person or two. A plan that went stale is refused."""
    client = api(user)
    if not (yes and plan):
        answer = client.get("/api/v1/rights/plan", cluster=cluster, limit=limit)
        _show_plan(answer, output)
        if output is Format.TABLE and answer["total"]:
            command = f"weir rights apply {answer['id']} --yes --cluster {answer['cluster']}"
            console.print(f"Nothing is changed yet. To change it: {command}", markup=False)
        return
    _show_apply(client.post("/api/v1/rights/apply", {"plan": plan, "cluster": cluster}), output)


def undo(cluster: Cluster = None, output: Output = Format.TABLE, user: As = None) -> None:
    """Take the last apply back: delete what it made, make again what it deleted of others. Many changes need two persons."""
    _show_apply(api(user).post("/api/v1/rights/undo", {"cluster": cluster}), output)


def adopt(
    principal: Annotated[str, typer.Argument(help="As the brokers name it, as User:orders-app.")],
    dataset: Annotated[str | None, typer.Option(help="Only ACLs of topics of a pattern, as prod/orders.")] = None,
    cluster: Cluster = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Take ACLs that somebody else made into the care of Weir, which deletes them when the right ends."""
    body = {"principal": principal, "dataset": dataset, "cluster": cluster}
    answer = api(user).post("/api/v1/rights/adopt", body)
    show([{"adopted": acl} for acl in answer["adopted"]], ("adopted",), output, whole=answer)
    if output is Format.TABLE:
        for sentence in answer["refused"]:
            console.print(sentence, markup=False)


def _show_plan(answer: Mapping[str, Any], output: Format) -> None:
    empty = f"No changes: the ACLs of {answer['cluster']} in the care of Weir are equal to what it grants."
    show(answer["changes"], _COLUMNS, output, whole=answer, empty=empty)
    if output is not Format.TABLE:
        return
    print_tail(answer, len(answer["changes"]))
    if answer["total"]:
        counts = ", ".join(f"{each['changes']} {each['action']} {each['kind']}" for each in answer["counts"])
        console.print(
            f"Plan {answer['id']} for {answer['cluster']}: {answer['total']} changes ({counts}).", markup=False
        )
    for each in answer["unopened"]:
        console.print(f"Not changed: {each['acl']}. {each['reason']}", markup=False)
    if (undo := answer["waitingUndo"]) is not None:
        text = (
            f"{undo['by']} wants to undo the apply {undo['undoOf']} ({undo['changes']} changes); another person has to."
        )
        console.print(text, markup=False)
    if answer["secondPerson"] and answer["total"]:
        waiting = answer["waiting"]
        who = f"{waiting['by']} applied it first; another person has to." if waiting else "It needs two persons."
        console.print(who, markup=False)


def _show_apply(answer: Mapping[str, Any], output: Format) -> None:
    counts = [f"{each['changes']} {each['action']} {each['kind']}" for each in answer["counts"]]
    row = {**answer, "made": f"{answer['done']} of {answer['changes']}", "kinds": counts}
    show([row], ("id", "cluster", "state", "made", "kinds"), output, whole=answer)
    if output is not Format.TABLE:
        return
    for sentence in answer["problems"]:
        console.print(sentence, markup=False)
    if answer["state"] == "waiting":
        words = "undo" if answer["undoOf"] else f"apply {answer['plan']} --yes"
        again = f"weir rights {words} --cluster {answer['cluster']}"
        console.print(f"It waits for a second person, who runs: {again}", markup=False)
