"""`weir rights`: what Weir grants, what the brokers let happen, what is used; what is wrong between them; principals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from api.features.rights import consumer_commands, plan_commands
from api.terminal.long_lists import Limit, Listed, ListFormat, print_file, print_tail
from api.terminal.names import complete_cluster, complete_dataset, complete_user
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, show
from api.terminal.vocabularies import Severity

rights_app = typer.Typer(no_args_is_help=True)

Cluster = Annotated[str | None, typer.Option(help="Only this cluster.", autocompletion=complete_cluster)]
Dataset = Annotated[
    str | None, typer.Option(help="Only datasets of a pattern, as prod/*.", autocompletion=complete_dataset)
]
Days = Annotated[int, typer.Option(min=1, max=3650, help="What was not used for so many days is unused.")]


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    plan_commands.add_to(rights_app)
    consumer_commands.add_to(rights_app)
    app.add_typer(rights_app, name="rights")


@rights_app.command(
    "list",
    epilog="weir rights list --dataset prod/orders · weir rights list --user ana"
    " · weir rights list --principal User:orders-app -o csv",
)
def list_rights(
    dataset: Dataset = None,
    person: Annotated[
        str | None,
        typer.Option(
            "--user", help="Only principals that are this person, group or program.", autocompletion=complete_user
        ),
    ] = None,
    principal: Annotated[str | None, typer.Option(help="Only this principal, as User:orders-app.")] = None,
    cluster: Cluster = None,
    days: Days = 90,
    limit: Limit = 200,
    output: Listed = ListFormat.TABLE,
    user: As = None,
) -> None:
    """What each principal may do with each topic: granted by Weir, possible at the brokers, used."""
    params = {"dataset": dataset, "user": person, "principal": principal, "cluster": cluster, "days": days}
    if print_file("/api/v1/rights", output, user, params):
        return
    answer = api(user).get("/api/v1/rights", **params, limit=limit)
    rows = [_row(each) for each in answer["rights"]] if output is ListFormat.TABLE else answer["rights"]
    columns = ("dataset", "principal", "who", "granted", "possible", "used")
    show(
        rows,
        columns,
        Format(output.value),
        whole=answer,
        empty=_empty(answer, "No principal may do anything with these topics."),
    )
    if output is ListFormat.TABLE:
        for topic in answer["topics"]:
            if topic["groups"]:
                groups = ", ".join(topic["groups"])
                console.print(f"{topic['dataset']}: read by groups of no known principal: {groups}", markup=False)
        print_tail(answer, len(rows))


@rights_app.command(epilog="weir rights findings --severity high · weir rights findings --dataset 'prod/*' -o csv")
def findings(
    dataset: Dataset = None,
    cluster: Cluster = None,
    severity: Annotated[list[Severity] | None, typer.Option(help="Only of these; repeat for several.")] = None,
    days: Days = 90,
    limit: Limit = 200,
    output: Listed = ListFormat.TABLE,
    user: As = None,
) -> None:
    """What is wrong between what is granted, possible and used, the worst first."""
    params = {"dataset": dataset, "cluster": cluster, "severity": severity, "days": days}
    if print_file("/api/v1/rights/findings", output, user, params):
        return
    answer = api(user).get("/api/v1/rights/findings", **params, limit=limit)
    columns = ("severity", "kind", "text", "fix")
    empty = "No findings: what the brokers let happen is what Weir grants, as far as it is known."
    show(answer["findings"], columns, Format(output.value), whole=answer, empty=_empty(answer, empty))
    if output is ListFormat.TABLE:
        print_tail(answer, len(answer["findings"]))


@rights_app.command(epilog="weir rights principals --cluster prod · weir rights principals -o json")
def principals(cluster: Cluster = None, limit: Limit = 200, output: Output = Format.TABLE, user: As = None) -> None:
    """The principals that ACLs, super users and documents name, and who each is in Weir."""
    answer = api(user).get("/api/v1/rights/principals", cluster=cluster, limit=limit)
    rows = [
        {
            **each,
            "who": _who(each["who"]),
            "suggestions": [_who(who) for who in each["suggestions"]],
            "superUser": "super user" if each["superUser"] else "",
        }
        for each in answer["principals"]
    ]
    columns = ("cluster", "principal", "mapping", "who", "superUser", "suggestions")
    empty = "No ACL, super user or document names a principal."
    shown = rows if output is Format.TABLE else answer["principals"]
    show(shown, columns, output, whole=answer, empty=empty)
    if output is Format.TABLE:
        if answer["unmapped"]:
            console.print(f"{answer['unmapped']} are not mapped; declare who they are by kind: Principal.")
        print_tail(answer, len(rows))


def _empty(answer: Mapping[str, Any], otherwise: str) -> str:
    """What is printed without rows: where no cluster was asked, nothing follows for the topics."""
    return otherwise if answer["clusters"] else "No topic was looked at."


def _row(entry: Mapping[str, Any]) -> dict[str, object]:
    granted = entry["granted"]
    shows = granted["shows"] + (", some rows" if granted["hidesRows"] else "") if granted else "not known"
    reads = [each["name"] for each in entry["used"]["groups"]]
    return {
        "dataset": entry["dataset"],
        "principal": entry["principal"] + (" (super user)" if entry["superUser"] else ""),
        "who": _who(entry["who"]) or entry["mapping"],
        "granted": shows if entry["mapping"] not in ("everyone", "weir") else "",
        "possible": [_possible(each) for each in entry["possible"]],
        "used": [entry["used"]["state"] if entry["used"]["state"] != "notKnown" else "not known", *reads],
    }


def _possible(operation: Mapping[str, Any]) -> str:
    word = str(operation["operation"])
    match operation["from"]:
        case "notKnown":
            return f"{word} (not known)"
        case "hosts":
            return f"{word} from {', '.join(operation['hosts'])}"
    return f"{word} but from {', '.join(operation['but'])}" if operation["but"] else word


def _who(who: Mapping[str, Any] | None) -> str:
    if who is None:
        return ""
    return str(who["name"]) if who["kind"] == "user" else f"{who['name']} ({who['kind']})"
