"""The Python process that Spark leaves behind of a session is ended, and comes again where the session asks again."""

from __future__ import annotations

from typing import Any

import psutil
import pytest

from catalog.adapters.spark_connect import connect, release
from stack import IdlePython, Instance, KeptServer, StackSettings
from tests.conftest import Stack

pytestmark = pytest.mark.integration


@pytest.fixture
def engine(stack: Stack) -> KeptServer:
    """The process behind `stack.engine`."""
    kept = KeptServer(Instance(stack.logs.parent, StackSettings()), "query")
    entry = kept.entry()
    assert entry is not None and entry.identity.alive(), "WEIR_TEST_STACK must be a file in the home of the stack"
    return kept


def through_python(session: Any) -> list[Any]:
    from pyspark.sql.connect.functions import col, udf
    from pyspark.sql.types import StringType

    louder = udf(lambda text: f"{text}!", returnType=StringType(), useArrow=True)
    return [row[0] for row in session.range(2).select(louder(col("id").cast("string"))).collect()]


@pytest.mark.tail  # Spark ends an idle worker after a minute
@pytest.mark.timeout(300)
def test_a_session_that_is_over_leaves_no_process(stack: Stack, engine: KeptServer) -> None:
    entry = engine.entry()
    assert entry is not None
    process = psutil.Process(entry.identity.pid)
    before = {child.pid for child in process.children()}
    ended, waiting = connect(stack.engine), connect(stack.engine)
    assert through_python(ended) == through_python(waiting) == ["0!", "1!"]
    daemons = [child for child in process.children() if child.pid not in before]
    assert len(daemons) == 2
    release(ended)
    idle = IdlePython([engine])
    # Spark ends a worker that had no task for a minute; its daemon has no work from then on.
    psutil.wait_procs([worker for daemon in daemons for worker in daemon.children()], timeout=150)
    assert not [worker for daemon in daemons for worker in daemon.children()]
    idle.step()
    assert idle.step() >= 2
    assert not psutil.wait_procs(daemons, timeout=10)[1]
    assert through_python(waiting) == ["0!", "1!"]
    release(waiting)
