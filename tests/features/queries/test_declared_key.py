"""`_key` in queries: of a topic without keys, and of a declared type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from catalog.datatypes import to_ddl
from policies.access.identity import Identity
from policies.model import Effect
from policies.plan.ports import QueryTable
from policies.plan.views import GovernedTable
from policies.query.service import GovernedQuery
from tests.api_world import ApiWorld, record, world

GOVERNANCE = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092"}
---
apiVersion: weir/v1
kind: Role
metadata: {name: analyst}
spec: {read: [{dataset: "*"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [analyst]}
"""
TOPICS = {
    "keyless": [record({"n": i}, offset=i) for i in range(5)],
    "digits": [record({"n": i}, str(i), offset=i) for i in range(5)],
    "words": [record({"n": i}, f"order-{i}", offset=i) for i in range(5)],
    "new": [record({"n": i}, str(i), offset=i) for i in range(5)],
}


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("home"), TOPICS) as weir:
        weir.apply(GOVERNANCE)
        weir.scan(cluster="prod", topics=["keyless", "digits", "words"])
        yield weir


def declared(weir: ApiWorld, topic: str, spec: str) -> None:
    document = f"apiVersion: weir/v1\nkind: Dataset\nmetadata: {{name: {topic}, cluster: prod}}\nspec: {spec}"
    weir.apply(document)


def table(weir: ApiWorld, topic: str) -> QueryTable:
    return weir.services[GovernedQuery].preparer.table(f"prod.{topic}")


def governed(weir: ApiWorld, topic: str) -> GovernedTable:
    preparer, subject = weir.services[GovernedQuery].preparer, weir.services[Identity].current("ana")
    decision = preparer.decide(subject, table(weir, topic), None)
    assert decision.effect is Effect.ALLOW
    return preparer.view(table(weir, topic), decision)


def key_of(weir: ApiWorld, topic: str) -> Any:
    return next(column for column in governed(weir, topic).columns if column.name == "_key")


def test_the_key_of_a_topic_whose_keys_are_all_null_is_null(weir: ApiWorld) -> None:
    column = key_of(weir, "keyless")
    assert column.sql == "CAST(NULL AS STRING)", "a key that comes later is not shown before a scan has seen it"
    assert not column.decisions and "scan" in column.note
    assert "weir_key" not in str(governed(weir, "keyless").columns)


def test_a_topic_that_nobody_scanned_is_still_refused(weir: ApiWorld) -> None:
    declared(weir, "new", '{schema: {spark: "n INT"}}')
    assert key_of(weir, "new").sql is None


def test_a_declared_key_needs_no_scan(weir: ApiWorld) -> None:
    declared(weir, "new", '{schema: {spark: "n INT", key: BIGINT}}')
    known = table(weir, "new")
    assert (to_ddl(known.key.kind), known.key.format) == ("BIGINT", "text")
    assert key_of(weir, "new").sql == "weir_key"
    answer = weir.admin.get("/api/v1/datasets/kafka%3A%2F%2Flocalhost%3A9092/new").json()
    assert answer["declaredKey"] == "BIGINT" and set(answer["format"]) <= {"key", "value"}


@pytest.mark.parametrize(
    ("topic", "declaration", "kind", "form"),
    [
        ("digits", "STRING", "STRING", "text"),
        ("digits", "DECIMAL(10,2)", "DECIMAL(10,2)", "text"),
        ("words", "STRING", "STRING", "text"),
        ("words", "STRUCT<id: BIGINT>", "STRUCT<`id`: BIGINT>", "json"),
    ],
)
def test_a_declared_type_wins_over_what_the_bytes_look_like(
    weir: ApiWorld, topic: str, declaration: str, kind: str, form: str
) -> None:
    before = table(weir, topic).key
    declared(weir, topic, f'{{schema: {{key: "{declaration}"}}}}')
    try:
        weir.scan(cluster="prod", topics=[topic])
        known = table(weir, topic)
        assert (to_ddl(known.key.kind), known.key.format) == (kind, form)
        assert not known.declared, "the columns of the value are those of the scan"
    finally:
        weir.admin.delete(f"/api/v1/declared/Dataset/prod%2F{topic}").raise_for_status()
    assert table(weir, topic).key == before, "what was declared goes with its document"


def test_a_declared_format_is_kept(weir: ApiWorld) -> None:
    declared(weir, "digits", "{format: {key: long}, schema: {key: BIGINT}}")
    assert table(weir, "digits").key.format == "decoded long"
    weir.admin.delete("/api/v1/declared/Dataset/prod%2Fdigits").raise_for_status()


@pytest.mark.parametrize("schema", ["{key: 'BIGINT, other INT'}", "{key: ''}", "{key: 'STRUCT<'}", "{}"])
def test_what_is_no_type_is_refused_with_the_field(weir: ApiWorld, schema: str) -> None:
    document = f"apiVersion: weir/v1\nkind: Dataset\nmetadata: {{name: new, cluster: prod}}\nspec: {{schema: {schema}}}"
    answer = weir.admin.post("/api/v1/apply", content=document.encode())
    assert answer.status_code == 400 and "schema" in answer.text
