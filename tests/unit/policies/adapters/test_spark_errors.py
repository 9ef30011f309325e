"""What an engine reports of a full heap, in its words, and what merely quotes them."""

from __future__ import annotations

import pytest

from catalog.errors import LimitExceeded, WeirError
from policies.adapters.spark.errors import translate


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (
            "Job aborted due to stage failure: Task 0 failed 1 times: java.lang.OutOfMemoryError: Java heap space",
            "memory",
        ),
        ('<_MultiThreadedRendezvous of RPC: status = StatusCode.UNKNOWN details = "Java heap space">', "memory"),
        ('details = "Requested array size exceeds VM limit"', "memory"),
        ("[CAST_INVALID_INPUT] The value 'java.lang.OutOfMemoryError' of the type STRING cannot be cast", None),
        ("[DIVIDE_BY_ZERO] Division by zero. Use try_divide for Java heap space", None),
    ],
)
def test_a_full_heap_is_a_limit_and_not_a_failure(text: str, limit: str | None) -> None:
    error: WeirError = translate(RuntimeError(text))
    assert error.details.get("limit") == limit
    assert isinstance(error, LimitExceeded) is (limit is not None)
    assert "Java" not in error.message and "java" not in error.message
