"""How many records the values of one row can come from. An answer that is limited in rows is limited in these, too. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlglot import exp

from catalog.errors import SqlRefused
from policies.model import Subject
from policies.sql.words import words

_GATHERING = words(
    "array_agg bitmap_construct_agg bitmap_or_agg collect_list collect_set count_min_sketch histogram_numeric hll_sketch_agg"
    " hll_union_agg listagg schema_of_variant_agg string_agg"
)
_AT_SHARES = words("approx_percentile percentile percentile_approx")
"""Their second argument may list many shares, each of which gives a value."""
_AT_SHARES_FIRST = words("percentile_cont percentile_disc")
"""Their first argument may."""
_PICKING = words(
    "any_value approx_percentile avg bit_and bit_or bit_xor corr covar_pop covar_samp first first_value kurtosis lag last"
    " last_value lead max max_by mean median min min_by mode nth_value percentile percentile_approx percentile_cont"
    " percentile_disc regr_avgx regr_avgy regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy skewness std stddev"
    " stddev_pop stddev_samp sum try_avg try_sum var_pop var_samp variance"
)
"""Functions of many records that give one value of them, or one made of them."""
_SOURCES = frozenset({"from", "from_", "joins", "laterals"})
_WITH = ("with", "with_")


def require_rows(subject: Subject, tree: Any) -> None:
    """Raises SqlRefused for an agent whose query gathers values of many records in one row: its token limits rows."""
    agent = subject.agent
    if agent is None:
        return
    for call in tree.find_all(exp.Anonymous):
        name = str(call.this).lower()
        if name in _GATHERING or not all(map(_is_number, _shares(name, call))):
            raise SqlRefused(
                f"{name} puts values of many rows into one, and the token of agent {agent.name} limits rows; select the rows.",
                details={"line": 1, "column": 1, "reasons": ["agent"]},
            )
    weight = row_weight(subject, tree)
    if weight > agent.rows:
        raise SqlRefused(
            f"A row of this query can hold values of {weight:,} rows, and the token of agent {agent.name} gives {agent.rows:,} in"
            " an answer; select the rows.",
            details={"line": 1, "column": 1, "reasons": ["agent"]},
        )


def row_weight(subject: Subject, tree: Any) -> int:
    """As how many rows each row of an answer counts for an agent; 1 for a person, who has no limit of them.

    Joined tables, subqueries that give a value, window functions, a second aggregate and each column of a PIVOT add the values of
    other records to a row.
    """
    return 1 if subject.agent is None else _weight(tree, {})


def _shares(name: str, call: exp.Anonymous) -> list[Any]:
    if name in _AT_SHARES:
        return list(call.expressions[1:])
    return list(call.expressions[:1]) if name in _AT_SHARES_FIRST else []


def _is_number(node: Any) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string


def _weight(query: Any, outer: Mapping[str, int]) -> int:
    """`outer`: the weights of the named queries that are known around this one."""
    named = dict(outer)
    for arg in _WITH:
        for cte in getattr(query.args.get(arg), "expressions", ()):
            named[cte.alias.lower()] = _weight(cte.this, named)
    if isinstance(query, exp.SetOperation):
        return max(_weight(query.this, named), _weight(query.expression, named))
    if isinstance(query, exp.Select):
        return _of_select(query, named)
    return _of_sources([query.args], named)


def _of_select(select: exp.Select, named: Mapping[str, int]) -> int:
    rows = _of_sources([{key: value for key, value in select.args.items() if key in _SOURCES}], named)
    picks = windows = inner = 0
    for node in _within(select.args.get("expressions")):
        if isinstance(node, (exp.Select, exp.SetOperation)):
            inner += _weight(node, named)
        elif isinstance(node, exp.Window):
            windows += any(_picks(each) for each in _within(node.this))  # counted below, too, as a pick
        elif _picks(node):
            picks += 1
    return rows * (1 + picks if windows else max(1, picks)) + inner


def _picks(node: Any) -> bool:
    return isinstance(node, exp.Anonymous) and str(node.this).lower() in _PICKING


def _of_sources(given: list[Any], named: Mapping[str, int]) -> int:
    """Of tables and queries side by side."""
    rows, pivoted = 0, 1
    for node in _within(given):
        if isinstance(node, exp.Table):
            rows += named.get(node.name.lower(), 1) if not node.db else 1
        elif isinstance(node, (exp.Select, exp.SetOperation)):
            rows += _weight(node, named)
        elif isinstance(node, exp.Pivot) and not node.args.get("unpivot"):
            values = sum(len(each.expressions) for each in node.args.get("fields") or ())
            pivoted *= max(1, values) * max(1, len(node.expressions))
    return max(1, rows) * pivoted


def _within(given: Any) -> Iterator[Any]:
    """The nodes below, none of those within a query among them."""
    waiting = [given]
    while waiting:
        each = waiting.pop()
        if isinstance(each, (list, tuple)):
            waiting.extend(each)
        elif isinstance(each, Mapping):
            waiting.extend(each.values())
        elif isinstance(each, exp.Expression):
            yield each
            if not isinstance(each, (exp.Select, exp.SetOperation)):
                waiting.extend(each.args.values())
