"""Fresh Spark Connect sessions, kept ready. Each serves one query and is closed: nothing of a query outlives it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from catalog.adapters.spark_connect import connect, release
from catalog.errors import Unavailable, WeirError
from policies.adapters.spark.errors import translate

PINNED = {
    "spark.sql.variable.substitute": "false",
    "spark.sql.runSQLOnFiles": "false",
    "spark.sql.scripting.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    # Mask keys are literals of the plan; should a plan ever be printed, they are not.
    "spark.sql.redaction.string.regex": "(?i)X'[0-9a-f]{128}'|\\[[0-9, -]{200,}\\]|[0-9a-f]{128}",
    # Of a key that a record has twice the last value counts, in a VARIANT as elsewhere; see `spark_exact`.
    "spark.sql.variant.allowDuplicateKeys": "true",
    # A nested-loop join against a broadcast side buffers its rows in the heap where what follows is not compiled with
    # it, and cannot be stopped meanwhile: one query with several cross joins then ends the engine for everybody.
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    # Views are analysed so: what cannot be converted in a filter or mask is NULL and never an error.
    "spark.sql.ansi.enabled": "false",
}
"""Set in every session before anything else. The user's own text runs with ANSI mode on, see `spark_engine`."""

FEW = {
    # A session's code is compiled anew for each session, by Java's compiler in the JVM: for a few thousand records that
    # takes longer than reading them by the interpreter of expressions, which means the same.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # Plans that change while they run are planned once a stage.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    # To work out what conditions imply takes most of the planning of a large filter: a search for a text in every field
    # took seven times as long with it. It spares reading where a store filters by itself; Kafka does not.
    "spark.sql.constraintPropagation.enabled": "false",
}
"""Set in every session of a query too: what is best for few records."""

MANY = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.shuffle.partitions": "4",
}
"""The same for many records."""


_SURE_SECONDS = 3.0
"""No engine is started again within this: a session that is younger is there, or the engine is gone altogether."""


class Sessions:
    """A small stock of sessions. Safe for threads; `close` ends what is in stock."""

    def __init__(self, remote: str, ready: int = 2, seconds: float | None = None) -> None:
        """`seconds`: the longest that any call of a session may take."""
        self._remote = remote
        self._ready = ready
        self._seconds = seconds
        self._stock: deque[tuple[Any, float]] = deque()
        self._lock = threading.Lock()
        self._closed = False
        self._filling = False

    def warm(self) -> None:
        """Fill the stock in the background."""
        with self._lock:
            if self._closed or self._filling or len(self._stock) >= self._ready:
                return
            self._filling = True
        threading.Thread(target=self._fill, name="weir-spark-sessions", daemon=True).start()

    @contextlib.contextmanager
    def one(self) -> Iterator[Any]:
        """A fresh session for one query. Raises Unavailable when the engine does not answer."""
        session = self._take()
        try:
            yield session
        finally:
            # Closing waits for the server; the answer does not.
            threading.Thread(target=release, args=(session,), name="weir-spark-close", daemon=True).start()
            self.warm()

    def forget(self) -> None:
        """Drop the stock without a call to the engine, which is gone."""
        with self._lock:
            self._stock.clear()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            stock, self._stock = list(self._stock), deque()
        for session, _ in stock:
            release(session)

    def _take(self) -> Any:
        while True:
            with self._lock:
                entry = self._stock.popleft() if self._stock else None
            if entry is None:
                return self._create()
            session, created = entry
            if time.monotonic() - created < _SURE_SECONDS or _alive(session):
                return session
            release(session)

    def _fill(self) -> None:
        try:
            while True:
                with self._lock:
                    if self._closed or len(self._stock) >= self._ready:
                        return
                self._keep(self._create())
        except Unavailable:
            return  # the next query will say so
        finally:
            with self._lock:
                self._filling = False

    def _keep(self, session: Any) -> None:
        with self._lock:
            keep = not self._closed
            if keep:
                self._stock.append((session, time.monotonic()))
        if not keep:
            release(session)

    def _create(self) -> Any:
        session = None
        try:
            session = connect(self._remote, self._seconds)
            # A query whose stream broke is not run once more behind its user's back.
            session.client.set_retry_policies([])
            # One stream a query, without the shared pool that gives back what a broken stream would resume from.
            session.client.disable_reattachable_execute()
            configure(session, PINNED | FEW)
        except WeirError:
            raise
        except Exception as error:
            if session is not None:
                release(session)
            failure = translate(error)
            if isinstance(failure, Unavailable):
                raise failure from None
            raise Unavailable(
                "The query engine refuses its settings; is it Spark 4.0?", details={"server": "spark"}
            ) from None
        return session


def configure(session: Any, settings: Mapping[str, str]) -> None:
    """Set them all in one request. PySpark's own call for several settings passes over what the server refuses."""
    from pyspark.sql.connect.proto import ConfigRequest, KeyValue

    pairs = [KeyValue(key=key, value=value) for key, value in settings.items()]
    session.client.config(ConfigRequest.Operation(set=ConfigRequest.Set(pairs=pairs, silent=False)))


def _alive(session: Any) -> bool:
    """Whether the server still has the session; it closes those that were idle too long, and forgets all on restart."""
    try:
        return bool(session.conf.get("spark.sql.runSQLOnFiles") == "false")
    except Exception:
        return False
