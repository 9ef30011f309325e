"""Servers without a usable main class: a JVM opened by py4j's gateway, made to build the server, and then left to itself.

After the boot the gateway is shut, so no port stays open through which code could be run, and SIGTERM stops the server
in good order: from there on it is a background process like any other.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from stack.errors import StackError
from stack.installed import artifacts
from stack.installed.coursier import pyspark_jars
from stack.processes.ports import LOOPBACK
from stack.processes.process import POLL, Identity, tail

# py4j writes each failed call with its stack trace to the terminal where nobody has set up logging; `opened` reports it.
logging.getLogger("py4j").addHandler(logging.NullHandler())
logging.getLogger("py4j").propagate = False

MAIN = ["py4j.GatewayServer", "--enable-auth", "0"]


def class_path(*components: str) -> str:
    """The components' jars and the gateway."""
    gateway = next(iter(pyspark_jars().glob("py4j-*.jar")))
    return os.pathsep.join((artifacts.class_path(*components), str(gateway)))


@contextmanager
def opened(title: str, identity: Identity, log: Path, timeout: float) -> Iterator[Any]:
    """py4j's view of the started JVM, shut with the block.

    Raises StackError with the first line of a Java exception that the block met, or when the JVM ends first.
    """
    from py4j.java_gateway import GatewayParameters, JavaGateway
    from py4j.protocol import Py4JError

    port, token = _address(title, identity, log, timeout)
    gateway = JavaGateway(gateway_parameters=GatewayParameters(address=LOOPBACK, port=port, auth_token=token))
    try:
        yield gateway
    except Py4JError as error:
        cause = getattr(error, "java_exception", None)
        reason = str(cause.toString()).splitlines()[0] if cause is not None else "its Java process does not answer"
        raise StackError(f"{title} could not be started: {reason} (log: {log}).", tail(log)) from error
    finally:
        with suppress(Py4JError, OSError):
            gateway.shutdown()


def _address(title: str, identity: Identity, log: Path, timeout: float) -> tuple[int, str]:
    """The gateway prints its port and its token as its first two lines."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        alive = identity.alive()
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
        for first, second in pairwise(lines):
            if first.strip().isdigit() and second.endswith("\n"):
                # The log is written in append mode, so it may be emptied: the token is nobody else's business.
                os.truncate(log, 0)
                return int(first), second.strip()
        if not alive:
            break
        time.sleep(POLL)
    raise StackError(f"{title}'s Java process ended before it could be used (log: {log}).", tail(log))


def keep_alive(gateway: Any, server: Any, stop: str) -> None:
    """Make the JVM live on without the gateway, and call the server's method `stop` when it is asked to end.

    There is no compiler to make a Runnable with, so bound method handles are dressed up as one.
    """
    jvm = gateway.jvm
    invoke = jvm.java.lang.invoke
    void = invoke.MethodType.methodType(jvm.java.lang.Void.TYPE)
    runnable = jvm.java.lang.Class.forName("java.lang.Runnable")
    lookup = invoke.MethodHandles.publicLookup()

    def call(target: Any, method: str) -> Any:
        return invoke.MethodHandleProxies.asInterfaceInstance(runnable, lookup.bind(target, method, void))

    latch = jvm.java.util.concurrent.CountDownLatch(1)
    jvm.java.lang.Thread(call(latch, "await"), "weir-keep-alive").start()
    hook = jvm.java.lang.Thread(call(server, stop), "weir-stop")
    jvm.java.lang.Runtime.getRuntime().addShutdownHook(hook)
