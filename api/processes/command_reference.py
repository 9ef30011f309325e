"""docs/commands.md, written from the command line itself by `python -m api.processes.reference`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from api.cli import tree
from api.cli.old_words import OLD
from api.terminal.words import PANELS

_EVERYWHERE = ("--output", "--as")
"""Options of most commands, told once."""


def commands_markdown() -> str:
    """Every command with its arguments, options and examples, in the panels of `weir --help`."""
    root = tree()
    lines = [
        "# Commands",
        "",
        "`weir --help` shows the words at the top, `weir WORD --help` what is below one, with examples.",
        "Where a command has them, `-o table|json|yaml|csv` chooses how an answer is printed (other formats are named with the",
        "command), and `--as USER` asks as that user, with the token in `WEIR_HOME/tokens/USER`.",
        "`weir query 'SELECT ...'` is short for `weir query run`, `weir lineage prod/orders` for `weir lineage show`.",
        "Exit codes are on the page [Run Weir](running.md).",
    ]
    for panel, words in PANELS.items():
        lines += ["", f"## {panel}"]
        for word in words:
            for path, command in _leaves(root.commands[word], word):
                lines += ["", f"### weir {path}", "", *_command(command)]
    lines += [
        "",
        "## Old words",
        "",
        "These work until the next release, and name the new ones on stderr.",
        "",
        "| old | now |",
        "|---|---|",
        *(f"| `weir {old}` | `weir {new}` |" for old, new in OLD.items()),
    ]
    return "\n".join(lines) + "\n"


def _leaves(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield path, command
        return
    for name, each in inner.items():
        yield from _leaves(each, f"{path} {name}")


def _command(command: Any) -> Iterator[str]:
    yield " ".join((command.help or "").split())
    shown = [each for each in command.params if not getattr(each, "hidden", False) and each.opts[-1] != "--help"]
    rows = [
        f"| {_typed(each)} | {_meaning(each)} |" for each in shown if each.opts[-1] not in _EVERYWHERE or _special(each)
    ]
    if rows:
        yield from ("", "| what is typed | meaning |", "|---|---|", *rows)
    examples = [line.strip().replace("\\[", "[") for line in (command.epilog or "").splitlines()[1:] if line.strip()]
    yield from ("", "```", *examples, "```")


def _special(option: Any) -> bool:
    """Whether `-o` has formats besides the usual four."""
    return option.opts[-1] == "--output" and len(option.type_descriptor.choices or ()) != 4


def _typed(param: Any) -> str:
    if not param.opts[0].startswith("-"):
        name = param.metavar or str(param.name).upper()
        many = " ..." if param.nargs == -1 else ""
        return f"`{name}{many}`" if param.required else f"`[{name}{many}]`"
    value = "" if param.is_flag else f" {param.metavar or str(param.name).upper()}"
    choices = param.type_descriptor.choices
    value = f" {'|'.join(str(each) for each in choices)}" if choices else value
    names = ", ".join((*param.opts, *param.secondary_opts))
    return f"`{names}{value}`".replace("|", "\\|")


def _meaning(param: Any) -> str:
    text = re.sub(r"\s+", " ", param.help or "").replace("|", "\\|")
    needed = " Required." if param.required and param.opts[0].startswith("-") else ""
    default = param.default
    usual = "" if default in (None, False, (), [], "") or callable(default) else f" Default: `{default}`."
    return f"{text}{needed}{usual}".strip()
