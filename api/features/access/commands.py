"""`weir access`: who has access to what, and why; rights nobody uses; two people or two moments compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from api.terminal.http import segment
from api.terminal.long_lists import Limit, Listed, ListFormat, print_file, print_tail
from api.terminal.names import complete_purpose, complete_user
from api.terminal.options import As, AsOf, Output, Topic, api
from api.terminal.output import Format, console, show
from api.terminal.vocabularies import Holder, RightKind, SightLevel
from api.terminal.words import noun
from catalog.errors import InvalidInput

Shows = Annotated[SightLevel | None, typer.Option(help="Only of one kind: `clear`, `partly`, `masked` or `none`.")]


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    group = noun(app, "access")
    group.command(epilog="weir access dataset prod/orders --field value.customer.email --as-of 2026-03-01T12:00:00Z")(
        dataset
    )
    group.command(epilog="weir access person ana · weir access person ana --dataset 'prod/*' -o csv")(person)
    group.command(epilog="weir access unused --days 90 -o csv")(unused)
    group.command(
        epilog="weir access compare prod/orders ana otto · weir access compare prod/orders ana --left-as-of 2026-03-01"
    )(compare)


def dataset(
    name: Topic,
    field: Annotated[str | None, typer.Option(help="Only this field, as value.customer.email.")] = None,
    kind: Annotated[
        list[Holder] | None, typer.Option(help="user, group or role; repeat for several; user when absent.")
    ] = None,
    person: Annotated[str | None, typer.Option("--name", help="Only this person, group or role.")] = None,
    shows: Shows = None,
    limit: Limit = 200,
    as_of: AsOf = None,
    output: Listed = ListFormat.TABLE,
    user: As = None,
) -> None:
    """Everybody who may read a dataset or a field, and the rules behind it."""
    cluster, _, topic = name.partition("/")
    if not topic:
        raise InvalidInput(f"{name!r} is not CLUSTER/TOPIC, as in prod/orders.")
    path = f"/api/v1/access/datasets/{segment(cluster)}/{segment(topic)}"
    params = {"field": field, "asOf": as_of, "kind": kind, "name": person, "shows": shows}
    if print_file(path, output, user, params):
        return
    answer = api(user).get(path, **params, limit=limit)
    _show(answer, ("name", "purpose", "shows", "masks", "until", "why"), output, "Nobody.")


def person(
    name: Annotated[str, typer.Argument(help="Whose; yourself always, others by right.", autocompletion=complete_user)],
    dataset: Annotated[str | None, typer.Option(help="Only datasets of a pattern, as prod/*.")] = None,
    shows: Shows = None,
    limit: Limit = 200,
    as_of: AsOf = None,
    output: Listed = ListFormat.TABLE,
    user: As = None,
) -> None:
    """Everything a person sees: each dataset unmasked, partly, masked or not."""
    path = f"/api/v1/access/people/{segment(name)}"
    params = {"dataset": dataset, "asOf": as_of, "shows": shows}
    if print_file(path, output, user, params):
        return
    answer = api(user).get(path, **params, limit=limit)
    _show(answer, ("dataset", "purpose", "shows", "masks", "until", "why"), output, "No datasets.")


def unused(
    days: Annotated[int, typer.Option(min=1, max=3650, help="Nothing was read for so many days.")] = 90,
    dataset: Annotated[str | None, typer.Option(help="Only rights on datasets of a pattern, as prod/*.")] = None,
    person: Annotated[str | None, typer.Option(help="Only this person's.", autocompletion=complete_user)] = None,
    kind: Annotated[RightKind | None, typer.Option(help="grant, role or owner.")] = None,
    limit: Limit = 200,
    output: Listed = ListFormat.TABLE,
    user: As = None,
) -> None:
    """Rights by which nothing was read, as far as the audit reaches."""
    params = {"days": days, "dataset": dataset, "person": person, "kind": kind}
    if print_file("/api/v1/access/unused", output, user, params):
        return
    answer = api(user).get("/api/v1/access/unused", **params, limit=limit)
    columns = ("kind", "name", "person", "dataset", "since", "how")
    show(answer["rights"], columns, Format(output.value), whole=answer, empty="No unused rights.")
    if output is ListFormat.TABLE:
        print_tail(answer, len(answer["rights"]))
        if answer["young"]:
            console.print(f"{answer['young']} grants are younger than {days} days and are left out.")


def compare(
    dataset: Topic,
    left: Annotated[str, typer.Argument(help="A person.", autocompletion=complete_user)],
    right: Annotated[
        str | None, typer.Argument(help="Another; the same when absent.", autocompletion=complete_user)
    ] = None,
    left_as_of: Annotated[
        str | None, typer.Option(metavar="TIME", help="The moment of the left side; now when absent.")
    ] = None,
    right_as_of: Annotated[
        str | None, typer.Option(metavar="TIME", help="The moment of the right side; now when absent.")
    ] = None,
    left_purpose: Annotated[
        str | None, typer.Option(help="A purpose that the left side states.", autocompletion=complete_purpose)
    ] = None,
    right_purpose: Annotated[
        str | None, typer.Option(help="A purpose that the right side states.", autocompletion=complete_purpose)
    ] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """What two people, or one person at two moments, see of a dataset, and which rules make the difference."""
    answer = api(user).get(
        "/api/v1/explain/compare",
        dataset=dataset,
        left=left,
        right=right,
        leftAsOf=left_as_of,
        rightAsOf=right_as_of,
        leftPurpose=left_purpose,
        rightPurpose=right_purpose,
    )
    rows = [{"field": f["path"], "left": _effect(f["left"]), "right": _effect(f["right"])} for f in answer["fields"]]
    show(rows, ("field", "left", "right"), output, whole=answer, empty="Both see the same of every field.")
    if output is not Format.TABLE:
        return
    console.print(f"{answer['same']} fields are the same; {answer['moreFields']} more differ.")
    for side in ("left", "right"):
        for rule in answer["rules"][side]:
            how = f" ({', '.join(rule['how'])})" if rule["how"] else ""
            console.print(f"{side} only: {rule['text']}{how}", markup=False)
        for kind, names in answer["holds"][side].items():
            if names:
                console.print(f"{side} only, {kind}: {', '.join(names)}", markup=False)
    for each in answer["changed"]:
        what = "deleted" if each["deleted"] else "changed"
        console.print(f"{each['kind']} {each['name']} was {what} by {each['by']} at {each['at']}.", markup=False)
    for note in answer["notes"]:
        console.print(note, markup=False)


def _effect(side: Mapping[str, Any]) -> str:
    mask = side["mask"]["type"] if side["mask"] else ""
    word = {
        "allow": "clear",
        "mask": mask,
        "gap": f"{mask} (not scanned)",
        "deny": "hidden",
        "unknown": "not known then",
    }
    return word[side["effect"]] + (f", unmasked where {side['clearWhen']}" if side["clearWhen"] else "")


def _show(answer: Mapping[str, Any], columns: Iterable[str], output: ListFormat, empty: str) -> None:
    rows = [{**entry, "why": _why(entry)} for entry in answer["entries"]]
    show(rows, tuple(columns), Format(output.value), whole=answer, empty=empty)
    if output is ListFormat.TABLE:
        print_tail(answer, len(rows))


def _why(entry: Mapping[str, Any]) -> str:
    """What opens it, and the exceptions: `role analyst (group sales); except mask-email`."""
    collected = []
    for rule in entry["rules"]:
        if rule["kind"] in ("owner", "role", "grant"):
            how = f" ({', '.join(rule['how'])})" if rule["how"] else ""
            collected.append(("owner" if rule["kind"] == "owner" else f"{rule['kind']} {rule['name']}") + how)
        elif rule["kind"] == "exception":
            collected.append(f"except {rule['name']}")
        elif entry["shows"] == "none":
            collected.append(rule["text"])
    return "; ".join(dict.fromkeys(collected))
