"""The demo's promises, driven as a stranger would: by HTTP with the tokens in WEIR_HOME, and by the command line."""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import httpx
import pytest

from tests.conftest import RunningWeir

pytestmark = [pytest.mark.e2e, pytest.mark.integration]


def test_it_is_ready(demo: RunningWeir) -> None:
    answer = httpx.get(f"{demo.url}/readyz", timeout=30)
    assert answer.status_code == 200
    assert answer.json()["status"] == "ready"


def test_tokens_are_private(demo: RunningWeir) -> None:
    for user in ("ana", "otto", "petra", "admin"):
        assert (demo.home / "tokens" / user).stat().st_mode & 0o777 == 0o600


def test_search_finds_email_fields_by_name_and_by_what_they_hold(demo: RunningWeir) -> None:
    with demo.client("ana") as ana:
        answer = ana.get("/api/v1/search", params={"q": "email", "kind": "field", "limit": 100}).json()
    assert answer["total"] >= len(answer["hits"]) > 5
    places = {(hit["name"], hit["path"]) for hit in answer["hits"]}
    assert ("orders", "value.customer.email") in places
    assert all(hit["kind"] == "field" for hit in answer["hits"])


def test_the_same_query_is_masked_for_ana_and_clear_for_petra(demo: RunningWeir) -> None:
    sql = {
        "sql": "SELECT order_id, customer.email AS email FROM prod.orders"
        " WHERE customer.email IS NOT NULL ORDER BY order_id",
        "limit": 50,
    }
    with demo.client("petra") as petra, demo.client("otto") as otto:
        clear = petra.post("/api/v1/query", json=sql)
        assert clear.status_code == 200, clear.text
        for grant in petra.get("/api/v1/grants").json()["grants"]:
            if grant["status"] == "approved":
                otto.delete(f"/api/v1/grants/{quote(grant['name'], safe='')}").raise_for_status()
    with demo.client("ana") as ana:
        masked = ana.post("/api/v1/query", json=sql)
        assert masked.status_code == 200, masked.text
    by_id = {row[0]: row[1] for row in clear.json()["rows"]}
    assert by_id and all("@" in mail for mail in by_id.values())
    hidden = {row[0]: row[1] for row in masked.json()["rows"]}
    same = by_id.keys() & hidden.keys()
    assert same and all(hidden[key] != by_id[key] for key in same)
    column = masked.json()["columns"][1]
    assert "EMAIL_ADDRESS" in json.dumps(column["decision"])


def test_sql_that_is_not_allowed_names_the_place(demo: RunningWeir) -> None:
    with demo.client("ana") as ana:
        refused = ana.post("/api/v1/query", json={"sql": "SELECT java_method('java.lang.System','getenv') FROM orders"})
    assert refused.status_code == 400
    error = refused.json()["error"]
    assert error["details"]["line"] == 1 and error["details"]["column"] >= 1


def test_a_dataset_one_may_not_read_is_refused_with_reasons(demo: RunningWeir) -> None:
    with demo.client("ana") as ana:
        refused = ana.post("/api/v1/query", json={"sql": "SELECT * FROM prod.payments"})
    assert refused.status_code == 403
    assert refused.json()["error"]["details"]["reasons"]


def test_lineage_goes_downstream_from_orders(demo: RunningWeir) -> None:
    with demo.client("ana") as ana:
        dataset = ana.get("/api/v1/datasets/prod/orders").json()
        node = f"dataset:{dataset['namespace']}:orders"
        graph = ana.get("/api/v1/lineage", params={"nodeId": node, "direction": "downstream"}).json()
        impact = ana.get(
            "/api/v1/impact",
            params={"nodeId": f"datasetField:{dataset['namespace']}:orders:value.customer.email"},
        ).json()
    assert node in {n["id"] for n in graph["nodes"]}
    assert len(graph["edges"]) >= 1 and graph["truncated"] is False
    assert impact["affected"] and {item["raw"] for item in impact["affected"]} == {True, False}


def test_the_report_names_every_planted_place_of_an_email(demo: RunningWeir) -> None:
    from api.demo.generator import PLANTED

    planted = {(p.topic, p.path) for p in PLANTED if p.entity == "EMAIL_ADDRESS"}
    with demo.client("petra") as petra:
        report = petra.get("/api/v1/reports/where-is", params={"entity": "EMAIL_ADDRESS"}).json()
        assert petra.get(
            "/api/v1/reports/where-is", params={"entity": "EMAIL_ADDRESS", "format": "html"}
        ).text.startswith("<!")
    places = {(place["name"], place["path"]) for place in report["places"]}
    assert planted <= places, f"missing: {sorted(planted - places)}"
    assert {path.split(".")[0] for _, path in planted} == {"key", "value", "headers"}
    orders = next(p for p in report["places"] if (p["name"], p["path"]) == ("orders", "value.customer.email"))
    assert orders["flows"] and orders["access"]


def test_the_audit_chain_holds_and_tells_of_the_queries(demo: RunningWeir) -> None:
    with demo.client("petra") as petra:
        verified = petra.get("/api/v1/audit/verify").json()
        entries = petra.get("/api/v1/audit", params={"actor": "ana", "limit": 100}).json()["entries"]
    assert verified["holds"] is True and verified["entries"] > 0
    assert any(entry["action"].startswith("query") for entry in entries)


def test_a_topic_nobody_has_seen_names_the_nearest(demo: RunningWeir) -> None:
    done = demo.command("scan", "prod", "--topics", "ordres", check=False)
    assert done.returncode == 1 and "orders" in done.stderr and "Traceback" not in done.stderr


def test_the_commands_answer_too(demo: RunningWeir) -> None:
    hits = json.loads(demo.command("search", "email", "--kind", "field", "-o", "json").stdout)
    assert hits["total"] > 5
    assert "value.customer.email" in demo.command("get", "schema", "prod/orders").stdout
    assert "holds" in demo.command("audit", "verify").stdout
    assert "affected" in demo.command("impact", "prod/orders", "--field", "value.customer.email", "-o", "json").stdout


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/datasets/prod/nothing-here", 404),
        ("/api/v1/lineage?nodeId=nonsense", 400),
        ("/api/v1/search?q=x&limit=100000", 400),
        ("/api/v1/reports/where-is", 400),
        ("/api/v1/nothing", 404),
    ],
)
def test_every_failure_has_the_one_body(demo: RunningWeir, path: str, status: int) -> None:
    with demo.client() as admin:
        answer = admin.get(path)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "details"} and error["message"].endswith(".")


@pytest.mark.parametrize("token", [None, "wrong", "weir_" + "A" * 43])
def test_no_token_or_a_wrong_one_is_401(demo: RunningWeir, token: str | None) -> None:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = httpx.get(f"{demo.url}/api/v1/datasets", headers=headers, timeout=30)
    assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"


def test_the_web_pages_are_served_with_their_files(demo: RunningWeir) -> None:
    index = httpx.get(demo.url, timeout=30)
    assert index.status_code == 200 and "default-src 'none'" in index.headers["content-security-policy"]
    scripts = re.findall(r'src="(/assets/[^"]+\.js)"', index.text)
    assert scripts, "the pages are not built: " + index.text[:200]
    script = httpx.get(demo.url + scripts[0], timeout=30)
    assert script.status_code == 200 and "immutable" in script.headers["cache-control"]
    assert script.headers["content-encoding"] == "gzip"
    assert httpx.get(f"{demo.url}/datasets/prod/orders", timeout=30).text == index.text
