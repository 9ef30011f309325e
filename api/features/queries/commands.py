"""`weir query`: statements run, explained, listed, cancelled."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NotRequired, TypedDict

import typer

from api.features.queries.explaining import show_explanation, window_text
from api.features.queries.following import Column, follow_query, is_push
from api.terminal.http import Api, segment
from api.terminal.names import complete_purpose
from api.terminal.options import As, Output, api
from api.terminal.output import Format, as_text, console, errors, escape, print_text, show, show_rows
from api.terminal.parameters import filled
from api.terminal.words import noun
from catalog.errors import InvalidInput
from policies.model import OnUnreadable, RecordWindow

Sql = Annotated[str, typer.Argument(help="One SELECT over topics, or SHOW TABLES, DESCRIBE orders, EXPLAIN SELECT ...")]
Purpose = Annotated[
    str | None,
    typer.Option(help="What for; counts only with a grant for that purpose.", autocompletion=complete_purpose),
]
Given = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="NAME=VALUE",
        help="Value of :NAME in the statement; NAME:number=5, NAME:null. Repeat for several.",
    ),
]
Rows = Annotated[
    int | None, typer.Option(min=1, help="At most this many rows: 100 in a table, json, yaml; all in other formats.")
]
Records = Annotated[
    RecordWindow | None,
    typer.Option("--window", help="Records of a topic to read: newest (as many as a setting allows), or all of them."),
]
Out = Annotated[Path | None, typer.Option("--out", help="Write it into a file.")]
PlainCsv = Annotated[bool, typer.Option("--plain-csv", help="Texts that a spreadsheet would run stay as they are.")]


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    group = noun(app, "query")
    group.command(
        "run",
        epilog="weir query run 'SELECT customer.email FROM orders' --as ana · weir query '... EMIT CHANGES'"
        " · weir query 'SELECT * FROM orders' -o parquet --out orders.parquet",
    )(query)
    app.command(epilog="weir sql · weir sql --as ana --purpose fraud-detection · weir sql -o json < statements.sql")(
        sql
    )
    group.command("list", epilog="weir query list · weir query list -o json")(queries)
    group.command(epilog="weir query cancel q-1f0c... ")(cancel)
    group.command(epilog="weir query explain 'SELECT customer.email FROM orders' --as ana")(explain)


class QueryFormat(StrEnum):
    """The `-o` of a query."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"
    CSV = "csv"
    ARROW = "arrow"
    PARQUET = "parquet"


_EXPORTS = (QueryFormat.CSV, QueryFormat.ARROW, QueryFormat.PARQUET)


def query(
    sql: Sql,
    purpose: Purpose = None,
    param: Given = None,
    limit: Rows = None,
    output: Annotated[QueryFormat, typer.Option("-o", "--output", help="How to print the answer.")] = QueryFormat.TABLE,
    out: Out = None,
    plain_csv: PlainCsv = False,
    unreadable: Annotated[
        OnUnreadable | None,
        typer.Option(help="Values that do not fit their column: report (counted) or error (no answer)."),
    ] = None,
    window: Records = None,
    user: As = None,
) -> None:
    """Query topics with SQL; what you may not see arrives masked or not at all."""
    run_query(api(user), sql, param or [], purpose, limit, output, out, plain_csv, unreadable, window)


def _at_once(show: Callable[[], None]) -> None:
    show()


@dataclass(frozen=True, slots=True)
class TableLook:
    """How an answer is printed as a table: all at once or by pages, one value a line or not, and where the columns are that do
    not fit."""

    printed: Callable[[Callable[[], None]], None] = _at_once
    blocks: bool = False
    whole: str = "by -o yaml"


def run_query(
    client: Api,
    statement: str,
    given: Sequence[str],
    purpose: str | None,
    limit: int | None,
    output: QueryFormat,
    out: Path | None,
    plain_csv: bool,
    unreadable: str | None = None,
    window: RecordWindow | None = None,
    *,
    query_id: str | None = None,
    look: TableLook = TableLook(),
) -> None:
    """Fill in the parameters, run the statement and print or write the answer."""
    sql = filled(statement, given)
    if is_push(sql):
        if window is not None:
            raise InvalidInput(
                "A query that ends with EMIT CHANGES begins with what arrives from now on; leave out --window."
            )
        options = {"--limit": limit is not None, "--out": out is not None, f"-o {output}": output in _EXPORTS}
        if given_too := [name for name, is_given in options.items() if is_given]:
            raise InvalidInput(
                f"A query that ends with EMIT CHANGES has no end; leave out {' and '.join(given_too)}. In a pipe each event"
                " is a line of JSON."
            )
        follow_query(client, sql, purpose, unreadable, query_id)
        return
    asked = {"sql": sql, "purpose": purpose, "limit": limit} | _given(
        unreadable=unreadable, window=window, queryId=query_id
    )
    if output in _EXPORTS:
        body = {"queryId": f"cli-{uuid.uuid4().hex}", **asked}
        _export(client, body, output, out, "plain" if plain_csv else "safe")
        _reported(client.get(f"/api/v1/queries/{body['queryId']}"))
        return
    if out is not None and output is QueryFormat.TABLE:
        raise InvalidInput("--out takes a format for files: -o csv, arrow, parquet, json or yaml.")
    answer = client.post("/api/v1/query", {**asked, "limit": limit or 100})
    if output is QueryFormat.TABLE:
        look.printed(lambda: _table(answer, look))
        return
    _reported(answer)
    text = as_text([], answer, Format(output))
    if out is None:
        print_text(text)
    else:
        _write(out, [text.encode()])


def sql(
    purpose: Purpose = None,
    limit: Rows = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Type SQL, with completion and history, and read answers; from a pipe, run statements one by one."""
    from api.features.queries.shell import Shell, run_given

    shell = Shell(api(user), purpose, limit, QueryFormat(output))
    if not sys.stdin.isatty():
        raise typer.Exit(run_given(shell))
    from api.features.queries.shell_prompt import interact  # takes a moment that no other command needs

    interact(shell)


def _given(**options: str | None) -> dict[str, str]:
    return {name: str(value) for name, value in options.items() if value}


class _Notes(TypedDict):
    """What an answer lacks, in sentences."""

    leftOut: NotRequired[list[dict[str, str]]]
    unreadableText: str | None


class _Answer(_Notes):
    columns: list[Column]
    rows: list[list[object]]
    window: dict[str, object]
    partial: dict[str, str] | None
    notes: NotRequired[list[str]]


def _table(answer: _Answer, look: TableLook) -> None:
    """Rows by position, since two columns may have one name."""
    names = [column["name"] for column in answer["columns"]]
    if answer["rows"]:
        show_rows(names, answer["rows"], exact=True, blocks=look.blocks, whole=look.whole)
    else:
        console.print("No rows.")
    for column in answer["columns"]:
        if (decision := column["decision"]) and decision.get("effect") not in ("clear", "allow", "derived"):
            console.print(f"[dim]{escape(column['name'])}: {escape(decision.get('text', ''))}[/]")
    console.print(window_text(answer["window"]), style="dim", markup=False)
    for part in answer.get("leftOut", ()):
        if part["kind"] != "limit":  # `partial` has the limit, in words of this command
            console.print(f"[yellow]{escape(part['text'])}[/]")
    if answer["partial"]:
        console.print(f"[yellow]{escape(answer['partial']['text'])}[/]")
    if answer["unreadableText"]:
        console.print(f"[yellow]{escape(answer['unreadableText'])}[/]")
    for note in answer.get("notes", ()):
        console.print(f"[yellow]{escape(note)}[/]")


def _reported(answer: _Notes) -> None:
    """What is left out and values that do not fit, beside an answer that is written elsewhere."""
    for part in answer.get("leftOut", ()):
        errors.print(f"[yellow]{escape(part['text'])}[/]")
    if answer["unreadableText"]:
        errors.print(f"[yellow]{escape(answer['unreadableText'])}[/]")


def _export(client: Api, body: Mapping[str, object], output: QueryFormat, out: Path | None, text: str) -> None:
    """The answer's bytes as they come, into a file or a pipe."""
    if out is None and output is not QueryFormat.CSV and sys.stdout.isatty():
        raise InvalidInput(f"{output} is not for a terminal; give --out FILE, or send it into a pipe.")
    with client.download("/api/v1/query", body, format=str(output), csv=text) as pieces:
        if out is not None:
            written = _write(out, pieces)
            errors.print(f"{written:,} bytes in {escape(str(out))}")
            return
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()


def _write(path: Path, pieces: Iterable[bytes]) -> int:
    """A file that is whole or not there. Raises InvalidInput where it cannot be written."""
    begun = path.with_name(path.name + ".part")
    try:
        with begun.open("wb") as file:
            written = sum(file.write(piece) for piece in pieces)
        begun.replace(path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from None
    finally:
        begun.unlink(missing_ok=True)
    return written


def queries(output: Output = Format.TABLE, user: As = None) -> None:
    """List the queries that run just now: yours, or everybody's for those who manage."""
    answer = api(user).get("/api/v1/queries")
    columns = ("id", "user", "state", "seconds", "rows", "datasets", "purpose", "sql")
    show(answer["queries"], columns, output, whole=answer, empty="No query runs.")


def cancel(identifier: Annotated[str, typer.Argument(help="As `weir query list` shows it.")], user: As = None) -> None:
    """Stop a running query."""
    api(user).delete(f"/api/v1/queries/{segment(identifier)}")
    console.print(f"Query {escape(identifier)} is cancelled.")


def explain(
    sql: Sql,
    purpose: Purpose = None,
    param: Given = None,
    window: Records = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show what a query may see, column by column, and what it would read; no data is touched."""
    body = {"sql": filled(sql, param or []), "purpose": purpose} | _given(window=window)
    answer = api(user).post("/api/v1/query/explain", body)
    show_explanation(answer, output)
