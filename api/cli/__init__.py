"""The command line `weir`. Each command is a thin call of the HTTP API; the servers' commands drive `stack`."""

from __future__ import annotations

import sys

import typer

from api.cli import access, catalog, declare, events, lineage, policy, queries, review, schemas, servers, sources
from api.cli.output import errors
from catalog.errors import WeirError
from stack.errors import StackError

app = typer.Typer(
    name="weir",
    help="A catalog and governor for streams: what flows, where from, where to, who may see it.",
    epilog="Start here: weir demo   ·   with your own Kafka: weir up --detach; weir scan --bootstrap-servers HOST:PORT",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    rich_markup_mode="rich",
)

for room in (servers, catalog, review, lineage, queries, policy, access, declare, events, schemas, sources):
    room.add_to(app)


def main() -> None:
    """Run a command; a known failure is one sentence on stderr and exit code 1, never a stack trace."""
    try:
        app(prog_name="weir")
    except (WeirError, StackError) as error:
        errors.print(f"[bold red]✗[/] {_plain(str(error))}")
        reasons = getattr(error, "details", {}).get("reasons", [])
        for reason in reasons:
            errors.print(f"  · {_plain(reason if isinstance(reason, str) else str(reason.get('text', reason)))}")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)
