"""Spark's errors as one clean sentence: no value, no plan, no stack trace.

Spark's own messages quote values (`The value 'anna@...' cannot be cast`), expressions with mask keys, and plans; none
of their text goes out. What goes out is a sentence chosen by the error class, and names from the query.
"""

from __future__ import annotations

import re
from typing import Any

from catalog.errors import LimitExceeded, Unavailable, WeirError
from policies.engine.memory import out_of_memory
from policies.gate.cost.sequences import MOST
from policies.plan.errors import QueryFailed

_SENTENCES = {
    "CAST_INVALID_INPUT": "A value cannot be cast to the type that is asked for; try_cast gives NULL instead.",
    "CAST_OVERFLOW": "A value is too large for the type it is cast to; try_cast gives NULL instead.",
    "DIVIDE_BY_ZERO": "A division by zero; try_divide gives NULL instead.",
    "REMAINDER_BY_ZERO": "A remainder of a division by zero; try_mod gives NULL instead.",
    "ARITHMETIC_OVERFLOW": "A number became too large; try_add, try_multiply and their like give NULL instead.",
    "NUMERIC_VALUE_OUT_OF_RANGE": "A number does not fit its type.",
    "CANNOT_PARSE_TIMESTAMP": "A text is not a time; try_to_timestamp gives NULL instead.",
    "INVALID_ARRAY_INDEX": "An index is outside its array; get(array, index) gives NULL instead.",
    "INVALID_ARRAY_INDEX_IN_ELEMENT_AT": "An index is outside its array; try_element_at gives NULL instead.",
    "INVALID_INDEX_OF_ZERO": "An index of an array counts from 1 here.",
    "DATETIME_OVERFLOW": "A date or time became too large.",
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": "A subquery that is used as one value gave several rows.",
    "DATATYPE_MISMATCH": "The types of an expression do not fit together.",
    "INCOMPATIBLE_COLUMN_TYPE": "The types of the queries of a set operation do not fit together.",
    "NUM_COLUMNS_MISMATCH": "The queries of a set operation have different numbers of columns.",
    "_LEGACY_ERROR_TEMP_1037": "A window function such as lag, lead or rank needs an order: OVER (ORDER BY created_at).",
    "_LEGACY_ERROR_TEMP_1036": "A window function of this kind takes no frame of its own (ROWS or RANGE BETWEEN).",
    "NESTED_AGGREGATE_FUNCTION": "An aggregate is inside another; compute the inner one in a subquery.",
    "DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH": "IN compares as many columns as its subquery gives; name the same"
    " number on both sides.",
    "INVALID_AGGREGATE_FILTER": "FILTER (WHERE ...) takes a condition that is true or false, without aggregates.",
    "UNRESOLVED_USING_COLUMN_FOR_JOIN": "A column of USING is not on both sides of the join; write ON instead.",
    "NUM_TABLE_VALUE_ALIASES_MISMATCH": "The names behind AS t(...) are not as many as the columns.",
    "ASSIGNMENT_ARITY_MISMATCH": "The names behind AS t(...) are not as many as the columns.",
    "MISSING_AGGREGATION": "A column is neither in GROUP BY nor in an aggregate; name it there, or take any_value of it.",
    "MISSING_GROUP_BY": "A column is neither in GROUP BY nor in an aggregate; name it there, or take any_value of it.",
    "GROUP_BY_POS_OUT_OF_RANGE": "GROUP BY counts to a column that SELECT does not have.",
    "GROUP_BY_POS_AGGREGATE": "GROUP BY counts to a column that is an aggregate.",
    "ORDER_BY_POS_OUT_OF_RANGE": "ORDER BY counts to a column that SELECT does not have.",
    "INVALID_WHERE_CONDITION": "WHERE takes no aggregate and no window function; write HAVING or QUALIFY.",
    "INVALID_EXTRACT_BASE_FIELD_TYPE": "A field or element is taken of a value that is not a struct, map or array.",
    "INVALID_EXTRACT_FIELD": "EXTRACT and date_part do not know the part that is asked for.",
    "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE": "A window function needs OVER (...).",
    "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED": "Spark takes no aggregate of DISTINCT values before OVER.",
    "INVALID_LIMIT_LIKE_EXPRESSION": "LIMIT and OFFSET take a whole number, not below 0.",
    "UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE": "Spark's DISTINCT, UNION, INTERSECT and EXCEPT cannot compare maps; name the"
    " columns you want, or take map_entries of a map.",
    "INVALID_DATETIME_PATTERN": "A pattern of dates is not one of Spark's, such as 'yyyy-MM-dd HH:mm:ss'.",
    "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION": "A pattern of dates is not one of Spark's; weeks have"
    " no pattern, years are yyyy.",
    "INCONSISTENT_BEHAVIOR_CROSS_VERSION.PARSE_DATETIME_BY_NEW_PARSER": "A text is not a time of the pattern;"
    " try_to_timestamp gives NULL instead.",
    "INVALID_FORMAT": "A text does not fit the format that is asked for; try_to_number gives NULL instead.",
    "INVALID_TYPED_LITERAL": "A date, time or interval is written wrongly.",
    "CANNOT_PARSE_INTERVAL": "A length of time is written wrongly; write it as in '5 minutes'.",
    "INVALID_INTERVAL_FORMAT": "An interval is written wrongly; write INTERVAL '2' DAY or INTERVAL 2 DAYS.",
    "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN": "A condition is neither true nor false; compare it with something.",
    "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION": "A type cannot be cast to the one that is asked for.",
    "INVALID_PARAMETER_VALUE.PATTERN": "A pattern cannot be read as a regular expression of Java.",
    "GROUP_BY_AGGREGATE": "GROUP BY cannot take an aggregate.",
    "PARSE_SYNTAX_ERROR": "Spark does not understand the query, or a schema in it.",
    "WRONG_NUM_ARGS": "A function has the wrong number of arguments.",
    "INVALID_PARAMETER_VALUE": "An argument of a function has a value it does not take.",
    "UNRESOLVED_ROUTINE": "A function is not known.",
    "DUPLICATED_MAP_KEY": "A map has one key twice.",
    "NULL_MAP_KEY": "A key of a map is NULL.",
    "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.NON_DETERMINISTIC_LATERAL_SUBQUERIES": "A LATERAL query of Spark cannot read a"
    " topic of which you see some rows only; write it as a join, or as a subquery in SELECT.",
    "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_IN_EXISTS_SUBQUERY": "Spark takes no IN or EXISTS in ORDER BY;"
    " select them as a column and order by that.",
    "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY": "Spark takes no subquery at this place.",
    "AMBIGUOUS_REFERENCE": "A column name fits several tables; write the table before it.",
    "UNRESOLVED_STAR": "A * has no table whose columns it could give.",
    "CANNOT_RESOLVE_STAR_EXPAND": "A * names a table or struct that the query does not have.",
    "MALFORMED_RECORD_IN_PARSING": "A text cannot be read as the format that is asked for.",
    "UNSUPPORTED_ARROWTYPE": "The result has a type that Spark cannot send, such as an interval of months; cast it to STRING.",
    "UNSUPPORTED_DATA_TYPE_FOR_ARROW_CONVERSION": "The result has a type that Spark cannot send, such as an interval of months;"
    " cast it to STRING.",
    "DUPLICATED_FIELD_NAME_IN_ARROW_STRUCT": "A struct of the result has one name twice; give its fields names of their own.",
    "MALFORMED_CHARACTER_CODING": "Bytes are not text of the character set that is asked for; CAST(bytes AS STRING) takes any.",
    "UNSUPPORTED_DATATYPE": "The result has a type that Spark cannot send; cast it to STRING.",
    "FIELD_NOT_FOUND": "A struct does not have the field that is asked for.",
}
_NAMED = ("UNRESOLVED_COLUMN", "UNRESOLVED_FIELD", "FIELD_NOT_FOUND", "UNRESOLVED_MAP_KEY", "AMBIGUOUS_REFERENCE")
_NAME_PARAMETERS = ("objectName", "fieldName", "name")
_MEMORY = re.compile(
    r'OutOfMemoryError|details = "(?:Java heap space|Requested array size exceeds VM limit|GC overhead limit exceeded)"'
)
_ANALYSIS = "The query does not fit its tables; check the names and types it uses."


def translate(error: BaseException) -> WeirError:
    """The error to raise instead of one of Spark's, which stays out of its message and of its cause."""
    if isinstance(error, WeirError):
        return error
    kind = type(error).__name__
    text = str(error)
    if "OPERATION_CANCELED" in text or "OPERATION_CANCELLED" in text:
        return LimitExceeded("The query was stopped.", details={"limit": "seconds"})
    if "spark.driver.maxResultSize" in text:
        message = "The answer is larger than the query engine holds at once; ask for fewer records or columns."
        return LimitExceeded(message, details={"limit": "bytes"})
    condition = _condition(error)
    if condition not in _SENTENCES and _MEMORY.search(text):
        return out_of_memory()
    if (
        kind in ("_MultiThreadedRendezvous", "_InactiveRpcError", "RetriesExceeded")
        or "UNAVAILABLE" in text[:200]
        or ("UNAUTHENTICATED" in text[:200])
    ):
        return Unavailable("The query engine does not answer; try again in a moment.", details={"server": "spark"})
    if condition is None:
        return QueryFailed("The engine could not run the query.", details={"condition": "failed"})
    top = condition.split(".")[0]
    details: dict[str, Any] = {"condition": condition}
    name, fragment = _name(error), _fragment(error)
    if top == "USER_RAISED_EXCEPTION":  # queries cannot raise, so it is the check of a sequence's end
        message = f"A sequence would have more than {MOST:,} elements; take a longer step, or a nearer end."
        return QueryFailed(message, details=details)
    if top == "DATATYPE_MISMATCH" and (fragment or "").startswith("try_add(`weir_s`"):
        message = "A sequence of times needs its step: write sequence(start, stop, INTERVAL 1 DAY)."
        return QueryFailed(message, details=details)
    if top in _NAMED and name:
        details["name"] = name
        ambiguous = f"The column {name} fits several tables; write the table before it."
        message = ambiguous if top == "AMBIGUOUS_REFERENCE" else f"There is no column {name}."
        return QueryFailed(message, details=details, fragment=fragment, known=_fields(error))
    sentence = (
        _SENTENCES.get(condition)
        or _SENTENCES.get(top)
        or (_ANALYSIS if kind in ("AnalysisException", "ParseException") else None)
    )
    return QueryFailed(
        sentence or "The engine could not run the query.", details=details, fragment=fragment, about=_about(error)
    )


def _condition(error: BaseException) -> str | None:
    getter = getattr(error, "getCondition", None)
    condition = getter() if callable(getter) else None
    if isinstance(condition, str) and re.fullmatch(r"[A-Z0-9_.]{3,120}", condition):
        return condition
    # Errors of the analysis come without their details at times; the class still stands before the text.
    written = re.match(r"\[([A-Z][A-Z0-9_.]{2,119})\] ", str(error))
    return written[1] if written else None


def _fragment(error: BaseException) -> str | None:
    """The part of the text that the engine points at; it may be one of a view's, so it stays inside."""
    getter = getattr(error, "getQueryContext", None)
    contexts = (getter() if callable(getter) else None) or ()
    texts = (each for each in contexts if each.contextType().name == "SQL" and not each.objectType())
    return next((str(each.fragment()) for each in texts), None)


def _fields(error: BaseException) -> tuple[str, ...]:
    getter = getattr(error, "getMessageParameters", None)
    listed = ((getter() if callable(getter) else None) or {}).get("fields")
    return tuple(part.strip().strip("`") for part in listed.split(",")) if isinstance(listed, str) and listed else ()


def _about(error: BaseException) -> dict[str, str]:
    """What the engine reports besides; it may hold values, so it stays inside. See `policies/query/failure_words.py`."""
    getter = getattr(error, "getMessageParameters", None)
    parameters = (getter() if callable(getter) else None) or {}
    return {str(name): value for name, value in parameters.items() if isinstance(value, str) and len(value) <= 500}


def _name(error: BaseException) -> str | None:
    getter = getattr(error, "getMessageParameters", None)
    parameters = getter() if callable(getter) else None
    for key in _NAME_PARAMETERS:
        value = (parameters or {}).get(key)
        if isinstance(value, str) and 0 < len(value) <= 300:
            return value
    return None
