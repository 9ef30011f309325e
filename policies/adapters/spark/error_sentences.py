"""Spark's error classes, and what each means in one sentence that holds nothing of the data. Pure.

Names of columns, types and places are added by `policies/query/failures.py`, from the query's own text.
"""

from __future__ import annotations

SENTENCES = {
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
    "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE": "What is behind ON is not true or false; compare columns of both sides.",
    "INVALID_PARAMETER_VALUE.PATTERN": "A pattern is not a regular expression; a bracket may be open.",
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
    "DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH": "IN compares values with those of a subquery that are of another type;"
    " CAST one of them.",
    "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE": "RANGE BETWEEN counts along ORDER BY, which must be one number,"
    " date or time there; write ROWS BETWEEN to count rows.",
    "DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER": "RANGE BETWEEN counts along one column of ORDER BY; write ROWS BETWEEN to count"
    " rows.",
    "DATATYPE_MISMATCH.RANGE_FRAME_WITHOUT_ORDER": "RANGE BETWEEN needs ORDER BY; write ROWS BETWEEN to count rows.",
    "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON": "A window's frame ends before it begins; exchange its two ends.",
    "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_INVALID_BOUND": "A window's frame ends before it begins; exchange its two ends.",
    "DATATYPE_MISMATCH.INVALID_JSON_SCHEMA": "JSON text is made of structs, maps and arrays only; write struct(column).",
    "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT": "An argument of a function must be written out, and may be no column.",
    "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE": "An argument of a function is outside of what it takes.",
    "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE": "A map has no order and cannot be compared; take map_entries of it.",
    "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS": "A function that makes rows, such as explode, must be alone in SELECT;"
    " compute with its result in an outer query.",
    "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT": "A function that makes rows, such as explode, may be in SELECT or LATERAL VIEW"
    " only; use its result in an outer query.",
    "UNSUPPORTED_GENERATOR": "A function that makes rows, such as explode, must be alone in SELECT, once; more of them are LATERAL"
    " VIEWs.",
    "NON_LITERAL_PIVOT_VALUES": "PIVOT ... IN takes values that are written out, and no columns.",
    "PIVOT_VALUE_DATA_TYPE_MISMATCH": "A value of PIVOT ... IN has another type than the column of FOR; CAST it.",
    "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION": "An aggregate takes no value that changes from call to call; compute it"
    " in a subquery.",
    "INVALID_SUBQUERY_EXPRESSION": "A subquery that is used as one value must have one column.",
    "UNSUPPORTED_GROUPING_EXPRESSION": "grouping and grouping_id need GROUPING SETS, ROLLUP or CUBE in GROUP BY.",
    "GROUPING_COLUMN_MISMATCH": "grouping takes columns of GROUP BY only.",
    "GROUPING_ID_COLUMN_MISMATCH": "grouping_id takes all columns of GROUP BY, in their order, or none.",
    "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH": "The rows of VALUES do not all have as many values as there are columns.",
    "INVALID_INLINE_TABLE": "VALUES takes values that are written out and fit each other in their types.",
    "INCOMPATIBLE_TYPES_IN_INLINE_TABLE": "A column of VALUES holds values of several types; CAST them to one.",
    "UNSUPPORTED_EXPR_FOR_OPERATOR": "An aggregate, window function or function that makes rows is at a place where there may be"
    " none; compute it in SELECT, or in a subquery.",
    "UNEXPECTED_INPUT_TYPE": "An argument of a function has a type that it does not take.",
    "INVALID_TIMEZONE": "A zone of time is not known; write it as in 'Europe/Berlin' or '+02:00'.",
    "ILLEGAL_DAY_OF_WEEK": "A day of the week is not known; write it as in 'MON' or 'Monday'.",
    "CONVERSION_INVALID_INPUT": "A text cannot be converted; the function of this name with try_ before it gives NULL instead.",
    "DATETIME_FIELD_OUT_OF_BOUNDS": "A part of a date or time is outside of its range, such as month 13;"
    " try_make_timestamp gives NULL instead.",
    "INVALID_FRACTION_OF_SECOND": "The seconds of a time go from 0 to 60; try_make_timestamp gives NULL instead.",
    "UDTF_ALIAS_NUMBER_MISMATCH": "The names behind AS are not as many as the columns that the function makes.",
    "UNPIVOT_VALUE_DATA_TYPE_MISMATCH": "The columns of UNPIVOT have different types; CAST them to one in a subquery.",
    "INVALID_LAMBDA_FUNCTION_CALL": "A function given as x -> ... has another number of arguments than is called for.",
    "INVALID_PARAMETER_VALUE.CHARSET": "A character set is not known; there are 'utf-8', 'utf-16', 'utf-16be', 'utf-16le',"
    " 'utf-32', 'iso-8859-1' and 'us-ascii'.",
    "INTERVAL_ARITHMETIC_OVERFLOW": "A length of time became too large.",
    "INTERVAL_DIVIDED_BY_ZERO": "A length of time is divided by zero.",
    "COLLECTION_SIZE_LIMIT_EXCEEDED": "An array or text became too long.",
    "INVALID_TIME_TRAVEL_SPEC": "The time of AS OF cannot be read.",
    "UNSUPPORTED_JOIN_TYPE": "A kind of join is not known; there are INNER, LEFT, RIGHT, FULL, SEMI, ANTI and CROSS.",
    "INCOMPATIBLE_JOIN_TYPES": "Two kinds of join are written together that exclude each other.",
    "UNSUPPORTED_FEATURE": "Spark does not support a part of this query at its place.",
    "INVALID_SQL_SYNTAX": "Spark does not understand a part of the query.",
    "REQUIRES_SINGLE_PART_NAME": "A name with a dot is at a place that takes a name without one.",
    "COLUMN_ALIASES_NOT_ALLOWED": "Names of columns are behind a query that takes none.",
    "DUPLICATE_ASSIGNMENTS": "A column has two values.",
    "COMPARATOR_RETURNS_NULL": "The comparison of array_sort gave NULL; it must give -1, 0 or 1.",
    "INVALID_VARIANT_CAST": "A value of a VARIANT does not fit the type; try_variant_get gives NULL instead.",
    "INVALID_VARIANT_GET_PATH": "The path of variant_get is not one, such as '$.a.b'.",
    "_LEGACY_ERROR_TEMP_1034": "A window function is in WHERE, HAVING or GROUP BY; write QUALIFY, or compute it in a subquery.",
    "_LEGACY_ERROR_TEMP_1035": "The second argument of lag, lead or nth_value is a whole number that is written out.",
    "_LEGACY_ERROR_TEMP_1210": "The second argument of first, last and any_value is TRUE or FALSE.",
    "_LEGACY_ERROR_TEMP_0026": "An interval is written wrongly; write INTERVAL '2' DAY or INTERVAL 2 DAYS.",
    "_LEGACY_ERROR_TEMP_0064": "TABLESAMPLE takes 0 to 100 PERCENT.",
    "_LEGACY_ERROR_TEMP_2128": "The keys and the values of a map are not as many.",
}
"""By error class, or by its first part."""

_FORMAT = "A format such as '%d' does not fit its value; %s takes any."
RUN_TIME = (
    ("Illegal sequence boundaries", "The step of a sequence does not lead from its start to its end."),
    ("Unknown pattern letter", SENTENCES["INVALID_DATETIME_PATTERN"]),
    ("Illegal pattern", SENTENCES["INVALID_DATETIME_PATTERN"]),
    ("Too many pattern letters", SENTENCES["INVALID_DATETIME_PATTERN"]),
    ("java.util.IllegalFormat", _FORMAT),
    ("java.util.MissingFormatArgumentException", "A format such as '%d' has no value."),
    ("java.util.UnknownFormatConversionException", _FORMAT),
    (
        "A null type field may not be non-nullable",
        "The result has a part that is never anything but NULL; CAST it to a type.",
    ),
)
"""The words of Spark and Java without an error class -> the sentence of it."""
