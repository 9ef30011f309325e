"""The list of the audit's actions has what the code writes, and pages have words for each."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from policies.audit_actions import ACTIONS

ROOT = Path(__file__).resolve().parents[4]
ROOMS = ("policies", "views/runner", "api/joins", "api/wiring", "api/http/routes")
ASIDE = ("policies/gate", "policies/sql", "policies/adapters")
"""They write no audit, and have functions of the same names."""
READERS = {"_word", "_where"}
"""Functions that take an action and write none."""
WORDS = ROOT / "ui/src/lib/auditWords.ts"
PREFIXED = {"_wish": "view.", "operate": "connector."}
"""Functions whose `action` is the end of an audit's action."""
CHOSEN = {
    "campaign.": {"keep", "revoke"},
    "request.": {"approve", "deny"},
    "view.": {"pause", "resume", "restart", "rebuild"},
    "connector.": {"pause", "resume", "stop", "restart"},
}
"""Ends of actions that are put together from a choice, as in f"request.{verdict}"."""

Def = ast.FunctionDef | ast.AsyncFunctionDef


def trees() -> Iterator[tuple[Path, ast.Module]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            if not str(path.relative_to(ROOT)).startswith(ASIDE):
                yield path, ast.parse(path.read_text())


def writers() -> dict[str, set[int]]:
    """Function -> places of the argument `action` in its calls."""
    places: dict[str, set[int]] = defaultdict(set, {"QueryRecord": {1}})
    for _, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, Def):
                names = [each.arg for each in node.args.args if each.arg != "self"]
                if "action" in names and node.name not in READERS:
                    places[node.name].add(names.index("action"))
    return places


def constants() -> dict[str, set[str]]:
    """`FILE NAME` -> texts of a constant of a module, also as another module imports it."""
    texts: dict[str, set[str]] = defaultdict(set)
    for path, tree in trees():
        for node in tree.body:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    pairs = (
                        list(zip(target.elts, node.value.elts, strict=True))
                        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                        else [(target, node.value)]
                    )
                    for name, value in pairs:
                        if (
                            isinstance(name, ast.Name)
                            and isinstance(value, ast.Constant)
                            and isinstance(value.value, str)
                        ):
                            texts[f"{path} {name.id}"].add(value.value)
                            texts[name.id].add(value.value)
    return texts


def written() -> tuple[set[str], list[str]]:
    """Actions that calls write, and calls whose action is not known."""
    places, known = writers(), constants()
    actions: set[str] = set()
    unknown: list[str] = []

    def read(node: ast.expr, path: Path, inside: Def | None, call: str) -> set[str] | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return {PREFIXED.get(call, "") + node.value}
        if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
            start = str(node.values[0].value)
            return {start + end for end in CHOSEN.get(start, ())} or None
        if isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if inside is not None and isinstance(node, ast.Name):
                if name in [each.arg for each in (*inside.args.args, *inside.args.kwonlyargs)]:
                    return set()  # its callers are read themselves
                assigned = {
                    each.value.value
                    for each in ast.walk(inside)
                    if isinstance(each, ast.Assign) and isinstance(each.value, ast.Constant)
                    and any(isinstance(target, ast.Name) and target.id == name for target in each.targets)
                }  # fmt: skip
                if assigned:
                    return {str(each) for each in assigned}
            if name == "action":
                return set()  # of a record of a query, which a call made
            return known.get(f"{path} {name}") or known.get(name)
        return None

    def look(node: ast.AST, path: Path, inside: Def | None) -> None:
        if isinstance(node, Def):
            inside = node
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            given = [node.args[place] for place in places.get(called, ()) if place < len(node.args)]
            given += [each.value for each in node.keywords if each.arg == "action" and called in places]
            for argument in given:
                found = read(argument, path, inside, called)
                if found is None:
                    unknown.append(f"{path.relative_to(ROOT)}:{node.lineno} {called}({ast.unparse(argument)})")
                else:
                    actions.update(found)
        for child in ast.iter_child_nodes(node):
            look(child, path, inside)

    for path, tree in trees():
        look(tree, path, None)
    return actions, unknown


def test_the_list_has_every_action_that_is_written() -> None:
    actions, unknown = written()
    assert unknown == []
    assert actions == ACTIONS


def test_pages_have_words_for_every_action() -> None:
    shown = dict(re.findall(r'^ {2}"?([a-z._-]+)"?: "(.+)",$', WORDS.read_text(), re.MULTILINE))
    assert set(shown) == ACTIONS
    assert len(set(shown.values())) == len(ACTIONS), "two actions have the same words"
    assert not [words for words in shown.values() if "." in words or not words[0].isupper()]
