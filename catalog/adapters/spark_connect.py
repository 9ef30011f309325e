"""Spark Connect sessions, opened and ended so that no thread can be left waiting for another."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import logging
import threading
from typing import Any

from catalog.adapters.port_check import require_spark

_lock = threading.Lock()
_importing = threading.Lock()
"""PySpark's modules import each other in circles: two threads at once may see one of them half made."""
_channels: dict[tuple[str, float | None], Any] = {}


def connect(remote: str, seconds: float | None = None, session_id: str | None = None) -> Any:
    """A new session of its own on the server. Raises Unavailable, SettingsError, and what PySpark raises.

    `seconds`: how long each of its calls may take, whatever the server does; None: as long as it likes.
    `session_id`: a UUID; the session of that id where the server has one.
    """
    SparkSession = _session_class()
    # PySpark 4.0 closes a session that the garbage collector finds by shutting down a thread pool which all sessions of
    # the process share, and waits for its calls. The collector may run in gRPC's own thread, which those calls need:
    # then every session of the process hangs for ever. `release` ends sessions instead; Spark forgets the rest itself.
    SparkSession.__del__ = _left_alone
    _silence()
    require_spark(remote)
    builder = _builder(remote, seconds)
    if session_id is not None:
        builder.set(builder.PARAM_SESSION_ID, session_id)
    return SparkSession.builder.channelBuilder(builder).create()


def _session_class() -> Any:
    with _importing:
        for name in ("functions", "udf", "session"):
            module = importlib.import_module(f"pyspark.sql.connect.{name}")
    return module.SparkSession


def release(session: Any) -> None:
    """End a session, whether or not the server still knows it. Not `session.stop()`, for the reason in `connect`."""
    client = session.client
    with contextlib.suppress(Exception):
        client.release_session()
    with contextlib.suppress(Exception):
        client._closed = True
        # PySpark would keep the client, and what it refers to, until the process ends.
        atexit.unregister(client._cleanup_ml)


def _builder(remote: str, seconds: float | None) -> Any:
    """Sessions of one server share a connection: to make one for each takes longer than what most of them ask."""
    from pyspark.sql.connect.client import DefaultChannelBuilder

    class Shared(DefaultChannelBuilder):  # type: ignore[misc]
        def toChannel(self) -> Any:
            with _lock:
                if (remote, seconds) not in _channels:
                    channel = super().toChannel()
                    _channels[remote, seconds] = channel if seconds is None else _with_deadline(channel, seconds)
                return _channels[remote, seconds]

    return Shared(
        remote,
        [
            # A server that was started again is reached within a second.
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 1000),
            # Spark tells the class of an error in the metadata of its answer, beside a plan that may be long: above
            # gRPC's 8 KiB the class would be lost.
            ("grpc.max_metadata_size", 1 << 20),
            ("grpc.absolute_max_metadata_size", 2 << 20),
        ],
    )


def _with_deadline(channel: Any, seconds: float) -> Any:
    """The same channel, whose calls end by themselves."""
    import grpc

    def limited(details: Any) -> Any:
        class Details(grpc.ClientCallDetails):  # type: ignore[misc]
            method, metadata, credentials = details.method, details.metadata, details.credentials
            wait_for_ready, compression = details.wait_for_ready, details.compression
            timeout = seconds if details.timeout is None else min(seconds, details.timeout)

        return Details()

    class Deadline(
        grpc.UnaryUnaryClientInterceptor,  # type: ignore[misc]
        grpc.UnaryStreamClientInterceptor,  # type: ignore[misc]
        grpc.StreamUnaryClientInterceptor,  # type: ignore[misc]
    ):
        def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
            return continuation(limited(details), request)

        def intercept_unary_stream(self, continuation: Any, details: Any, request: Any) -> Any:
            return continuation(limited(details), request)

        def intercept_stream_unary(self, continuation: Any, details: Any, requests: Any) -> Any:
            return continuation(limited(details), requests)

    return grpc.intercept_channel(channel, Deadline())


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
