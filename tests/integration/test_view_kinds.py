"""Kinds of statements that engines for streams are asked for, as views on real Kafka and Spark: each with the rows that it has to
have, written by hand. The records' times begin with the first milliseconds of 1970, and some come out of order or late."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tests.integration.test_views import BASE, rows, view
from tests.view_world import ViewWorld, view_world

pytestmark = [pytest.mark.integration, pytest.mark.slow, pytest.mark.tail, pytest.mark.timeout(900)]

END = 3_600_000
"""So late that whatever came before is over."""
ENDS = ("end", 8, 9, "1970-01-01T01:00:00Z")
"""What rows of records of that time have."""
Record = tuple[int, str | None, dict[str, Any] | None]
"""Milliseconds since 1970, key, value."""
STREAMS: Mapping[str, list[Record]] = {
    "orders": [
        (1, "1", {"id": 1, "region": "EU", "amount": 5, "van": "a", "tags": ["x", "y"]}),
        (4_999, "2", {"id": 2, "region": "US", "amount": 7, "van": "b", "tags": []}),
        (5_000, "3", {"id": 3, "region": "EU", "amount": None, "van": "c", "tags": ["x"]}),
        (12_000, "4", {"id": 4, "region": None, "amount": 1, "van": None, "tags": None}),
        (2_000, "5", {"id": 5, "region": "EU", "amount": 9, "van": "a", "tags": ["z", "z"]}),
        (40_000, "6", {"id": 6, "region": "US", "amount": 2, "van": "a", "tags": ["x"]}),
        (END, "9", {"id": 9, "region": "end", "amount": 0, "van": "a", "tags": ["end"]}),
    ],
    "payments": [
        (3_000, "1", {"id": 1, "paid": 5}),
        (15_500, "2", {"id": 2, "paid": 7}),
        (6_000, "3", {"id": 3, "paid": 4}),
        (41_000, "7", {"id": 7, "paid": 70}),
        (5_000, "1", {"id": 1, "paid": 1}),
        (END, "8", {"id": 8, "paid": 8}),
    ],
    "shipped": [
        (8_000, "1", {"id": 1, "by": "sea"}),
        (9_000, "3", {"id": 3, "by": "air"}),
        (END, "8", {"id": 8, "by": "end"}),
    ],
    # In batches of one record: what is behind the limit of the batch before is late, so the third moves it for the fourth.
    "late": [
        (1_000, None, {"who": "a"}),
        (60_000, None, {"who": "a"}),
        (61_000, None, {"who": "a"}),
        (2_000, None, {"who": "a"}),
        (52_000, None, {"who": "b"}),
        (END, None, {"who": "end"}),
    ],
}
TABLES: Mapping[str, list[Record]] = {
    "vans": [
        (1, "a", {"town": "Ulm", "load": 3}),
        (2, "b", {"town": "Bonn", "load": 4}),
        (3, "a", {"town": "Köln", "load": 8}),
        (4, "c", {"town": "Bonn", "load": 1}),
        (5, "b", None),
    ],
    "towns": [(1, "Köln", {"land": "NW"}), (2, "Bonn", {"land": "NW"}), (3, "Ulm", {"land": "BW"}), (4, "Ulm", None)],
}
NEAR = "p._timestamp BETWEEN o._timestamp - INTERVAL 10 SECONDS AND o._timestamp + INTERVAL 10 SECONDS"


@dataclass(frozen=True, slots=True)
class Kind:
    """sql   with {topic} for names; more: of the declaration; rows: those at the end, without those that the records END give
    late  how many records are dropped, where a batch has one record
    """

    sql: str
    rows: list[tuple[Any, ...]]
    more: str = ""
    late: int = 0


def at(second: float) -> str:
    return f"1970-01-01T00:{int(second // 60):02d}:{int(second % 60):02d}Z"


LIMIT = "  watermark: 10 seconds\n"
PATIENT = "  watermark: 1 minute\n"
KINDS = {
    "tumbling": Kind(
        "SELECT region, window.start AS ws, count(*) AS n, sum(amount) AS s FROM {orders}"
        " GROUP BY region, window(_timestamp, '5 seconds')",
        [("EU", at(0), 2, 14), ("US", at(0), 1, 7), ("EU", at(5), 1, None), (None, at(10), 1, 1), ("US", at(40), 1, 2)],
    ),
    # The window of the last record is open.
    "final": Kind(
        "SELECT region, window.start AS ws, count(*) AS n FROM {orders} GROUP BY region, window(_timestamp, '5 seconds')"
        " HAVING count(*) < 2 EMIT FINAL",
        [("US", at(0), 1), ("EU", at(5), 1), (None, at(10), 1), ("US", at(40), 1)],
        LIMIT,
    ),
    "brackets": Kind(
        "SELECT region, van, count(*) AS n FROM {orders} WHERE id < 9 GROUP BY (region, van)",
        [("EU", "a", 2), ("US", "b", 1), ("EU", "c", 1), (None, None, 1), ("US", "a", 1)],
    ),
    "hopping": Kind(
        "SELECT window.start AS ws, window.end AS we, count(*) AS n FROM {orders} WHERE region = 'EU'"
        " GROUP BY window(_timestamp, '10 seconds', '5 seconds')",
        [("1969-12-31T23:59:55Z", at(5), 2), (at(0), at(10), 3), (at(5), at(15), 1)],
    ),
    "session": Kind(
        "SELECT region, session_window.start AS a, session_window.end AS b, count(*) AS n FROM {orders}"
        " WHERE region IS NOT NULL GROUP BY region, session_window(_timestamp, '4 seconds')",
        [("EU", "1970-01-01T00:00:00.001000Z", at(9), 3), ("US", "1970-01-01T00:00:04.999000Z", "1970-01-01T00:00:08.999000Z", 1),
         ("US", at(40), at(44), 1)],
        PATIENT,
    ),
    "late-window": Kind(
        "SELECT who, window.start AS ws, count(*) AS n FROM {late} GROUP BY who, window(_timestamp, '10 seconds')",
        [("a", at(0), 1), ("a", at(60), 2), ("b", at(50), 1)],
        LIMIT,
        late=1,
    ),
    "late-group": Kind(
        "SELECT who, count(*) AS n FROM {late} GROUP BY who", [("a", 4), ("b", 1)], LIMIT
    ),
    "late-session": Kind(
        "SELECT who, session_window.start AS a, count(*) AS n FROM {late} GROUP BY who, session_window(_timestamp, '5 seconds')",
        [("a", at(1), 1), ("a", at(60), 2), ("b", at(52), 1)],
        LIMIT,
        late=1,
    ),
    "having": Kind(
        "SELECT region, count(*) AS n, avg(amount) AS m FROM {orders} GROUP BY region HAVING sum(amount) > 8 AND n > 1",
        [("EU", 3, 7.0), ("US", 2, 4.5)],
    ),
    "collected": Kind(
        "SELECT van, slice(sort_array(collect_list(amount), false), 1, 2) AS top, size(collect_set(region)) AS regions,"
        " min_by(id, _offset) AS first, max_by(id, _offset) AS last FROM {orders} WHERE id < 9 GROUP BY van",
        [("a", [9, 5], 2, 1, 6), ("b", [7], 1, 2, 2), ("c", [], 1, 3, 3), (None, [1], 0, 4, 4)],
    ),
    "explode": Kind(
        "SELECT id, explode(tags) AS tag FROM {orders}", [(1, "x"), (1, "y"), (3, "x"), (5, "z"), (5, "z"), (6, "x")]
    ),
    "inner": Kind(
        f"SELECT o.id, p.paid FROM {{orders}} o JOIN {{payments}} p ON p.id = o.id AND {NEAR}", [(1, 5), (1, 1), (3, 4)]
    ),
    "left": Kind(
        f"SELECT o.id, p.paid FROM {{orders}} o LEFT JOIN {{payments}} p ON p.id = o.id AND {NEAR}",
        [(1, 5), (1, 1), (2, None), (3, 4), (4, None), (5, None), (6, None)],
        PATIENT,
    ),
    "right": Kind(
        f"SELECT p.id, o.amount, p.paid FROM {{orders}} o RIGHT JOIN {{payments}} p ON p.id = o.id AND {NEAR}",
        [(1, 5, 5), (1, 5, 1), (2, None, 7), (3, None, 4), (7, None, 70)],
        PATIENT,
    ),
    "full": Kind(
        f"SELECT o.id AS o, p.id AS p FROM {{orders}} o FULL OUTER JOIN {{payments}} p ON p.id = o.id AND {NEAR}",
        [(1, 1), (1, 1), (2, None), (3, 3), (4, None), (5, None), (6, None), (None, 2), (None, 7)],
        PATIENT,
    ),
    "three-streams": Kind(
        f"SELECT o.id, p.paid, s.by FROM {{orders}} o JOIN {{payments}} p ON p.id = o.id AND {NEAR} JOIN {{shipped}} s"
        " ON s.id = o.id AND s._timestamp BETWEEN o._timestamp AND o._timestamp + INTERVAL 10 SECONDS",
        [(1, 5, "sea"), (1, 1, "sea"), (3, 4, "air")],
        PATIENT,
    ),
    "streams-and-table": Kind(
        f"SELECT o.id, p.paid, v.town FROM {{orders}} o JOIN {{payments}} p ON p.id = o.id AND {NEAR}"
        " JOIN {vans} v ON v._key = o.van",
        [(1, 5, "Köln"), (1, 1, "Köln"), (3, 4, "Bonn")],
    ),
    "joined-windows": Kind(
        "SELECT window.start AS ws, count(*) AS n, sum(p.paid) AS s FROM {orders} o JOIN {payments} p ON p.id = o.id"
        f" AND {NEAR} GROUP BY window(o._timestamp, '5 seconds')",
        [(at(0), 2, 6), (at(5), 1, 4)],
        PATIENT,
    ),
    "stream-table": Kind(
        "SELECT o.id, v.town FROM {orders} o LEFT JOIN {vans} v ON v._key = o.van",
        [(1, "Köln"), (2, None), (3, "Bonn"), (4, None), (5, "Köln"), (6, "Köln")],
    ),
    "counted-by-table": Kind(
        "SELECT v.town, count(*) AS n FROM {orders} o JOIN {vans} v ON v._key = o.van WHERE o.id < 9 GROUP BY v.town",
        [("Köln", 3), ("Bonn", 1)],
    ),
    "table": Kind("SELECT _key AS van, town FROM {vans} WHERE load > 2", [("a", "Köln")]),
    "foreign-key": Kind(
        "SELECT v._key AS van, t.land FROM {vans} v JOIN {towns} t ON t._key = v.town", [("a", "NW"), ("c", "NW")]
    ),
    "foreign-key-left": Kind(
        "SELECT v._key AS van, t.land FROM {vans} v LEFT JOIN {towns} t ON t._key = upper(v.town)",
        [("a", None), ("c", None)],
    ),
    "three-tables": Kind(
        "SELECT v._key AS van, t.land, w.land AS again FROM {vans} v JOIN {towns} t ON v.town = t._key"
        " LEFT JOIN {towns} w ON concat(w._key, '') = t._key WHERE v.load > 1 OR t.land = 'BW'",
        [("a", "NW", "NW")],
    ),
    "united": Kind(
        "SELECT id, 'order' AS kind FROM {orders} WHERE amount > 6 UNION ALL SELECT id, 'payment' FROM {payments} WHERE paid > 6",
        [(2, "order"), (5, "order"), (2, "payment"), (7, "payment")],
    ),
    "null-key": Kind("SELECT DISTINCT _key AS k, who FROM {late}", [(None, "a"), (None, "b")]),
    "positions": Kind("SELECT _offset AS o, _timestamp AS at FROM {shipped}", [(0, at(8)), (1, at(9))]),
}  # fmt: skip


UNFIT = {
    "cast-of-list": (
        "SELECT id,\n  CAST(tags AS INT) AS n FROM {orders}",
        "tags is an array, which cannot be cast to a whole number (INT)",
        "(line 2, column 8)",
    ),
    "sum-of-list": (
        "SELECT region, sum(tags) AS n FROM {orders} GROUP BY region",
        "its first argument is an array",
        "(line 1, column 16)",
    ),
}
"""Statements whose types do not fit, with the column and the types, and the place, that the failure names."""
SINGLY = ("session", "late-window", "late-group", "late-session", "full", "foreign-key")
"""Those that are asked in batches of one record, too."""


@pytest.fixture(scope="module", params=[None, 1], ids=["one batch", "one record a batch"])
def world(request: Any, tmp_path_factory: pytest.TempPathFactory, stack: Any) -> Iterator[tuple[ViewWorld, bool]]:
    """And whether a batch has one record."""
    singly = request.param is not None
    with view_world(tmp_path_factory.mktemp("kinds"), stack, request.param) as each:
        each.apply(BASE % each.kafka)
        names = {}
        for name, records in {**TABLES, **STREAMS}.items():
            compacted = {"cleanup_policy": "compact"} if name in TABLES else {}
            topic = each.topic(name, 1, **compacted)
            each.send(
                topic, [value for *_, value in records], [key for _, key, _ in records], [ms for ms, *_ in records]
            )
            names[name] = f"`prod`.`{topic}`"
        each.scan(*(name.split("`")[3] for name in names.values()))
        each.apply(
            "\n---\n".join(
                view(name, json.dumps(kind.sql.format(**names)), kind.more)
                for name, kind in KINDS.items()
                if (name in SINGLY if singly else not kind.late)
            )
            + "".join(
                "\n---\n" + view(name, json.dumps(sql.format(**names)))
                for name, (sql, *_) in UNFIT.items()
                if not singly
            )
        )
        each.run()
        yield each, singly


@pytest.mark.parametrize("name", KINDS)
def test_a_view_has_the_rows_that_its_statement_means(world: tuple[ViewWorld, bool], name: str) -> None:
    kind, (weir, singly) = KINDS[name], world
    if not (name in SINGLY if singly else not kind.late):
        pytest.skip("asked in the other form of batches")
    expected = sorted(kind.rows, key=str)
    weir.until(name, lambda v: v["lag"]["records"] == 0 and without_end(rows(weir, name)) == expected)
    assert weir.view(name)["counts"]["lateRecords"] == kind.late


@pytest.mark.parametrize("name", UNFIT)
def test_types_that_do_not_fit_are_named_with_their_place(world: tuple[ViewWorld, bool], name: str) -> None:
    weir, singly = world
    if singly:
        pytest.skip("asked in the other form of batches")
    _, types, place = UNFIT[name]
    message = weir.until(name, lambda v: v["state"] == "failed")["error"]["message"]
    assert types in message and place in message


def without_end(by_key: Mapping[str, Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    """Rows but for those of the records that close what came before."""
    each_row = (tuple(row.values()) for row in by_key.values())
    return sorted((row for row in each_row if not any(value == end for value in row for end in ENDS)), key=str)
