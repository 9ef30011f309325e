"""The command line `weir`. Each command is a thin call of the HTTP API; the servers' commands drive `stack`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, MutableMapping, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any

import typer

from api import VERSION, features
from api.terminal.failures import worded
from api.terminal.help_panels import PROGRAM_COMMANDS, InOrder, into_panels
from api.terminal.names import UnknownName
from api.terminal.output import errors, print_text
from catalog.errors import WeirError
from stack.errors import StackError

_PROGRAM = {"test": "testing"}
"""Commands that are of no feature -> the module here that adds them; every other one is of `servers`."""


def _tell_version(requested: bool) -> None:
    if requested:
        print_text(f"weir {VERSION}")
        raise typer.Exit


def _whole(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_tell_version, help="Show the version and exit.")
    ] = False,
) -> None: ...


@cache
def command_line(word: str | None = None) -> typer.Typer:
    """The command line with all its commands, or with those of the module that has one of them: importing all of them takes
    longer than most commands take."""
    root = typer.Typer(
        name="weir",
        cls=InOrder,
        help="A catalog and governor for streams: what flows, where from, where to, who may see it.",
        epilog="Start here: weir demo   ·   with your own Kafka: weir up --detach; weir scan --bootstrap-servers HOST:PORT",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
        rich_markup_mode="rich",
    )
    for module in _modules(word):
        module.add_to(root)
    into_panels(root)
    root.callback()(_whole)
    return root


def _modules(word: str | None) -> list[ModuleType]:
    if word in (feature := features.commands()):
        return [features.part(feature[word], "commands")]
    own = ["servers", "testing"] if word not in PROGRAM_COMMANDS else [_PROGRAM.get(word, "servers")]
    modules = [import_module(f"{__name__}.{name}") for name in own]
    return modules if word in PROGRAM_COMMANDS else [*features.parts("commands"), *modules]


def _first_word(arguments: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """The command that is called, where one is; any small one for the version. A shell that completes needs all of them."""
    if "_WEIR_COMPLETE" in environment or not arguments:
        return None
    if arguments[0] == "--version":
        return "test"
    return arguments[0] if arguments[0] in {*features.commands(), *PROGRAM_COMMANDS} else None


def __getattr__(name: str) -> Any:
    if name == "app":
        return command_line()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def main() -> None:
    """Run a command; a known failure is one sentence on stderr and exit code 1 (2: a name that is none), no stack trace."""
    spare_loopback(os.environ)
    app = command_line(_first_word(sys.argv[1:], os.environ))
    try:
        app(prog_name="weir")
    except (WeirError, StackError) as error:
        errors.print(f"[bold red]✗[/] {_plain(worded(error, app, sys.argv[1:]))}")
        reasons = getattr(error, "details", {}).get("reasons", [])
        for reason in reasons:
            errors.print(f"  · {_plain(reason if isinstance(reason, str) else str(reason.get('text', reason)))}")
        sys.exit(2 if isinstance(error, UnknownName) or _names_nothing(error) else 1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)


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


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)
