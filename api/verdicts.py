"""What a schema registry says of a learned schema: would it take it as the subject's next version."""

from __future__ import annotations

from typing import Any

from api.clusters import Connections
from catalog.model import SchemaVersion
from catalog.records import DatasetRecord
from scanners.export import export
from scanners.ports import SchemaRegistry

_WRITTEN = {"AVRO": "avro", "JSON": "jsonschema"}  # a learned schema is not written as Protobuf


class Verdicts:
    """Asks the registry of a dataset's cluster."""

    def __init__(self, connections: Connections, registry: SchemaRegistry) -> None:
        self._connections = connections
        self._registry = registry

    def of(self, record: DatasetRecord, schema: SchemaVersion) -> list[dict[str, Any]]:
        """[{subject, version, type, compatible, messages}] for the subject TOPIC-value; empty when there is none.

        The registry judges by the subject's own compatibility rule. Raises Unavailable when it does not answer.
        """
        if record.cluster is None:
            return []
        connection = self._connections.connection(record.cluster)
        subject = f"{record.id.name}-value"
        newest = self._registry.newest(connection, subject)
        if newest is None or newest.type not in _WRITTEN:
            return []
        text, _ = export(record.id.name, schema, _WRITTEN[newest.type])
        compatible, messages = self._registry.accepts(connection, subject, newest.type, text)
        return [
            {
                "subject": subject,
                "version": newest.version,
                "type": newest.type,
                "compatible": compatible,
                "messages": messages,
            }
        ]
