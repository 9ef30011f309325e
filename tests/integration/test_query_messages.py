"""What Spark cannot run is answered in one sentence that names the column, the types and the place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from catalog.errors import WeirError
from policies.adapters.kafka.offsets import KafkaOffsets
from policies.adapters.kafka.windows import KafkaWindows
from policies.adapters.spark.engine import SparkEngine
from policies.adapters.spark.sessions import Sessions
from policies.query.service import GovernedQuery
from tests.query_world import ANA, KEYS, load, unload

pytestmark = pytest.mark.integration

JOIN = "FROM orders o JOIN people m ON true"
CASES = [
    (f"SELECT DISTINCT o.customer.email, m.email.x {JOIN}", "m.email is a text, so there is no field or element in it.", 35),
    (f"SELECT DISTINCT o.customer.email, m.customer.email {JOIN}", "m has no column customer; o has one.", 35),
    ("SELECT attributes['a'].b FROM orders", "attributes['a'] is a text, so there is no field or element in it.", 8),
    ("SELECT contacts.x.y FROM orders", "contacts.x is a whole number (INT), so there is no field or element in it.", 8),
    ("SELECT 1 FROM orders WHERE amount > 'abc'",
     "'abc' is not a number, and amount is compared as one; write a number, as in 12.5.", 28),
    ("SELECT 1 FROM orders WHERE amount IN ('abc', 'd')",
     "'abc' is not a number, and amount is compared as one; write a number, as in 12.5.", 28),
    ("SELECT 1 FROM orders WHERE amount BETWEEN 'abc' AND 'd'",
     "'abc' is not a number, and amount is compared as one; write a number, as in 12.5.", 28),
    ("SELECT date_trunc(created_at, 'DAY') FROM orders", "date_trunc(created_at, 'DAY'): 'DAY' is not a time.", 8),
    ("SELECT DATE 'abc' FROM orders", "'abc' is not a date; write it as DATE '2026-01-31'.", 13),
    ("SELECT amount + order_id FROM orders",
     "amount + order_id takes order_id as a number (DOUBLE), and a value of it is none; write try_cast(order_id AS DOUBLE).", 8),
    ("SELECT sum(customer) FROM orders",
     "sum(customer) takes a number or a length of time, and its first argument is a struct.", 8),
    ("SELECT NOT amount FROM orders", "NOT amount takes true or false, and amount is a number (DECIMAL(12,2)).", 12),
    ("SELECT array_join(items, ',') FROM orders",
     "array_join(items, ',') takes an array of texts, and its first argument is an array of structs.", 8),
    ("SELECT customer + 1 FROM orders", "customer + 1: one side is a struct, the other a whole number (INT); CAST one of them.", 8),
    ("SELECT created_at - amount FROM orders",
     "created_at - amount takes a time or a time without a zone, and its second argument is a number (DECIMAL(12,2)).", 8),
    ("SELECT coalesce(customer, 1) FROM orders",
     "coalesce(customer, 1) takes values of one type, and has a struct and a whole number (INT); CAST them to one.", 8),
    ("SELECT array_contains(items, 1) FROM orders",
     "array_contains(items, 1): its first argument is an array of structs, its second a whole number (INT);"
     " they do not fit together.", 8),
    ("SELECT 1 FROM orders WHERE customer IN (SELECT order_id FROM orders)",
     "customer is a struct, and its subquery of IN gives a text; CAST one of them.", 28),
    ("SELECT 1 FROM orders WHERE amount",
     "amount is a number (DECIMAL(12,2)), and a condition is true or false; compare it with something.", 28),
    ("SELECT * FROM orders ORDER BY attributes",
     "attributes is a map, which has no order and cannot be compared; take map_entries of it.", 31),
    ("SELECT attributes = attributes FROM orders",
     "attributes is a map, which has no order and cannot be compared; take map_entries of it.", 8),
    ("SELECT percentile_approx(amount, 2) FROM orders", "percentile_approx(amount, 2): its percentage is from 0 to 1.", 8),
    ("SELECT round(amount, order_id) FROM orders",
     "round(amount, order_id): its scale must be written out, and order_id is computed for each row.", 8),
    ("SELECT CAST(customer AS INT) FROM orders",
     "customer is a struct, which cannot be cast to a whole number (INT); CAST one of its fields.", 13),
    ("SELECT order_id FROM orders UNION SELECT customer FROM orders",
     "UNION: the first column of the second query is a struct, that of the first query a text; CAST one of them.", 8),
    ("SELECT order_id FROM orders UNION SELECT order_id, amount FROM orders",
     "UNION: the first query has 1 column, the second 2; name as many in each.", 8),
    ("SELECT order_id FROM orders GROUP BY 3", "GROUP BY 3: SELECT has 1 column.", 38),
    ("SELECT order_id FROM orders HAVING amount > 1", "order_id is neither in GROUP BY nor in an aggregate;", 8),
    ("SELECT substring(order_id) FROM orders", "substring takes 2 or 3 arguments and has 1.", 18),
    ("SELECT map('a') FROM orders", "map takes an even number of arguments and has 1.", 8),
    ("SELECT from_json(order_id, 'a') FROM orders",
     "from_json(order_id, 'a'): A is not a type; write a schema as in 'id INT, name STRING'.", 8),
    ("SELECT * FROM orders JOIN people USING (order_id)", "USING (order_id): the right side of the join has no column", 41),
    ("SELECT x.* FROM orders", "x.*: the query has no table or struct x; its tables are orders.", 8),
    ("SELECT level FROM people a JOIN people b ON a.id = b.id",
     "The column level fits several tables; write the table before it.", 8),
    ("SELECT explode(items) + 1 FROM orders", "A function that makes rows, such as explode, must be alone in SELECT;", None),
    ("SELECT date_format(created_at, 'foo') FROM orders", "A pattern of dates is not one of Spark's", None),
    ("SELECT sequence(1, 10, 0) FROM orders", "The step of a sequence does not lead from its start to its end.", None),
    ("SELECT format_string('%d', order_id) FROM orders", "A format such as '%d' does not fit its value", None),
    ("SELECT from_utc_timestamp(created_at, 'Nope') FROM orders", "A zone of time is not known", None),
    ("SELECT (SELECT id, email FROM people) FROM orders", "A subquery that is used as one value must have one column.", None),
]  # fmt: skip
INTERNAL = re.compile(
    r"weir_|\bANSI\b|NUMERIC|INTEGRAL|[a-z]+\.[a-z]+\.[A-Z]|namedlambda|#\d|listquery|Exception|spark\.|`"
)


@pytest.fixture(scope="module")
def service(stack: Any) -> Iterator[GovernedQuery]:
    world = load(stack.kafka, "a")
    sessions = Sessions(stack.engine, 1)
    yield GovernedQuery(world, world, SparkEngine(sessions, windows=KafkaWindows()), KafkaOffsets(), world, KEYS)
    sessions.close()
    unload(world)


@pytest.mark.sampled(15)
@pytest.mark.parametrize(("sql", "message", "column"), CASES)
def test_a_failure_names_its_part_of_the_query(
    service: GovernedQuery, sql: str, message: str, column: int | None
) -> None:
    with pytest.raises(WeirError) as raised:
        service.run(ANA, sql)
    assert raised.value.message.startswith(message)
    assert raised.value.details.get("column") == column
    assert not INTERNAL.search(raised.value.message)
