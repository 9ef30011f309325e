"""Kafka Connect's REST API: `GET /connectors?expand=...`, `GET /connectors/NAME/topics`."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from lineage.adapters.rest.servers import RestReader
from lineage.observed.connector_datasets import Connector

MOST_CONNECTORS = 2000


class ConnectRest(RestReader):
    """See `lineage.observed.connect.ConnectReader`."""

    what, setting = "Kafka Connect", "connect.url"

    def connectors(self) -> list[Connector]:
        answer = self._server.get("/connectors?expand=info&expand=status")
        if not isinstance(answer, dict):
            raise self._server.unavailable("gives an answer that is not Connect's")
        names = sorted(answer)[:MOST_CONNECTORS]
        connectors = (_connector(name, answer[name], self._topics(name)) for name in names)
        return [connector for connector in connectors if connector is not None]

    def _topics(self, name: str) -> tuple[str, ...]:
        """The topics a connector has used; none where tracking is switched off (403), it is gone (404), or its name has a
        slash, which workers of Kafka 4 do not take in an address (400)."""
        answer = self._server.get(f"/connectors/{quote(name, safe='')}/topics", missing=(400, 403, 404))
        try:
            return tuple(sorted(topic for topic in answer[name]["topics"] if isinstance(topic, str)))
        except (KeyError, TypeError):
            return ()


def _connector(name: str, entry: Any, topics: tuple[str, ...]) -> Connector | None:
    """One entry of the answer; None where it is not of the documented shape."""
    if not isinstance(entry, dict):
        return None
    info, status = entry.get("info") or {}, entry.get("status") or {}
    config = info.get("config") or {}
    kind = str(info.get("type") or status.get("type") or "").lower()
    if kind not in ("source", "sink"):
        return None
    return Connector(
        name=name,
        kind=kind,
        state=str((status.get("connector") or {}).get("state", "UNKNOWN")).upper(),
        config={str(key): value for key, value in config.items() if isinstance(value, str)},
        topics=topics,
        tasks=tuple(str(task.get("state", "")) for task in status.get("tasks") or () if isinstance(task, dict)),
    )
