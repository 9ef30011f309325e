"""The panels of `weir --help`: what each command is for, and in which order they come."""

from __future__ import annotations

import typer
from typer.core import TyperGroup

PROGRAM_COMMANDS = ("demo", "up", "down", "status", "init", "serve", "worker", "view-runner", "test")

PANELS: dict[str, tuple[str, ...]] = {
    "Find and understand data": (
        "search",
        "get",
        "related",
        "where-is",
        "topic",
        "diff-schema",
        "groups",
        "events",
    ),
    "Query data": ("query", "explain", "queries", "cancel", "saved-query", "view", "mask-copy"),
    "Lineage": ("lineage", "impact", "reach", "readers", "sql-lineage"),
    "Access requests and grants": (
        "request",
        "requests",
        "approve",
        "deny",
        "withdraw",
        "thread",
        "ask-back",
        "comment",
        "templates",
        "grant",
        "extend",
        "break-glass",
        "delegate",
        "purpose",
        "notify",
    ),
    "Govern": ("access", "access-review", "policy", "review", "recognizer", "audit"),
    "Declare and scan": ("apply", "diff", "delete", "scan", "connector", "connectors", "rebuild"),
    "Sign in": ("login", "logout", "whoami", "session", "token", "directory"),
    "Run Weir": PROGRAM_COMMANDS,
}
_PLACES = {name: panel for panel, names in PANELS.items() for name in names}
_ORDER = list(_PLACES)


class InOrder(TyperGroup):
    """The commands in the order of their panels."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # typer's own context
        return sorted(super().list_commands(ctx), key=lambda name: _ORDER.index(name) if name in _PLACES else -1)


def into_panels(app: typer.Typer) -> None:
    """Give every command and group its panel, and every example a line of its own."""
    for group in app.registered_groups:
        group.rich_help_panel = _PLACES[str(group.name)]
        if group.typer_instance is not None:
            _examples(group.typer_instance)
    for command in app.registered_commands:
        name = command.name or getattr(command.callback, "__name__", "").replace("_", "-")
        command.rich_help_panel = _PLACES[name]
    _examples(app)


def _examples(app: typer.Typer) -> None:
    for command in app.registered_commands:
        if command.epilog and not command.epilog.startswith("Example"):
            lines = [line.strip() for line in command.epilog.replace("[", "\\[").split(" · ")]
            command.epilog = "\n\n".join(
                ["Examples:" if len(lines) > 1 else "Example:", *(f"  {line}" for line in lines)]
            )
