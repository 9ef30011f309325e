"""Objects beside arrays and scalars, read by Spark: each value in its own member, and masks hold in each."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest

from api.joins.query_tables import Decoder
from catalog.datatypes import STRING, ArrayType, DataType, Primitive, StructType, alternatives
from policies.adapters.kafka.offsets import KafkaOffsets
from policies.adapters.spark.engine import SparkEngine
from policies.adapters.spark.sessions import Sessions
from policies.columns.expression import build, context
from policies.masks.keys import MaskKeys
from policies.model import ColumnDecision, Effect, Mask, MaskType
from policies.plan.model import PartRead, QueryPlan, TablePlan
from policies.plan.value_columns import value_columns
from policies.sql.windows import NEWEST
from scanners.adapters.spark.carried_code import carried
from scanners.model import PartFormat

pytestmark = pytest.mark.integration

PERSON = StructType((("email", STRING), ("n", Primitive("BIGINT"))))
PLACE = alternatives({"as_object": PERSON, "as_array": ArrayType(PERSON), "as_scalar": STRING})
WHOLE = alternatives(
    {"as_object": StructType((("contact", PLACE), ("id", Primitive("BIGINT")))), "as_array": ArrayType(PERSON)}
)
RECORDS: list[Any] = [
    {"id": 1, "contact": {"email": "a@x.com", "n": 5000000000}},
    {"id": 2, "contact": [{"email": "b@x.com", "n": 2}, {"email": "c@x.com"}]},
    {"id": 3, "contact": "d@x.com"},
    {"id": 4, "contact": '{"email": "text@x.com"}'},
    {"id": 5, "contact": 7},
    [{"email": "e@x.com", "n": 3}],
]
PATHS = ("value.contact.email", "value.contact.n", "value.contact[].email", "value.contact[].n", "value.id")
TOP = ("value[].email", "value[].n")


@pytest.fixture(scope="module")
def topic(stack: Any) -> Iterator[tuple[str, str]]:
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    name, admin = f"alternatives-{uuid.uuid4().hex[:8]}", AdminClient({"bootstrap.servers": stack.kafka})
    admin.create_topics([NewTopic(name, 1, 1)])[name].result(30)
    producer = Producer({"bootstrap.servers": stack.kafka})
    for record in RECORDS:
        producer.produce(name, json.dumps(record).encode(), None, 0)
    assert producer.flush(30) == 0
    yield stack.kafka, name
    admin.delete_topics([name])[name].result(30)


@pytest.fixture(scope="module")
def engine(stack: Any) -> Iterator[SparkEngine]:
    sessions = Sessions(stack.engine, 1)
    yield SparkEngine(sessions, Decoder(carried))
    sessions.close()


def rows(engine: SparkEngine, topic: tuple[str, str], *decisions: ColumnDecision, kind: DataType = WHOLE) -> list[Any]:
    kafka, name = topic
    options = {"kafka.bootstrap.servers": kafka}
    ctx = context(decisions, MaskKeys(b"k" * 32), {})
    columns = [(each.name, build(ctx, each.path, each.kind, each.source)) for each in value_columns(kind)]
    value = PartRead("json", kind, {"format": asdict(PartFormat("json"))})
    shown = tuple((column, sql) for column, sql in columns if sql is not None)
    window = KafkaOffsets().window(options, name, NEWEST, 100)
    plan = TablePlan(
        "v", name, options, window, PartRead("text", STRING), value, columns=(("at", "weir_offset"), *shown)
    )
    return [row[1:] for row in engine.run(QueryPlan("SELECT * FROM v ORDER BY at", (plan,), 100, 120.0)).rows]


def clear(*paths: str) -> list[ColumnDecision]:
    return [ColumnDecision(path, Effect.ALLOW, None) for path in paths]


def test_every_value_comes_back_in_its_own_member(engine: SparkEngine, topic: tuple[str, str]) -> None:
    def contact(**values_of: Any) -> dict[str, Any]:
        return {"as_object": None, "as_array": None, "as_scalar": None, **values_of}

    result = rows(engine, topic, *clear(*PATHS, *TOP))
    assert result == [
        [contact(as_object={"email": "a@x.com", "n": 5000000000}), 1, None],
        [contact(as_array=[{"email": "b@x.com", "n": 2}, {"email": "c@x.com", "n": None}]), 2, None],
        [contact(as_scalar="d@x.com"), 3, None],
        [contact(as_scalar='{"email": "text@x.com"}'), 4, None],
        [contact(as_scalar="7"), 5, None],
        [None, None, [{"email": "e@x.com", "n": 3}]],
    ]


def test_a_mask_on_one_alternative_hides_it_there_and_in_no_text(engine: SparkEngine, topic: tuple[str, str]) -> None:
    hidden = ColumnDecision("value.contact.email", Effect.ALLOW, Mask(MaskType.MASK_NULL))
    text = json.dumps(rows(engine, topic, hidden, *clear(*PATHS[1:], *TOP)))
    assert "b@x.com" in text and "e@x.com" in text
    assert "a@x.com" not in text and "text@x.com" not in text and "d@x.com" not in text
    array = ColumnDecision("value.contact[].email", Effect.DENY, None)
    text = json.dumps(rows(engine, topic, array, *clear(*PATHS[:2], *PATHS[3:], *TOP)))
    assert "a@x.com" in text
    assert "b@x.com" not in text and "c@x.com" not in text and "text@x.com" not in text


def test_an_object_of_no_known_alternative_is_not_read_by_the_members_names(
    engine: SparkEngine, topic: tuple[str, str]
) -> None:
    kind = StructType((("contact", alternatives({"as_array": ArrayType(PERSON), "as_scalar": STRING})),))
    text = json.dumps(rows(engine, topic, *clear("value.contact"), kind=kind))
    assert "b@x.com" in text and "a@x.com" not in text
