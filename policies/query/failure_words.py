"""Failures of the engine in the words of the query: which column, which function, which types, and what to write instead.

Every name and literal in a sentence is taken from the query's own text; of the engine's report only names of types and
counts are used, and only where they look like such. So no value of a record gets into a sentence. Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from policies.plan.errors import QueryFailed
from policies.plan.prepare import PreparedQuery
from policies.query import shape_failures as shapes
from policies.query import type_failures as types
from policies.query.blamed import text_of
from policies.query.failure_sentence import Sentence

_MISFITS = ("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "DATATYPE_MISMATCH.BINARY_OP", "DATATYPE_MISMATCH.DATA_DIFF")


def sentence(prepared: PreparedQuery, node: Any, error: QueryFailed) -> Sentence | None:
    """A better sentence than the engine's class has, or None. `node` is the part of the query that failed, if known."""
    condition = str(error.details.get("condition", ""))
    write = next((write for start, write in _BY_CONDITION.items() if condition.startswith(start)), None)
    better = None if write is None else write(prepared, node, error)
    if better is None and node is not None and condition.startswith(_MISFITS):
        return Sentence(f"The types in {text_of(node)} do not fit together.", node)
    return better


_BY_CONDITION: dict[str, Callable[[PreparedQuery, Any, QueryFailed], Sentence | None]] = {
    "CAST_INVALID_INPUT": types.not_of_type,
    "DATATYPE_MISMATCH.CAST_WITH": types.no_cast,
    "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE": types.argument,
    "UNEXPECTED_INPUT_TYPE": types.argument,
    "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES": types.operands,
    "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE": types.operands,
    "DATATYPE_MISMATCH.DATA_DIFF_TYPES": types.of_one_type,
    "DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES": types.array_and_element,
    "DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH": types.in_subquery,
    "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN": types.condition,
    "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE": types.no_order,
    "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT": types.constant,
    "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE": types.out_of_range,
    "DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION": types.window,
    "UNSUPPORTED_DATATYPE": types.no_such_type,
    "INCOMPATIBLE_COLUMN_TYPE": types.set_operation,
    "NUM_COLUMNS_MISMATCH": shapes.set_operation,
    "MISSING_AGGREGATION": shapes.ungrouped,
    "MISSING_GROUP_BY": shapes.ungrouped,
    "GROUP_BY_POS_OUT_OF_RANGE": shapes.counted_column,
    "ORDER_BY_POS_OUT_OF_RANGE": shapes.counted_column,
    "UNRESOLVED_USING_COLUMN_FOR_JOIN": shapes.using,
    "WRONG_NUM_ARGS": shapes.arguments,
    "INVALID_EXTRACT_BASE_FIELD_TYPE": shapes.no_fields,
    "INVALID_EXTRACT_FIELD": shapes.date_part,
    "CANNOT_RESOLVE_STAR_EXPAND": shapes.star,
}
