"""An aggregate over a compacted topic is refused with the two statements that do it, which both run."""

from __future__ import annotations

import re

import pytest

from catalog.errors import SqlRefused
from policies.gate import gate
from tests.unit.views.runner.test_compacted_topics import build

VALUE = "id STRING, email STRING, who STRUCT<city: STRING>, tags ARRAY<STRING>"


@pytest.mark.parametrize(
    ("sql", "create", "read"),
    [
        ("SELECT email, count(*) AS n FROM people GROUP BY email",
         "SELECT _key AS record_key, email FROM people",
         "SELECT email, count(*) AS n FROM newest_people GROUP BY email"),
        ("SELECT p.email AS e, max(p.id) AS top FROM people p WHERE p.id > 'a' GROUP BY p.email HAVING max(p.id) > 'b'",
         "SELECT _key AS record_key, email, id FROM people AS p WHERE p.id > '...'",
         "SELECT email AS e, max(id) AS top FROM newest_people GROUP BY email HAVING max(id) > '...'"),
        ("SELECT people.email, max(_key) AS k FROM people GROUP BY people.email",
         "SELECT _key AS record_key, email FROM people",
         "SELECT email, max(record_key) AS k FROM newest_people GROUP BY email"),
        ("SELECT count(*) AS n FROM people", "SELECT _key AS record_key FROM people", "SELECT count(*) AS n FROM newest_people"),
        ("SELECT id AS r, count(*) AS n FROM people GROUP BY r HAVING n > 1",
         "SELECT _key AS record_key, id FROM people",
         "SELECT id AS r, count(*) AS n FROM newest_people GROUP BY r HAVING n > 1"),
        ("SELECT DISTINCT id FROM people", "SELECT _key AS record_key, id FROM people", "SELECT DISTINCT id FROM newest_people"),
        ("SELECT who.city AS c, count(*) AS n FROM people GROUP BY who.city",
         "SELECT _key AS record_key, who FROM people",
         "SELECT who.city AS c, count(*) AS n FROM newest_people GROUP BY who.city"),
        ("SELECT p.who.city AS c, count(*) AS n FROM people p GROUP BY p.who.city",
         "SELECT _key AS record_key, who FROM people AS p",
         "SELECT who.city AS c, count(*) AS n FROM newest_people GROUP BY who.city"),
        ("SELECT t, count(*) AS n FROM people LATERAL VIEW explode(tags) x AS t GROUP BY t",
         "SELECT _key AS record_key, tags FROM people",
         "SELECT t, count(*) AS n FROM newest_people LATERAL VIEW explode(tags) x AS t GROUP BY t"),
        ("SELECT size(filter(tags, x -> x > id)) AS big, count(*) AS n FROM people GROUP BY size(filter(tags, x -> x > id))",
         "SELECT _key AS record_key, tags, id FROM people",
         "SELECT size(filter(tags, x -> x > id)) AS big, count(*) AS n FROM newest_people"
         " GROUP BY size(filter(tags, x -> x > id))"),
        ("SELECT window.start AS w, count(*) AS n FROM people GROUP BY window(_timestamp, '1 day')",
         "SELECT _key AS record_key, _timestamp AS record_time FROM people",
         "SELECT window.start AS w, count(*) AS n FROM newest_people GROUP BY window(record_time, '...')"),
        ("SELECT v.id, p.id AS own, count(*) AS n FROM people p JOIN vans v ON v._key = p.email WHERE p.email > v.email GROUP BY"
         " v.id, p.id",
         "SELECT p._key AS record_key, v.id, p.id AS p_id FROM people AS p JOIN vans AS v ON v._key = p.email"
         " WHERE p.email > v.email",
         "SELECT id, p_id AS own, count(*) AS n FROM newest_people GROUP BY id, p_id"),
        ("SELECT g.e, count(*) AS n FROM (SELECT upper(email) AS e FROM people WHERE id > 'a') g GROUP BY g.e",
         "SELECT _key AS record_key, upper(email) AS e FROM people WHERE id > '...'",
         "SELECT g.e, count(*) AS n FROM newest_people AS g GROUP BY g.e"),
        ("WITH g AS (SELECT email AS e FROM people) SELECT g.e, count(*) AS n FROM g GROUP BY g.e",
         "SELECT _key AS record_key, email AS e FROM people",
         "SELECT g.e, count(*) AS n FROM newest_people AS g GROUP BY g.e"),
    ],
)  # fmt: skip
def test_both_statements_are_named(sql: str, create: str, read: str) -> None:
    with pytest.raises(SqlRefused) as caught:
        build(sql, value=VALUE)
    message = caught.value.message
    match = re.search(
        r"newest rows: CREATE MATERIALIZED VIEW newest_people AS (.+); and aggregate .+ now: (.+); or join", message
    )
    assert match is not None, message
    assert match.groups() == (create, read)
    assert build(create, value=VALUE).shape.key == ("record_key",)
    gate.check(read.replace("record_time, '...'", "record_time, '1 day'"))  # as the asker has it
    assert "compactedAs: stream" in message and "'a'" not in message


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM people GROUP BY id UNION ALL SELECT id FROM vans",
        "SELECT id, count(*) AS n FROM people WHERE id IN (SELECT id FROM vans) GROUP BY id",
        "SELECT DISTINCT * FROM people",
        "SELECT id, max(_headers['a']) AS h FROM people GROUP BY id",
    ],
)
def test_other_queries_name_the_way(sql: str) -> None:
    with pytest.raises(
        SqlRefused, match=r"declare a view of its newest rows with a key and aggregate that when you read it|UNION"
    ):
        build(sql)
