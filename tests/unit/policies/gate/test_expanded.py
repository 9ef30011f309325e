"""The size of a plan once it is written out: the counts, what is refused, and at which doors."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.errors import SqlRefused
from policies.gate import gate
from policies.gate.cost.expanded_plan import Most, Size, size
from policies.plan.settings import QuerySettings

_WIDE = Most(10**9, 10**9)


def counted(sql: str) -> Size:
    return size(gate.check(sql, _WIDE).tree)


def chain(count: int, body: str = "SELECT a.id FROM {0} a JOIN {0} b ON a.id = b.id") -> str:
    """Named queries of which each mentions the one before as `body` does."""
    named = ["c0 AS (SELECT id FROM orders)"]
    named += [f"c{n} AS ({body.format(f'c{n - 1}')})" for n in range(1, count + 1)]
    return f"WITH {', '.join(named)} SELECT count(*) FROM c{count}"


@pytest.mark.parametrize(
    "body",
    [
        "SELECT a.id FROM {0} a JOIN {0} b ON a.id = b.id",
        "SELECT id FROM {0} UNION ALL SELECT id FROM {0}",
        "SELECT id FROM {0} WHERE id IN (SELECT id FROM {0})",
        "SELECT a.id FROM {0} a, LATERAL (SELECT id FROM {0}) b",
        "SELECT id, (SELECT max(id) FROM {0}) AS most FROM {0}",
        "SELECT a.id FROM (SELECT * FROM (SELECT * FROM {0}) x) a, {0}",
        "TABLE {0} EXCEPT TABLE {0}",
        "FROM {0} |> UNION ALL (FROM {0})",
        "WITH own AS (SELECT id FROM {0}) SELECT a.id FROM own a CROSS JOIN own b",
        "SELECT id FROM ({0} a JOIN {0} b USING (id))",
        "SELECT * FROM {0} PIVOT (count(1) FOR id IN (1 AS id)) JOIN {0}",
        "SELECT id FROM {0} WHERE EXISTS (SELECT 1 FROM {0} o WHERE o.id = 1)",
    ],
)
def test_a_chain_of_mentions_is_refused_at_once(body: str) -> None:
    begun = time.process_time()
    with pytest.raises(SqlRefused) as caught:
        gate.check(chain(21, body))
    assert time.process_time() - begun < 5
    details = caught.value.details
    assert details["reasons"] == ["plan-size"] and details["limit"] == "plan_relations"
    assert details["most"] == 256 and details["found"] >= 2**21
    assert f"{details['found']:,} relations" in caught.value.message and "256" in caught.value.message


def test_the_numbers_of_a_longer_chain_fit_in_json() -> None:
    with pytest.raises(SqlRefused) as caught:
        gate.check(chain(200))
    assert caught.value.details["found"] == 10**15 and "more than" in caught.value.message


def test_honest_queries_have_room() -> None:
    ten = ", ".join(f"c{n} AS (SELECT id, amount + {n} AS amount FROM orders)" for n in range(10))
    twice = " UNION ALL ".join(f"SELECT a.id FROM c{n} a JOIN c{n} b ON a.id = b.id" for n in range(10))
    assert gate.check(f"WITH {ten} {twice}")
    assert gate.check(chain(7))
    steps = "id AS x0, " + ", ".join(f"x{n} * 2 + x{n} AS x{n + 1}" for n in range(10))
    assert gate.check(f"SELECT {steps} FROM orders")
    assert gate.check("SELECT a, count(*) FROM orders GROUP BY CUBE (a, b, c, d, e, f, g, h)")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM (SELECT id AS x0, "
        + ", ".join(f"x{n} + x{n} AS x{n + 1}" for n in range(20))
        + " FROM orders) WHERE x20 > 1",
        "SELECT x FROM " + "(SELECT x + x AS x FROM " * 20 + "(SELECT id AS x FROM orders)" + ")" * 20 + " WHERE x > 5",
        chain(20, "SELECT *, * FROM {0}"),
        chain(20, "SELECT id + id AS id FROM {0}"),
        chain(20, "SELECT y + y AS id FROM {0} AS t(y)"),
        "SELECT count(*) FROM orders GROUP BY CUBE (" + ", ".join(f"c{n}" for n in range(25)) + ")",
        "SELECT count(*) FROM orders GROUP BY " + ", ".join(f"c{n}" for n in range(25)) + " WITH CUBE",
        "SELECT count(*) FROM orders GROUP BY CUBE (a, b, c, d, e, f), CUBE (g, h, i, j, k, l), ROLLUP (m, n, o, p, q)",
        "SELECT count(*) FROM orders GROUP BY GROUPING SETS (CUBE ("
        + ", ".join(f"c{n}" for n in range(25))
        + "), (a))",
    ],
)
def test_columns_that_grow_are_refused(sql: str) -> None:
    with pytest.raises(SqlRefused) as caught:
        gate.check(sql)
    assert caught.value.details["limit"] == "plan_expressions" and caught.value.details["reasons"] == ["plan-size"]


def test_the_settings_are_the_limit() -> None:
    most = QuerySettings(plan_relations=2).largest_plan()
    assert gate.check("SELECT 1 FROM a, b", most)
    with pytest.raises(SqlRefused, match="reads 3 relations; at most 2 are planned"):
        gate.check("SELECT 1 FROM a, b, c", most)


def test_a_name_is_the_nearest_one() -> None:
    inner = "SELECT * FROM (WITH c AS (SELECT 1 AS x) SELECT a.x FROM c a, c b)"
    assert counted(f"WITH c AS (SELECT 1 AS x FROM t, t u, t v) {inner}").relations == 2
    assert counted("WITH t AS (SELECT * FROM t) SELECT * FROM t, other.t").relations == 2


@dataclass(frozen=True)
class Body:
    """Mentions of tables (-1) and of named queries before, put together in one of the ways of _WAYS."""

    way: int
    mentions: tuple[int, ...]


_WAYS = (
    lambda names: "SELECT 1 AS id FROM " + " CROSS JOIN ".join(f"{name} m{n}" for n, name in enumerate(names)),
    lambda names: " UNION ALL ".join(f"SELECT id FROM {name}" for name in names),
    lambda names: (
        f"SELECT id FROM {names[0]}"
        + "".join(f" WHERE id IN (SELECT id FROM {n})" for n in names[1:2])
        + "".join(f" AND EXISTS (SELECT 1 FROM (SELECT * FROM {n}) q)" for n in names[2:])
    ),
    lambda names: "SELECT 1 AS id FROM " + ", ".join(f"(SELECT id FROM {name}) m{n}" for n, name in enumerate(names)),
)


def _bodies() -> st.SearchStrategy[list[Body]]:
    def at(index: int) -> st.SearchStrategy[Body]:
        mentions = st.lists(st.integers(-1, index - 1), min_size=1, max_size=3).map(tuple)
        return st.builds(Body, st.integers(0, len(_WAYS) - 1), mentions)

    return st.integers(1, 7).flatmap(lambda count: st.tuples(*(at(index) for index in range(count))).map(list))


def _written_out(bodies: list[Body], index: int) -> int:
    """Without a memo: as the engine would find them, one by one."""
    return sum(1 if mention < 0 else _written_out(bodies, mention) for mention in bodies[index].mentions)


@settings(max_examples=150, deadline=None)
@given(_bodies())
def test_relations_are_those_of_the_query_written_out(bodies: list[Body]) -> None:
    def name(mention: int) -> str:
        return "orders" if mention < 0 else f"c{mention}"

    named = [f"c{n} AS ({_WAYS[body.way]([name(m) for m in body.mentions])})" for n, body in enumerate(bodies)]
    sql = f"WITH {', '.join(named)} SELECT id FROM c{len(bodies) - 1}"
    # Named queries that nobody mentions are not planned, and not counted.
    assert counted(sql).relations == _written_out(bodies, len(bodies) - 1)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=7), st.sampled_from(["derived", "named", "lateral"]), st.booleans()
)
def test_expressions_are_at_least_those_written_out(uses: list[int], form: str, filtered: bool) -> None:
    """Each step adds up the one before `uses` times: the last one written out has the product of them as its names."""
    names = 1
    for count in uses:
        names *= count
    last = len(uses)
    steps = [" + ".join([f"x{n}"] * count) + f" AS x{n + 1}" for n, count in enumerate(uses)]
    if form == "lateral":
        sql = f"SELECT x{last} FROM (SELECT id AS x0, {', '.join(steps)} FROM orders)"
    elif form == "derived":
        sql = "(SELECT id AS x0 FROM orders)"
        for n, step in enumerate(steps):
            sql = f"(SELECT {step} FROM {sql} d{n})"
        sql = f"SELECT x{last} FROM {sql}"
    else:
        named = ["c0 AS (SELECT id AS x0 FROM orders)"]
        named += [f"c{n + 1} AS (SELECT {step} FROM c{n})" for n, step in enumerate(steps)]
        sql = f"WITH {', '.join(named)} SELECT x{last} FROM c{last}"
    text = sql + (f" WHERE x{last} > 1" if filtered else "")
    expressions = counted(text).expressions
    assert expressions >= names * (2 if filtered else 1)
    assert expressions <= (len(gate.check(text, _WIDE).sql.split()) + 20) * names * 4
