"""`weir query saved`: statements that are kept under a name, and shared."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypedDict

import typer

from api.features.queries.commands import Given, Out, PlainCsv, QueryFormat, Records, Rows, run_query
from api.terminal.http import Api, segment
from api.terminal.names import complete_group, complete_purpose, complete_saved_query, complete_user, unknown
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, escape, print_text, show
from api.terminal.text_input import standard_input, text_of
from api.terminal.words import noun
from catalog.errors import InvalidInput

_PATH = "/api/v1/saved-queries"


class _Shared(TypedDict):
    """Who besides the owner may open a query."""

    everyone: bool
    users: list[str]
    groups: list[str]


class _Query(TypedDict):
    id: str
    name: str
    owner: str
    sql: str
    purpose: str | None
    description: str | None
    shared: _Shared
    chart: dict[str, object] | None
    may: dict[str, bool]


_NOBODY: _Shared = {"everyone": False, "users": [], "groups": []}
_KEPT = ("name", "sql", "purpose", "description", "shared", "chart")


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    noun(app, "query").add_typer(
        saved_app,
        name="saved",
        epilog="weir query saved list · weir query saved run 'Orders of a region' --param region=EU",
    )


saved_app = typer.Typer(help="Keep statements under a name, run and share them.", no_args_is_help=True)
Query = Annotated[str, typer.Argument(metavar="QUERY", help="Its name or id.", autocompletion=complete_saved_query)]


@saved_app.command("list", epilog="weir query saved list --as ana")
def saved_list(output: Output = Format.TABLE, user: As = None) -> None:
    """List your saved queries, and those that others share with you."""
    answer = api(user).get(_PATH)
    rows = [{**each, "shared": _shared_text(each["shared"])} for each in answer["queries"]]
    columns = ("name", "owner", "shared", "purpose", "updatedAt", "description")
    show(
        rows, columns, output, whole=answer, empty="No saved queries; weir query saved save NAME 'SELECT ...' adds one."
    )


@saved_app.command("show", epilog="weir query saved show 'Orders of a region'")
def saved_show(query: Query, output: Output = Format.TABLE, user: As = None) -> None:
    """Show a saved query and its statement."""
    one = _find(api(user), query)
    row = {**one, "shared": _shared_text(one["shared"])}
    show([row], ("name", "owner", "shared", "purpose", "updatedAt", "id"), output, whole=one)
    if output is Format.TABLE:
        if one["description"]:
            console.print(one["description"], markup=False)
        print_text(one["sql"])


@saved_app.command(
    "run",
    epilog="weir query saved run 'Orders of a region' --param region=EU --param least:number=5"
    " · weir query saved run revenue -o parquet --out revenue.parquet",
)
def saved_run(
    query: Query,
    param: Given = None,
    limit: Rows = None,
    output: Annotated[QueryFormat, typer.Option("-o", "--output", help="How to print the answer.")] = QueryFormat.TABLE,
    out: Out = None,
    plain_csv: PlainCsv = False,
    window: Records = None,
    user: As = None,
) -> None:
    """Run a saved query as yourself: what you may not see arrives masked or not at all."""
    client = api(user)
    one = _find(client, query)
    run_query(client, one["sql"], param or [], one["purpose"], limit, output, out, plain_csv, window=window)


@saved_app.command(
    "save",
    epilog="weir query saved save 'Orders of a region' 'SELECT * FROM orders WHERE region = :region'"
    " · weir query saved save revenue --file revenue.sql --replace",
)
def saved_save(
    name: Annotated[str, typer.Argument(help="What it is called.")],
    sql: Annotated[str | None, typer.Argument(help="The statement; - reads it from the input.")] = None,
    file: Annotated[Path | None, typer.Option(help="A file with the statement.")] = None,
    purpose: Annotated[str | None, typer.Option(help="What it is run for.", autocompletion=complete_purpose)] = None,
    description: Annotated[str | None, typer.Option(help="What it answers.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Change the one of this name that you have.")] = False,
    user: As = None,
) -> None:
    """Keep a statement under a name. With --replace, what is not given stays as it is."""
    client = api(user)
    known = _own(client, name) if replace else None
    text = _statement(sql, file) if known is None or sql is not None or file is not None else known["sql"]
    body = _kept(known) if known is not None else {"name": name, "shared": _NOBODY}
    body |= {"sql": text}
    body |= {"purpose": purpose} if purpose is not None else {}
    body |= {"description": description} if description is not None else {}
    if known is None:
        client.post(_PATH, body)
    else:
        client.put(f"{_PATH}/{segment(known['id'])}", body)
    console.print(f"Saved {escape(name)}. Run it with: weir query saved run {escape(_quoted(name))}", highlight=False)


@saved_app.command(
    "share",
    epilog="weir query saved share revenue --group finance · weir query saved share revenue --everyone"
    " · weir query saved share revenue --nobody",
)
def saved_share(
    query: Query,
    everyone: Annotated[bool, typer.Option("--everyone", help="All who are signed in may open it.")] = False,
    person: Annotated[
        list[str] | None, typer.Option("--user", help="A person; repeat for several.", autocompletion=complete_user)
    ] = None,
    group: Annotated[
        list[str] | None, typer.Option("--group", help="A group; repeat for several.", autocompletion=complete_group)
    ] = None,
    nobody: Annotated[bool, typer.Option("--nobody", help="Share it no more.")] = False,
    user: As = None,
) -> None:
    """Choose who may open a query besides you. It opens no data: each who runs it sees by their own access."""
    named = bool(everyone or person or group)
    if named == nobody:
        raise InvalidInput("Give --everyone, --user, --group or --nobody.")
    client = api(user)
    one = _find(client, query)
    shared = {"everyone": everyone, "users": list(person or ()), "groups": list(group or ())}
    changed = client.put(f"{_PATH}/{segment(one['id'])}", {**_kept(one), "shared": shared})
    console.print(f"{escape(changed['name'])} is shared with {escape(_shared_text(changed['shared']) or 'nobody')}.")


@saved_app.command("delete", epilog="weir query saved delete revenue")
def saved_delete(query: Query, user: As = None) -> None:
    """Forget a saved query."""
    client = api(user)
    answer = client.delete(f"{_PATH}/{segment(_find(client, query)['id'])}")
    console.print(f"{escape(answer['name'])} is deleted.")


def _find(client: Api, query: str) -> _Query:
    """By id, else by name: one's own before those of others. Raises UnknownName, InvalidInput where several fit."""
    listed: list[_Query] = client.get(_PATH)["queries"]
    fit = [each for each in listed if each["id"] == query] or [each for each in listed if each["name"] == query]
    fit = [each for each in fit if each["may"]["change"]] or fit
    if not fit:
        raise unknown("saved query", query, (each["name"] for each in listed), "weir query saved list shows them.")
    if len(fit) > 1:
        ids = ", ".join(f"{each['id']} of {each['owner']}" for each in fit)
        raise InvalidInput(f"Several saved queries are called {query!r}; name one by its id: {ids}.")
    return fit[0]


def _own(client: Api, name: str) -> _Query | None:
    listed: list[_Query] = client.get(_PATH)["queries"]
    return next((each for each in listed if each["name"] == name and each["may"]["change"]), None)


def _kept(query: _Query) -> dict[str, object]:
    return {key: value for key, value in query.items() if key in _KEPT}


def _statement(sql: str | None, file: Path | None) -> str:
    if (sql is None) == (file is None):
        raise InvalidInput("Give a statement, or --file with one.")
    if file is not None:
        return text_of(file)
    return standard_input() if sql == "-" else str(sql)


def _shared_text(shared: _Shared) -> str:
    if shared["everyone"]:
        return "everyone"
    return ", ".join([*shared["users"], *(f"group {name}" for name in shared["groups"])])


def _quoted(name: str) -> str:
    import shlex

    return shlex.quote(name)
