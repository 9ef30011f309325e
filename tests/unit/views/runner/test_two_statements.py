"""An aggregate over a compacted topic is refused with the two statements that do it, which both run."""

from __future__ import annotations

import re

import pytest

from catalog.errors import SqlRefused
from policies.gate import gate
from tests.unit.views.runner.test_compacted_topics import build


@pytest.mark.parametrize(
    ("sql", "create", "read"),
    [
        ("SELECT email, count(*) AS n FROM people GROUP BY email",
         "SELECT _key AS record_key, email FROM people",
         "SELECT email, count(*) AS n FROM newest_people GROUP BY email"),
        ("SELECT p.email AS e, max(p.id) AS top FROM people p WHERE p.id > 'a' GROUP BY p.email HAVING max(p.id) > 'b'",
         "SELECT _key AS record_key, email, id FROM people AS p WHERE p.id > '...'",
         "SELECT p.email AS e, max(p.id) AS top FROM newest_people AS p GROUP BY p.email HAVING max(p.id) > '...'"),
        ("SELECT people.email, max(_key) AS k FROM people GROUP BY people.email",
         "SELECT _key AS record_key, email FROM people",
         "SELECT email, max(record_key) AS k FROM newest_people GROUP BY email"),
        ("SELECT count(*) AS n FROM people", "SELECT _key AS record_key FROM people", "SELECT count(*) AS n FROM newest_people"),
    ],
)  # fmt: skip
def test_both_statements_are_named(sql: str, create: str, read: str) -> None:
    with pytest.raises(SqlRefused) as caught:
        build(sql)
    message = caught.value.message
    match = re.search(
        r"newest rows: CREATE MATERIALIZED VIEW newest_people AS (.+); and aggregate .+ now: (.+); or join", message
    )
    assert match is not None, message
    assert match.groups() == (create, read)
    assert build(create).shape.key == ("record_key",)
    gate.check(read)
    assert "compactedAs: stream" in message and "'a'" not in message


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT DISTINCT id FROM people",
        "SELECT id, count(*) AS n FROM (SELECT id FROM people) GROUP BY id",
        "SELECT id FROM people GROUP BY id UNION ALL SELECT id FROM vans",
        "SELECT p.id, count(*) AS n FROM people p JOIN vans v ON v.id = p.id GROUP BY p.id",
        "SELECT email.a AS a, count(*) AS n FROM people GROUP BY email.a",
        "SELECT window.start AS w, count(*) AS n FROM people GROUP BY window(_timestamp, '1 minute')",
        "SELECT id, count(*) AS n FROM people WHERE id IN (SELECT id FROM vans) GROUP BY id",
    ],
)
def test_other_queries_name_the_way(sql: str) -> None:
    with pytest.raises(
        SqlRefused, match=r"declare a view of its newest rows with a key and aggregate that when you read it|UNION"
    ):
        build(sql)
