"""Each shape that is let through runs as a stream, in one batch and in one record a batch: the rows at the end are those
of the same SQL over the same records at once, or the difference is in docs/reference/view-semantics.md."""

from __future__ import annotations

import dataclasses
import json
import time
import uuid
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from catalog.adapters.spark_connect import connect, release
from policies.adapters.spark.sessions import FEW, PINNED
from policies.gate import gate
from tests.doc_examples import example
from views.shape.errors import sentence
from views.shape.shape import Shape, shape

pytestmark = pytest.mark.integration

START = int(time.time() // 3600 * 3600 - 2 * 86_400) * 1000
"""On a full hour, so that windows of minutes begin with it."""

ORDERS: list[tuple[int, dict[str, Any] | None]] = [
    (0, {"id": 1, "region": "EU", "amount": 5, "van": "a", "tags": ["x", "y"]}),
    (4, {"id": 2, "region": "US", "amount": 7, "van": "b", "tags": []}),
    (31, {"id": 3, "region": None, "amount": 1, "van": "a", "tags": ["x"]}),
    (45, {"id": 1, "region": "EU", "amount": None, "van": "b", "tags": None}),
    (62, {"id": 4, "region": "EU", "amount": 9, "van": "c", "tags": ["z"]}),
    (95, {"id": 5, "region": "US", "amount": 2, "van": "a", "tags": ["x", "x"]}),
    (80_000, {"id": 99, "region": "end", "amount": 0, "van": "end", "tags": ["end"]}),
]
"""Seconds after the start, and the record. The last one is so late that it closes all that came before."""
PAID = [
    (3, {"id": 1, "paid": 5}),
    (40, {"id": 3, "paid": 1}),
    (50, {"id": 1, "paid": 6}),
    (80_000, {"id": 98, "paid": 98}),
]
LATE = [(0, {"id": 1}), (300, {"id": 2}), (310, {"id": 2}), (10, {"id": 1}), (320, {"id": 2})]
NULLS = example("view-semantics.md", "### 2. A record without a value")
VANS = [(0, {"van": "a", "town": "Ulm"}), (1, {"van": "b", "town": "Bonn"})]
SCHEMAS = {
    "orders": "id INT, region STRING, amount BIGINT, van STRING, tags ARRAY<STRING>",
    "paid": "id INT, paid BIGINT",
    "late": "id INT",
    "vans": "van STRING, town STRING",
    "nulls": "region STRING, amount INT",
}
BOUND = "p._timestamp BETWEEN o._timestamp AND o._timestamp + INTERVAL 20 SECONDS"

SAME = {
    "filter": "SELECT id, amount * 2 AS twice FROM orders WHERE amount > 4",
    "explode": "SELECT id, tag FROM orders LATERAL VIEW explode(tags) t AS tag",
    "explode outer": "SELECT id, explode_outer(tags) AS tag FROM orders",
    "union all": "SELECT id, 'o' AS kind FROM orders UNION ALL SELECT id, 'p' FROM paid",
    "union": "SELECT id FROM orders UNION SELECT id FROM paid",
    "distinct": "SELECT DISTINCT id, region FROM orders",
    "groups": "SELECT region, count(*) AS n, sum(amount) AS s, min(amount) AS lo, max(amount) AS hi, avg(amount) AS m,"
    " count(amount) AS c FROM orders GROUP BY region",
    "collections": "SELECT region, size(collect_set(id)) AS ids, array_sort(collect_list(amount)) AS amounts,"
    " percentile(amount, 0.5) AS p, max_by(amount, _offset) AS newest, stddev(amount) AS d,"
    " count(*) FILTER (WHERE amount > 4) AS big, bool_or(amount > 8) AS any, approx_count_distinct(id) AS a"
    " FROM orders GROUP BY region",
    "one row": "SELECT count(*) AS n, sum(amount) AS s FROM orders",
    "having": "SELECT region, count(*) AS n, max(amount) AS top FROM orders GROUP BY region HAVING n < 3 AND sum(amount) > 2",
    "condition above": "SELECT * FROM (SELECT region, count(*) AS n FROM orders GROUP BY region HAVING max(amount) > 6) g"
    " WHERE n < 3",
    "tumbling": "SELECT region, window.start AS ws, sum(amount) AS s FROM orders"
    " GROUP BY region, window(_timestamp, '1 minute')",
    "hopping": "SELECT w.start AS ws, count(*) AS n FROM (SELECT window(_timestamp, '1 minute', '30 seconds') AS w FROM orders)"
    " GROUP BY w",
    "left joined to a table": "SELECT id, town FROM orders LEFT JOIN vans ON orders.van = vans.van",
    "anti": "SELECT id FROM orders WHERE NOT EXISTS (SELECT 1 FROM vans WHERE vans.van = orders.van)",
    "in": "SELECT id FROM orders WHERE van IN (SELECT van FROM vans WHERE town = 'Ulm')",
    "grouped by a table": "SELECT town, sum(amount) AS s FROM orders LEFT JOIN vans USING (van) GROUP BY town",
    "joined streams": f"SELECT o.id, p.paid, o._timestamp AS at FROM orders o JOIN paid p ON o.id = p.id AND {BOUND}",
    "bad values": "SELECT id, CAST(van AS INT) AS n, amount / (amount - 5) AS q, tags[5] AS t FROM orders",
}
"""Equal to the answer over all records at once."""

CLOSED = {
    "session": "SELECT region, session_window.start AS a, session_window.end AS b, count(*) AS n FROM orders"
    " GROUP BY region, session_window(_timestamp, '50 seconds') HAVING n < 9",
    "session of all": "SELECT s.start AS a, s.end AS b, count(*) AS n FROM"
    " (SELECT session_window(_timestamp, '20 seconds') AS s FROM orders) GROUP BY s",
    "windows over windows": "SELECT window.start AS ws, max(s) AS top FROM (SELECT region, window AS w, sum(amount) AS s"
    " FROM orders GROUP BY region, window(_timestamp, '30 seconds')) GROUP BY window(w, '1 minute')",
    "left": f"SELECT o.id, p.paid, o._timestamp AS at FROM orders o LEFT JOIN paid p ON o.id = p.id AND {BOUND}",
    "full": f"SELECT o.id, p.paid, o._timestamp AS at FROM orders o FULL JOIN paid p ON o.id = p.id AND {BOUND}",
    "joined, counted": "SELECT window.start AS ws, count(*) AS n FROM orders o JOIN paid p"
    f" ON o.id = p.id AND {BOUND} GROUP BY window(o._timestamp, '1 minute')",
    "distinct, counted": "SELECT window.start AS ws, count(*) AS n FROM (SELECT DISTINCT id, _timestamp FROM orders)"
    " GROUP BY window(_timestamp, '1 minute')",
}
"""Equal but for what is open when the records end: those of the last record."""


@dataclasses.dataclass
class World:
    spark: Any
    kafka: str
    topics: Mapping[str, str]

    def table(self, name: str, streams: bool, most: int | None = None) -> Any:
        reader = self.spark.readStream if streams else self.spark.read
        reader = reader.format("kafka").option("kafka.bootstrap.servers", self.kafka)
        reader = reader.option("subscribe", self.topics[name]).option("startingOffsets", "earliest")
        if most is not None:
            reader = reader.option("maxOffsetsPerTrigger", most)
        fields = f"from_json(CAST(value AS STRING), '{SCHEMAS[name]}') AS v"
        return (
            reader.load()
            .selectExpr(fields, "timestamp AS _timestamp", "offset AS _offset")
            .selectExpr("v.*", "_timestamp", "_offset")
        )


@pytest.fixture(scope="module")
def world(stack: Any) -> Iterator[World]:
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": stack.kafka})
    suffix = uuid.uuid4().hex[:8]
    topics = {name: f"shapes.{name}-{suffix}" for name in SCHEMAS}
    for future in admin.create_topics([NewTopic(topic, 1, 1) for topic in topics.values()]).values():
        future.result(30)
    producer = Producer({"bootstrap.servers": stack.kafka})
    for name, records in (
        ("orders", ORDERS),
        ("paid", PAID),
        ("late", LATE),
        ("vans", VANS),
        ("nulls", enumerate(NULLS.records)),
    ):
        for seconds, record in records:
            body = None if record is None else json.dumps(record).encode()
            producer.produce(topics[name], body, timestamp=START + seconds * 1000, on_delivery=delivered)
    assert producer.flush(30) == 0
    spark = connect(stack.spark)
    for name, value in {**PINNED, **FEW, "spark.sql.shuffle.partitions": "1"}.items():
        spark.conf.set(name, value)
    yield World(spark, stack.kafka, topics)
    release(spark)
    for future in admin.delete_topics(list(topics.values())).values():
        future.result(30)


def delivered(error: Any, _: Any) -> None:
    assert error is None, error


def shaped(sql: str, key: list[str] | None = None) -> tuple[Shape, str]:
    """The shape, and the text that runs over tables `v_NAME`. With a key, records replace one another."""
    gated = gate.check(sql)
    replaced = gated.tables[:1] if key else ()
    view = shape(gated, key=key, watermark=True, watermark_column=None, replaced=replaced)
    names = {ref: f"v_{ref.name}" for ref in gated.tables}
    return view, dataclasses.replace(gated, tree=view.tree).render(names)


def at_once(world: World, sql: str) -> list[tuple[Any, ...]]:
    gated = gate.check(sql)
    prefix = f"b{uuid.uuid4().hex[:6]}_"
    for ref in gated.tables:
        world.table(ref.name, streams=False).createOrReplaceTempView(prefix + ref.name)
    text = gated.render({ref: prefix + ref.name for ref in gated.tables})
    return sorted((frozen(row.asDict(True)) for row in world.spark.sql(text).collect()), key=repr)


def as_stream(world: World, sql: str, most: int | None, key: list[str] | None = None) -> list[tuple[Any, ...]]:
    """The rows at the end of a view, by key where it has one."""
    view, text = shaped(sql, key)
    prefix = f"s{uuid.uuid4().hex[:6]}_"
    for ref in (*view.follows, *view.tables):
        streams = ref in view.follows
        table = world.table(ref.name, streams, most if streams else None)
        if streams and key:
            table = table.selectExpr("*", "false AS weir_gone")  # no record without a value is among them
        if streams:
            table = table.withWatermark(view.watermarks[ref], "10 seconds")
        table.createOrReplaceTempView(prefix + ref.name)
    result = world.spark.sql(text.replace("`v_", f"`{prefix}")).drop("weir_gone")
    name = prefix + "out"
    query = result.writeStream.format("memory").queryName(name).outputMode(view.mode).trigger(availableNow=True).start()
    try:
        assert query.awaitTermination(240), "the query did not end"
        assert query.exception() is None, query.exception()
    finally:
        query.stop()
    return sorted(folded(view, [row.asDict(True) for row in world.spark.table(name).collect()]), key=repr)


def folded(view: Shape, rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    if not view.key and not view.single:
        return [frozen(row) for row in rows]
    kept: dict[Any, tuple[Any, ...]] = {}
    for row in rows:
        key = frozen({name: row[name] for name in view.key})
        if view.kept is not None and not row.pop(view.kept):
            kept.pop(key, None)
        else:
            kept[key] = frozen(row)
    return list(kept.values())


def frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(sorted((name, frozen(each)) for name, each in value.items()))
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def both(world: World, sql: str) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """At once, as a stream in one batch, as a stream in one record a batch."""
    with ThreadPoolExecutor(2) as pool:
        whole, single = (pool.submit(as_stream, world, sql, most) for most in (None, 1))
        return at_once(world, sql), whole.result(), single.result()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", SAME)
def test_equal_to_the_answer_at_once(world: World, name: str) -> None:
    expected, whole, single = both(world, SAME[name])
    assert expected and whole == expected
    assert single == expected


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", CLOSED)
def test_equal_but_for_what_is_open(world: World, name: str) -> None:
    expected, whole, single = both(world, CLOSED[name])
    closed = [row for row in expected if not is_open(row)]
    assert closed and whole == closed
    assert single == closed


def is_open(row: tuple[Any, ...]) -> bool:
    """Whether a row is of the last record of a topic."""
    last = START / 1000 + 70_000
    return any(value in (98, 99, "end") or getattr(value, "timestamp", float)() > last for _, value in row)


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        # The newest record of van a has 2, that of b NULL.
        ("SELECT van, id, amount FROM orders WHERE amount > 2", [{"van": "c", "id": 4, "amount": 9}]),
        # The newest record of id 1 is of van b; van c is in no table.
        (
            "SELECT id AS van, town FROM orders JOIN vans USING (van) WHERE id IN (1, 3, 4)",
            [{"van": 1, "town": "Bonn"}, {"van": 3, "town": "Ulm"}],
        ),
    ],
)
def test_a_newer_row_that_does_not_satisfy_the_query_takes_the_older_away(
    world: World, sql: str, rows: list[dict[str, Any]]
) -> None:
    expected = sorted((frozen(row) for row in rows), key=repr)
    for most in (None, 1):
        assert as_stream(world, sql, most, ["van"]) == expected


def test_the_example_of_records_without_a_value(world: World) -> None:
    """As docs/view-semantics.md has it."""
    for sql, rows in NULLS.queries.items():
        names = [each.alias_or_name for each in gate.check(sql).tree.expressions]
        expected = sorted((frozen(dict(zip(names, row, strict=True))) for row in rows), key=repr)
        for result in both(world, sql.replace(f"FROM {NULLS.topic}", "FROM nulls")):
            assert result == expected, sql


def test_a_late_record_is_left_out_of_its_window_and_of_nothing_else(world: World) -> None:
    windows = "SELECT window.start AS ws, count(*) AS n FROM late GROUP BY window(_timestamp, '1 minute')"
    expected, whole, single = both(world, windows)
    assert [dict(row)["n"] for row in expected] == [2, 3] and whole == expected
    assert [dict(row)["n"] for row in single] == [1, 3]
    expected, whole, single = both(world, "SELECT id, count(*) AS n FROM late GROUP BY id")
    assert expected == whole == single


REFUSED = {
    "SELECT id FROM orders ORDER BY id": "append",
    "SELECT region, count(DISTINCT id) AS n FROM orders GROUP BY region": "update",
    "SELECT row_number() OVER (PARTITION BY region ORDER BY id) AS n FROM orders": "append",
    "SELECT id FROM orders WHERE id IN (SELECT id FROM paid)": "append",
    "SELECT o.id FROM orders o LEFT JOIN paid p ON o.id = p.id": "append",
    "SELECT max(n) AS m FROM (SELECT region, count(*) AS n FROM orders GROUP BY region)": "update",
    "SELECT id FROM orders INTERSECT SELECT id FROM paid": "append",
    "SELECT region, count(*) AS n FROM orders GROUP BY region": "append",
    "SELECT session_window.start AS s FROM orders GROUP BY session_window(_timestamp, '1 minute')": "update",
    "SELECT o.id FROM orders o LEFT ANTI JOIN paid p ON o.id = p.id": "append",
    "SELECT id FROM orders TABLESAMPLE (50 PERCENT)": "append",
    "SELECT id FROM orders OFFSET 3": "append",
}
"""What Spark refuses when both topics are streams, and the output mode that it is started with."""


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("sql", "mode"), REFUSED.items())
def test_refusals_of_spark_become_one_sentence(world: World, sql: str, mode: str) -> None:
    from pyspark.errors import PySparkException

    for name in ("orders", "paid"):
        world.table(name, streams=True).createOrReplaceTempView(name)
    name = f"r{uuid.uuid4().hex[:6]}"
    with pytest.raises(PySparkException) as caught:
        world.spark.sql(sql).writeStream.format("memory").queryName(name).outputMode(mode).start().stop()
    words = sentence(caught.value.getCondition(), str(caught.value))
    assert words is not None and words.endswith(".") and "streaming" not in words.lower()
    assert "DataFrame" not in words and "Spark cannot follow topics with this query" not in words
