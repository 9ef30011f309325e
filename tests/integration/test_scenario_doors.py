"""The scenarios of tests/scenarios over HTTP, with the view on Spark: query, exports, push queries, explain, decisions for
engines, who has access and the mask preview all show what the scenario has. Servers: Kafka and Spark, sessions shared."""

from __future__ import annotations

import csv
import io
import itertools
import uuid
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from catalog.datatypes import leaves
from catalog.paths import VALUE, FieldPath
from policies.access.identity import Identity
from policies.adapters.kafka.offsets import KafkaOffsets
from policies.adapters.spark.engine import SparkEngine
from policies.adapters.spark.sessions import Sessions
from policies.plan.ports import QueryTable
from policies.ports import FactsSource
from policies.query.service import GovernedQuery
from policies.whatif.mask_preview import MaskPreview
from tests import policy_scenarios as scenarios
from tests.api_world import ApiWorld

pytestmark = pytest.mark.integration

FORMATS = {
    "csv": "text/csv",
    "arrow": "application/vnd.apache.arrow.stream",
    "parquet": "application/vnd.apache.parquet",
}


class Doors:
    """One scenario as a Weir of its own over memory stores, with the real engine and a topic of its own."""

    def __init__(self, file: Path, folder: Path, kafka: str, engine: SparkEngine) -> None:
        self.now = datetime.now(UTC)
        self.scenario = scenarios.load(file, self.now)
        self.kafka, self.topic = kafka, f"policies-scenario-{uuid.uuid4().hex[:8]}"
        self.table = self.scenario.table(self.topic, {"kafka.bootstrap.servers": kafka})
        self.world = ApiWorld(folder)
        built = self.services = self.world.services
        built[FactsSource].facts = lambda *_: self.scenario.facts  # type: ignore[method-assign]
        built[GovernedQuery].preparer._tables = self
        built[GovernedQuery].preparer.tables_of = lambda _: self
        built[GovernedQuery]._settings.seconds = built[GovernedQuery]._settings.export_seconds = 240
        built[GovernedQuery]._engine = engine
        built[MaskPreview]._engine = engine
        built[GovernedQuery]._offsets = built[GovernedQuery].preparer._offsets = KafkaOffsets()
        documents: list[dict[str, Any]] = [
            {"kind": "Cluster", "metadata": {"name": "prod"}, "spec": {"type": "kafka", "bootstrapServers": kafka}},
            {"kind": "Dataset", "metadata": {"name": "orders", "cluster": "prod"}, "spec": {}},
            *({"kind": kind, "metadata": {"name": name}, "spec": spec} for kind, name, spec in self.scenario.documents),
        ]
        self.world.apply(
            yaml.safe_dump_all([{"apiVersion": "weir/v1", **d} for d in documents], sort_keys=False),
            allowUnknown="true",
        )
        for use in self.scenario.break_glass:
            asked = {"dataset": scenarios.REFERENCE, **{k: use[k] for k in ("fields", "purpose", "reason")}}
            done = self.world.user(use["user"]).post("/api/v1/access-requests/break-glass", json=asked)
            assert ("refused" in use) is (done.status_code >= 400), done.text
            assert use.get("refused", "") in done.text

    def find(self, name: str) -> QueryTable:
        assert name.split(".")[-1] == "orders"
        return self.table

    def facts(self, reference: str) -> Any:
        return self.scenario.facts

    def produce(self) -> None:
        from confluent_kafka import Producer

        producer = Producer({"bootstrap.servers": self.kafka})
        for key, value, headers in self.scenario.messages():
            producer.produce(self.topic, value, key, 0, headers=headers)
        assert producer.flush(30) == 0

    def ask(self, person: scenarios.Person, sql: str, accept: str = "application/json") -> Any:
        body = {"sql": sql, "purpose": person.purpose}
        return self.world.user(person.user).post("/api/v1/query", json=body, headers={"Accept": accept})

    def rows(self, person: scenarios.Person, sql: str) -> list[list[Any]]:
        done = self.ask(person, sql)
        assert done.status_code == 200, done.text
        rows: list[list[Any]] = done.json()["rows"]
        return rows


@pytest.fixture(scope="module")
def engine(stack: Any) -> Iterator[SparkEngine]:
    sessions = Sessions(stack.engine, 4)
    yield SparkEngine(sessions)
    sessions.close()


@pytest.fixture(scope="module", params=scenarios.FILES, ids=lambda file: file.stem)
def doors(request: pytest.FixtureRequest, stack: Any, engine: SparkEngine, tmp_path_factory: Any) -> Iterator[Doors]:
    from confluent_kafka.admin import AdminClient, NewTopic

    doors = Doors(request.param, tmp_path_factory.mktemp("scenario"), stack.kafka, engine)
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    admin.create_topics([NewTopic(doors.topic, 1, 1)])[doors.topic].result(30)
    doors.produce()
    try:
        yield doors
    finally:
        doors.services.close()
        admin.delete_topics([doors.topic])[doors.topic].result(30)


def people(doors: Doors) -> list[scenarios.Person]:
    return [p for p in doors.scenario.people if not p.denied]


def no(problems: Any) -> None:
    actual = [problem for problem in problems if problem]
    assert not actual, "\n".join(actual)


@pytest.mark.sampled(6)
def test_the_query_and_its_exports_show_what_the_scenario_has(doors: Doors) -> None:
    """One export for each person; over all scenarios each format has its turn about twelve times."""
    first = scenarios.FILES.index(next(f for f in scenarios.FILES if f.stem == doors.scenario.name))
    for number, person in enumerate(people(doors), start=first):
        no([scenarios.rows_problem("query", person, doors.rows(person, person.sql))])
        form = list(FORMATS)[number % len(FORMATS)]
        answer = doors.ask(person, person.sql, FORMATS[form])
        assert answer.status_code == 200, answer.text
        if form == "csv":
            texts = [[_cell(v) for v in row] for row in person.rows]
            assert sorted(list(csv.reader(io.StringIO(answer.text)))[1:]) == sorted(texts), f"csv: {person.user}"
            continue
        data = io.BytesIO(answer.content)
        table = pa.ipc.open_stream(data).read_all() if form == "arrow" else pq.read_table(data)
        shown = [[_plain(v) for v in row] for row in zip(*(c.to_pylist() for c in table.columns), strict=True)]
        no([scenarios.rows_problem(form, person, shown)])


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def _cell(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def test_whoever_is_denied_gets_no_answer(doors: Doors) -> None:
    for person in doors.scenario.people:
        if not person.denied:
            continue
        if person.signs_in:
            assert doors.ask(person, "SELECT * FROM orders").status_code == 403, person.user
        else:
            token = doors.world.admin.post("/api/v1/tokens", json={"user": person.user})
            if token.status_code == 201:
                client = doors.world._client(token.json()["token"])
                assert client.post("/api/v1/query", json={"sql": "SELECT * FROM orders"}).status_code == 401


def test_explain_decisions_and_the_access_report_have_the_same_rule(doors: Doors) -> None:
    grants = doors.world.admin.get("/api/v1/grants").json()["grants"]
    (dataset,) = [d for d in doors.world.admin.get("/api/v1/datasets").json()["datasets"] if d["name"] == "orders"]
    place = f"/api/v1/datasets/{quote(dataset['namespace'], safe='')}/orders/access"
    for person in doors.scenario.people:
        named = {"dataset": scenarios.REFERENCE, "subject": {"user": person.user}, "purpose": person.purpose}
        answer = doors.world.admin.post("/api/v1/decisions", json=named).json()
        assert answer["effect"] == person.dataset, person.user
        decided = {c["path"]: c for c in answer["columns"]}
        no(scenarios.column_problem("decisions", person, path, decided.get(path)) for path in person.fields)
        if not person.denied:
            asked = {"sql": "SELECT * FROM orders", "purpose": person.purpose}
            explanation = doors.world.user(person.user).post("/api/v1/query/explain", json=asked).json()
            fields = {f["path"]: f for f in explanation["tables"][0]["fields"]}
            for path in person.fields:
                want = scenarios.wanted(person.fields[path])
                assert fields[path]["mask"] == (want["mask"] and want["mask"]["type"]), f"explain: {path} {person.user}"
                assert fields[path]["clearWhen"] == want["clearWhen"]
        mine = [g for g in grants if g["active"] and g["subject"] == {"user": person.user}]
        stated = any(g["purpose"] == person.purpose for g in mine)
        for path in person.fields or [doors.scenario.facts.fields[0].path]:
            report = doors.world.admin.get(place, params={"path": path}).json()["access"]
            no([scenarios.access_problem(person, path, report, stated)])


@pytest.mark.sampled(8)
def test_the_preview_shows_what_the_view_shows(doors: Doors) -> None:
    """Every mask of one value is tried on the raw values: what the preview makes of them is in the view's rows."""
    kinds = {str(path): kind for path, kind in leaves(doors.scenario.kind, VALUE)}
    tried = 0
    for person in people(doors)[:1]:
        shown = {r[0]: r[1] for r in _documents(doors, person)}
        if not shown:
            continue
        records = [each["value"] for each in doors.scenario.records if each["value"]["id"] in shown]
        for path, expected in person.fields.items():
            want = scenarios.wanted(expected)
            place = FieldPath.parse(path)
            kind = kinds.get(str(_general(place)))
            if want["effect"] != "mask" or want["clearWhen"] or kind is None or place.root != "value":
                continue
            if want["mask"]["type"] in ("DROP", "MASK_HASH", "TOKEN") or "@keys" in path:
                continue
            others = [FieldPath.parse(p) for p in person.fields if p != path]
            if any(place.contains(other) for other in others):
                continue  # values of a map, some of whose keys have rules of their own
            raw = [v for r in records for v in scenarios.values_at(r, place)]
            body = {"mask": {k: v for k, v in want["mask"].items() if v}, "values": raw, "type": kind.name}
            done = doors.world.user(person.user).post("/api/v1/policies/masks/preview", json=body)
            assert done.status_code == 200, done.text
            preview = [v["masked"] for v in done.json()["values"]]
            seen = [v for r in records for v in scenarios.values_at(shown[r["id"]], place)]
            if want["mask"]["type"] == "MASK_NULL":
                # The list or object that it is in may be NULL as a whole.
                assert {*preview, *seen} <= {None}, f"preview of {path} for {person.user}"
                seen = preview
            assert preview == seen, f"preview of {path} for {person.user}"
            tried += bool(raw)
    fields = people(doors)[0].fields.items()
    single = [
        p for p, e in fields if scenarios.wanted(e)["effect"] == "mask" and p.startswith("value") and "@" not in p
    ]
    assert tried or len(single) < 4


def _general(path: FieldPath) -> FieldPath:
    steps = (VALUE.values().steps[0] if step.kind.value == "map_key" else step for step in path.steps)
    return FieldPath(path.root, tuple(steps))


def _documents(doors: Doors, person: scenarios.Person) -> list[tuple[Any, Any]]:
    """(id, the value as the person sees it) of every row; none where the id is not shown."""
    done = doors.ask(person, "SELECT * FROM orders").json()
    names = [c["name"] for c in done["columns"]]
    rows = [{n: v for n, v in zip(names, row, strict=True) if not n.startswith("_")} for row in done["rows"]]
    return [(row["id"], row) for row in rows if "id" in row]


@pytest.mark.sampled(2)
def test_push_queries_show_what_the_scenario_has(doors: Doors) -> None:
    streams = []
    for person in people(doors):
        subject = doors.services[Identity].current(person.user)
        events = doors.services[GovernedQuery].stream(subject, f"{person.sql} EMIT CHANGES", person.purpose)
        assert next(e for e in events if e["type"] != "columns")["type"] == "idle"
        streams.append((person, events))
    doors.produce()
    for person, events in streams:
        rows: list[list[Any]] = []
        for event in itertools.takewhile(lambda _, p=person, r=rows: len(r) < len(p.rows), events):  # type: ignore[misc]
            assert event["type"] != "end", event
            rows += event["rows"] if event["type"] == "rows" else []
        events.close()
        no([scenarios.rows_problem("push query", person, rows)])
