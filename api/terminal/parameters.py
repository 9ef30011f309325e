"""Parameters of a statement: `:name` outside of texts, quoted names and comments. The query page reads them alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from catalog.errors import InvalidInput

_PART = re.compile(
    r"""'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`(?:[^`]|``)*`|--[^\n]*|/\*[\s\S]*?\*/"""
    r"""|(?<![\w:)\]`'"]):([A-Za-z_]\w*)""",
    re.ASCII,
)
"""Texts, quoted names and comments, in which nothing is a parameter; or a parameter."""
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\Z", re.ASCII | re.IGNORECASE)
_GIVEN = re.compile(r"([A-Za-z_]\w*)(?::(text|number|null))?(?:=(.*))?\Z", re.ASCII | re.DOTALL)


def names_in(sql: str) -> list[str]:
    """Names of the parameters of a statement, each once, in their order."""
    return list(dict.fromkeys(each[1] for each in _PART.finditer(sql) if each[1]))


def filled(sql: str, given: Sequence[str]) -> str:
    """The statement with literals in the place of its parameters.

    `given`: NAME=TEXT, NAME:number=NUMBER or NAME:null. Raises InvalidInput for one that is written otherwise, that the
    statement does not have, or that is missing.
    """
    literals = dict(map(_literal, given))
    names = names_in(sql)
    for name in literals:
        if name not in names:
            known = f"it has {', '.join(names)}" if names else "it has none"
            raise InvalidInput(f"--param {name}: the statement has no parameter of this name; {known}.")
    missing = [name for name in names if name not in literals]
    if missing:
        options = " ".join(f"--param {name}=..." for name in missing)
        raise InvalidInput(f"The statement has parameters without a value; give {options}.")
    return _PART.sub(lambda part: _put(part, literals), sql)


def _put(part: re.Match[str], literals: Mapping[str, str]) -> str:
    return literals[part[1]] if part[1] else part[0]


def _literal(given: str) -> tuple[str, str]:
    match = _GIVEN.match(given)
    if match is None or (match[3] is None) != (match[2] == "null"):
        raise InvalidInput(f"--param {given}: write NAME=TEXT, NAME:number=NUMBER or NAME:null.")
    name, kind, value = match.groups()
    if kind == "null":
        return name, "NULL"
    if kind == "number":
        if not _NUMBER.match(value.strip()):
            raise InvalidInput(f"--param {name}: {value!r} is not a number.")
        return name, value.strip()
    text = value.replace("\\", "\\\\").replace("'", "\\'")
    return name, f"'{text}'"
