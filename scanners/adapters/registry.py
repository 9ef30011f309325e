"""A schema registry with Confluent's HTTP API, read with few and limited questions.

A registry that is down or that fails for one id never stops a scan: what could not be had is reported, and the answers of
earlier scans are kept, since a schema never changes under its id.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import httpx

from catalog.declared.server_addresses import ServerAddresses
from catalog.errors import Conflict
from scanners.adapters.registry_http import Failed, RegistryHttp, unavailable
from scanners.adapters.registry_memory import KeptSchemas
from scanners.model import PART_SUBJECTS, ClusterConnection, RegisteredSchema
from scanners.ports import RegistryAnswer
from scanners.schemas.registered import MADE, numbered, of_topic
from scanners.settings import ScannerSettings

_MAX_DEPTH = 10  # of references within references
_SILENT = 3  # ids in a row without an answer, after which the others are not asked for


class _NoGuids(Exception):
    """The registry knows no GUIDs."""


class HttpSchemaRegistry:
    """`SchemaRegistry` over HTTP. `transport` replaces the network in tests."""

    def __init__(
        self,
        settings: ScannerSettings | None = None,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        servers: ServerAddresses | None = None,
    ) -> None:
        self._settings = settings or ScannerSettings()
        self._transport = transport
        self._sleep = sleep
        self._servers = servers or ServerAddresses()
        # By registry and id; registry, subject and version; registry and GUID.
        self._known, self._versions, self._guids = KeptSchemas(), KeptSchemas(), KeptSchemas()

    def for_topics(self, cluster: ClusterConnection, topics: Sequence[str], seen: Sequence[int] = ()) -> RegistryAnswer:
        """Subjects `TOPIC-key`, `TOPIC-value` and `TOPIC-RECORD` of the topics, all versions.

        Subjects named by a record alone belong to no topic; they are found by the ids in the data.
        """
        if cluster.registry is None or not topics:
            return RegistryAnswer({})
        schemas: dict[int, RegisteredSchema] = {}
        problems: list[Mapping[str, object]] = []
        with self._http(cluster) as http:
            try:
                subjects = http.get("/subjects") or []
            except Failed:
                return RegistryAnswer(self._cached(cluster), ({"part": "registry", "reason": "registry_unavailable"},))
            mine = [s for s in subjects if isinstance(s, str) and any(of_topic(s, topic) for topic in topics)]
            self._add_subjects(http, mine, schemas, problems)
            if more := [number for number in seen if number not in schemas and number < MADE]:
                answer = self.by_ids(cluster, more)
                schemas |= answer.schemas
                problems += answer.problems
                record_subjects = {
                    s for n in more if n in schemas for s in schemas[n].subjects if not s.endswith(PART_SUBJECTS)
                }
                self._add_subjects(http, sorted(record_subjects), schemas, problems)
            self._add_references(http, schemas, problems)
        return RegistryAnswer(schemas, tuple(problems))

    def by_ids(self, cluster: ClusterConnection, ids: Sequence[int]) -> RegistryAnswer:
        if cluster.registry is None:
            return RegistryAnswer({})
        schemas: dict[int, RegisteredSchema] = {}
        problems: list[Mapping[str, object]] = []
        with self._http(cluster) as http:
            silent = 0
            for index, number in enumerate(ids):
                schema = self._known.get(cluster.registry, number)
                if schema is None and silent >= _SILENT:
                    # It is down, not at odds with one id: no need to wait for every other.
                    cached = {
                        i: schema for i in ids[index:] if (schema := self._known.get(cluster.registry, i)) is not None
                    }
                    left = [i for i in ids[index:] if i not in cached]
                    problems.append({"part": "registry", "reason": "registry_unavailable", "ids": left})
                    schemas |= cached
                    break
                try:
                    answer = None if schema else http.get(f"/schemas/ids/{number}")
                except Failed:
                    silent += 1
                    problems.append({"part": "registry", "reason": "registry_unavailable", "id": number})
                    continue
                silent = silent if schema else 0
                if schema is None and answer is None:
                    problems.append({"part": "registry", "reason": "schema_not_found", "id": number})
                    continue
                schemas[number] = schema or self._named(http, self._read(http, number, answer or {}))
            self._add_references(http, schemas, problems)
        return RegistryAnswer(schemas, tuple(problems))

    def by_guids(self, cluster: ClusterConnection, guids: Sequence[str]) -> RegistryAnswer:
        if cluster.registry is None:
            return RegistryAnswer({})
        schemas: dict[int, RegisteredSchema] = {}
        problems: list[Mapping[str, object]] = []
        with self._http(cluster) as http:
            for index, guid in enumerate(guids):
                try:
                    schema = self._by_guid(http, guid)
                except Failed:
                    left = list(guids[index:])
                    problems.append({"part": "registry", "reason": "registry_unavailable", "ids": left})
                    break
                except _NoGuids:
                    problems.append({"part": "registry", "reason": "guids_not_supported", "ids": list(guids)})
                    break
                if schema is None:
                    problems.append({"part": "registry", "reason": "schema_not_found", "id": guid})
                else:
                    schemas[schema.id] = schema
            self._add_references(http, schemas, problems)
        return RegistryAnswer(schemas, tuple(problems))

    def newest(self, cluster: ClusterConnection, subject: str) -> RegisteredSchema | None:
        if cluster.registry is None:
            return None
        try:
            with self._http(cluster) as http:
                answer = http.get(f"/subjects/{quote(subject, safe='')}/versions/latest")
                return None if answer is None else self._read(http, int(answer["id"]), answer)
        except Failed:
            raise unavailable(cluster) from None

    def accepts(self, cluster: ClusterConnection, subject: str, kind: str, text: str) -> tuple[bool, list[str]]:
        path = f"/compatibility/subjects/{quote(subject, safe='')}/versions/latest"
        body = {"schema": text, "schemaType": kind}
        try:
            with self._http(cluster) as http:
                answer = http.post_in_time(path, body, {"verbose": "true"})
                if answer.status_code == httpx.codes.UNPROCESSABLE_ENTITY:
                    return False, ["The registry cannot read the schema."]
                answer.raise_for_status()
                verdict = answer.json()
                return bool(verdict["is_compatible"]), [str(m) for m in verdict.get("messages") or ()][:20]
        except (httpx.HTTPError, ValueError, KeyError):
            raise unavailable(cluster) from None

    def register(self, cluster: ClusterConnection, subject: str, kind: str, text: str) -> int:
        """The number of a schema, which is under the subject from now on. Raises Conflict where the registry refuses it,
        Unavailable."""
        path = f"/subjects/{quote(subject, safe='')}/versions"
        try:
            with self._http(cluster) as http:
                answer = http.post(path, {"schema": text, "schemaType": kind})
                if answer.status_code in (httpx.codes.CONFLICT, httpx.codes.UNPROCESSABLE_ENTITY):
                    raise Conflict(
                        f"The schema registry refuses the schema for {subject}; its compatibility does not allow the change.",
                        details={"subject": subject},
                    )
                answer.raise_for_status()
                return int(answer.json()["id"])
        except (httpx.HTTPError, ValueError, KeyError):
            raise unavailable(cluster) from None

    # --- parts --------------------------------------------------------------------------------------------------------

    def _add_subjects(
        self,
        http: RegistryHttp,
        subjects: Sequence[str],
        by_id: dict[int, RegisteredSchema],
        problems: list[Mapping[str, object]],
    ) -> None:
        with ThreadPoolExecutor(4) as pool:
            for subject, (schemas, problem) in zip(
                subjects, pool.map(lambda s: self._subject(http, s), subjects), strict=True
            ):
                for schema in schemas:
                    # One text has the same id under all its subjects.
                    earlier = by_id.get(schema.id)
                    by_id[schema.id] = earlier.under(schema.subjects) if earlier else schema
                if problem:
                    problems.append({"part": "registry", "reason": problem, "subject": subject})

    def _subject(self, http: RegistryHttp, subject: str) -> tuple[list[RegisteredSchema], str | None]:
        try:
            versions = http.get(f"/subjects/{quote(subject, safe='')}/versions") or []
            return [s for v in versions if (s := self._version(http, subject, int(v))) is not None], None
        except Failed:
            return [], "registry_unavailable"

    def _version(self, http: RegistryHttp, subject: str, version: int, depth: int = 0) -> RegisteredSchema | None:
        key = (http.registry, subject, version)
        schema = self._versions.get(*key)
        if schema is None:
            answer = http.get(f"/subjects/{quote(subject, safe='')}/versions/{version}")
            if answer is None:
                return None
            schema = self._versions.put(self._read(http, int(answer["id"]), answer, depth), *key)
        return schema

    def _read(self, http: RegistryHttp, number: int, answer: dict[str, Any], depth: int = 0) -> RegisteredSchema:
        references = []
        for reference in answer.get("references") or ():
            below = None
            if depth < _MAX_DEPTH:
                below = self._version(http, str(reference["subject"]), int(reference["version"]), depth + 1)
            references.append((str(reference["name"]), str(below.id) if below else ""))
        schema = RegisteredSchema(
            id=number,
            type=str(answer.get("schemaType") or "AVRO").upper(),
            text=str(answer.get("schema", "")),
            references=tuple(references),
            subject=str(answer.get("subject", "")),
            version=int(answer.get("version", 0)),
            guid=str(answer.get("guid") or ""),
        )
        return self._known.put(schema, http.registry, number)

    def _named(self, http: RegistryHttp, schema: RegisteredSchema) -> RegisteredSchema:
        """The schema with its subjects, which the answer to an id does not name; without them when they cannot be read."""
        try:
            listed = http.get(f"/schemas/ids/{schema.id}/versions")
        except Failed:
            return schema
        pairs = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        complete = schema.under(
            {str(p["subject"]): int(p["version"]) for p in pairs if {"subject", "version"} <= p.keys()}
        )
        return self._known.put(complete, http.registry, schema.id)

    def _add_references(
        self,
        http: RegistryHttp,
        schemas: dict[int, RegisteredSchema],
        problems: list[Mapping[str, object]],
    ) -> None:
        """Everything the schemas refer to, directly and further down. What is missing is a problem of each schema that
        leads to it."""
        for root in list(schemas.values()):
            waiting, met, missing = [root], {root.id}, False
            while waiting:
                for _, ref in waiting.pop().references:
                    number = int(ref) if ref else 0
                    schema = schemas.get(number) or self._known.get(http.registry, number)
                    missing = missing or not number
                    if schema is not None and number not in met:
                        met.add(number)
                        schemas[number] = schema
                        waiting.append(schema)
            if missing:
                problems.append({"part": "registry", "reason": "reference_not_found", "id": root.id})

    def _by_guid(self, http: RegistryHttp, guid: str) -> RegisteredSchema | None:
        """The schema with a GUID, under its id where the registry gives that. Raises Failed, _NoGuids."""
        key = (http.registry, guid)
        complete = self._guids.get(*key)
        if complete is None:
            path = f"/schemas/guids/{quote(guid, safe='')}"
            answer = http.get(path)
            if answer is None:
                # A registry with this endpoint answers that the schema is not there; others, that there is no such page.
                if not http.asks_for_schema(path):
                    raise _NoGuids
                return None
            listed = http.get(f"{path}/ids")
            ids = [each["id"] for each in listed or () if isinstance(each, dict) and isinstance(each.get("id"), int)]
            number = ids[0] if ids else numbered(guid)
            schema = replace(self._read(http, number, answer), guid=guid)
            complete = self._guids.put(self._named(http, schema) if ids else schema, *key)
            self._known.put(complete, http.registry, number)
        return complete

    def _cached(self, cluster: ClusterConnection) -> dict[int, RegisteredSchema]:
        return {schema.id: schema for _, schema in self._known.of(str(cluster.registry))}

    def _http(self, cluster: ClusterConnection) -> RegistryHttp:
        return RegistryHttp(cluster, self._settings, self._transport, self._sleep, self._servers)
