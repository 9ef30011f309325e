"""Sessions on the real server, ended by us or found by the garbage collector: the others must live on."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from catalog.adapters.spark_connect import connect, release


@pytest.mark.integration
def test_a_session_the_collector_finds_takes_nothing_from_the_others(stack: Any) -> None:
    from pyspark.sql.connect.client.reattach import ExecutePlanResponseReattachableIterator as Executions

    kept, dropped = connect(stack.spark), connect(stack.spark)
    assert [dropped.range(3).count(), kept.range(4).count()] == [3, 4]
    pool = Executions._release_thread_pool_instance
    assert pool is not None
    del dropped
    gc.collect()
    assert Executions._release_thread_pool_instance is pool
    assert kept.range(5).count() == 5
    release(kept)


@pytest.mark.integration
def test_a_released_session_is_gone_and_may_be_released_again(stack: Any) -> None:
    session, other = connect(stack.spark), connect(stack.spark)
    assert session.range(3).count() == 3
    release(session)
    release(session)
    with pytest.raises(Exception, match=r"(?i)closed|session"):
        session.range(3).count()
    assert other.range(3).count() == 3
    release(other)
