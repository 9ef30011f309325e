"""The words at the top of the command line: what each is for, in which panel of `weir --help`, and examples of groups.

Only this table is read for `weir --help`; the commands below a word are imported when it is called.
"""

from __future__ import annotations

from dataclasses import dataclass

import typer


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
        "login": Word("Sign in by a page in the browser; commands then run as you, until `weir logout`."),
        "logout": Word("End the session that `weir login` began, and forget it."),
        "whoami": Word("Show who commands run as, by what, and what they may do."),
    },
    "Find and understand data": {
        "search": Word("Search datasets and fields."),
        "where-is": Word("Report every place of a field or of a kind of personal data."),
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
        "view": Word(
            "Operate stream views: governed queries whose answer is kept up to date.",
            "weir view list · weir view rows shop.revenue_5m --key EU",
        ),
    },
    "Access": {
        "request": Word(
            "Request access to data, and decide requests of others.",
            "weir request create prod/orders --purpose campaign --as ana · weir request list · weir request approve 3f2a...",
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
            "weir agent list · weir agent end tok_3f2a",
        ),
        "user": Word(
            "See and end sessions, and free names that a provider or a directory keeps.",
            "weir user sessions --all · weir user unlink ana",
        ),
        "server": Word(
            "Run one process of Weir, print its settings, rebuild an index.",
            "weir server settings -o yaml > weir.yaml · weir server rebuild search",
        ),
    },
}
WORDS: dict[str, Word] = {name: word for words in PANELS.values() for name, word in words.items()}
PANEL_OF = {name: panel for panel, words in PANELS.items() for name in words}


def noun(app: typer.Typer, name: str) -> typer.Typer:
    """The group of this name; several features may add commands to one."""
    for group in app.registered_groups:
        if group.name == name and group.typer_instance is not None:
            return group.typer_instance
    group_app = typer.Typer(no_args_is_help=True)
    app.add_typer(group_app, name=name)
    return group_app
