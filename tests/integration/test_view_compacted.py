"""Views over compacted topics on real Kafka and Spark, in one batch and in many: the rows at the end are those of
the same SQL over the newest record of each key."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tests.answer_check import CheckedClient
from tests.integration.test_views import BASE, rows, view
from tests.view_world import ViewWorld, view_world
from tests.waiting import until

pytestmark = [pytest.mark.integration, pytest.mark.slow, pytest.mark.tail, pytest.mark.timeout(900)]

Records = list[tuple[str, dict[str, Any] | None]]
VANS: Records = [
    ("a", {"van": "a", "town": "Ulm", "load": 5}),
    ("b", {"van": "b", "town": "Bonn", "load": 7}),
    ("a", {"van": "a", "town": "Ulm", "load": 9}),
    ("c", {"van": "c", "town": "Köln", "load": 1}),
    ("b", None),
    ("d", {"van": "d", "town": "Ulm", "load": 2}),
    ("c", {"van": "c", "town": "Köln", "load": 8}),
    ("d", None),
    ("d", {"van": "d", "town": "Bonn", "load": 6}),
    ("a", {"van": "a", "town": "Ulm", "load": 0}),
    ("nobody", None),
]
TOWNS: Records = [("Ulm", {"town": "Ulm", "land": "BW"}), ("Bonn", {"town": "Bonn", "land": "NW"}), ("Bonn", None)]
CALLS: Records = [(f"{van}{load}", {"van": van, "load": load}) for van in "abcd" for load in (7, 1)]
QUERIES = {
    "newest": ("SELECT van, town, load FROM {vans}", "van"),
    "chosen": ("SELECT van, load * 2 AS twice FROM {vans} WHERE load > 5", "van"),
    "of-key": ("SELECT _key AS id, town FROM {vans} WHERE town <> 'Bonn'", ""),
    "computed": ("SELECT concat('van-', van) AS v, load FROM {vans}", "v"),
    "joined": ("SELECT v.van, t.land FROM {vans} v JOIN {towns} t ON t.town = v.town", "van"),
    "joined-expression": ("SELECT v.van, t.land FROM {vans} v JOIN {towns} t ON upper(t._key) = upper(v.town)", "van"),
    "three": (
        "SELECT v.van, t.land, w.land AS again FROM {vans} v JOIN {towns} t ON concat(t._key, '') = v.town"
        " JOIN {towns} w ON w._key = t.town",
        "van",
    ),
    "own-key": ("SELECT v._key AS k, t.land FROM {vans} v JOIN {towns} t ON t._key = v.town", ""),
    "inequality": ("SELECT v.van, t.land FROM {vans} v JOIN {towns} t ON t._key < v.van AND t.land = 'BW'", "van"),
    # Of the loads of a van several fit; the ones that WHERE leaves out must not take the row away.
    "one-of-several": (
        "SELECT v.van, c.load > 6 AS big FROM {vans} v JOIN {calls} c ON c.van = v.van WHERE c.load > 6",
        "van",
    ),
    "comma": ("SELECT v.van, t.land FROM {vans} v, {towns} t WHERE t._key = v.town AND v.load > 0", "van"),
    "counted-table": (
        "SELECT v.van, t.n FROM {vans} v JOIN (SELECT town, count(*) AS n FROM {towns} GROUP BY town) t ON t.town = v.town",
        "van",
    ),
    "subquery": ("SELECT n, load FROM (SELECT van AS n, load FROM {vans} WHERE load < 9) WHERE load > 0", "n"),
}
FILTER = """
apiVersion: weir/v1
kind: Policy
metadata: {name: only-ulm}
spec: {type: row-filter, match: {datasets: ["prod/%s"]}, subjects: {users: [out]}, where: "town = 'Ulm'"}
"""


MAKER = """
apiVersion: weir/v1
kind: Role
metadata: {name: making}
spec: {read: [{dataset: "prod/*"}], permissions: [manage]}
---
apiVersion: weir/v1
kind: User
metadata: {name: maker}
spec: {roles: [making]}
"""


# Four records in two partitions: some batches hold several records of a key, and each key is in several batches.
@pytest.fixture(scope="module", params=[None, 4], ids=["one batch", "four records a batch"])
def world(request: Any, tmp_path_factory: pytest.TempPathFactory, stack: Any) -> Iterator[ViewWorld]:
    with view_world(tmp_path_factory.mktemp("compacted"), stack, request.param) as each:
        each.apply(BASE % each.kafka)
        yield each


def send(world: ViewWorld, topic: str, records: Records) -> None:
    world.send(topic, [value for _, value in records], [key for key, _ in records])


def table(records: Records) -> list[dict[str, Any]]:
    newest = dict(records)
    return [value for value in newest.values() if value is not None]


def at_once() -> Mapping[str, list[tuple[Any, ...]]]:
    """The answers over the newest record of each key."""
    vans, towns = table(VANS), {each["town"]: each["land"] for each in table(TOWNS)}
    return {
        "newest": [(v["van"], v["town"], v["load"]) for v in vans],
        "chosen": [(v["van"], v["load"] * 2) for v in vans if v["load"] > 5],
        "of-key": [(v["van"], v["town"]) for v in vans if v["town"] != "Bonn"],
        "computed": [(f"van-{v['van']}", v["load"]) for v in vans],
        "joined": [(v["van"], towns[v["town"]]) for v in vans if v["town"] in towns],
        "joined-expression": [(v["van"], towns[v["town"]]) for v in vans if v["town"] in towns],
        "three": [(v["van"], towns[v["town"]], towns[v["town"]]) for v in vans if v["town"] in towns],
        "own-key": [(v["van"], towns[v["town"]]) for v in vans if v["town"] in towns],
        "inequality": [(v["van"], "BW") for v in vans],
        "one-of-several": [(v["van"], True) for v in vans],
        "comma": [(v["van"], towns[v["town"]]) for v in vans if v["town"] in towns and v["load"] > 0],
        "counted-table": [(v["van"], 1) for v in vans if v["town"] in towns],
        "subquery": [(v["van"], v["load"]) for v in vans if 0 < v["load"] < 9],
    }


def test_the_newest_record_of_each_key_counts(world: ViewWorld) -> None:
    vans, towns, calls = (world.topic(name, cleanup_policy="compact") for name in ("vans", "towns", "calls"))
    send(world, towns, TOWNS)
    send(world, calls, CALLS)
    send(world, vans, VANS)
    world.scan(vans, towns, calls)
    names = {"vans": f"`prod`.`{vans}`", "towns": f"`prod`.`{towns}`", "calls": f"`prod`.`{calls}`"}
    world.apply(FILTER % vans)
    world.apply(
        "\n---\n".join(
            view(name, json.dumps(sql.format(**names)), f"  key: [{key}]\n" if key else "")
            for name, (sql, key) in QUERIES.items()
        )
    )
    kept = f"  key: [van]\n  sink: {{cluster: prod, topic: {vans}-ulm}}\n"
    sql = f'"SELECT van, town, load FROM {names["vans"]}"'
    world.apply(view("ulm", sql, kept, "out"))
    counted = view("counted", f'"SELECT town, count(*) AS n FROM {names["vans"]} GROUP BY town"')
    refused = world.admin.post("/api/v1/apply", content=counted.encode())
    assert refused.status_code == 400 and "compactedAs: stream" in refused.text
    world.apply(view("each", f'"SELECT van, load FROM {names["vans"]}"'))
    world.apply(view("wrong", sql, "  key: [town]\n"))
    world.run()
    expected = at_once()
    for name in QUERIES:
        world.current(name, len(VANS))
        assert sorted(tuple(row.values()) for row in rows(world, name).values()) == sorted(expected[name]), name
    world.current("ulm", len(VANS))
    # The filter's rows go when their newer record is hidden; no value of a hidden record is in the topic.
    assert [tuple(row.values()) for row in rows(world, "ulm").values()] == [("a", "Ulm", 0)]
    assert not [value for _, value, _ in world.records(f"{vans}-ulm") if value is not None and b"Ulm" not in value]
    world.current("each", len(VANS))
    assert len(rows(world, "each")) == sum(value is not None for _, value in VANS), "each record but those that delete"
    assert "has no key" in world.view("each")["notes"][-1]
    other = world.until("wrong", lambda v: v["state"] == "failed")
    assert "is not its town" in other["error"]["message"] and "offset" in other["error"]["message"]
    # Deleted at the source: gone from the view, and from its topic by a record without a value.
    send(world, vans, [("a", None)])
    world.until("newest", lambda _: '["a"]' not in rows(world, "newest"))
    world.until("ulm", lambda _: rows(world, "ulm") == {})
    assert [value for key, value, _ in world.records(f"{vans}-ulm") if key == b"a"][-1] is None
    world.halt()


def counts(records: Records, where: int = -1) -> list[list[Any]]:
    """Of each land, over the newest record of each van: how many, their load, and the least."""
    towns = {each["town"]: each["land"] for each in table(TOWNS)}
    groups: dict[str | None, list[int]] = {}
    for each in table(records):
        if each["load"] > where:
            groups.setdefault(towns.get(each["town"]), []).append(each["load"])
    return sorted(([land, len(loads), sum(loads), min(loads)] for land, loads in groups.items()), key=str)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT t.land, count(*) AS n, sum(v.load) AS total, min(v.load) AS least FROM {vans} v"
            " LEFT JOIN {towns} t ON t._key = v.town GROUP BY t.land",
            lambda records: counts(records),
        ),
        (
            "SELECT town, count(*) AS n FROM {vans} WHERE load > 0 GROUP BY town HAVING n > 0",
            lambda records: sorted(
                [town, n] for town, n in Counter(v["town"] for v in table(records) if v["load"] > 0).items()
            ),
        ),
        (
            "SELECT DISTINCT town FROM {vans}",
            lambda records: sorted([town] for town in {v["town"] for v in table(records)}),
        ),
        (
            "SELECT g.size, count(*) AS n FROM (SELECT load DIV 5 AS size FROM {vans}) g GROUP BY g.size",
            lambda records: sorted([size, n] for size, n in Counter(v["load"] // 5 for v in table(records)).items()),
        ),
    ],
    ids=["joined", "chosen", "distinct", "computed"],
)
def test_the_two_statements_of_the_refusal_count_the_newest_rows(
    world: ViewWorld, sql: str, expected: Callable[[Records], list[list[Any]]]
) -> None:
    """They are run as the refusal writes them; rows that change or go are taken back in every aggregate."""
    vans, towns = (world.topic(name, cleanup_policy="compact") for name in ("vans", "towns"))
    send(world, towns, TOWNS)
    send(world, vans, VANS)
    world.scan(vans, towns)
    asked = sql.format(vans=f"`prod`.`{vans}`", towns=f"`prod`.`{towns}`")
    refused = world.admin.post("/api/v1/apply", content=view("counted", json.dumps(asked)).encode())
    assert refused.status_code == 400, refused.text
    named = re.search(
        r"(CREATE MATERIALIZED VIEW (\S+) AS .+?); and aggregate .+? now: (.+?); or join",
        refused.json()["error"]["message"],
    )
    assert named is not None, refused.text
    create, name, read = named.groups()
    world.apply(MAKER)
    maker = world.user("maker")
    created = maker.post("/api/v1/query", json={"sql": create})
    assert created.status_code == 200, created.text
    world.run()
    try:
        world.current(name, len(VANS))
        assert asked_for(maker, read) == expected(VANS)
        more: Records = [
            ("a", {"van": "a", "town": "Bonn", "load": 3}),
            ("c", None),
            ("e", {"van": "e", "town": "Ulm", "load": 4}),
        ]
        send(world, vans, more)
        until(lambda: asked_for(maker, read) == expected(VANS + more))
    finally:
        world.halt()
        assert maker.post("/api/v1/query", json={"sql": f"DROP MATERIALIZED VIEW {name}"}).status_code == 200


def asked_for(maker: CheckedClient, sql: str) -> list[list[Any]]:
    answer = maker.post("/api/v1/query", json={"sql": sql})
    assert answer.status_code == 200, answer.text
    return sorted(answer.json()["rows"], key=str)
