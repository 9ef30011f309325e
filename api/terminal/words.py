"""The words at the top of the command line: what each is for, in which panel of `weir --help`, and examples of groups.

Only this table is read for `weir --help`; the commands below a word are imported when it is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperGroup

from catalog.near_names import did_you_mean


@dataclass(frozen=True, slots=True)
class Word:
    """`examples`: of a group, one after another between ` · `; a command has its own."""

    help: str
    examples: str = ""


PANELS: dict[str, dict[str, Word]] = {
    "Start": {
        "demo": Word("Start everything and run the demo."),
        "up": Word("Start the local servers and Weir itself; an instance that runs is healed."),
        "down": Word("Stop every process of the instance."),
        "status": Word("Show each process of the instance: address, version, pid, memory."),
        "doctor": Word("Look at everything this installation needs, and name what to do."),
        "version": Word("Show the version of Weir, and of what it runs on."),
        "login": Word("Sign in by a page in the browser; commands then run as you, until `weir logout`."),
        "logout": Word("End the session that `weir login` began, and forget it."),
        "whoami": Word("Show who commands run as, by what, and what they may do."),
        "inbox": Word("Show what waits for you: one row a thing to do, what is broken first."),
    },
    "Find and understand data": {
        "search": Word("Search datasets and fields."),
        "where-is": Word("Report the data locations of a field or of a kind of personal data."),
        "dataset": Word(
            "Show datasets: schema, records, personal data, readers, and the topic at its brokers.",
            "weir dataset list · weir dataset schema prod/orders · weir dataset browse prod/orders --follow",
        ),
        "lineage": Word(
            "Show what feeds a dataset, what it feeds, and what a change would break.",
            "weir lineage prod/orders · weir lineage impact prod/orders --field value.customer.email",
        ),
        "events": Word("Show events: schema changes, scans, new datasets and more."),
        "mcp": Word("Serve an agent on this machine over standard input and output, as the one who is signed in."),
    },
    "Query data": {
        "query": Word(
            "Query topics with SQL; explain, list and cancel queries, and save statements under a name.",
            "weir query 'SELECT customer.email FROM orders' · weir query explain 'SELECT * FROM orders' --as ana"
            " · weir query list",
        ),
        "sql": Word("Type SQL, with completion and history, and read answers; from a pipe, run statements one by one."),
        "view": Word(
            "Operate stream views: governed queries whose answer is kept up to date.",
            "weir view list · weir view rows shop.revenue_5m --key EU",
        ),
    },
    "Access": {
        "request": Word(
            "Request access to data, and decide requests of others.",
            "weir request prod/orders --purpose campaign --as ana · weir request orders --for-consumer my-app --purpose billing"
            " · weir request create list --purpose campaign · weir request list · weir request approve 3f2a...",
        ),
        "access": Word(
            "See who has access to what, and why; see and revoke grants.",
            "weir access dataset prod/orders · weir access person ana · weir access grants --as ana",
        ),
        "rights": Word(
            "Compare what Weir grants with what the brokers let happen, and with what is used.",
            "weir rights findings · weir rights list --dataset prod/orders · weir rights principals",
        ),
        "access-review": Word(
            "Confirm or revoke rights, in access reviews.",
            "weir access-review list --state open · weir access-review show personal-data-2026-06-01 --mine",
        ),
        "notify": Word(
            "Choose how you are notified, test it, see what was not delivered.",
            "weir notify show · weir notify test --channel chat",
        ),
    },
    "Govern": {
        "contract": Word(
            "Write contracts from what scans saw, check them, and see what a change of one breaks.",
            "weir contract init prod/orders > orders.yaml · weir contract check -f orders.yaml --schema new.avsc"
            " · weir contract diff old.yaml new.yaml",
        ),
        "quality": Word(
            "See what scans measured of a dataset over time and what of it is unusual; mark deploys and replays.",
            "weir quality show prod/orders · weir quality anomalies prod/orders · weir quality mark prod/orders --kind deploy",
        ),
        "incident": Word(
            "See what is wrong with datasets, who looks after it, and resolve it.",
            "weir incident list · weir incident show 3f2a · weir incident resolve 3f2a --text 'Fixed in 1.4'",
        ),
        "catalog": Word(
            "Show the glossary and data products, and edit what is declared of many datasets in a spreadsheet.",
            "weir catalog terms customer-email · weir catalog products shop · weir catalog export > catalog.csv"
            " · weir catalog import catalog.csv",
        ),
        "apply": Word("Make Weir's declared state what the files declare."),
        "diff": Word("Show what `apply` would change. Exit code 1 when something would."),
        "get": Word("Show declared documents; `-o yaml` prints documents that `apply` takes back."),
        "delete": Word("Delete one declared document. What scans found of a dataset stays."),
        "policy": Word(
            "Test policies, see what a change would do, try a mask.",
            "weir policy simulate -f policies.yaml · weir policy decide prod/orders --user ana",
        ),
        "personal-data": Word(
            "Review kinds of personal data that scans found, and try recognizers of your own.",
            "weir personal-data review · weir personal-data test -f rec.yaml --sample values.txt",
        ),
        "audit": Word(
            "Search, verify and export the audit chain.",
            "weir audit list · weir audit verify",
        ),
    },
    "Run": {
        "cluster": Word(
            "Show clusters, their consumer groups and what their Kafka Connect runs.",
            "weir cluster list · weir cluster groups prod --topic orders",
        ),
        "scan": Word("Sample topics, learn their schemas and find personal data in them."),
        "connector": Word(
            "Operate connectors of Kafka Connect that are declared here.",
            "weir connector list · weir connector restart shop-customers",
        ),
        "token": Word(
            "Make, rotate and revoke API tokens.",
            "weir token create --user etl · weir token list",
        ),
        "agent": Word(
            "See agents that act for people, what they did, and end one.",
            "weir agent list · weir agent end tok_3f2a19c40d7e",
        ),
        "user": Word(
            "See and end sessions, and free names that a provider or a directory keeps.",
            "weir user sessions --all · weir user unlink ana",
        ),
        "server": Word(
            "Run one process of Weir, print its settings, rebuild an index, collect what somebody who helps needs.",
            "weir server settings -o yaml > weir.yaml · weir server rebuild search · weir server bundle weir.tar.gz",
        ),
        "backup": Word(
            "Back up the record store with its audit and keys, verify a backup, restore it.",
            "weir backup create weir.backup · weir backup verify weir.backup · weir backup restore weir.backup",
        ),
    },
}
WORDS: dict[str, Word] = {name: word for words in PANELS.values() for name, word in words.items()}
PANEL_OF = {name: panel for panel, words in PANELS.items() for name in words}


_LIKE = {
    "add": ("create",),
    "columns": ("schema",),
    "consume": ("browse", "query"),
    "consumers": ("groups", "readers"),
    "describe": ("show", "dataset"),
    "fields": ("schema",),
    "find": ("search",),
    "get": ("show",),
    "info": ("show", "whoami"),
    "kill": ("cancel", "end"),
    "ls": ("list", "dataset"),
    "make": ("create",),
    "messages": ("browse", "query"),
    "new": ("create",),
    "read": ("browse", "query"),
    "records": ("browse", "query"),
    "remove": ("delete", "revoke", "end"),
    "rm": ("delete", "revoke", "end"),
    "run": ("query", "up"),
    "select": ("query",),
    "start": ("up",),
    "stop": ("cancel", "end", "down"),
    "tables": ("dataset",),
    "tail": ("browse",),
    "topics": ("dataset",),
}
"""Words of other tools -> commands that do the same here; of a group, the first that it has."""


def like(commands: Sequence[str]) -> list[str]:
    """The words of other tools for one of the commands."""
    return [word for word, same in _LIKE.items() if any(each in commands for each in same)]


class Group(TyperGroup):
    """Commands below a word; the word of another tool is refused with the command that does the same."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name in _LIKE and self.get_command(ctx, name) is None and not ctx.resilient_parsing:
            like = [each for each in _LIKE[name] if each in self.list_commands(ctx)]
            ctx.fail(f"No such command {name!r}.{did_you_mean([f'{each!r}' for each in like[:1]], lead=' ')}")
        return super().resolve_command(ctx, args)


def noun(app: typer.Typer, name: str) -> typer.Typer:
    """The group of this name; several features may add commands to one."""
    for group in app.registered_groups:
        if group.name == name and group.typer_instance is not None:
            return group.typer_instance
    group_app = typer.Typer(no_args_is_help=True, cls=Group)
    app.add_typer(group_app, name=name)
    return group_app
