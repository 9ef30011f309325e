"""docs/reference/commands.md: every command of the command line with its arguments and options, by panel of `weir --help`.

`python -m api.cli.reference` writes it, and the other pages of docs/reference that are written from the code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from api.cli import tree
from api.cli.old_words import OLD
from api.processes import reference
from api.terminal.words import PANELS

_COMMON = ("--output", "--as", "--help")
"""Options that most commands have; the head of the page explains them."""


def commands_markdown() -> str:
    """Every command that is not hidden."""
    lines = [
        "# Command line",
        "",
        "`weir COMMAND --help` shows the same. Two options are left out below, since most commands have them: `-o, --output`",
        "chooses how an answer is printed, and `--as USER` asks as another user, with the token in `WEIR_HOME/tokens/USER`.",
        "`weir query 'SELECT ...'` is short for `weir query run`, and `weir lineage prod/orders` for `weir lineage show`.",
    ]
    root = tree()
    for panel, names in PANELS.items():
        lines += ["", f"## {panel}"]
        for name in names:
            lines += _command(root.commands[name], f"weir {name}")
    lines += ["", "## Old words", "", "These work until the next release, and name the new words on stderr.", ""]
    lines += ["| old | now |", "|---|---|", *(f"| `weir {old}` | `weir {new}` |" for old, new in OLD.items())]
    return "\n".join(lines) + "\n"


def _command(command: Any, words: str) -> Iterator[str]:
    """The lines of a command, or of each command of a group."""
    if command.hidden:
        return
    if hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from _command(inner, f"{words} {name}")
        return
    arguments = [p for p in command.params if p.param_type_name == "argument" and not p.hidden]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden and not _common(p)]
    usage = " ".join([words, *(_argument(each) for each in arguments)])
    yield from ("", f"### {words}", "", f"`{usage}`", "", _cell(command.help or ""))
    rows = [(_argument(each), each.help) for each in arguments if each.help]
    rows += [(_option(each), each.help) for each in options]
    if rows:
        yield from ("", "| | meaning |", "|---|---|")
        yield from (f"| `{name}` | {_cell(meaning or '')} |" for name, meaning in rows)
    examples = [line.strip().replace("\\[", "[") for line in (command.epilog or "").splitlines()[1:] if line.strip()]
    yield from ("", "```", *examples, "```")


def _common(option: Any) -> bool:
    return any(name in _COMMON for name in option.opts)


def _argument(argument: Any) -> str:
    """`NAME`, `[NAME]` where it may be absent, `NAME...` where it may be repeated."""
    name = (argument.metavar or argument.name).upper() + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _option(option: Any) -> str:
    names = [*option.opts, *option.secondary_opts]
    value = "" if option.is_flag else f" {option.metavar or option.name.upper()}"
    return ", ".join(names) + value


def _cell(text: str) -> str:
    """One line that is safe in a table; text in angle brackets would be read as HTML."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def main() -> None:
    """Write all pages."""
    reference.main()
    (reference.DOCS / "reference/commands.md").write_text(commands_markdown())


if __name__ == "__main__":
    main()
