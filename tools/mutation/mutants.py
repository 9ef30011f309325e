"""Mutants of one module: each a function with one change, by mutmut's operators and a few of our own."""

from __future__ import annotations
import __future__

import difflib
import functools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper
from mutmut.mutation.file_mutation import MutationVisitor
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

SENTENCE = 3
"""A text of so many words or more is a sentence for people, outside of modules that write SQL."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one function.

    function   name in the module, as `Grants.revoke`
    source     the changed function alone, without decorators
    removed    lines that the change takes away, and puts in (`added`)
    words      only the words of a sentence differ
    """

    function: str
    source: str
    removed: tuple[str, ...]
    added: tuple[str, ...]
    words: bool

    @property
    def change(self) -> str:
        return " ".join(self.added) or "(taken out) " + " ".join(self.removed)


def mutants(path: Path) -> list[Mutant]:
    """All mutants of the functions and methods of a module, in the order of the text, each change once."""
    wrapper = MetadataWrapper(cst.parse_module(path.read_text()))
    visitor = MutationVisitor([*mutation_operators, *_OPERATORS], IgnoredCode(set(), set(), set()))
    module = wrapper.visit(visitor)
    sql = "masks" in path.parts
    names = dict(_functions(module))
    by_name: dict[tuple[str, str], Mutant] = {}
    for change in visitor.mutations:
        outer: Any = change.contained_by_top_level_function
        if outer not in names:
            continue
        before = _text(module, outer)
        after = _text(module, outer.deep_replace(change.original_node, change.mutated_node))
        lines = [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[:2] in ("- ", "+ ")]
        removed = tuple(line[2:].strip() for line in lines if line[0] == "-")
        added = tuple(line[2:].strip() for line in lines if line[0] == "+" and line[2:].strip())
        words = not sql and _is_sentence(change.original_node)
        by_name.setdefault((names[outer], after), Mutant(names[outer], after, removed, added, words))
    return list(by_name.values())


def function(module: ModuleType, name: str) -> FunctionType:
    """The function behind a name like `Grants.revoke`, without properties, caches and class methods around it."""
    value: Any = module
    for part in name.split("."):
        value = vars(value)[part]
    while not isinstance(value, FunctionType):
        inner = [getattr(value, each, None) for each in ("fget", "func", "__func__", "__wrapped__")]
        value = next(each for each in inner if each is not None)
    return value


def apply(mutant: Mutant, module: ModuleType) -> None:
    """Make every holder of the function run the change. Raises whatever the change raises when it is defined."""
    names: dict[str, Any] = dict(vars(module))
    flags = __future__.annotations.compiler_flag
    exec(compile(mutant.source, f"<mutant of {module.__name__}>", "exec", flags, dont_inherit=True), names)
    changed, live = names[mutant.function.split(".")[-1]], function(module, mutant.function)
    live.__code__, live.__defaults__, live.__kwdefaults__ = (
        changed.__code__,
        changed.__defaults__,
        changed.__kwdefaults__,
    )
    for each in list(sys.modules.values()):
        if getattr(each, "__name__", "").startswith("policies"):
            for value in list(vars(each).values()):
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()


def codes(module: ModuleType, changes: Sequence[Mutant]) -> dict[CodeType, str]:
    """The code that runs for each function that has mutants."""
    return {function(module, name).__code__: name for name in dict.fromkeys(m.function for m in changes)}


def _functions(module: cst.Module) -> Iterator[tuple[cst.CSTNode, str]]:
    for each in module.body:
        if isinstance(each, cst.FunctionDef):
            yield each, each.name.value
        elif isinstance(each, cst.ClassDef):
            for inner in each.body.body:
                if isinstance(inner, cst.FunctionDef):
                    yield inner, f"{each.name.value}.{inner.name.value}"


def _text(module: cst.Module, outer: cst.FunctionDef) -> str:
    return module.code_for_node(outer.with_changes(decorators=[], leading_lines=[], lines_after_decorators=[]))


def _is_sentence(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.SimpleString | cst.FormattedStringText) and len(node.value.split()) >= SENTENCE


def _call_taken_out(node: cst.Expr) -> Iterator[cst.CSTNode]:
    if isinstance(node.value, cst.Call):
        yield cst.Pass()


def _condition_forced(node: cst.If) -> Iterator[cst.CSTNode]:
    yield node.with_changes(test=cst.Name("False"), whitespace_before_test=cst.SimpleWhitespace(" "))
    yield node.with_changes(test=cst.Name("True"), whitespace_before_test=cst.SimpleWhitespace(" "))


def _filter_taken_out(node: cst.CompIf) -> Iterator[cst.CSTNode]:
    yield node.with_changes(test=cst.Name("True"), whitespace_before_test=cst.SimpleWhitespace(" "))


def _text_of_a_format(node: cst.FormattedStringText) -> Iterator[cst.CSTNode]:
    if any(map(str.isalnum, node.value)):
        yield node.with_changes(value=f"XX{node.value}")


_OPERATORS: list[tuple[type, Any]] = [
    (cst.Expr, _call_taken_out),
    (cst.If, _condition_forced),
    (cst.CompIf, _filter_taken_out),
    (cst.FormattedStringText, _text_of_a_format),
]
"""What mutmut does not change: a check that is not called, a branch always or never taken, words of an f-string."""
