"""What a view's columns are made of: followed through the query, or taken for made of everything."""

from __future__ import annotations

import pytest

from catalog.datatypes import STRING, parse_ddl
from catalog.model import DatasetId
from policies.gate import gate
from policies.masks.keys import MaskKeys
from policies.model import ColumnDecision, DatasetFacts, Decision, Effect, FieldFacts, Mask, SubjectMatch
from policies.plan.model import PartRead
from policies.plan.ports import QueryTable
from policies.plan.prepare import PreparedQuery
from policies.plan.views import govern
from views.runner.result import flows, inherited, made_of, mask_of

ORDERS = (
    "id STRING, email STRING, region STRING, note STRING, tags ARRAY<STRING>, who STRUCT<mail: STRING, phone: STRING>, "
    "items ARRAY<STRUCT<gift: STRING, sku: STRING>>, more MAP<STRING, STRUCT<a: STRUCT<b: STRING, c: STRING>, b: STRING>>"
)
FIELDS = (
    "id",
    "email",
    "region",
    "note",
    "tags[]",
    "who.mail",
    "who.phone",
    "items[].gift",
    "items[].sku",
    "more@keys",
    "more{}.a.b",
    "more{}.a.c",
    "more{}.b",
)
TAGS = {"email": "EMAIL_ADDRESS", "who.mail": "EMAIL_ADDRESS", "note": "PERSON"}
EVERYTHING = {f"value.{field}" for field in FIELDS}


def prepared(sql: str, masks: dict[str, Mask] | None = None) -> PreparedQuery:
    gated = gate.check(sql)
    governed = PreparedQuery(gated)
    for ref in gated.tables:
        facts = DatasetFacts(
            DatasetId("kafka://x", ref.name),
            f"prod/{ref.name}",
            tuple(FieldFacts(f"value.{field}", {TAGS[field]: "declared"} if field in TAGS else {}) for field in FIELDS),
            owners=SubjectMatch(),
        )
        columns = tuple(ColumnDecision(f"value.{field}", Effect.ALLOW, (masks or {}).get(field)) for field in FIELDS)
        table = QueryTable(
            facts.reference, ref.name, facts, {}, PartRead("text", STRING), PartRead("json", parse_ddl(ORDERS))
        )
        governed.tables[ref] = govern(
            table, Decision(facts.id, facts.reference, Effect.ALLOW, columns), MaskKeys(b"x" * 32)
        )
    return governed


def fields(sql: str, column: str = "c") -> set[str]:
    return {flow.path for flow in flows(prepared(sql), [column])[column]}


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT email AS c FROM orders", {"value.email"}),
        ("SELECT who AS c FROM orders", {"value.who.mail", "value.who.phone"}),
        ("SELECT o.who.mail AS c FROM orders o", {"value.who.mail"}),
        ("SELECT upper(concat(email, region)) AS c FROM orders", {"value.email", "value.region"}),
        ("SELECT x.e AS c FROM (SELECT email AS e FROM orders) x", {"value.email"}),
        ("WITH q AS (SELECT email AS e, id FROM orders) SELECT e AS c FROM q", {"value.email"}),
        ("SELECT region AS c FROM orders UNION ALL SELECT email FROM users", {"value.region", "value.email"}),
        ("SELECT t AS c FROM orders LATERAL VIEW explode(tags) v AS t", {"value.tags[]"}),
        ("SELECT transform(tags, x -> upper(x)) AS c FROM orders", {"value.tags[]"}),
        ("SELECT max(email) AS c FROM orders GROUP BY region", {"value.email"}),
        ("SELECT id AS c FROM orders JOIN users USING (id)", {"value.id"}),
        ("SELECT 1 AS c FROM orders", set()),
        ("SELECT _offset AS c FROM orders", set()),
        ("SELECT window.start AS c, count(*) AS n FROM orders GROUP BY region, window(_timestamp, '5 minutes')", set()),
        ("SELECT window AS c FROM orders GROUP BY Window(to_timestamp(note), '5 minutes')", {"value.note"}),
        ("SELECT w.end AS c FROM (SELECT window AS w FROM orders GROUP BY window(id, '1 day')) q", {"value.id"}),
        ("SELECT session_window.end AS c FROM orders GROUP BY session_window(o.note, region)", EVERYTHING),
        (
            "SELECT session_window.end AS c FROM orders o GROUP BY session_window(o.note, region)",
            {"value.note", "value.region"},
        ),
        (
            "SELECT q.s.mail.phone AS c FROM (SELECT struct(who AS mail) AS s FROM orders) q",
            {"value.who.mail", "value.who.phone"},
        ),
        ("SELECT (struct(who AS mail)).mail.phone AS c FROM orders", {"value.who.mail", "value.who.phone"}),
        (
            "SELECT x.phone AS c FROM orders LATERAL VIEW explode(array(who, who)) v AS x",
            {"value.who.mail", "value.who.phone"},
        ),
        ("SELECT x.gift AS c FROM orders LATERAL VIEW explode(items) v AS x", {"value.items[].gift"}),
        ("SELECT x.gift AS c FROM (SELECT explode(items) AS x FROM orders)", {"value.items[].gift"}),
        ("SELECT items[0].gift AS c FROM orders", {"value.items[].gift"}),
        ("SELECT element_at(items, 1).gift AS c FROM orders", {"value.items[].gift"}),
        ("SELECT items.gift AS c FROM orders", {"value.items[].gift"}),
        (
            "SELECT items[length(region)].gift AS c FROM orders",
            {"value.items[].gift", "value.items[].sku", "value.region"},
        ),
        ("SELECT more['k'].a.c AS c FROM orders", {"value.more{}.a.c"}),
        ("SELECT more[1].a.c AS c FROM orders", {"value.more{}.a.c"}),
        (
            "SELECT x.b AS c FROM orders LATERAL VIEW explode(more) v AS k, x",
            {"value.more{}.a.b", "value.more{}.a.c", "value.more{}.b"},
        ),
        ("SELECT coalesce(who, who).mail AS c FROM orders", {"value.who.mail"}),
        ("SELECT max(who).mail AS c FROM orders", {"value.who.mail"}),
        (
            "SELECT coalesce(who, named_struct('mail', who.phone, 'phone', '')).mail AS c FROM orders",
            {"value.who.mail", "value.who.phone"},
        ),
        (
            "SELECT s.mail AS c FROM (SELECT who AS s FROM orders UNION ALL SELECT struct(who.phone AS m, '') FROM orders)",
            {"value.who.mail", "value.who.phone"},
        ),
        ("SELECT id AS c, * FROM orders GROUP BY ALL, window(note, '1 day')", {"value.id"}),
    ],
)
def test_a_column_is_followed(sql: str, expected: set[str]) -> None:
    assert fields(sql) == expected


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT u AS c FROM (SELECT id, email AS e, upper(e) AS u FROM orders) q",
        "SELECT email AS c FROM (orders a)",
        "SELECT a.email AS c FROM (orders a JOIN users b ON a.id = b.id)",
        "SELECT c FROM (SELECT email AS c, region AS d FROM orders UNION ALL BY NAME SELECT region AS d, id AS c FROM orders)",
        "SELECT (SELECT max(email) FROM users) AS c FROM orders",
        "SELECT n AS c FROM (SELECT max(email) AS m, concat(m, '') AS n FROM orders GROUP BY region) q",
        "SELECT col1 AS c FROM orders LATERAL VIEW inline(array(struct(email))) v",
        "SELECT c FROM orders PIVOT (max(email) AS m FOR region IN ('EU' AS c))",
        "SELECT v AS c FROM orders UNPIVOT (v FOR n IN (email, note))",
        "SELECT c FROM (SELECT x.* FROM orders LATERAL VIEW posexplode(tags) x) AS q(a, c)",
    ],
)
def test_what_cannot_be_followed_is_made_of_everything(sql: str) -> None:
    assert fields(sql) >= EVERYTHING


@pytest.mark.parametrize(
    ("sql", "least"),
    [
        ("SELECT struct(who.*) AS c FROM orders", {"value.who.mail", "value.who.phone"}),
        ("SELECT concat_ws(',', who.*) AS c FROM orders", {"value.who.mail"}),
        ("SELECT to_json(struct(prod.orders.*)) AS c FROM prod.orders", EVERYTHING),
        ("SELECT more['k'] AS c FROM orders", {"value.more{}.a.b", "value.more{}.b"}),
        ("SELECT element_at(more, 'k') AS c FROM orders", {"value.more{}.a.b", "value.more{}.b"}),
        ("SELECT more['k'].a AS c FROM orders", {"value.more{}.a.b", "value.more{}.a.c"}),
        ("SELECT more.k.a AS c FROM orders", {"value.more{}.a.b", "value.more{}.a.c"}),
        ("SELECT transform(array(1), `emaıl` -> email) AS c FROM orders", {"value.email"}),
        (
            "SELECT customer.mail AS c FROM (SELECT who AS customer, region AS mail FROM orders) AS `cuſtomer`",
            {"value.who.mail"},
        ),
        ("SELECT c FROM (SELECT o.who.* FROM (SELECT who, email AS mail FROM orders) o) q(c, d)", {"value.who.mail"}),
        (
            "SELECT region AS c FROM (SELECT id, email FROM orders) a JOIN (SELECT id, region FROM users) b ON a.id = b.id"
            " PIVOT (max(email) FOR region IN ('EU' AS region))",
            {"value.email"},
        ),
        (
            "SELECT email AS c FROM (SELECT (email) FROM orders) a LEFT JOIN (SELECT region AS email FROM users) b"
            " USING (email)",
            {"value.email"},
        ),
        (
            "SELECT upper AS c FROM (SELECT email AS e, upper(email) FROM orders) a JOIN (SELECT region AS upper, id FROM users) b",
            {"value.email", "value.region"},
        ),
        (
            "SELECT region AS c FROM (SELECT * FROM (SELECT region, id FROM orders) a JOIN (SELECT id, note FROM users) b"
            " USING (id) UNION ALL SELECT * FROM (SELECT id, email FROM orders) d JOIN (SELECT id, region FROM users) e"
            " USING (id))",
            {"value.region", "value.email"},
        ),
        (
            "SELECT c FROM (SELECT * EXCEPT (a.email) FROM (SELECT id, region, email FROM orders) a JOIN"
            " (SELECT id, email, note FROM users) b USING (id)) q(k, r, c, n)",
            {"value.email"},
        ),
        (
            "SELECT s.mail AS c FROM (SELECT who AS s FROM orders UNION ALL SELECT more['k'].a AS s FROM orders)",
            {"value.who.mail", "value.more{}.a.b"},
        ),
        ("SELECT coalesce(who, more['k'].a).mail AS c FROM orders", {"value.who.mail", "value.more{}.a.b"}),
    ],
)
def test_what_spark_puts_in_a_column_is_among_its_fields(sql: str, least: set[str]) -> None:
    """Found by comparing flows with values that Spark gave."""
    assert fields(sql) >= least


def test_masks_are_kept_and_end_tags() -> None:
    mask = Mask("GENERALIZE", None, {"step": 5})
    by_column = flows(prepared("SELECT who AS c, email AS e FROM orders", {"who.mail": mask}), ["c", "e"])
    assert inherited(by_column) == {"value.e": {"EMAIL_ADDRESS": "from prod/orders value.email"}}
    kept = {(at, path): mask_of(data) for at, source, path, data in made_of(by_column)}
    assert kept == {
        ("value.c.mail", "value.who.mail"): mask,
        ("value.c.phone", "value.who.phone"): None,
        ("value.e", "value.email"): None,
    }


def test_a_count_holds_nothing_of_a_value() -> None:
    by_column = flows(prepared("SELECT region, count(email) AS n FROM orders GROUP BY region"), ["region", "n"])
    assert made_of(by_column) == [["value.region", "prod/orders", "value.region", None]] and not inherited(by_column)
