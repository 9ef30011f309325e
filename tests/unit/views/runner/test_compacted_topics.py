"""Views over compacted topics: the newest record of each key counts, and one without a value takes its row away."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from catalog.datatypes import STRING, DataType, parse_ddl
from catalog.errors import InvalidInput
from policies.masks.keys import MaskKeys
from policies.model import ColumnDecision, DatasetFacts, Decision, Effect, Subject
from policies.plan.model import PartRead
from policies.plan.ports import QueryTable
from policies.plan.prepare import Preparer
from policies.plan.settings import QuerySettings
from policies.sql.errors import SqlRefused
from tests.unit.views.runner.test_view_steps import World
from tests.view_twins import TwinTopics
from views.declared import ViewSpec
from views.runner.build import Built, built
from views.runner.compacted import Compaction


class Keyed(World):
    """`people`, `vans`: topics whose keys are of the kind `key`; the subject may not see them where `sees_key` is off."""

    key: DataType = STRING
    sees_key = True

    def find(self, name: str) -> QueryTable:
        part = PartRead("text" if self.key == STRING else "json", self.key)
        return replace(super().find(name), reference=f"prod/{name}", topic=name, key=part)

    def decide(self, subject: Subject, facts: DatasetFacts, purpose: str | None) -> Decision:
        decision = super().decide(subject, facts, purpose)
        key = ColumnDecision("key", Effect.ALLOW if self.sees_key else Effect.DENY)
        return replace(decision, columns=(*decision.columns, key))


def build(
    sql: str, kind: str = "", *, sees_key: bool = True, compacted: bool | None = True, **more: Any
) -> Built:  # fmt: skip
    world = Keyed()
    world.key, world.sees_key = parse_ddl(kind) if kind else STRING, sees_key
    preparer = Preparer(world, world.decide, world, MaskKeys(b"a secret for tests, sixteen or more"), QuerySettings())
    spec = ViewSpec.model_validate({"sql": sql, "runAs": {"user": "rep"}} | more)
    return built(spec, preparer, Subject("rep"), lambda cluster, topic: compacted)


def test_the_key_of_the_topic_is_that_of_the_view() -> None:
    view = build("SELECT _key AS id, email FROM people WHERE email > 'a'")
    assert view.shape.key == ("id",) and view.shape.kept == "weir_kept"
    (table,) = view.tables
    assert table.compacted and table.table.by_key is not None and table.table.by_key.fields == ()
    assert dict(table.table.columns)["weir_gone"] == "weir_raw IS NULL"


@pytest.mark.parametrize(
    ("sql", "kind", "fields"),
    [
        ("SELECT id, email FROM people", "", (("id", "weir_key"),)),
        ("SELECT upper(id) AS id, email FROM people", "", (("id", "weir_key"),)),
        ("SELECT id, email FROM people", "id STRING, other INT", (("id", "weir_key.`id`"),)),
        ("SELECT concat(_key, 'x') AS id, email FROM people", "", ()),
        ("SELECT p.id, v.email FROM people p JOIN vans v ON v.id = p.id", "", (("id", "weir_key"),)),
    ],
)
def test_a_key_is_made_of_the_key_of_the_records(sql: str, kind: str, fields: tuple[tuple[str, str], ...]) -> None:
    table = build(sql, kind, key=["id"]).tables[0].table
    assert table.by_key is not None and table.by_key.fields == fields


@pytest.mark.parametrize(
    ("sql", "more", "words"),
    [
        ("SELECT id, email FROM people", {"key": ["id", "email"]}, "cannot hold id and email"),
        ("SELECT id, email FROM people", {"key": ["email"], "kind": "id STRING"}, "make it of _key or of id"),
        ("SELECT _partition AS p, email FROM people", {"key": ["p"]}, "p is not made of that"),
        ("SELECT id, email FROM people", {"key": ["id"], "sees_key": False}, "may not see the key"),
    ],
)
def test_a_key_that_a_deleted_record_does_not_have(sql: str, more: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as refused:
        build(sql, **more)
    assert "compactedAs: stream" in refused.value.message
    assert build(sql, compactedAs="stream", **more).shape.key


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT email, count(*) AS n FROM people GROUP BY email",
        "SELECT DISTINCT email FROM people",
        "SELECT window.start AS w, count(*) AS n FROM people GROUP BY window(_timestamp, '1 minute')",
    ],
)
def test_what_would_count_each_change_is_refused(sql: str) -> None:
    with pytest.raises(SqlRefused, match="a view of its newest rows") as refused:
        build(sql)
    assert "compactedAs: stream to count every record" in refused.value.message
    for more in ({"compactedAs": "stream"}, {"compacted": False}, {"compacted": None}):
        view = build(sql, **more)
        assert not view.tables[0].compacted and view.tables[0].table.by_key is None


def test_without_a_key_each_record_stays_and_a_note_names_that() -> None:
    view = build("SELECT id, email FROM people")
    assert view.shape.key == () and view.tables[0].compacted and view.tables[0].table.by_key is None
    assert "people is compacted, and the view has no key" in view.shape.notes[-1]
    unknown = build("SELECT id, email FROM people", compacted=None)
    assert not unknown.tables[0].compacted and "DescribeConfigs" in unknown.shape.notes[-1]


def test_a_topic_that_becomes_compacted_is_another_generation() -> None:
    sql = "SELECT id, email FROM people"
    assert build(sql, compacted=False).generation == build(sql, compactedAs="stream").generation
    assert build(sql).generation != build(sql, compacted=False).generation
    assert build(sql, key=["id"]).generation != build(sql, key=["id"], compacted=False).generation


def test_a_copy_has_every_record() -> None:
    spec = {"copyOf": "prod/people", "sink": {"cluster": "prod", "topic": "copy"}}
    copied = ViewSpec.model_validate(spec | {"runAs": {"user": "rep"}})
    view = build(copied.sql, copyOf="prod/people", sink=spec["sink"])
    assert not view.tables[0].compacted


def test_the_cluster_is_not_asked_at_every_look() -> None:
    world = Keyed()
    asked: list[str] = []

    class Topics(TwinTopics):
        def compacted(self, kafka: Any, topic: str) -> bool | None:
            asked.append(topic)
            return None

    compaction = Compaction(Topics(world.fate), world)
    assert [compaction("prod", "people"), compaction("prod", "people"), compaction("prod", "vans")] == [None] * 3
    assert asked == ["people", "vans"]
