"""`weir dataset owner`: who owns a dataset, who might, and naming them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, NotRequired, TypedDict

import typer

from api.terminal.http import dataset_path
from api.terminal.options import As, Output, Topic, api
from api.terminal.output import Format, console, errors, show
from api.terminal.words import noun


class Role(StrEnum):
    """What an owner answers for."""

    BUSINESS = "business"
    TECHNICAL = "technical"


Name = Annotated[str, typer.Argument(help="A user, as NAME or user:NAME, or a group as group:NAME.")]
_SOURCES = {
    "dataset": "the dataset's own owners",
    "product": "owners of the data product {0}, as the dataset has none",
    "domain": "stewards of the domain {0}, as neither the dataset nor a product of it has owners",
    "cluster": "owners that the cluster {0} names for datasets without any",
    "nobody": "nobody owns it; those who manage are notified",
}


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    noun(app, "dataset").add_typer(
        owner_app, name="owner", epilog="weir dataset owner show prod/orders · weir dataset owner add prod/orders ana"
    )


owner_app = typer.Typer(help="See who owns a dataset and who might, and name owners.", no_args_is_help=True)


@owner_app.command("show", epilog="weir dataset owner show prod/orders")
def owner_show(dataset: Topic, output: Output = Format.TABLE, user: As = None) -> None:
    """Show who answers for a dataset, and by what rule."""
    answer = api(user).get(dataset_path(dataset))["responsible"]
    roles = {each["name"]: ", ".join(each["roles"]) for each in answer["owners"]}
    rows = [{"name": each, "roles": roles.get(each, ""), "source": answer["source"]} for each in answer["names"]]
    show(rows, ("name", "roles", "source"), output, whole=answer, empty="No owner.")
    if output is Format.TABLE:
        text = _SOURCES[answer["source"]].format(answer["sourceName"])
        console.print(f"By: {text}.", markup=False)


@owner_app.command("suggest", epilog="weir dataset owner suggest prod/orders")
def owner_suggest(dataset: Topic, output: Output = Format.TABLE, user: As = None) -> None:
    """List who might own a dataset, with the reasons."""
    answer = api(user).get(f"{dataset_path(dataset)}/owner-suggestions")
    rows = [{**each, "reasons": "; ".join(r["text"] for r in each["reasons"])} for each in answer["suggestions"]]
    show(rows, ("name", "known", "reasons"), output, whole=answer, empty="Nothing suggests an owner.")
    if output is Format.TABLE:
        for each in answer["notRead"]:
            errors.print(each, markup=False)


@owner_app.command(
    "add",
    epilog="weir dataset owner add prod/orders ana --role business · weir dataset owner add prod/orders group:shop",
)
def owner_add(
    dataset: Topic,
    name: Name,
    role: Annotated[list[Role] | None, typer.Option(help="business or technical; repeat for both.")] = None,
    user: As = None,
) -> None:
    """Name an owner, or set the roles of one. Owners may read the dataset."""
    owners = _owners(dataset, user)
    name = _name(name, owners)
    known = [each for each in owners if _named(name, each["roles"]) == each]
    added = _named(name, role or (known[0]["roles"] if known else ()))
    _set(dataset, user, [added if each in known else each for each in owners] if known else [*owners, added])


@owner_app.command("remove", epilog="weir dataset owner remove prod/orders ana")
def owner_remove(dataset: Topic, name: Name, user: As = None) -> None:
    """Take an owner away."""
    owners = _owners(dataset, user)
    name = _name(name, owners)
    _set(dataset, user, [each for each in owners if name not in (each.get("user"), f"group:{each.get('group')}")])


class _Owner(TypedDict):
    """An owner as a document has it: a user or a group."""

    user: NotRequired[str]
    group: NotRequired[str]
    roles: list[str]


def _name(typed: str, owners: Sequence[_Owner]) -> str:
    """`user:ana` is ana, unless an owner has that very name."""
    return typed if any(each.get("user") == typed for each in owners) else typed.removeprefix("user:")


def _named(name: str, roles: Sequence[str]) -> _Owner:
    group = name.removeprefix("group:")
    return {"user": name, "roles": [*roles]} if group == name else {"group": group, "roles": [*roles]}


def _owners(dataset: str, user: str | None) -> list[_Owner]:
    listed = api(user).get(dataset_path(dataset))["responsible"]["owners"]
    return [_named(each["name"], each["roles"]) for each in listed]


def _set(dataset: str, user: str | None, owners: list[_Owner]) -> None:
    body = {"owners": [{key: value for key, value in each.items() if value} for each in owners]}
    answer = api(user).patch(f"{dataset_path(dataset)}/curation", body)
    console.print(f"{answer['reference']}: {answer['action']}.", markup=False)
