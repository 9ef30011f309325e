"""Following a view: a snapshot, then every change; resumed, masked, ended with the right, and never of two generations."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from api.config.settings import Settings
from api.features.views.changes import CHANGED, Event, ViewChanges
from catalog.errors import Conflict, LimitExceeded, NotAllowed, NotFound
from policies.query.service import GovernedQuery
from tests.served_view import ServedView, served_view

MASK = """
apiVersion: weir/v1
kind: Policy
metadata: {name: hide}
spec: {type: mask, match: {fields: [{dataset: prod/spend, path: value.%s}]}, mask: {type: %s}}
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedView]:
    with served_view(tmp_path) as view:
        yield view


def kinds(events: list[Event]) -> list[str]:
    return [each.type for each in events if each.type != "freshness"]


def some(kind: str, number: int = 1) -> Callable[[list[Event]], bool]:
    return lambda events: kinds(events).count(kind) >= number


def last_id(events: list[Event]) -> str:
    return [each.id for each in events if each.id][-1]


def test_all_rows_and_then_every_change(served: ServedView) -> None:
    served.serve(served.generation())
    served.write({"a@x.org": 1, "b@x.org": 2})
    with served.follow("ana") as reader:
        (first,) = reader.until(some("snapshot"))
        assert [each["name"] for each in first.data["columns"]] == ["email", "total"] and first.data["key"] == ["email"]
        assert first.data["rows"] == [["a@x.org", 1], ["b@x.org", 2]] and first.data["last"] is True
        assert first.data["generation"] == 1 and set(first.data["freshness"]) == {"records", "seconds", "at", "offsets"}
        served.write({"c@x.org": 5, "a@x.org": None})
        reader.until(some("upsert"))
        served.write({"b@x.org": 3})
        events = reader.until(some("upsert", 2))
        assert reader.shown()[1:] == [
            ("delete", [["a@x.org"], None]),
            ("upsert", [["c@x.org"], ["c@x.org", 5]]),
            ("upsert", [["b@x.org"], ["b@x.org", 3]]),
        ]
        assert all(each.data["generation"] == 1 and "freshness" in each.data for each in events)


def test_a_large_view_comes_in_pages_while_it_changes(served: ServedView) -> None:
    served.serve(served.generation())
    for batch in range(13):
        served.write({f"{n}@x.org": batch for n in range(batch * 200, batch * 200 + 200)})
    with served.follow("ana") as reader:
        served.write({"1@x.org": None, "2300@x.org": 77, "7@x.org": 78, "new@x.org": 1})
        reader.until(lambda events: "new@x.org" in json.dumps([each.data for each in events]) and bool(events[-1].id))
        pages = [each for each in reader.taken if each.type == "snapshot"]
        assert len(pages) > 3 and [each.data["last"] for each in pages] == [False] * (len(pages) - 1) + [True]
        table = reader.table()
        assert (
            len(table) == 2600 and "1@x.org" not in table and table["2300@x.org"][1] == 77 and table["7@x.org"][1] == 78
        )


def test_it_goes_on_behind_the_last_event(served: ServedView) -> None:
    served.serve(served.generation())
    for batch in range(8):
        served.write({f"{n}@x.org": 0 for n in range(batch * 200, batch * 200 + 200)})
    rng = random.Random(4)
    at: str | None = None
    rows: dict[str, Any] = {}
    for number in range(25):
        served.write({f"{rng.randrange(1600)}@x.org": rng.choice([None, number, number]) for _ in range(9)})
        with served.follow("ana", at) as reader:
            events = reader.until(lambda given: bool(kinds(given)) and any(each.id for each in given))
        events = reader.over()
        assert events[0].type == ("snapshot" if at is None else "resumed")
        for each in events:
            if each.type == "snapshot":
                rows |= {row[0]: row[1] for row in each.data["rows"]}
            elif each.type == "upsert":
                rows[each.data["row"][0]] = each.data["row"][1]
            elif each.type == "delete":
                rows.pop(each.data["key"][0], None)
            at = each.id or at
    with served.follow("ana", at) as reader:
        served.write({"the end": 1})
        for each in reader.until(lambda given: any(e.data.get("key") == ["the end"] for e in given)):
            if each.type in ("upsert", "delete"):
                rows.pop(each.data["key"][0], None)
                rows |= {each.data["key"][0]: each.data["row"][1]} if each.type == "upsert" else {}
            elif each.type == "snapshot":
                rows |= {row[0]: row[1] for row in each.data["rows"]}
    with served.follow("ana") as reader:
        reader.until(lambda given: any(each.type == "snapshot" and each.data["last"] for each in given))
        assert rows == {key: row[1] for key, row in reader.table().items()}


@pytest.mark.parametrize("given", ["nonsense", "", "1-" + "ab" * 8 + ".00000000.1", "9-" + "cd" * 8 + ".00000000.1"])
def test_an_id_that_cannot_be_resumed_gives_all_rows_and_the_reason(served: ServedView, given: str) -> None:
    served.serve(served.generation())
    served.write({"a@x.org": 1})
    with served.follow("ana", given) as reader:
        (first,) = reader.until(some("snapshot"))
        assert first.data["rows"] == [["a@x.org", 1]] and first.data["reason"].endswith(".")


def test_an_id_older_than_the_keys_that_are_gone_gives_all_rows(served: ServedView) -> None:
    served.serve(served.generation())
    served.write({"a@x.org": 1, "b@x.org": 1})
    with served.follow("ana") as reader:
        at = last_id(reader.until(some("snapshot")))
    served.write({"a@x.org": None})
    served.serving.forget_gone("spend", "1-" + "ab" * 8, datetime.now(UTC) + timedelta(days=1))
    with served.follow("ana", at) as reader:
        (first,) = reader.until(some("snapshot"))
        assert first.data["rows"] == [["b@x.org", 1]] and "older" in first.data["reason"]


def test_another_generation_is_one_event_and_all_rows_again(served: ServedView) -> None:
    served.serve(served.generation())
    served.write({"a@x.org": 1, "b@x.org": 2})
    second = served.generation(2, [["email", "string"], ["total", "string"]], why="its declaration changed")
    served.write({"b@x.org": 20}, second)
    with served.follow("ana") as reader:
        at = last_id(reader.until(some("snapshot")))
        served.serve(second)
        served.serving.drop("spend", "1-" + "ab" * 8)
        reader.until(some("snapshot", 2))
        served.write({"c@x.org": 30})
        events = [each for each in reader.until(some("upsert")) if each.type != "freshness"]
        assert [(each.type, each.data["generation"]) for each in events] == [
            ("snapshot", 1),
            ("generation", 2),
            ("snapshot", 2),
            ("upsert", 2),
        ]
        assert events[1].data["why"] == "its declaration changed" and reader.table() == {
            "b@x.org": ["b@x.org", 20],
            "c@x.org": ["c@x.org", 30],
        }
    with served.follow("ana", at) as reader:
        (first,) = reader.until(some("snapshot"))
        assert first.data["generation"] == 2 and "another generation" in first.data["reason"]


def test_a_right_that_ends_ends_the_stream(served: ServedView) -> None:
    served.serve(served.generation())
    served.write({"a@x.org": 1})
    with served.follow("ana") as reader:
        reader.until(some("snapshot"))
        served.world.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: ana}\nspec: {roles: []}\n")
        end = reader.over(5)[-1]
        assert end.type == "end" and end.data["code"] == "not_allowed" and end.data["reasons"]
        served.write({"later@x.org": 1})
        assert "later" not in json.dumps([each.data for each in reader.taken])


def test_a_mask_that_comes_gives_the_rows_as_they_are_seen_then(served: ServedView) -> None:
    served.serve(served.generation())
    served.write({"a@x.org": 1})
    with served.follow("ana") as reader:
        at = last_id(reader.until(some("snapshot")))
        served.world.apply(MASK % ("total", "MASK_NULL"))
        again = reader.until(some("snapshot", 2), 5)[-1]
        assert again.data["rows"] == [["a@x.org", None]] and again.data["reason"] == CHANGED
    with served.follow("ana", at) as reader:
        (first,) = reader.until(some("snapshot"))
        assert first.data["reason"] == CHANGED and first.data["rows"] == [["a@x.org", None]]


def test_a_masked_key_is_masked_in_every_event_and_chooses_no_order(served: ServedView) -> None:
    served.world.apply(MASK % ("email", "MASK_HASH"))
    served.serve(served.generation())
    names = [f"{name}@x.org" for name in "abcdefgh"]
    served.write(dict.fromkeys(names, 1))
    with served.follow("ana") as reader:
        reader.until(some("snapshot"))
        served.write(dict.fromkeys(names[:4]) | dict.fromkeys(names[4:], 2))
        events = reader.until(some("delete", 4))
    assert "@x.org" not in json.dumps([[each.data, each.id] for each in events])
    seen = [row[0] for row in events[0].data["rows"]]
    assert seen == sorted(seen) and len(set(seen)) == 8
    deleted = [each.data["key"][0] for each in events if each.type == "delete"]
    assert deleted == sorted(deleted) and set(deleted) < set(seen)


def test_a_view_without_rows_any_more_ends_the_stream(served: ServedView) -> None:
    served.serve(served.generation())
    with served.follow("ana") as reader:
        reader.until(some("snapshot"))
        served.serve(None, error={"code": "x", "message": "Otto may not read prod/orders.", "details": {}})
        end = reader.over(5)[-1]
    assert end.data["code"] == "conflict" and "Otto may not" in end.data["message"]


def test_refusals_come_before_the_stream(served: ServedView) -> None:
    services = served.world.services
    otto = served.subject("otto")
    live = services[GovernedQuery].running.begin(otto, "x", None, streaming=True)
    with pytest.raises(Conflict, match="no rows"):
        services[ViewChanges].follow(served.subject("ana"), "spend", None, live)
    served.serve(served.generation())
    with pytest.raises(NotAllowed):
        services[ViewChanges].follow(otto, "spend", None, live)
    with pytest.raises(NotFound):
        services[ViewChanges].follow(otto, "spand", None, live)
    entries = served.world.admin.get("/api/v1/audit?action=view.read").json()["entries"]
    assert [(each["actor"], each["decision"]) for each in entries] == [("otto", "deny")]


def test_a_view_without_a_key_gives_the_place_of_each_row(served: ServedView) -> None:
    served.serve(served.generation(keys=[]))
    served.write({"a@x.org": 1})
    with served.follow("ana") as reader:
        (first,) = reader.until(some("snapshot"))
        assert first.data["keys"] == [["a@x.org"]] and first.data["key"] == []


def test_the_http_door_streams_and_counts_as_a_push_query(served: ServedView) -> None:
    """Over the whole application; the stream is ended by a cancellation."""
    served.serve(served.generation())
    served.write({"a@x.org": 1})
    ana, services = served.world.user("ana"), served.world.services
    assert served.world.user("otto").get("/api/v1/views/spend/changes").status_code == 403
    assert ana.get("/api/v1/views/nothing/changes").status_code == 404

    def cancel() -> None:
        while not (running := ana.get("/api/v1/queries").json()["queries"]):
            pass
        assert running[0]["sql"] == "SELECT * FROM `spend` EMIT CHANGES" and running[0]["state"] == "streaming"
        ana.delete(f"/api/v1/queries/{running[0]['id']}")

    ending = threading.Thread(target=cancel)
    ending.start()
    answer = ana.get("/api/v1/views/spend/changes")
    ending.join()
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/event-stream")
    blocks = [dict(line.split(": ", 1) for line in block.split("\n")) for block in answer.text.strip().split("\n\n")]
    assert [each["event"] for each in blocks] == ["snapshot", "end"] and blocks[0]["id"].startswith("1-abab")
    assert json.loads(blocks[0]["data"])["rows"] == [["a@x.org", 1]] and "cancelled" in blocks[1]["data"]
    assert services[GovernedQuery].running.list(served.subject("ana")) == []
    for _ in range(services[Settings].query.streams_per_subject):
        services[GovernedQuery].running.begin(served.subject("ana"), "x", None, streaming=True)
    with pytest.raises(LimitExceeded):
        services[GovernedQuery].running.begin(served.subject("ana"), "x", None, streaming=True)
    assert ana.get("/api/v1/views/spend/changes").status_code == 429
