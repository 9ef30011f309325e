"""Options that many commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from api.config.home import Home
from api.terminal.http import Api
from api.terminal.names import complete_dataset, complete_user
from api.terminal.output import Format

Output = Annotated[Format, typer.Option("-o", "--output", help="How to print the answer.")]
As = Annotated[
    str | None,
    typer.Option("--as", metavar="USER", help="Ask as USER, with WEIR_HOME/tokens/USER.", autocompletion=complete_user),
]
AsOf = Annotated[str | None, typer.Option("--as-of", metavar="TIME", help="As it was then, RFC 3339.")]

Topic = Annotated[str, typer.Argument(help="CLUSTER/TOPIC, as prod/orders.", autocompletion=complete_dataset)]


def api(user: str | None = None) -> Api:
    """The API of this instance, as the admin or as `user`."""
    return Api(Home.of_environment(), user)
