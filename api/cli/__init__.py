"""The command line `weir`. Each command is a thin call of the HTTP API; the servers' commands drive `stack`."""

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping, Sequence
from typing import Annotated

import typer

from api import VERSION
from api.cli.old_words import current
from api.cli.tree import STYLE, Tree
from api.terminal.failures import print_failure, worded
from api.terminal.names import UnknownName
from api.terminal.output import print_text
from catalog.errors import WeirError
from stack.errors import StackError


def _tell_version(requested: bool) -> None:
    if requested:
        print_text(f"weir {VERSION}")
        raise typer.Exit


def _whole(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_tell_version, help="Show the version and exit.")
    ] = False,
) -> None: ...


app = typer.Typer(
    name="weir",
    cls=Tree,
    help="A catalog and governor for streams: what flows, where from, where to, who may see it.",
    epilog="Start here: weir demo   ·   with your own Kafka: weir up --detach; weir scan --bootstrap-servers HOST:PORT",
    **STYLE,
)
app.callback()(_whole)


def main() -> None:
    """Run a command; a known failure is one sentence on stderr and exit code 1 (2: a name that is none), no stack trace."""
    spare_loopback(os.environ)
    try:
        app(prog_name="weir")
    except (WeirError, StackError) as error:
        print_failure(_worded(error), error)
        sys.exit(2 if isinstance(error, UnknownName) or _names_nothing(error) else 1)
    except UnicodeEncodeError as error:
        if error.reason != "surrogates not allowed":  # only bytes of the command line become such halves of characters
            raise
        print_failure("A word of the command is not UTF-8 text.", error)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)


def tree(words: Sequence[str] = ()) -> Tree:
    """The commands that words call; without words, all of them."""
    root = typer.main.get_command(app)
    assert isinstance(root, Tree)
    root.load(words)
    return root


def _worded(error: WeirError | StackError) -> str:
    words, _ = current(sys.argv[1:])
    return worded(error, tree(words), words) if words else str(error)


def _names_nothing(error: WeirError | StackError) -> bool:
    """Whether the API refused a name and named those near to it."""
    details = getattr(error, "details", {})
    return getattr(error, "code", "") == "invalid_input" and "near" in details


def spare_loopback(environment: MutableMapping[str, str]) -> None:
    """A proxy of the environment cannot reach this machine's own servers: exempt them for every library and child process."""
    names = [name for proxy in _PROXIES for name in (proxy, proxy.upper()) if environment.get(name)]
    if not names:
        return
    for name in names:
        if environment[name].startswith("socks"):  # httpx fails on it before it looks at no_proxy
            del environment[name]
    exempt = environment.get("no_proxy") or environment.get("NO_PROXY") or ""
    hosts = [host for host in (part.strip() for part in exempt.split(",")) if host]
    if "*" not in hosts:
        hosts += [host for host in ("localhost", "127.0.0.1", "::1") if host not in hosts]
    environment["no_proxy"] = environment["NO_PROXY"] = ",".join(hosts)


_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "grpc_proxy")
