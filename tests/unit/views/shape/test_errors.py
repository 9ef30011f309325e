"""Spark's refusals of streaming queries in our words."""

from __future__ import annotations

import pytest

from views.shape.errors import sentence

LEGACY = "_LEGACY_ERROR_TEMP_3102"


@pytest.mark.parametrize(
    ("condition", "message", "words"),
    [
        (
            "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION",
            "[STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION] Invalid",
            "window",
        ),
        ("NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING", "Window function is not supported", "max_by"),
        ("INVALID_SUBQUERY_EXPRESSION.STREAMING_QUERY", "Invalid subquery", "bound of time"),
        (LEGACY, "Distinct aggregations are not supported on streaming DataFrames/Datasets.", "approx_count_distinct"),
        (LEGACY, "Sorting is not supported on streaming DataFrames/Datasets, unless", "ORDER BY"),
        (LEGACY, "Offset is not supported on streaming DataFrames/Datasets; ~Offset 2", "LIMIT"),
        (LEGACY, "Sampling is not supported on streaming DataFrames/Datasets", "pmod"),
        (LEGACY, "Detected pattern of possible 'correctness' issue due to global watermark.", "one aggregate"),
        (
            LEGACY,
            "Join between two streaming DataFrames/Datasets is not supported in Update output mode, only in Append",
            "view with an output topic",
        ),
        (
            LEGACY,
            "Stream-stream LeftOuter join between two streaming DataFrame/Datasets is not supported without a watermark in"
            " the join keys, or a watermark on the nullable side",
            "both bounds",
        ),
        (LEGACY, "LeftAnti joins with a streaming DataFrame/Dataset on the right are not supported", "IS NULL"),
        (LEGACY, "RightOuter join with a streaming DataFrame/Dataset on the left and a static DataFrame", "LEFT JOIN"),
        (LEGACY, "Intersect of streaming DataFrames/Datasets is not supported", "SEMI"),
        (LEGACY, "Except on a streaming DataFrame/Dataset on the right is not supported", "ANTI"),
        (LEGACY, "Something new is not supported on streaming DataFrames/Datasets", "Spark cannot follow"),
        (None, "terminated with exception: Global aggregation with session window in streaming query", "GROUP BY"),
        (
            "STREAM_FAILED",
            "[STREAM_FAILED] Query [id = 1] terminated with exception: [UNSUPPORTED_STREAMING_OPERATOR_WITHOUT_WATERMARK]",
            "watermark",
        ),
    ],
)
def test_one_sentence_without_a_word_of_java(condition: str | None, message: str, words: str) -> None:
    shown = sentence(condition, message)
    assert shown is not None and words in shown and shown.endswith(".")
    assert not any(word in shown for word in ("DataFrame", "Exception", "streaming", "[", "~"))


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("UNRESOLVED_COLUMN.WITH_SUGGESTION", "A column cannot be resolved"),
        (None, "Connection refused"),
        (LEGACY, "Bad"),
    ],
)
def test_other_errors_are_left_to_others(condition: str | None, message: str) -> None:
    assert sentence(condition, message) is None
