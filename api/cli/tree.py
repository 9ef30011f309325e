"""The commands below the words of `api.terminal.words`, imported when their word is called."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand

from api import features
from api.cli.old_words import current
from api.terminal.values import usual
from api.terminal.words import PANEL_OF, WORDS, Group

typer.core.build_runtime_param = usual  # type: ignore[attr-defined]  # the one place where typer asks for it

OWN = {"test": "testing", "version": "versions"} | dict.fromkeys(
    ("up", "down", "status", "demo", "server api", "server worker", "server view-runner", "server settings"), "servers"
)
"""Commands that are of no feature -> the module here that adds them."""
STYLE: dict[str, Any] = {
    "no_args_is_help": True,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": 110},
    "rich_markup_mode": "rich",
}


class Tree(Group):
    """All words in the order of their panels; commands are imported when they are called."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._modules: dict[str, None] = {}
        for name, word in WORDS.items():  # what is not imported has its help
            self.commands[name] = TyperCommand(name, help=word.help, rich_help_panel=PANEL_OF[name])

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        words, note = current(args)
        if note is not None and not ctx.resilient_parsing:
            sys.stderr.write(f"{note}\n")
        return super().parse_args(ctx, words)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        self.load(args)
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(WORDS)

    def load(self, words: Sequence[str] = ()) -> None:
        """Import and add the command that the words name, or all of its group; without words, every command."""
        part = typer.Typer(**STYLE, add_completion=False)
        self._modules |= dict.fromkeys(_modules(words))  # a group may have commands of several
        for module in self._modules:
            import_module(module).add_to(part)
        _dress(part)
        part.callback()(_nothing)
        group: Any = typer.main.get_command(part)
        self.commands.update(group.commands)


def paths() -> dict[str, str]:
    """Each command as it is typed -> the module that adds it."""
    own = {path: f"api.cli.{module}" for path, module in OWN.items()}
    return {path: f"api.features.{feature}.commands" for path, feature in features.commands().items()} | own


def _modules(words: Sequence[str]) -> list[str]:
    """The modules that have the command, or the commands of its group."""
    known = paths()
    two = " ".join(words[:2])
    if two in known:
        return [known[two]]
    return [module for path, module in known.items() if not words or path.split()[0] == words[0]]


def _dress(app: typer.Typer) -> None:
    """Give groups and commands what the table of words has, and every example a line of its own."""
    for group in app.registered_groups:
        word = WORDS[str(group.name)]
        group.help, group.epilog, group.rich_help_panel = word.help, word.examples, PANEL_OF[str(group.name)]
    for command in app.registered_commands:
        command.rich_help_panel = PANEL_OF.get(str(command.name or getattr(command.callback, "__name__", "")))
    _examples(app)


def _examples(app: typer.Typer) -> None:
    each: Any
    for each in (*app.registered_commands, *app.registered_groups):
        if each.epilog and not each.epilog.startswith("Example"):
            each.epilog = _lines(each.epilog)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            _examples(group.typer_instance)


def _lines(examples: str) -> str:
    lines = [line.strip() for line in examples.replace("[", "\\[").split(" · ")]
    return "\n\n".join(["Examples:" if len(lines) > 1 else "Example:", *(f"  {line}" for line in lines)])


def _nothing() -> None: ...
