"""The demo is an assertion: an answer that contradicts the story must end it."""

from __future__ import annotations

import contextlib
import io
import json
import time
from typing import Any

import httpx
import pytest
from rich.console import Console

from api.demo.chapters import Chapters
from api.demo.client import ApiRefusal, Person, awaited
from api.demo.errors import DemoFailed
from api.demo.expect import known_addresses
from api.demo.generator import DERIVED, PLANTED
from api.demo.jobs import JobDone
from api.demo.story import Story
from api.demo.view_chapter import REVENUE

CLEAR = sorted(known_addresses())[:3]
NS = "kafka://localhost:9092"


class FakeWeir:
    """Answers as in the HTTP contract; a test bends one answer and looks whether the story notices."""

    def __init__(self) -> None:
        self.granted = False
        self.stage = 0
        self.scan_polls = 0
        self.calls: list[str] = []
        self.bent: dict[str, Any] = {}

    def person(self, name: str) -> Person:
        return Person(name, f"token-{name}", "http://weir", httpx.MockTransport(self.handle))

    def handle(self, request: httpx.Request) -> httpx.Response:
        who = request.headers["authorization"].removeprefix("Bearer token-")
        path = request.url.path.removeprefix("/api/v1/")
        self.calls.append(f"{who} {request.method} {path}")
        if path in self.bent:
            return httpx.Response(200, json=self.bent[path])
        body = json.loads(request.content) if request.content else {}
        answer = self.answer(who, request.method, path, body)
        if isinstance(answer, str):
            return httpx.Response(403, json={"error": {"code": "not_allowed", "message": answer, "details": {}}})
        return httpx.Response(200, json=answer)

    def answer(self, who: str, method: str, path: str, body: dict[str, Any]) -> Any:
        places = [
            {
                "namespace": NS,
                "name": p.topic,
                "path": p.path,
                "entity": p.entity,
                "state": "suggested",
                "share": p.share,
                "flows": [],
                "readers": [],
                "access": [],
            }
            for p in (*PLANTED, *DERIVED)
        ]
        if path.startswith("views/"):
            return self.view(who, path.split("/")[1], path.endswith("/rows"))
        if path == "query" and body["sql"] == REVENUE:
            return {
                "columns": [{"name": n} for n in ("region", "orders", "total")],
                "rows": [["EU", 3, "12.50"], ["UK", 1, "1"]],
            }
        if path == "query" and "count(*)" in body["sql"]:
            return {"columns": [{"name": n} for n in ("orders", "total")], "rows": [[4, "13.50"]]}
        if path == "query":
            rows = [["O-1", mail if self.granted else "3f" * 32] for mail in CLEAR]
            decision = {"effect": "mask", "text": "masked by mask-email"}
            columns = [
                {"name": "order_id", "type": "string", "decision": None},
                {"name": "email", "decision": decision},
            ]
            return {"columns": columns, "rows": rows, "decision": {}, "window": {}, "truncated": False}
        if path == "access-requests" and method == "GET":
            return {"requests": []}
        if path == "access-requests":
            return {"id": "r1", "state": "pending", "stage": "owner", "decisions": [], **body}
        if path == "access-requests/r1/approve":
            if who == "ana":
                return "nobody approves what they asked for themselves."
            self.stage += 1
            self.granted = self.stage == 2
            return {"id": "r1", "state": "approved" if self.granted else "pending", "stage": "privacy"}
        if path == "grants":
            grant = {"name": "g1", "status": "approved", "subject": "ana", "dataset": "prod/orders"}
            return {"grants": [grant] if self.granted else []}
        if path == "grants/g1":
            self.granted, self.stage = False, 0
            return None
        if path == "reports/where-is":
            return {"asked": {}, "gaps": [], "places": [p for p in places if p["entity"] == "EMAIL_ADDRESS"]}
        if path == "lineage":
            pairs = (
                ("orders", "revenue-by-region"),
                ("orders", "order-mails"),
                ("order-mails", "newsletter-audience"),
                ("clicks", "clicks.clean"),
            )
            edges = [
                {"source": f"dataset:{NS}:{a}", "target": f"dataset:{NS}:{b}", "job": "job:shop:j", "kind": "declared"}
                for a, b in pairs
            ]
            return {"nodes": [], "edges": edges, "truncated": False}
        if path == "impact":
            hit = {"type": "field", "hops": 1, "owners": []}
            return {
                "root": f"datasetField:{NS}:orders:value.customer.email",
                "affected": [
                    {**hit, "id": f"datasetField:{NS}:order-mails:value.to", "raw": True},
                    {**hit, "id": f"datasetField:{NS}:newsletter-audience:value.email_hash", "raw": False},
                ],
                "truncated": False,
            }
        if path == "audit/verify":
            return {"holds": True, "entries": 12, "head": {"seq": 12, "hash": "ab" * 32}}
        if path == "search":
            return {
                "total": 1,
                "hits": [{"kind": "field", "name": "orders", "path": "value.customer.email"}],
                "facets": {},
            }
        if path == "scans":
            return {"id": "s1"}
        if path == "scans/s1":
            self.scan_polls += 1
            state = "running" if self.scan_polls < 3 else "done"
            return {
                "id": "s1",
                "state": state,
                "progress": {"done": 1, "total": 2},
                "datasets": [{"name": "orders"}],
                "problems": [],
            }
        if path.endswith("/schema"):
            shapes = [{"share": 0.2, "paths": ["value.type"], "when": {"value.type": str(n)}} for n in range(5)]
            return {"version": 1, "format": {"value": "json"}, "fields": [], "shapes": shapes, "window": {"records": 5}}
        if path.endswith("/classifications"):
            return [p for p in places if p["name"] == path.split("/")[2]]
        raise AssertionError(f"the story asked {method} {path}")

    def view(self, who: str, name: str, rows: bool) -> Any:
        """One of the views of the story, or its rows."""
        if not rows:
            return {"name": name, "state": "running", "sources": ["prod/orders"], "rows": 5, "lag": {"records": 0}}
        if name == "fleet.positions":
            if who == "ana":
                return "You may not read the view fleet.positions."
            return {"rows": [[f"VAN-{number}", 50.1, 6.2, "2026-11-23T10:00:00Z"] for number in range(5)]}
        return {"rows": [["O-1", {"name": "xxx", "email": "3f" * 32, "phone": "xxx"}, "1.00", "EU", None]]}


def console() -> Console:
    return Console(width=120, record=True, file=io.StringIO())


def told(weir: FakeWeir) -> str:
    out = console()
    story = Story(weir.person("admin"), out, time.monotonic())
    people = (weir.person(name) for name in ("admin", "ana", "otto", "petra"))
    Chapters(story, out, *people).tell()
    return out.export_text()


def test_the_story_is_told_when_every_answer_is_right() -> None:
    text = told(FakeWeir())
    assert "masked by mask-email" in text
    assert CLEAR[0] in text
    assert "nobody approves what they asked for themselves" in text
    total = len(PLANTED) + len(DERIVED)
    assert f"{total} of {total} planted places" in text


def test_a_second_telling_revokes_the_grant_of_the_first() -> None:
    weir = FakeWeir()
    told(weir)
    weir.calls.clear()
    told(weir)
    assert "admin DELETE grants/g1" in weir.calls
    assert weir.calls.index("admin DELETE grants/g1") < weir.calls.index("ana POST query")


def test_a_clear_address_where_it_should_be_masked_ends_it() -> None:
    weir = FakeWeir()
    weir.bent["query"] = {"columns": [{"name": "email", "decision": None}], "rows": [[CLEAR[0]]]}
    with pytest.raises(DemoFailed, match="should have been masked"):
        told(weir)


def test_a_masked_address_after_the_approval_ends_it() -> None:
    weir = FakeWeir()
    weir.bent["query"] = {"columns": [{"name": "email", "decision": None}], "rows": [["3f3f"]]}
    with pytest.raises(DemoFailed, match="still did not see them unmasked"):
        told(weir)


def test_an_empty_answer_ends_it() -> None:
    weir = FakeWeir()
    weir.bent["query"] = {"columns": [{"name": "email", "decision": None}], "rows": []}
    with pytest.raises(DemoFailed, match="no rows"):
        told(weir)


def test_a_clear_address_in_the_masked_copy_ends_it() -> None:
    weir = FakeWeir()
    weir.bent["views/shop.orders/rows"] = {"rows": [["O-1", {"email": CLEAR[0]}, "1.00", "EU", None]]}
    with pytest.raises(DemoFailed, match="rows of a masked copy"):
        told(weir)


def test_a_view_with_other_sums_ends_it() -> None:
    weir = FakeWeir()
    real = weir.answer

    def answer(who: str, method: str, path: str, body: dict[str, Any]) -> Any:
        given = real(who, method, path, body)
        return {**given, "rows": [["EU", 3, "12.00"]]} if path == "query" and body["sql"] == REVENUE else given

    weir.answer = answer  # type: ignore[method-assign]
    with pytest.raises(DemoFailed, match="other sums than the 4 orders"):
        told(weir)


def test_self_approval_ends_it() -> None:
    weir = FakeWeir()
    weir.bent["access-requests/r1/approve"] = {"id": "r1", "state": "approved", "stage": "owner"}
    with pytest.raises(DemoFailed, match="her own request"):
        told(weir)


def test_a_report_that_lacks_a_key_ends_it() -> None:
    weir = FakeWeir()
    whole = weir.answer("petra", "GET", "reports/where-is", {})
    places = [p for p in whole["places"] if not (p["name"] == "newsletter" and p["path"] == "key")]
    weir.bent["reports/where-is"] = {**whole, "places": places}
    with pytest.raises(DemoFailed, match=r"lacks 1 places.*newsletter key"):
        told(weir)


def test_an_impact_that_calls_a_hash_raw_ends_it() -> None:
    weir = FakeWeir()
    whole = weir.answer("admin", "GET", "impact", {})
    weir.bent["impact"] = {**whole, "affected": [{**item, "raw": True} for item in whole["affected"]]}
    with pytest.raises(DemoFailed, match="newsletter-audience"):
        told(weir)


def test_a_broken_audit_chain_ends_it() -> None:
    weir = FakeWeir()
    weir.bent["audit/verify"] = {"holds": False, "entries": 3, "head": {"seq": 0, "hash": ""}, "firstBad": 2}
    with pytest.raises(DemoFailed, match="does not hold from entry 2"):
        told(weir)


def test_too_few_shapes_end_it() -> None:
    weir = FakeWeir()
    whole = weir.answer("admin", "GET", "datasets/prod/events/schema", {})
    weir.bent["datasets/prod/events/schema"] = {**whole, "shapes": whole["shapes"][:4]}
    with pytest.raises(DemoFailed, match="distinguished only 4"):
        told(weir)


def test_a_scan_is_followed_and_each_job_told_once() -> None:
    weir, out = FakeWeir(), console()
    story = Story(weir.person("admin"), out, time.monotonic())
    jobs = [JobDone("clean_clicks", 9.0)]
    story.follow(["orders"], jobs)
    story.jobs([*jobs, JobDone("daily_revenue", 12.0)], 1.0)
    text = out.export_text()
    assert story.first_visible is not None
    assert text.count("job clean_clicks") == 1
    assert text.count("job daily_revenue") == 1


def test_a_failed_scan_gives_its_reason() -> None:
    weir = FakeWeir()
    weir.bent["scans/s1"] = {
        "id": "s1",
        "state": "failed",
        "progress": {},
        "datasets": [],
        "problems": [{"message": "Spark is not there."}],
    }
    with pytest.raises(DemoFailed, match="ended as failed: Spark is not there"):
        Story(weir.person("admin"), console(), time.monotonic()).follow(["orders"], [])


def test_a_refusal_keeps_weirs_own_sentence() -> None:
    weir = FakeWeir()
    with pytest.raises(ApiRefusal, match="Weir refused ana: nobody approves") as caught:
        weir.person("ana").post("/api/v1/access-requests/r1/approve")
    assert caught.value.status == 403


def test_an_answer_that_is_not_weirs_is_said_so() -> None:
    person = Person("ana", "t", "http://weir", httpx.MockTransport(lambda _: httpx.Response(502, text="<html>")))
    with pytest.raises(DemoFailed, match="502 and no reason"):
        person.get("/api/v1/search")


@pytest.mark.parametrize(("busy", "patience_s", "answered"), [(2, 60.0, True), (2, 0.0, False)])
def test_a_server_that_answers_late_is_asked_again(busy: int, patience_s: float, answered: bool) -> None:
    refusal = {"error": {"code": "unavailable", "message": "The search server does not answer.", "details": {}}}
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(503, json=refusal) if len(asked) <= busy else httpx.Response(200, json={"hits": []})

    person = Person("ana", "t", "http://weir", httpx.MockTransport(answer), patience_s)
    if answered:
        assert person.get("/api/v1/search") == {"hits": []} and len(asked) == busy + 1
    else:
        with pytest.raises(ApiRefusal, match="does not answer"):
            person.get("/api/v1/search")
    with pytest.raises(ApiRefusal) if not answered else contextlib.nullcontext():
        person.post("/api/v1/scans")
    assert len(asked) == (busy + 2 if answered else busy), "what changes something is asked once"


def test_waiting_gives_up_and_names_what_it_waited_for() -> None:
    with pytest.raises(DemoFailed, match="The moon did not come"):
        awaited("The moon", lambda: None, seconds=0.0)
