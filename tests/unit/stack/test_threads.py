"""What a Spark Connect server works on, read from the thread dump of its JVM."""

from __future__ import annotations

import pytest

from stack.processes.jvm import read_threads

DUMP = b"""2026-11-27 09:03:06
Full thread dump OpenJDK 64-Bit Server VM (21.0.7+6-LTS mixed mode, sharing):

"main" #1 [11] prio=5 os_prio=0 cpu=2051.11ms elapsed=253.24s tid=0x0000556 nid=11 waiting on condition  [0x00007f]
   java.lang.Thread.State: TIMED_WAITING (parking)

"Executor task launch worker for task 0.0 in stage 187.0 (TID 187)" #135 daemon prio=5 os_prio=0 cpu=6166.04ms elapsed=25.24s tid=0x0 nid=0x2ea2 runnable
   java.lang.Thread.State: RUNNABLE

"Executor task launch worker for task 12.1 in stage 3.0 (TID 9)" #136 [77] daemon prio=5 os_prio=0 cpu=0.50ms elapsed=1.00s tid=0x0 nid=77 runnable
"Executor task launch worker-4" #137 [78] daemon prio=5 os_prio=0 cpu=9.00ms elapsed=1.00s tid=0x0 nid=78 waiting

"SparkConnectExecuteThread_opId=0b1e7a52-1f0c-4c59-8f7e-2a8c4f1d9e11" #138 [79] prio=5 os_prio=0 cpu=1500.00ms elapsed=3.00s tid=0x0 nid=79 runnable
"""  # noqa: E501


def test_tasks_and_statements_have_their_processor_seconds() -> None:
    threads = read_threads(DUMP)
    assert threads.tasks == {187: pytest.approx(6.16604), 9: pytest.approx(0.0005)}
    assert threads.statements == {"0b1e7a52-1f0c-4c59-8f7e-2a8c4f1d9e11": pytest.approx(1.5)}


def test_a_dump_without_any_has_none() -> None:
    threads = read_threads(b"Full thread dump\n")
    assert threads.tasks == {} and threads.statements == {}
