"""Which queries can be answered record by record, as EMIT CHANGES does."""

from __future__ import annotations

from sqlglot import exp

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
    "group": "GROUP BY", "having": "HAVING", "distinct": "DISTINCT", "order": "ORDER BY", "limit": "LIMIT",
    "offset": "OFFSET", "windows": "WINDOW", "joins": "JOIN", "sort": "SORT BY", "cluster": "CLUSTER BY",
    "distribute": "DISTRIBUTE BY", "pivots": "PIVOT", "with_": "WITH", "qualify": "QUALIFY",
}  # fmt: skip
_MEND = "EMIT CHANGES takes SELECT ... FROM one topic WHERE ... so far; run it without EMIT CHANGES instead."


def problem(tree: exp.Expression) -> str | None:
    """Why a query needs more than one record at a time, in one sentence; None when it does not."""
    if not isinstance(tree, exp.Select) or not isinstance(tree.args.get("from_"), exp.From):
        return _MEND
    for key, word in _PARTS.items():
        if tree.args.get(key):
            return f"{word} looks at more than one record. {_MEND}"
    if not isinstance(tree.args["from_"].this, exp.Table) or tree.find(exp.Subquery, exp.Exists, exp.SetOperation):
        return f"It reads from more than one place. {_MEND}"
    table = tree.args["from_"].this
    if (
        isinstance(table.this, exp.Anonymous)
        or table.args.get("pivots")
        or table.args.get("joins")
        or table.args.get("sample")
    ):
        return _MEND
    if table.args.get("version"):
        return "EMIT CHANGES begins with what comes next; leave out AS OF."
    for call in tree.find_all(exp.Anonymous, exp.Window, exp.Any):
        if not isinstance(call, exp.Anonymous) or str(call.this).lower() in AGGREGATES:
            return f"An aggregate or a window function looks at more than one record. {_MEND}"
    return None
