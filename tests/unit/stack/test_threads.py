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
    threads = read_threads(DUMP, {0x2EA2: 4.0, 77: 0.5, 79: 2.0}.__getitem__)
    assert threads.tasks == {187: pytest.approx((6.16604, 4.0)), 9: pytest.approx((0.0005, 0.5))}
    assert threads.statements == {"0b1e7a52-1f0c-4c59-8f7e-2a8c4f1d9e11": pytest.approx((1.5, 2.0))}


RECORDED = b"""Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing):

"Executor task launch worker for task 0.0 in stage 181.0 (TID 181)" #109 daemon prio=5 os_prio=0 cpu=2199.75ms elapsed=88.01s tid=0x0 nid=0x6c3a runnable  [0x0]
   java.lang.Thread.State: RUNNABLE
\tat sun.nio.ch.FileDispatcherImpl.read0(java.base@17.0.15/Native Method)
\tat org.apache.spark.executor.Executor$TaskRunner.run(Executor.scala:647)
\tat java.util.concurrent.ThreadPoolExecutor.runWorker(java.base@17.0.15/ThreadPoolExecutor.java:1136)
\tat java.util.concurrent.ThreadPoolExecutor$Worker.run(java.base@17.0.15/ThreadPoolExecutor.java:635)
\tat java.lang.Thread.run(java.base@17.0.15/Thread.java:840)

"Executor task launch worker for task 0.0 in stage 87.0 (TID 86)" #151 daemon prio=5 os_prio=0 cpu=333.40ms elapsed=58.45s tid=0x00005566421ef580 nid=0x6c95 waiting on condition  [0x00007f4349ef8000]
   java.lang.Thread.State: TIMED_WAITING (parking)
\tat jdk.internal.misc.Unsafe.park(java.base@17.0.15/Native Method)
\t- parking to wait for  <0x00000000d204c718> (a java.util.concurrent.SynchronousQueue$TransferStack)
\tat java.util.concurrent.locks.LockSupport.parkNanos(java.base@17.0.15/LockSupport.java:252)
\tat java.util.concurrent.SynchronousQueue$TransferStack.transfer(java.base@17.0.15/SynchronousQueue.java:401)
\tat java.util.concurrent.SynchronousQueue.poll(java.base@17.0.15/SynchronousQueue.java:903)
\tat java.util.concurrent.ThreadPoolExecutor.getTask(java.base@17.0.15/ThreadPoolExecutor.java:1061)
\tat java.util.concurrent.ThreadPoolExecutor.runWorker(java.base@17.0.15/ThreadPoolExecutor.java:1122)
\tat java.util.concurrent.ThreadPoolExecutor$Worker.run(java.base@17.0.15/ThreadPoolExecutor.java:635)
\tat java.lang.Thread.run(java.base@17.0.15/Thread.java:840)

"""  # noqa: E501


def test_a_thread_that_keeps_the_name_of_its_last_task_while_it_waits_for_another_works_on_none() -> None:
    """Recorded on a busy machine, where a healthy engine was replaced for it. Spark keeps such a thread for a minute."""
    assert list(read_threads(RECORDED).tasks) == [181]


def test_a_dump_without_any_has_none() -> None:
    threads = read_threads(b"Full thread dump\n")
    assert threads.tasks == {} and threads.statements == {}
