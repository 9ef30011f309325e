"""A star means the fields of a record; the columns beside them are taken out of it where a query names them."""

from __future__ import annotations

import pytest

from policies.gate import gate
from policies.sql.tables import TableRef


def run(sql: str) -> str:
    """The text that runs where the views of the tables have `_offset` and `_key`, without its back-quotes."""
    gated = gate.check(sql)
    system = {ref: ["_offset", "_key"] for ref in gated.tables if ref.parts[-1] != "plain"}
    return gated.render({ref: ref.parts[-1] for ref in gated.tables}, system).replace("`", "")


@pytest.mark.parametrize(
    ("sql", "rendered"),
    [
        ("SELECT a FROM t", "SELECT a FROM t AS t"),
        ("SELECT count(*) FROM t", "SELECT count(*) FROM t AS t"),
        ("SELECT * FROM t", "SELECT * EXCEPT (t._offset, t._key) FROM t AS t"),
        ("SELECT DISTINCT * FROM t", "SELECT DISTINCT * EXCEPT (t._offset, t._key) FROM t AS t"),
        ("SELECT o.*, _offset FROM t o", "SELECT o.* EXCEPT (o._offset, o._key), _offset FROM t AS o"),
        ("SELECT prod.t.* FROM prod.t", "SELECT t.* EXCEPT (t._offset, t._key) FROM t AS t"),
        ("SELECT customer.* FROM t", "SELECT customer.* FROM t AS t"),
        ("SELECT * EXCEPT (a, _KEY) FROM t", "SELECT * EXCEPT (a, t._offset, t._key) FROM t AS t"),
        (
            "SELECT * FROM t JOIN plain p JOIN t AS u",
            "SELECT * EXCEPT (t._offset, t._key, u._offset, u._key) FROM t AS t JOIN plain AS p ON TRUE JOIN t AS u ON TRUE",
        ),
        (
            "SELECT * FROM (SELECT *, _offset FROM t) WHERE _offset > 1",
            "SELECT * FROM (SELECT * EXCEPT (t._offset, t._key), _offset FROM t AS t) WHERE _offset > 1",
        ),
        (
            "SELECT to_json(struct(*)) FROM t",
            "SELECT to_json(struct(* EXCEPT (t._offset, t._key))) FROM t AS t",
        ),
        (
            "SELECT b FROM t AS u(a, b)",
            "SELECT b FROM (SELECT * EXCEPT (_offset, _key) FROM t) AS u(a, b)",
        ),
        (
            "SELECT * FROM t NATURAL JOIN plain",
            "SELECT * FROM (SELECT * EXCEPT (_offset, _key) FROM t) AS t NATURAL JOIN plain AS plain",
        ),
        (
            "SELECT * FROM t PIVOT (max(_offset) FOR a IN (1))",
            "SELECT * FROM (SELECT * EXCEPT (_key) FROM t) AS t PIVOT(max(_offset) FOR a IN (1))",
        ),
        (
            "SELECT * FROM t QUALIFY row_number() OVER (ORDER BY _offset) = 1",
            "SELECT * EXCEPT (weir_qualify) FROM (SELECT * EXCEPT (t._offset, t._key), (row_number() OVER (ORDER BY"
            " _offset) = 1) AS weir_qualify FROM t AS t) AS weir_qualified WHERE weir_qualify",
        ),
        ("WITH t AS (SELECT 1 AS _key) SELECT * FROM t", "WITH t AS (SELECT 1 AS _key) SELECT * FROM t"),
    ],
)
def test_what_runs(sql: str, rendered: str) -> None:
    assert run(sql) == rendered


def test_a_table_without_system_columns_keeps_its_star() -> None:
    gated = gate.check("SELECT * FROM t")
    assert gated.render({TableRef(("t",)): "v"}, {TableRef(("t",)): []}) == "SELECT * FROM `v` AS `t`"
