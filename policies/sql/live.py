"""Which queries can follow a topic (EMIT CHANGES), and what they need for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from policies.sql.names import fold
from policies.sql.tables import TableRef
from policies.sql.words import words

AGGREGATES = words(
    "any any_value approx_count_distinct approx_percentile array_agg avg bit_and bit_or bit_xor bitmap_construct_agg"
    " bitmap_or_agg bool_and bool_or collect_list collect_set corr count count_if count_min_sketch covar_pop covar_samp"
    " every first first_value grouping grouping_id histogram_numeric hll_sketch_agg hll_union_agg kurtosis last"
    " last_value listagg max max_by mean median min min_by mode percentile percentile_approx percentile_cont"
    " percentile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy"
    " schema_of_variant_agg skewness some std stddev stddev_pop stddev_samp string_agg sum try_avg try_sum var_pop"
    " var_samp variance session_window"
)
_PARTS = {
    "order": "ORDER BY",
    "limit": "LIMIT",
    "offset": "OFFSET",
    "windows": "WINDOW",
    "sort": "SORT BY",
    "cluster": "CLUSTER BY",
    "distribute": "DISTRIBUTE BY",
    "pivots": "PIVOT",
    "with_": "WITH",
    "qualify": "QUALIFY",
}
_STATEFUL = ("group", "having", "distinct")
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_SPAN = re.compile(r"\s*(?:interval\s+)?(\d{1,6})\s*(second|minute|hour|day|week)s?\s*\Z", re.IGNORECASE)
_MEND = "EMIT CHANGES takes SELECT ... FROM one topic, joins to others as they are, WHERE and GROUP BY."


@dataclass(frozen=True, slots=True)
class Shape:
    """How a push query is answered.

    source     the topic that is followed; every other is read as it is at the time of each answer
    stateful   the answer depends on records that came before: GROUP BY, DISTINCT, aggregates
    bucket     seconds of the tumbling window over `_timestamp` that it groups by; None for no such window
    """

    source: TableRef
    stateful: bool
    bucket: int | None = None


def shape(tree: Any) -> Shape:
    """The shape of a gated tree that has no `problem`."""
    stateful = any(tree.args.get(part) for part in _STATEFUL) or any(map(is_aggregate, _own_nodes(tree)))
    return Shape(tree.args["from_"].this.meta["weir"], stateful, _bucket(tree))


def problem(tree: exp.Expression) -> str | None:
    """Why a query cannot follow a topic, in one sentence; None when it can."""
    if not isinstance(tree, exp.Select) or not isinstance(tree.args.get("from_"), exp.From):
        return _MEND
    for key, word in _PARTS.items():
        if tree.args.get(key):
            return f"{word} asks for an end that a stream does not have. {_MEND}"
    table = tree.args["from_"].this
    source = table.meta.get("weir") if isinstance(table, exp.Table) else None
    if source is None or table.args.get("pivots") or table.args.get("joins") or table.args.get("sample"):
        return f"The topic to follow must be right behind FROM. {_MEND}"
    if table.args.get("version"):
        return "EMIT CHANGES begins with what comes next; leave out AS OF."
    if sum(each.meta.get("weir") == source for each in tree.find_all(exp.Table)) > 1:
        return f"{source.name} is in the query twice; what is followed cannot also be joined. {_MEND}"
    for join in tree.args.get("joins") or ():
        if join.side in ("RIGHT", "FULL"):
            return f"{join.side} JOIN gives rows of the other side again and again; put the stream first. {_MEND}"
    if any(isinstance(node, exp.Window) for node in _own_nodes(tree)):
        return f"A window function (OVER) asks for an order that a stream does not have. {_MEND}"
    return None


def _own_nodes(node: Any) -> Iterator[Any]:
    """The nodes of a query that are not in a query inside it."""
    for child in node.iter_expressions():
        if not isinstance(child, exp.Query):
            yield child
            yield from _own_nodes(child)


def is_aggregate(node: Any) -> bool:
    """Whether a node is a call that makes one value of many rows."""
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower() in AGGREGATES
    return isinstance(node, exp.AggFunc)


def _bucket(tree: Any) -> int | None:
    group = tree.args.get("group")
    written = [*(group.expressions if group is not None else ())]
    # GROUP BY 1 and GROUP BY an alias name a column of SELECT.
    chosen = tree.expressions
    for each in list(written):
        if isinstance(each, exp.Literal) and each.is_int and 0 < int(each.name) <= len(chosen):
            written.append(chosen[int(each.name) - 1])
        elif isinstance(each, exp.Column):
            written += [item for item in chosen if isinstance(item, exp.Alias) and fold(item.alias) == fold(each.name)]
    for each in written:
        for call in each.find_all(exp.Anonymous):
            arguments = call.expressions
            if str(call.this).lower() != "window" or len(arguments) != 2 or not isinstance(arguments[0], exp.Column):
                continue
            match = _SPAN.match(arguments[1].name) if isinstance(arguments[1], exp.Literal) else None
            if match and fold(arguments[0].name) == "_timestamp":
                return int(match[1]) * _SECONDS[match[2].lower()]
    return None
