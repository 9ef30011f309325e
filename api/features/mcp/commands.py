"""`weir mcp`: the server for agents on a desktop."""

from __future__ import annotations

import typer

from api.config.home import Home
from api.terminal.options import As


def add_to(app: typer.Typer) -> None:
    """Register this module's command."""
    app.command("mcp", epilog="weir mcp · weir mcp --as ana")(mcp)


def mcp(user: As = None) -> None:
    """Serve an agent on this machine over standard input and output, as the one who is signed in.

    The protocol is the Model Context Protocol. Each message goes to /mcp of the Weir that other commands call, with the same login.
    """
    from api.features.mcp.forwarding import serve

    serve(Home.of_environment(), user)
