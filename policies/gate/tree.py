"""What a parsed query may be made of: allow-lists of nodes, functions and their arguments.

Walks the tree once. Names that the lexer prefixed get their own name back on the way, so that afterwards the tree
has the user's own text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from catalog.near_names import did_you_mean
from policies.gate import calls, plain_slips, units
from policies.gate.cost import pattern_guard, sequences
from policies.gate.other_engines import INSTEAD
from policies.sql import inventory
from policies.sql.errors import refused
from policies.sql.lexer import PREFIX, Lexed
from policies.sql.words import words

MAX_GROWTH = 10_000
"""Longest text or array that repeat, lpad and similar functions may make; two such calls cannot fill the memory."""

SMALL_GROWTH = 100
MAX_GROWTH_TOGETHER = 10_000_000
"""Longest text or array that several such calls may make of each other; sizes up to SMALL_GROWTH do not count."""

_VAR = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,40}\Z")
_SELECT_PARTS = words(
    "with_ expressions distinct from_ joins laterals pivots where group having qualify windows distribute sort cluster"
    " order limit offset"
)
_TABLE_PARTS = words("this db catalog alias joins laterals pivots sample version")
_ANY_WIDTH = re.compile(r"%[^%a-zA-Z]*?(\d+)")
_WIDTH = re.compile(r"%[^%a-zA-Z]*?(\d{5,})")


_INSTEAD = {
    "AtTimeZone": "AT TIME ZONE is not Spark's; write from_utc_timestamp(time, 'Europe/Berlin').",
    "Fetch": "FETCH is not Spark's; write LIMIT.",
    "SimilarTo": "SIMILAR TO is not Spark's; write RLIKE.",
    "Placeholder": "A field is written with a dot, as in customer.email; and parameters are not filled in.",
    "Parameter": "Parameters are not filled in; write the value itself.",
    "Array": "A list is written array(1, 2).",
    "Unnest": "UNNEST is not Spark's; write LATERAL VIEW explode(list) t AS x.",
    "JSONExtract": "A field of an object is written with a dot, as in customer.email; of a JSON text get_json_object(text, '$.a').",
    "PropertyEQ": "Fields are named in named_struct('a', 1, 'b', 2), and a map is written map('a', 1, 'b', 2).",
    "JSONExtractScalar": "Spark has no ->> for JSON; write get_json_object(text, '$.a').",
}
"""The message for a node that is not allowed and has a common relative."""


@dataclass(slots=True)
class Checker:
    """Checks one tree. Raises SqlRefused with the place of the first thing that is not allowed."""

    lexed: Lexed

    def check(self, root: exp.Expression) -> None:
        for node in list(root.walk()):
            self._node(node)
        self._growth_together(root)
        for node, sentence, reason in pattern_guard.problems(root):
            raise self.refuse(node, sentence, reason)
        for node in reversed(list(root.find_all(*calls.KINDS))):  # the inner ones first: a call holds copies
            call = calls.as_call(node)
            if call is not None:
                node.replace(call)

    def refuse(self, node: Any, sentence: str, reason: str, name: str | None = None) -> Exception:
        at = self.lexed.calls.get(name) if name else None
        return refused(self.lexed.original, self.position(node) if at is None else at, sentence, reason)

    def not_allowed(self, name: str) -> str:
        """The message for a function that a query may not call."""
        instead = INSTEAD.get(name.lower()) if name.lower() not in inventory.functions() else None
        if instead is not None:
            return f"The function {name[:60]} is not Spark's; write {instead}."
        hint = did_you_mean(inventory.near(name), ".", "; ")
        return f"The function {name[:60]} is not allowed: it {inventory.refusal(name)}{hint}"

    def position(self, node: Any) -> int:
        """Where a node is in the user's text: its own place, else that of the first name in it or around it."""
        around: Any = node
        while around is not None:
            starts = [int(n.meta["start"]) for n in around.walk() if n.meta and n.meta.get("start") is not None]
            if starts:
                return self.lexed.original_position(min(starts))
            around = around.parent
        return 0

    def _node(self, node: Any) -> None:
        kind = type(node).__name__
        if inventory.nodes().get(kind) != "allowed":
            name = node.sql_name().lower() if isinstance(node, exp.Func) else kind
            sentence = _INSTEAD.get(kind) or f"{name} is not allowed in a query."
            if kind not in _INSTEAD and isinstance(node, exp.Func) and name not in inventory.functions():
                sentence = self.not_allowed(name)
            raise self.refuse(node, sentence, f"node:{kind}", name)
        slip = plain_slips.problem(node)
        if slip is not None:
            raise self.refuse(node, slip, "syntax")
        match node:
            case exp.Anonymous():
                self._call(node)
            case exp.Identifier():
                self._identifier(node)
            case exp.Dot() if isinstance(node.expression, exp.Func):
                raise self.refuse(node, "A function is called by its own name, without a schema.", "qualified-function")
            case exp.Var() if not _VAR.match(node.name):
                raise self.refuse(node, f"{node.name[:40]} is not a word that can be read here.", "word")
            case exp.DataType() if node.this in (exp.DType.USERDEFINED, exp.DType.UNKNOWN):
                raise self.refuse(node, f"{node.sql()[:40]} is not a type of Spark.", "type")
            case exp.Select():
                self._parts(node, _SELECT_PARTS)
                if not node.expressions:
                    raise self.refuse(node, "SELECT names no column.", "syntax")
            case exp.Distinct() if node.args.get("on"):
                sentence = (
                    "DISTINCT ON is not Spark's; write QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) = 1."
                )
                raise self.refuse(node, sentence, "distinct-on")
            case exp.Any() | exp.All() if isinstance(node.this.unnest(), exp.Query):
                sentence = "Spark compares with no ANY, SOME or ALL of a query; write EXISTS, IN, max or min."
                raise self.refuse(node, sentence, "quantifier")
            case exp.With() if node.args.get("recursive"):
                sentence = (
                    "Spark 4.0, which runs the queries, has no WITH RECURSIVE. Join once for each level that you need;"
                    " for numbers or times write explode(sequence(1, 10))."
                )
                raise self.refuse(node, sentence, "recursive")
            case exp.Table():
                self._table(node)
            case exp.Lateral():
                self._lateral(node)
            case exp.TableSample() if any(map(node.args.get, ("bucket_field", "method", "seed"))):
                raise self.refuse(node, "TABLESAMPLE takes (n PERCENT) or (n ROWS), and no more.", "sample")
            case exp.Version() if not isinstance(node.parent, exp.Table):
                raise self.refuse(node, "AS OF belongs behind a table.", "window")
            case _:
                pass

    def _parts(self, node: Any, allowed: frozenset[str]) -> None:
        for key, value in node.args.items():
            if value and key not in allowed:
                word = key.rstrip("_").upper()
                raise self.refuse(node, f"{word} is not allowed in a query.", f"part:{key}")

    def _identifier(self, node: Any) -> None:
        if node.name.lower().startswith(
            PREFIX
        ):  # a call by the lexer's eye, a name by the parser's, as in WITH rank(a)
            node.set("this", node.name[len(PREFIX) :])
        # sqlglot works out names for the columns of a PIVOT, and has none for TRUE; they are not written back.
        if not node.name and node.arg_key != "columns":
            raise self.refuse(node, "A name is empty.", "name")

    def _call(self, node: Any) -> None:
        name = node.this if isinstance(node.this, str) else node.this.name
        if name.lower().startswith(PREFIX):
            name = name[len(PREFIX) :]
        node.set("this", name.lower() if name.isascii() else name)
        reason = inventory.refusal(name)
        if reason is not None:
            function = inventory.functions().get(name.lower())
            raise self.refuse(
                node,
                self.not_allowed(name),
                f"function:{function.note or function.verdict if function else 'unknown'}",
                name.lower(),
            )
        first = node.expressions[0] if node.expressions else None
        wrong = units.of_call(name, node.expressions)
        if wrong is not None:
            raise self.refuse(node, wrong, "unit", name.lower())
        if name.lower() in units.CALLS and isinstance(first, exp.Column) and fold_word(first) in units.UNITS:
            first.replace(exp.Var(this=first.name.upper().removesuffix("S")))  # of calls Spark knows the singular
        if inventory.grows(name):
            self._growth(node, name.lower())

    def _growth(self, node: Any, name: str) -> None:
        if name == "sequence":
            sentence = sequences.problem(node)
            if sentence is not None:
                raise self.refuse(node, sentence, "size", name)
            return
        for sized in _sizes(name, node.expressions):
            if isinstance(sized, exp.Literal) and sized.is_int and int(sized.name) <= MAX_GROWTH:
                continue
            if isinstance(sized, exp.Literal) and sized.is_string and not _WIDTH.search(sized.name):
                continue
            raise self.refuse(
                node, f"{name} needs its size written as a number of at most {MAX_GROWTH:,}.", "size", name
            )

    def _growth_together(self, root: exp.Expression) -> None:
        """repeat(repeat('x', 10000), 10000) is a hundred million characters; through a subquery it is the same."""
        product = 1
        for node in root.find_all(exp.Anonymous):
            name = str(node.this).lower()
            if not inventory.grows(name):
                continue
            if name == "sequence":
                free = sequences.is_exploded(node) or sequences.goes_by_days(node)
                sizes = [] if free else [sequences.length(node)]
            else:
                sizes = [int(s.name) for s in _sizes(name, node.expressions) if isinstance(s, exp.Literal) and s.is_int]
            product *= max((size for size in sizes if size > SMALL_GROWTH), default=1)
            if product > MAX_GROWTH_TOGETHER:
                raise self.refuse(
                    node,
                    f"The sizes of {name} and its like multiply to more than {MAX_GROWTH_TOGETHER:,}.",
                    "size",
                    name,
                )
            if _nested(node) > MAX_GROWTH_TOGETHER:
                raise self.refuse(
                    node,
                    f"The sizes of {name} and of what is around it multiply to more than {MAX_GROWTH_TOGETHER:,}.",
                    "size",
                    name,
                )

    def _table(self, node: Any) -> None:
        self._parts(node, _TABLE_PARTS)
        if isinstance(node.this, exp.Anonymous):
            name = node.this.this if isinstance(node.this.this, str) else node.this.this.name
            name = name[len(PREFIX) :] if name.lower().startswith(PREFIX) else name
            if node.args.get("db") or not inventory.may_stand_in_from(name):
                raise self.refuse(node, f"{name[:60]}(...) cannot be used in FROM.", "table-function", name.lower())
        elif not isinstance(node.this, exp.Identifier):
            sentence = "A topic is named by one name or, with its cluster, by two, as in prod.orders."
            raise self.refuse(node, sentence, "table")

    def _lateral(self, node: Any) -> None:
        inner = node.this
        if isinstance(inner, exp.Anonymous):
            name = inner.this if isinstance(inner.this, str) else inner.this.name
            name = name[len(PREFIX) :] if name.lower().startswith(PREFIX) else name
            if not inventory.may_stand_in_from(name):
                raise self.refuse(node, f"{name[:60]}(...) cannot be used in LATERAL.", "table-function", name.lower())
        elif not isinstance(inner, exp.Subquery):
            raise self.refuse(node, "LATERAL takes a function such as explode, or a query.", "lateral")
        alias = node.args.get("alias")
        # sqlglot writes this one name without quotes, so it must be one that needs none.
        if alias is not None and alias.this is not None and node.args.get("view") and not _VAR.match(alias.this.name):
            raise self.refuse(alias, "The name of a LATERAL VIEW takes letters, digits and _ only.", "name")


def fold_word(column: Any) -> str:
    return column.name.lower() if len(column.parts) == 1 else ""


def _nested(node: Any) -> int:
    """How long a call gets with those around it: the longest text in it, times every size on the way out."""
    texts = (len(literal.name) for literal in node.find_all(exp.Literal) if literal.is_string)
    product = max(texts, default=1) or 1
    inner, outer = None, node
    while outer is not None:
        if isinstance(outer, exp.Anonymous):
            product *= _own_size(outer)
            if isinstance(inner, exp.Lambda):
                arguments = [e for e in outer.expressions if not isinstance(e, exp.Lambda)]
                product *= max((_own_size(call) for e in arguments for call in e.find_all(exp.Anonymous)), default=1)
        inner, outer = outer, outer.parent
    return product


def _own_size(call: Any) -> int:
    name, arguments = str(call.this).lower(), call.expressions
    if name == "array":
        return max(1, len(arguments))
    if not inventory.grows(name):
        return 1
    if name == "sequence":
        return 1 if sequences.is_exploded(call) else max(1, sequences.length(call))
    size = 1
    for sized in _sizes(name, arguments):
        if isinstance(sized, exp.Literal) and sized.is_int:
            size = max(size, int(sized.name))
        elif isinstance(sized, exp.Literal):
            size = max([size, *map(int, _ANY_WIDTH.findall(sized.name))])
    return size


def _sizes(name: str, arguments: list[Any]) -> Iterator[Any]:
    """The arguments that determine how long a result gets."""
    if name in ("format_string", "printf", "space", "randstr"):
        yield from arguments[:1]
    else:
        yield from arguments[1:2]
