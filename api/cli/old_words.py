"""Words that were at the top of the command line before they were grouped: they work for one release, and name the new ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from api.features import commands
from api.terminal.words import like

OLD: dict[str, str] = {
    "requests": "request list",
    "approve": "request approve",
    "deny": "request deny",
    "withdraw": "request withdraw",
    "comment": "request comment",
    "ask-back": "request ask-back",
    "break-glass": "request break-glass",
    "thread": "request show",
    "templates": "request templates",
    "extend": "request extend",
    "delegate": "request delegate",
    "purpose list": "request purposes",
    "purpose": "request",
    "topic": "dataset",
    "related": "dataset related",
    "diff-schema": "dataset diff",
    "readers": "dataset readers",
    "groups": "cluster groups",
    "connectors": "cluster connectors",
    "queries": "query list",
    "cancel": "query cancel",
    "grant list": "access grants",
    "grant revoke": "access revoke",
    "grant": "access",
    "explain": "query explain",
    "saved-query": "query saved",
    "mask-copy": "view mask-copy",
    "impact": "lineage impact",
    "reach": "lineage reach",
    "sql-lineage": "lineage sql",
    "review": "personal-data review",
    "recognizer": "personal-data",
    "session list": "user sessions",
    "session end": "user end-session",
    "session unlink": "user unlink",
    "session": "user",
    "directory": "user",
    "rebuild": "server rebuild",
    "support": "server",
    "init": "server settings",
    "serve": "server api",
    "worker": "server worker",
    "view-runner": "server view-runner",
}
"""Words as they were -> as they are. Two words are looked up before one."""
_LISTS = {
    "dataset": ("dataset list", "dataset show"),
    "datasets": ("dataset list", "dataset show"),
    "cluster": ("cluster list", "cluster show"),
    "clusters": ("cluster list", "cluster show"),
    "schema": ("dataset schema", "dataset schema"),
    "classifications": ("dataset personal-data", "dataset personal-data"),
}
"""What `weir get` listed besides documents -> without and with a name."""
_DEFAULTS = {"query": "run", "lineage": "show", "request": "create"}
"""The command of a group that is meant where its argument follows at once: `weir query 'SELECT ...'`."""
_ARGUMENT = re.compile(r"[/:\s]|\A-")
"""What no command is called, and an option or an argument may be."""
_BY_NAME = {"request": ("--purpose", "--for-consumer", "--template")}
"""A group whose usual command takes a bare name, too -> options by which that command is meant, however near the name is to
another command: `weir request orders --for-consumer app`."""


def current(words: Sequence[str]) -> tuple[list[str], str | None]:
    """Words as the command line has them now; and a sentence to who typed an old one."""
    if not words or "--help" in words[:1]:
        return list(words), None
    for count in (2, 1):
        old = " ".join(words[:count])
        if old in OLD and len(words) >= count:
            return [*OLD[old].split(), *words[count:]], _sentence(old, OLD[old])
    if words[0] == "get":
        return _listed(words)
    if _is_usual(words):
        return [words[0], _DEFAULTS[words[0]], *words[1:]], None
    return list(words), None


def _is_usual(words: Sequence[str]) -> bool:
    """Whether the usual command of the group is meant. A word that is a command is that command, and one that is near one is
    left to be refused with it."""
    if words[0] not in _DEFAULTS or len(words) < 2 or words[1] in ("-h", "--help"):
        return False
    if _ARGUMENT.search(words[1]):
        return True
    known = [path.split()[1] for path in commands() if path.startswith(f"{words[0]} ")]
    if words[0] not in _BY_NAME or words[1] in known:
        return False
    meant = any(word.partition("=")[0] in _BY_NAME[words[0]] for word in words[2:])
    return meant or not get_close_matches(words[1], [*known, *like(known)])


def _listed(words: Sequence[str]) -> tuple[list[str], str | None]:
    """`weir get` of lists that are not declared documents. As YAML, datasets and clusters are documents."""
    kind = words[1].lower() if len(words) > 1 and words[1] == words[1].lower() else ""
    if kind not in _LISTS or (_is_yaml(words) and kind not in ("schema", "classifications")):
        return list(words), None
    named = len(words) > 2 and not words[2].startswith("-")
    new = _LISTS[kind][named]
    return [*new.split(), *words[2:]], _sentence(f"get {kind}", new)


def _is_yaml(words: Sequence[str]) -> bool:
    joined = f" {' '.join(words)} "
    return bool(re.search(r" (?:-o ?|--output[ =])yaml ", joined))


def _sentence(old: str, new: str) -> str:
    return f"`weir {old}` is `weir {new}` now; the old words end with the next release."
