"""Spark's refusals of streaming queries, in one sentence each: for what passes `shape` and Spark still cannot follow."""

from __future__ import annotations

import re

_BY_CONDITION = {
    "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION": (
        "Spark cannot send the rows of this aggregate as they change; group by window(_timestamp, ...) and add a watermark."
    ),
    "STREAMING_OUTPUT_MODE": "Spark cannot follow topics with this aggregate; group by window(_timestamp, ...).",
    "NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING": (
        "A window function (OVER) asks for an order that a stream does not have; give the view a key, or write"
        " max_by(value, _timestamp)."
    ),
    "INVALID_SUBQUERY_EXPRESSION.STREAMING_QUERY": (
        "A query within a condition cannot follow a topic; join the topic by a bound of time."
    ),
    "EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE": (
        "The watermark's column is not a TIMESTAMP; name another in watermark: {column: ..., delay: ...}, or leave out column."
    ),
    "UNSUPPORTED_STREAMING_OPERATOR_WITHOUT_WATERMARK": (
        "This query gives its rows once their time is over, which needs a watermark over the column that it groups by."
    ),
    "WRITE_STREAM_NOT_ALLOWED": "The query follows no topic; name one behind FROM.",
    "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA": (
        "The query does not fit the state it had; rebuild the view."
    ),
    "STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE": "The query does not fit the state it had; rebuild the view.",
    "STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE": "The query does not fit the state it had; rebuild the view.",
    "AVRO_NOT_LOADED_SQL_FUNCTIONS_UNUSABLE": (
        "The engine lacks Spark's Avro package (org.apache.spark:spark-avro); add it, or write format: json."
    ),
    "GROUP_BY_AGGREGATE": "GROUP BY cannot name an aggregate.",
}
"""Spark's error condition, or the part before its dot -> a sentence."""

_BY_WORDS = (
    (
        r"distinct aggregations? (are|is) not supported",
        "An aggregate over DISTINCT values cannot follow a topic; write approx_count_distinct(x) or size(collect_set(x)).",
    ),
    (r"sorting is not supported", "ORDER BY asks for an end that a stream does not have; leave it out."),
    (
        r"(limit|offset)s? (is|are) not supported",
        "LIMIT and OFFSET ask for an end that a stream does not have; leave them out.",
    ),
    (r"sampling is not supported", "TABLESAMPLE is left to chance; write WHERE pmod(xxhash64(_key), 100) < 10."),
    (
        r"global aggregation with session window",
        "A session window needs one more column in GROUP BY, such as that of a user.",
    ),
    (
        r"possible 'correctness' issue|multiple streaming aggregations",
        "An aggregate over an aggregate or over a join of streams needs windows of time and a watermark; write one aggregate,"
        " or declare the inner query, where it has no aggregate, as a view with an output topic, and follow that topic.",
    ),
    (
        r"join between two streaming.*not supported in \w+ output mode",
        "An aggregate over a join of streams needs a window of time and a watermark; or declare the join as a view with"
        " an output topic, and aggregate that topic.",
    ),
    (
        r"without a watermark in the join keys",
        "An outer join of two streams needs a watermark and both bounds of time, as in b._timestamp BETWEEN a._timestamp AND"
        " a._timestamp + INTERVAL 5 MINUTES.",
    ),
    (
        r"leftanti join",
        "An ANTI JOIN of two streams cannot be followed; write LEFT JOIN and keep rows where b.x IS NULL.",
    ),
    (
        r"(leftouter|rightouter|fullouter|leftsemi)\s+joins? with",
        "This outer join keeps rows of a table that no record asks for; put the stream behind FROM and write LEFT JOIN.",
    ),
    (
        r"(intersect|except) (of|on)",
        "INTERSECT and EXCEPT cannot follow topics; write a LEFT SEMI or LEFT ANTI JOIN with a table.",
    ),
    (
        r"union between streaming and batch",
        "UNION joins topics that are followed; each of its queries needs one behind FROM.",
    ),
    (r"watermark.*(redefin|re-defin)", "A topic has one watermark; name one column for it."),
)
"""Words of an error without a condition of its own -> a sentence."""

_COMPILED = tuple((re.compile(pattern, re.IGNORECASE | re.DOTALL), sentence) for pattern, sentence in _BY_WORDS)
_LEGACY = re.compile(r"_LEGACY_ERROR_TEMP_\d+\Z")
_OTHER = "Spark cannot follow topics with this query; write it with WHERE, GROUP BY window(...) and joins by a bound of time."


def sentence(condition: str | None, message: str) -> str | None:
    """What to answer to an error of Spark by its condition (`getCondition()`) and text; None for one that is not about
    streaming. No word of the text is passed on."""
    if condition is not None:
        text = _BY_CONDITION.get(condition) or _BY_CONDITION.get(condition.partition(".")[0])
        if text is not None:
            return text
    for pattern, text in _COMPILED:
        if pattern.search(message):
            return text
    for name, text in _BY_CONDITION.items():
        if f"[{name}" in message:
            return text
    legacy = condition is not None and _LEGACY.match(condition)
    return _OTHER if legacy and "streaming" in message.lower() else None
