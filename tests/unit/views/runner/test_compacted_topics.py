"""Views over compacted topics: the newest record of each key counts, and one without a value takes its row away."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from catalog.datatypes import STRING, DataType, Primitive, parse_ddl
from catalog.errors import InvalidInput, SqlRefused
from policies.masks.keys import MaskKeys
from policies.model import ColumnDecision, DatasetFacts, Decision, Effect, Mask, Subject
from policies.plan.model import PartRead
from policies.plan.ports import QueryTable
from policies.plan.prepare import Preparer
from policies.plan.settings import QuerySettings
from tests.unit.views.runner.test_view_steps import World
from tests.view_twins import TwinTopics
from views.declared import ViewSpec
from views.runner.build import Built, built
from views.runner.compacted import Compaction


class Keyed(World):
    """`people`, `vans`: topics whose keys are of the kind `key`; the subject may not see them where `sees_key` is off, and sees
    them and `id` through `hides`."""

    key: DataType = STRING
    value: DataType = parse_ddl("id STRING, email STRING")
    sees_key = True
    hides: Mask | None = None
    clear_when: str | None = None

    def find(self, name: str) -> QueryTable:
        part = PartRead("text" if self.key == STRING else "json", self.key)
        value = PartRead("json", self.value)
        return replace(super().find(name), reference=f"prod/{name}", topic=name, key=part, value=value)

    def decide(self, subject: Subject, facts: DatasetFacts, purpose: str | None) -> Decision:
        decision = super().decide(subject, facts, purpose)
        key = ColumnDecision(
            "key", Effect.ALLOW if self.sees_key else Effect.DENY, self.hides, clear_when=self.clear_when
        )
        columns = (
            replace(decision.columns[0], mask=self.hides, clear_when=self.clear_when),
            *decision.columns[1:],
            key,
        )
        return replace(decision, columns=columns)


def build(
    sql: str,
    kind: DataType | str = STRING,
    *,
    value: str = "id STRING, email STRING",
    sees_key: bool = True,
    hides: str | None = None,
    clear_when: str | None = None,
    compacted: bool | None = True,
    **more: Any,
) -> Built:
    world = Keyed()
    world.key, world.sees_key = parse_ddl(kind) if isinstance(kind, str) else kind, sees_key
    world.value = parse_ddl(value)
    world.hides, world.clear_when = Mask(hides) if hides else None, clear_when
    preparer = Preparer(world, world.decide, world, MaskKeys(b"a secret for tests, sixteen or more"), QuerySettings())
    spec = ViewSpec.model_validate({"sql": sql, "runAs": {"user": "rep"}} | more)
    return built(spec, preparer, Subject("rep"), lambda cluster, topic: compacted)


def test_the_key_of_the_topic_is_that_of_the_view() -> None:
    view = build("SELECT _key AS id, email FROM people WHERE email > 'a'")
    assert view.shape.key == ("id",) and view.shape.kept == "weir_kept"
    (table,) = view.tables
    assert table.compacted and table.table.by_key is not None and table.table.by_key.fields == ()
    assert dict(table.table.columns)["weir_gone"] == "weir_raw IS NULL"


OF_TEXT = (("id", "weir_key", "STRING"),)
TWO = "id STRING, other INT"


@pytest.mark.parametrize(
    ("sql", "kind", "key", "fields"),
    [
        ("SELECT id, email FROM people", STRING, "id", OF_TEXT),
        ("SELECT * FROM people", STRING, "id", OF_TEXT),
        ("SELECT id, email FROM people", "id STRING", "id", (("id", "weir_key.`id`", "STRING"),)),
        (
            "SELECT id, email FROM people",
            "id STRING, email STRING",
            "id email",
            (("email", "weir_key.`email`", "STRING"), ("id", "weir_key.`id`", "STRING")),
        ),
        ("SELECT id, email FROM people", Primitive("BIGINT"), "id", (("id", "weir_key", "BIGINT"),)),
        ("SELECT _key AS k, email FROM people", TWO, "k", ()),
        ("SELECT _key.id AS a, _key.other AS b FROM people", TWO, "a b", ()),
        ("SELECT id, _key.other AS b FROM people", TWO, "id b", (("id", "weir_key.`id`", "STRING"),)),
        ("SELECT _key AS k, email FROM people", Primitive("DOUBLE"), "k", ()),
        ("SELECT concat('p-', _key) AS id, email FROM people", STRING, "id", ()),
        ("SELECT 'p-' || (id || '!') AS id, email FROM people", STRING, "id", OF_TEXT),
        ("SELECT CAST(_key AS STRING) AS id, email FROM people", Primitive("BIGINT"), "id", ()),
        ("SELECT concat(k, 'x') AS id FROM (SELECT concat('y', _key) AS k FROM people)", STRING, "id", ()),
        ("SELECT p.id, v.email FROM people p JOIN vans v ON v.id = p.id", STRING, "id", OF_TEXT),
    ],
)
def test_a_key_is_the_whole_key_of_the_records(sql: str, kind: Any, key: str, fields: tuple[Any, ...]) -> None:
    table = build(sql, kind, key=key.split()).tables[0].table
    assert table.by_key is not None and table.by_key.fields == fields


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("SELECT upper(id) AS k FROM people", STRING),
        ("SELECT lower(_key) AS k FROM people", STRING),
        ("SELECT length(id) AS k FROM people", STRING),
        ("SELECT substring(_key, 1, 3) AS k FROM people", STRING),
        ("SELECT CASE WHEN _key > 'a' THEN 'x' END AS k FROM people", STRING),
        ("SELECT coalesce(_key, 'x') AS k FROM people", STRING),
        ("SELECT concat(_key, email) AS k FROM people", STRING),
        ("SELECT concat(_key, id) AS k FROM people", STRING),
        ("SELECT concat(_key, NULL) AS k FROM people", STRING),
        ("SELECT concat(_key, t) AS k FROM (SELECT _key, email AS t FROM people)", STRING),
        ("SELECT concat(_key, current_date()) AS k FROM people", STRING),
        ("SELECT (SELECT max(v.id) FROM vans v WHERE v.id = people._key) AS k FROM people", STRING),
        ("SELECT v.id AS k, p.email FROM people p JOIN vans v ON v.id = p.id", STRING),
        ("SELECT concat(_key, 'x') AS k FROM people", Primitive("DOUBLE")),
        ("SELECT CAST(_key AS INT) AS k FROM people", STRING),
        ("SELECT CAST(_key AS STRING) AS k FROM people", Primitive("TIMESTAMP")),
        ("SELECT _key[0] AS k FROM people", TWO),
    ],
)
def test_a_key_that_several_records_share_or_a_deleted_one_does_not_have(sql: str, kind: Any) -> None:
    with pytest.raises(InvalidInput, match=r"k is not that key.*compactedAs: stream"):
        build(sql, kind, key=["k"])


@pytest.mark.parametrize(
    ("sql", "more", "words"),
    [
        ("SELECT id, email FROM people", {"key": ["id", "email"]}, "cannot hold email and id"),
        ("SELECT id, email FROM people", {"key": ["email"], "kind": "id STRING"}, "make it of _key or of id"),
        ("SELECT _partition AS p, email FROM people", {"key": ["p"]}, "p is not that key"),
        ("SELECT id, email FROM people", {"key": ["id"], "sees_key": False}, "may not see the key"),
        ("SELECT id FROM people", {"key": ["id"], "kind": TWO}, "is id and other.*add _key.`other`"),
        ("SELECT _key.id AS i FROM people", {"key": ["i"], "kind": TWO}, "is id and other.*add _key.`other`"),
        ("SELECT id FROM people", {"key": ["id"], "kind": Primitive("INT"), "value": "id DATE"}, "id is not that key"),
        ("SELECT id FROM people", {"key": ["id"], "hides": "MASK_SHOW_LAST_4"}, "MASK_SHOW_LAST_4.*MASK_HASH"),
        ("SELECT _key AS k FROM people", {"hides": "MASK_NULL"}, "MASK_NULL"),
        ("SELECT _key AS k FROM people", {"kind": TWO, "hides": "MASK"}, "masked in part"),
        (
            "SELECT id FROM people",
            {"key": ["id"], "hides": "TOKEN", "clear_when": "email = 'x'"},
            "in some records only",
        ),
    ],
)
def test_a_key_that_is_refused_names_what_to_write(sql: str, more: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as refused:
        build(sql, **more)
    assert "compactedAs: stream" in refused.value.message
    build(sql, compactedAs="stream", **more)


@pytest.mark.parametrize("hides", ["MASK_HASH", "TOKEN"])
def test_a_mask_that_keeps_keys_apart_may_be_over_the_key(hides: str) -> None:
    assert build("SELECT id FROM people", key=["id"], hides=hides).tables[0].table.by_key is not None


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


class Shown(TwinTopics):
    """Topics whose `cleanup.policy` is what the test sets; None: the cluster does not show it."""

    known: bool | None = True

    def compacted(self, kafka: Any, topic: str) -> bool | None:
        return self.known


def test_a_right_to_look_that_is_lost_builds_nothing_again() -> None:
    """Also in another process; what the cluster shows again counts again."""
    world = Keyed()
    topics = Shown(world.fate, world.topics.records, world.topics.begins)
    world.topics = world.engine.topics = topics
    world.declare()
    world.settle(world.view())
    first = world.state()["active"]
    assert first["compacted"] == {"prod/people": True}
    topics.known = None
    world.settle(world.view())
    assert world.state()["active"]["id"] == first["id"]
    topics.known = False
    world.settle(world.view())
    assert world.state()["active"]["number"] == 2 and world.state()["active"]["compacted"] == {"prod/people": False}


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
