"""Aggregates that put the values of many rows into one. An answer that is limited in rows has no use for them. Pure."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from catalog.errors import SqlRefused
from policies.model import Subject
from policies.sql.words import words

_GATHERING = words(
    "array_agg bitmap_construct_agg collect_list collect_set count_min_sketch histogram_numeric hll_sketch_agg listagg"
    " string_agg"
)
_AT_SHARES = words("approx_percentile percentile percentile_approx percentile_cont percentile_disc")
"""Their second argument may list many shares, each of which gives a value."""


def require_rows(subject: Subject, tree: Any) -> None:
    """Raises SqlRefused for an agent whose query gathers values of many rows in one: its token limits rows."""
    agent = subject.agent
    if agent is None:
        return
    for call in tree.find_all(exp.Anonymous):
        name = str(call.this).lower()
        if name in _GATHERING or (name in _AT_SHARES and not all(map(_is_number, call.expressions[1:]))):
            raise SqlRefused(
                f"{name} puts values of many rows into one, and the token of agent {agent.name} limits rows; select the rows.",
                details={"line": 1, "column": 1, "reasons": ["agent"]},
            )


def _is_number(node: Any) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string
