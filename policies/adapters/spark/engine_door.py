"""The smallest query, and whether anybody listens: what can be seen of any engine behind a Spark Connect URL."""

from __future__ import annotations

import threading
import time
from typing import Any

from catalog.adapters.port_check import require_spark
from catalog.adapters.spark_connect import connect, release
from catalog.errors import SettingsError, Unavailable, WeirError
from policies.adapters.spark.sessions import Sessions

_ANSWER_SECONDS = 30.0
_PORT_EVERY_SECONDS = 2.0


class EngineDoor:
    """Safe for threads. One session serves all questions, for as long as the engine has it."""

    def __init__(self, remote: str, sessions: Sessions) -> None:
        """`sessions` of queries with the same engine."""
        self._remote, self._sessions = remote, sessions
        self._listening = (0.0, True)
        self._session: Any = None
        self._lock = threading.Lock()

    @property
    def address(self) -> str:
        """The URL without the token."""
        return self._remote.split("/;")[0].rstrip("/")

    def listens(self) -> bool:
        """Whether the port is open; asked once in a while. Raises SettingsError for what is not a URL."""
        now = time.monotonic()
        if now - self._listening[0] > _PORT_EVERY_SECONDS:
            self._listening = (now, self._open())
        return self._listening[1]

    def answer(self) -> None:
        """Run the smallest query. Raises Unavailable, SettingsError."""
        with self._lock:
            session, self._session = self._session, None
        try:
            if session is None:
                session = connect(self._remote, _ANSWER_SECONDS)
                session.client.set_retry_policies([])
                session.conf.set("spark.sql.codegen.wholeStage", "false")
            # With a task: an engine whose places are all taken does not answer either.
            session.range(0, 1, 1, 1).collect()
        except WeirError:
            raise
        except Exception as error:
            if session is not None:
                threading.Thread(target=release, args=(session,), daemon=True).start()
            raise Unavailable(f"The query engine does not answer ({type(error).__name__}).") from None
        with self._lock:
            self._session = session

    def forget(self) -> None:
        """Drop the sessions with an engine that is gone."""
        self._sessions.forget()
        with self._lock:
            self._session = None

    def _open(self) -> bool:
        try:
            require_spark(self._remote, 1.0)
        except SettingsError:
            raise
        except WeirError:
            return False
        return True
