"""How much a plan may ask of the engine, by its words and windows alone."""

from __future__ import annotations

import re

from policies.plan.model import QueryPlan

FEW = 1_000_000
_MAKES_MORE = re.compile(
    r"\b(range|sequence|explode\w*|posexplode\w*|inline\w*|stack|array_repeat|repeat|space|[lr]pad|transform\w*|aggregate"
    r"|reduce|collect_\w+|array_agg|flatten|arrays_zip)`?\s*\(",
    re.I,
)
"""Calls in a query after which its rows and values are no longer bounded by the records it reads."""
_LENGTHENS = re.compile(
    r"\|\||\b(concat\w*|\w*replace|overlay|hex|base64|url_encode|to_json|array|map_concat)`?\s*\(", re.I
)
_MOST_LENGTHENING = 12
"""Calls that each make a value some times as long; a stored text counts as short."""
_NAMES_QUERIES = re.compile(r"\bWITH\b", re.I)


def makes_more(plan: QueryPlan) -> bool:
    """Whether its words can make rows or long values of their own."""
    return _MAKES_MORE.search(plan.sql) is not None


def rows(plan: QueryPlan) -> int:
    """The most rows it may come to, when every table is joined with every other as often as it is written."""
    product = 1
    for table in plan.tables:
        product *= max(1, table.window.records) ** plan.sql.count(f"`{table.view}`")
    return product


def light(plan: QueryPlan) -> bool:
    """Whether it cannot be the one that ends an engine: few rows, nothing that makes more, no named subqueries, which
    may be read more often than they are written, and little that makes values longer."""
    if makes_more(plan) or _NAMES_QUERIES.search(plan.sql) or rows(plan) > FEW:
        return False
    return len(_LENGTHENS.findall(plan.sql)) <= _MOST_LENGTHENING
