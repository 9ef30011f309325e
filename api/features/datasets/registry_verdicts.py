"""Verdicts on schemas that need the registry: whether it would take a learned one, and how registered ones follow."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from api.features.datasets.schema_answers import Compatibility, CompatibilityProblem, RegistryVerdict
from api.joins.connections import Connections
from catalog.call_deadline import all_calls_within
from catalog.model import SchemaVersion
from catalog.records import DatasetRecord
from scanners.export.formats import export
from scanners.model import RegisteredSchema
from scanners.ports import SchemaRegistry
from scanners.schemas.compatible import LEVELS, Judgement, judged
from scanners.schemas.registered import Schemas

_SECONDS = 4.5
"""For each of the two that a comparison may ask, so that both stay below ten."""
_WRITTEN = {"AVRO": "avro", "JSON": "jsonschema"}  # a learned schema is not written as Protobuf


def schema_ids(schema: SchemaVersion) -> set[int]:
    """The ids of the registered schemas that values name."""
    return {number for f in schema.fields if f.path == "value" for number in f.details.get("schemaIds", ())}


def follow(
    topic: str, schemas: Mapping[int, RegisteredSchema], before: Collection[int], after: Collection[int]
) -> Compatibility | None:
    """The verdict on the newest schema of `after` against those of `before`, subject by subject; all must hold."""
    known = Schemas(schemas)
    verdicts: list[tuple[str, Judgement]] = []
    for subject in sorted({name for i in after if i in schemas for name in schemas[i].subjects}):
        mine = sorted(
            (schemas[i] for i in {*before, *after} if i in schemas and subject in schemas[i].subjects),
            key=lambda s: s.subjects[subject],
        )
        newest = max((s for s in mine if s.id in after), key=lambda s: s.subjects[subject])
        earlier = [s for s in mine if s.subjects[subject] < newest.subjects[subject]]
        verdicts.append((subject, judged([*earlier, newest], known)))
    if not verdicts:
        return None
    return Compatibility(
        backward=all(each.backward for _, each in verdicts),
        forward=all(each.forward for _, each in verdicts),
        full=all(each.full for _, each in verdicts),
        rule=verdicts[0][1].rule,
        levels=[level for level in LEVELS if all(level in each.levels for _, each in verdicts)],
        problems=[
            CompatibilityProblem(subject=subject, way=problem.way, version=problem.version, text=problem.text)
            for subject, each in verdicts
            for problem in each.problems
        ],
    )


class Verdicts:
    """Asks the registry of a dataset's cluster."""

    def __init__(self, connections: Connections, registry: SchemaRegistry) -> None:
        self._connections = connections
        self._registry = registry

    def registered(self, record: DatasetRecord, old: SchemaVersion, new: SchemaVersion) -> Compatibility | None:
        """How the newest registered schema of the value follows those before it, by the format's own rules, see
        `scanners.schemas.compatible.judged`; None where records of either version name no schema, or the registry is away."""
        if record.cluster is None or old.format.get("value") != new.format.get("value"):
            return None
        before, after = (schema_ids(schema) for schema in (old, new))
        if not before or not after:
            return None
        with all_calls_within(_SECONDS):
            answer = self._registry.by_ids(self._connections.connection(record.cluster), sorted(before | after))
        try:
            return follow(record.id.name, answer.schemas, before, after)
        except (ValueError, KeyError):
            return None

    def of(self, record: DatasetRecord, schema: SchemaVersion) -> list[RegistryVerdict]:
        """The verdict for the subject TOPIC-value; empty when there is none.

        The registry judges by the subject's own compatibility rule. Raises Unavailable when it does not answer.
        """
        if record.cluster is None:
            return []
        connection = self._connections.connection(record.cluster)
        subject = f"{record.id.name}-value"
        with all_calls_within(_SECONDS):
            newest = self._registry.newest(connection, subject)
            if newest is None or newest.type not in _WRITTEN:
                return []
            text, _ = export(record.id.name, schema, _WRITTEN[newest.type])
            compatible, messages = self._registry.accepts(connection, subject, newest.type, text)
        return [
            RegistryVerdict(
                subject=subject,
                version=newest.version,
                type=newest.type,
                compatible=compatible,
                messages=list(messages),
            )
        ]
