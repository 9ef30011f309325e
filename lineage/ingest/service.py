"""Taking events in: understand, redact, make durable, answer. Needs Kafka only; the graph may be away."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from catalog.errors import InvalidInput
from lineage.ingest.codec import encode
from lineage.ingest.events import message_key
from lineage.ingest.parse import parse
from lineage.ingest.redact import redact
from lineage.model import BatchResult
from lineage.ports import EventLog
from lineage.settings import LineageSettings

REDACTED_ALREADY = (("weir.redacted", b"1"),)
"""Header of a message that passed here; events that clients write to the topic themselves have not."""


class Ingest:
    """Accepts OpenLineage events. Safe for many threads."""

    def __init__(self, log: EventLog, settings: LineageSettings | None = None) -> None:
        self._log = log
        self._settings = settings or LineageSettings()

    def post(self, raw: Any) -> None:
        """Return when the event is durable.

        Raises InvalidInput (it is not an event; nothing is stored) or Unavailable (Kafka; send it again).
        """
        key, value = self._prepare(raw)
        self._log.append(key, value, REDACTED_ALREADY)

    @property
    def ready(self) -> bool:
        """Whether `begin` returns at once."""
        return self._log.ready

    def begin(self, raw: Any) -> Future[None]:
        """As `post`, without waiting: done when the event is durable, else with Unavailable or InvalidInput.

        Raises InvalidInput.
        """
        key, value = self._prepare(raw)
        return self._log.send(key, value, REDACTED_ALREADY)

    def post_batch(self, raw: Any) -> BatchResult:
        """Each event on its own: what is not an event is named in the result, the others are durable.

        Raises InvalidInput when this is not a list, Unavailable when any could not be made durable (send all again:
        repeats change nothing).
        """
        if not isinstance(raw, Sequence) or isinstance(raw, str | bytes):
            raise InvalidInput("A batch is a JSON list of OpenLineage events.")
        failed: list[tuple[int, str]] = []
        ready: list[tuple[int, tuple[str, bytes]]] = []
        for index, item in enumerate(raw):
            try:
                ready.append((index, self._prepare(item)))
            except InvalidInput as error:
                failed.append((index, error.message))
        for (index, _), outcome in zip(
            ready, self._log.append_many([item for _, item in ready], REDACTED_ALREADY), strict=True
        ):
            if isinstance(outcome, InvalidInput):
                failed.append((index, outcome.message))
            elif outcome is not None:
                raise outcome
        return BatchResult(len(raw), tuple(sorted(failed)))

    def _prepare(self, raw: Any) -> tuple[str, bytes]:
        try:
            clean = redact(raw)
        except RecursionError:
            raise InvalidInput("The event is nested too deeply to be read.") from None
        event = parse(clean)
        value = encode(clean)
        if len(value) > self._settings.max_event_bytes:
            raise InvalidInput(
                f"The event is {len(value)} bytes long; at most {self._settings.max_event_bytes} are taken.",
                details={"bytes": len(value), "limit": self._settings.max_event_bytes},
            )
        return message_key(event), value
