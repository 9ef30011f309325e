"""Spark Connect sessions, opened and ended so that no thread can be left waiting for another."""

from __future__ import annotations

import contextlib
import logging
from typing import Any

from catalog.adapters.reach import require_spark


def connect(remote: str) -> Any:
    """A new session of its own on the server. Raises Unavailable, SettingsError, and what PySpark raises."""
    from pyspark.sql.connect.session import SparkSession

    # PySpark 4.0 closes a session that the garbage collector finds by shutting down a thread pool which all sessions of
    # the process share, and waits for its calls. The collector may run in gRPC's own thread, which those calls need:
    # then every session of the process hangs for ever. `release` ends sessions instead; Spark forgets the rest itself.
    SparkSession.__del__ = _left_alone
    _silence()
    require_spark(remote)
    return SparkSession.builder.remote(remote).create()


def release(session: Any) -> None:
    """End a session, whether or not the server still knows it. Not `session.stop()`, for the reason in `connect`."""
    client = session.client
    with contextlib.suppress(Exception):
        client.release_session()
    with contextlib.suppress(Exception):
        client._channel.close()
        client._closed = True


def _left_alone(session: Any) -> None:
    """Nothing to do."""


def _silence() -> None:
    """PySpark writes every failed query's message, values included, to its own log; that must not happen."""
    for name in (
        "SQLQueryContextLogger",
        "DataFrameQueryContextLogger",
        "pyspark.sql.connect",
        "pyspark.sql.connect.logging",
    ):
        logger = logging.getLogger(name)
        logger.handlers[:] = [logging.NullHandler()]
        logger.propagate = False
        logger.disabled = True
