"""A failure as one sentence in the words of the command line: options as they are typed, nothing of HTTP."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from api.terminal.output import errors, escape

_PLACES = ("body", "query", "path", "header", "cookie")
_UNROUTED = re.compile(r"^There is nothing at /\S*\.$|^Method Not Allowed$")
_OWN = re.compile(r"\b[a-z]+(?:[A-Z][a-z]+)+\b|\b[a-z]+(?:_[a-z]+)+\b")
_ROUTE = re.compile(r"\b(?:GET|POST|PUT|DELETE) /api/v1/([a-z-]+)[a-zA-Z0-9{}/-]*")
_COMMANDS = {"policies": "get Policy", "queries": "query list"}
"""Commands that are not named as their part of the API."""


def worded(error: Exception, root: Any, words: Sequence[str]) -> str:
    """The sentence of an error for who typed `words` of the group `root`: parameters of the API become options."""
    message = str(error)
    options = _options(root, words)
    if _UNROUTED.match(message):
        return f"The Weir that answers does not know `weir {_command(root, words)}`: it is of another version."
    details: Mapping[str, Any] = getattr(error, "details", {})
    if fields := details.get("fields"):
        return " ".join(_problem(str(each["field"]), str(each["problem"]), options) for each in fields)
    return _typed(message, options)


def print_failure(sentence: str, error: Exception) -> None:
    """A failure on stderr: its sentence, and the reasons that it has."""
    errors.print(f"[bold red]✗[/] {escape(sentence)}")
    for reason in getattr(error, "details", {}).get("reasons", []):
        errors.print(f"  · {escape(reason if isinstance(reason, str) else str(reason.get('text', reason)))}")


def _typed(text: str, options: Mapping[str, str]) -> str:
    """A text with the options in place of the API's parameters, and commands in place of its addresses."""
    text = _ROUTE.sub(lambda match: f"`weir {_COMMANDS.get(match[1], match[1])}`", text)
    return _OWN.sub(lambda match: options.get(_plain(match[0]), match[0]), text)


def _problem(field: str, problem: str, options: Mapping[str, str]) -> str:
    """`query.limit` as `--limit: it must be at most 1000.`"""
    parts = [part for part in field.split(".") if not part.isdigit()]
    parts = parts[1:] if parts and parts[0] in _PLACES else parts
    named = next((options[_plain(part)] for part in reversed(parts) if _plain(part) in options), None)
    problem = _typed(problem.rstrip("."), options)
    what = named or " ".join(part.replace("_", " ") for part in parts)
    return f"{what}: {problem}." if what else f"{problem[:1].upper()}{problem[1:]}."


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _found(root: Any, words: Sequence[str]) -> tuple[Any, list[str]]:
    """The command that words name, and its name."""
    command = root
    names: list[str] = []
    for word in words:
        inner = getattr(command, "commands", {}).get(word)
        if inner is not None:
            command = inner
            names.append(word)
    return command, names


def _command(root: Any, words: Sequence[str]) -> str:
    return " ".join(_found(root, words)[1])


def _options(root: Any, words: Sequence[str]) -> dict[str, str]:
    """Plain names of the command's parameters, and what people type for them."""
    match: dict[str, str] = {}
    for param in getattr(_found(root, words)[0], "params", ()):
        longest = max(param.opts, key=len, default="")
        typed = longest if longest.startswith("-") else str(param.name).upper()
        match |= {_plain(str(param.name)): typed, **{_plain(opt.lstrip("-")): typed for opt in param.opts}}
    return match
