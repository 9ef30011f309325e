"""Options that many commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from api.config.home import Home
from api.terminal.http import Api
from api.terminal.names import complete_dataset, complete_user, whole_reference
from api.terminal.output import Format

Output = Annotated[Format, typer.Option("-o", "--output", help="How to print the answer.")]
As = Annotated[
    str | None,
    typer.Option("--as", metavar="USER", help="Ask as USER, with WEIR_HOME/tokens/USER.", autocompletion=complete_user),
]
AsOf = Annotated[str | None, typer.Option("--as-of", metavar="TIME", help="As it was then, RFC 3339.")]


def _reference(context: typer.Context, name: str) -> str:
    """Completed with its cluster, by what the caller may know of. A shell that completes asks nothing."""
    return name if context.resilient_parsing else whole_reference(api(context.params.get("user")), name)


Topic = Annotated[
    str,
    typer.Argument(
        help="CLUSTER/TOPIC, as prod/orders; orders where one cluster has it.",
        autocompletion=complete_dataset,
        callback=_reference,
    ),
]


def api(user: str | None = None) -> Api:
    """The API of this instance, as the admin or as `user`."""
    return Api(Home.of_environment(), user)
