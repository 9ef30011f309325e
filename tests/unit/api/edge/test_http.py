"""The HTTP door over memory twins: routes, refusals, the one error body, declared state there and back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from catalog.search.service import Search
from tests.api_world import BOOTSTRAP, ApiWorld, world

GOVERNANCE = (Path(__file__).resolve().parents[3] / "fixtures" / "governance-example.yaml").read_text()


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path) as weir:
        yield weir


@pytest.fixture
def governed(weir: ApiWorld) -> ApiWorld:
    weir.apply(GOVERNANCE)
    return weir


def documents(text: str) -> list[dict[str, Any]]:
    return [d for d in yaml.safe_load_all(text) if d]


def by_name(hits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(hits, key=lambda d: str(d["metadata"]["name"]))


def test_the_example_applies_as_it_stands_and_comes_back_the_same(governed: ApiWorld) -> None:
    given = yaml.load_all(GOVERNANCE, Loader=yaml.BaseLoader)
    for document in filter(None, given):
        kind = document["kind"]
        back = governed.admin.get(f"/api/v1/declared/{kind}").json()["documents"]
        dumped = list(yaml.load_all(yaml.safe_dump_all(back), Loader=yaml.BaseLoader))
        assert document in dumped, f"{kind} {document['metadata']['name']}"
    again = governed.apply(GOVERNANCE)
    assert {change["action"] for change in again["changes"]} == {"unchanged"}


PROD = f"""
apiVersion: weir/v1
kind: Cluster
metadata: {{name: prod}}
spec: {{type: kafka, bootstrapServers: "{BOOTSTRAP}"}}
"""
READER = "---\napiVersion: weir/v1\nkind: Role\nmetadata: {name: reader}\nspec: {read: [{dataset: NAME/*}]}\n"


def names(weir: ApiWorld) -> tuple[list[str], list[str]]:
    """(clusters, references of datasets)."""
    clusters = weir.admin.get("/api/v1/clusters").json()["clusters"]
    datasets = weir.admin.get("/api/v1/datasets").json()["datasets"]
    return [c["name"] for c in clusters], [d["reference"] for d in datasets]


def test_a_cluster_met_by_a_scan_gets_the_name_that_is_declared(weir: ApiWorld) -> None:
    weir.scan(bootstrapServers=BOOTSTRAP)
    assert names(weir) == (["localhost"], ["localhost/orders"])
    weir.apply(PROD + READER.replace("NAME", "prod"))
    assert names(weir) == (["prod"], ["prod/orders"])
    assert weir.admin.get("/api/v1/datasets/prod/orders/schema").json()["version"] == 1
    assert weir.admin.get("/api/v1/search", params={"cluster": "prod", "kind": "dataset"}).json()["total"] == 1
    weir.scan(bootstrapServers=BOOTSTRAP)
    assert names(weir) == (["prod"], ["prod/orders"])
    # Further names that are declared are further names.
    weir.apply(PROD.replace("prod", "second"))
    assert names(weir) == (["prod", "second"], ["prod/orders"])


@pytest.mark.parametrize(
    "speaking",
    [
        READER.replace("NAME", "localhost"),
        "---\napiVersion: weir/v1\nkind: Dataset\nmetadata: {name: orders, cluster: localhost}\nspec: {tags: [x]}\n",
    ],
)
def test_a_name_that_documents_speak_of_stays(weir: ApiWorld, speaking: str) -> None:
    weir.scan(bootstrapServers=BOOTSTRAP)
    weir.apply(speaking)
    weir.apply(PROD)
    assert names(weir) == (["localhost", "prod"], ["localhost/orders"])


def test_a_search_takes_every_filter_of_its_page_and_each_several_times(governed: ApiWorld) -> None:
    def total(**asked: Any) -> int:
        count: int = governed.admin.get("/api/v1/search", params={"limit": 1, **asked}).json()["total"]
        return count

    everything = total()
    assert everything == total(kind=["dataset", "field"]) == total(kind="dataset") + total(kind="field")
    assert total(cluster="prod") == total(cluster=["prod", "nowhere"]) == everything
    assert total(cluster="nowhere") == total(namespace="nowhere") == total(format="avro") == 0
    assert 0 < total(format="json") == total(format=["json", "avro"]) <= everything
    assert total(entity=["EMAIL_ADDRESS", "PERSON"]) >= total(entity="EMAIL_ADDRESS") > 0
    assert total(owner="team-orders") == total(owner="group:team-orders") > 0


def test_what_comes_back_can_be_applied(governed: ApiWorld, tmp_path: Path) -> None:
    kinds = {d["kind"] for d in documents(GOVERNANCE)}
    out = [d for kind in sorted(kinds) for d in governed.admin.get(f"/api/v1/declared/{kind}").json()["documents"]]
    (tmp_path / "second").mkdir()
    with world(tmp_path / "second") as second:
        second.apply(yaml.safe_dump_all(out))
        for kind in kinds:
            before = governed.admin.get(f"/api/v1/declared/{kind}").json()["documents"]
            assert by_name(second.admin.get(f"/api/v1/declared/{kind}").json()["documents"]) == by_name(before)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (GOVERNANCE.replace("bootstrapServers", "bootstrapServer"), "bootstrapServer"),
        (GOVERNANCE.replace("kind: Role", "kind: Rolle", 1), "Rolle"),
        (GOVERNANCE.replace("type: mask", "type: maks", 1), "line 53"),
        ("apiVersion: weir/v1\nkind: Cluster\nmetadata: {name: a, name: b}\nspec: {}", "name"),
        ("a: [", "line"),
        ("just words", "line"),
    ],
)
def test_a_broken_file_is_refused_with_line_and_field_and_changes_nothing(
    weir: ApiWorld, text: str, named: str
) -> None:
    refused = weir.admin.post("/api/v1/apply", content=text.encode())
    assert refused.status_code == 400
    assert named in refused.json()["error"]["message"] and "line" in refused.text
    assert weir.admin.get("/api/v1/clusters").json()["clusters"] == []


def test_a_scan_fills_the_catalog_and_search(governed: ApiWorld) -> None:
    done = governed.scan(cluster="prod", topics=["orders"])
    assert (done["state"], done["problems"], [d["name"] for d in done["datasets"]]) == ("done", [], ["orders"])
    schema = governed.admin.get("/api/v1/datasets/prod/orders/schema").json()
    assert {"value.customer.email", "key", "headers.actor"} <= {f["path"] for f in schema["fields"]}
    assert schema["version"] == 1 and schema["window"]["records"] == 50
    hits = governed.admin.get("/api/v1/search", params={"q": "email", "kind": "field"}).json()["hits"]
    assert "value.customer.email" in {hit["path"] for hit in hits}
    tags = {
        (c["path"], c["entity"], c["state"])
        for c in governed.admin.get("/api/v1/datasets/prod/orders/classifications").json()
    }
    assert {
        ("value.customer.email", "EMAIL_ADDRESS", "confirmed"),
        ("headers.actor", "EMAIL_ADDRESS", "confirmed"),
    } <= tags


@pytest.mark.parametrize("namespace", ["prod", "kafka%3A%2F%2Flocalhost%3A9092", "kafka%3A%2F%2F127.0.0.1%3A9092"])
def test_a_dataset_is_found_by_every_name_of_its_cluster(governed: ApiWorld, namespace: str) -> None:
    assert governed.admin.get(f"/api/v1/datasets/{namespace}/orders").json()["reference"] == "prod/orders"


def test_a_scan_by_address_alone_makes_a_cluster(weir: ApiWorld) -> None:
    done = weir.scan(bootstrapServers=BOOTSTRAP, topics=["ord*"])
    assert done["state"] == "done" and [d["name"] for d in done["datasets"]] == ["orders"]
    assert [c["name"] for c in weir.admin.get("/api/v1/clusters").json()["clusters"]] == ["localhost"]


@pytest.mark.parametrize(
    ("asked", "status", "named"),
    [
        ({"cluster": "prod", "topics": ["nope"]}, 404, "nope"),
        ({"cluster": "nope"}, 404, "nope"),
        ({"bootstrapServers": "nowhere:1"}, 503, "nowhere:1"),
        ({"cluster": "prod", "sample": {"strategy": "psychic"}}, 400, "psychic"),
        ({"cluster": "prod", "sample": {"records": 0}}, 400, "records"),
        ({"topics": ["orders"]}, 400, "cluster"),
        ({"cluster": "prod", "topcis": ["orders"]}, 400, "topcis"),
    ],
)
def test_a_scan_that_cannot_be_is_refused_at_once(governed: ApiWorld, asked: Any, status: int, named: str) -> None:
    refused = governed.admin.post("/api/v1/scans", json=asked)
    assert refused.status_code == status, refused.text
    assert named in refused.json()["error"]["message"]


def test_lineage_goes_in_and_comes_out_by_any_name(governed: ApiWorld) -> None:
    event = {
        "eventTime": "2026-03-01T12:00:00Z",
        "eventType": "COMPLETE",
        "producer": "https://example.com/job",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json",
        "run": {"runId": "0190b6f8-0000-7000-8000-000000000001"},
        "job": {"namespace": "shop", "name": "copy"},
        "inputs": [{"namespace": "kafka://127.0.0.1:9092", "name": "orders"}],
        "outputs": [{"namespace": "kafka://localhost:9092", "name": "orders-copy"}],
    }
    assert governed.admin.post("/api/v1/lineage", json=event).status_code == 201
    governed.fold()
    for node in ("dataset:prod:orders", "dataset:kafka://localhost:9092:orders"):
        graph = governed.admin.get("/api/v1/lineage", params={"nodeId": node, "direction": "downstream"}).json()
        assert [(e["source"], e["target"]) for e in graph["edges"]] == [
            ("dataset:kafka://localhost:9092:orders", "dataset:kafka://localhost:9092:orders-copy")
        ]
    csv = governed.admin.get("/api/v1/impact", params={"nodeId": "dataset:prod:orders", "format": "csv"}).text
    assert "orders-copy" in csv


@pytest.mark.parametrize(
    ("body", "named"),
    [(b"{", "JSON"), (b"[]", "event"), (b"{}", "event"), (b'"x"', "event"), (b'{"run": 1, "job": 2}', "job")],
)
def test_what_is_no_event_is_refused_and_nothing_is_stored(weir: ApiWorld, body: bytes, named: str) -> None:
    refused = weir.admin.post("/api/v1/lineage", content=body)
    assert 400 <= refused.status_code < 500 and named.lower() in refused.json()["error"]["message"].lower()
    assert list(weir.log.read()) == []


def test_requests_go_through_stages_to_a_grant_and_back(governed: ApiWorld) -> None:
    governed.apply(
        "apiVersion: weir/v1\nkind: User\nmetadata: {name: petra}\nspec: {groups: [privacy]}\n---\n"
        "apiVersion: weir/v1\nkind: User\nmetadata: {name: ana}\nspec: {roles: [analyst]}\n"
    )
    governed.scan(cluster="prod", topics=["orders"])
    ana, otto, petra = (governed.user(name) for name in ("ana", "otto", "petra"))
    asked = ana.post(
        "/api/v1/access-requests",
        json={"dataset": "prod/orders", "fields": ["value.customer.email"], "purpose": "campaign"},
    )
    assert asked.status_code == 201, asked.text
    path = f"/api/v1/access-requests/{asked.json()['id']}"
    assert asked.json()["state"] == "pending" and asked.json()["stage"] == "owner"
    assert ana.post(f"{path}/approve").status_code == 403
    assert petra.post(f"{path}/approve").status_code == 403
    assert otto.post(f"{path}/approve", json={"reason": "fine"}).json()["stage"] == "privacy"
    done = petra.post(f"{path}/approve").json()
    assert done["state"] == "approved" and len(done["decisions"]) == 2
    grants = ana.get("/api/v1/grants").json()["grants"]
    assert [(g["dataset"], g["status"]) for g in grants] == [("prod/orders", "approved")]
    assert otto.delete(f"/api/v1/grants/{grants[0]['name']}").json()["status"] == "revoked"
    assert petra.post(f"{path}/deny").status_code == 409
    assert governed.admin.get("/api/v1/audit/verify").json()["holds"] is True
    actions = [e["action"] for e in governed.admin.get("/api/v1/audit").json()["entries"]]
    assert {"request.create", "request.approve", "grant.revoke", "apply", "scan.start"} <= set(actions)


PLAIN_USER_REFUSED = [
    ("POST", "/api/v1/apply"),
    ("POST", "/api/v1/scans"),
    ("POST", "/api/v1/tokens"),
    ("GET", "/api/v1/tokens"),
    ("GET", "/api/v1/audit"),
    ("GET", "/api/v1/audit/verify"),
    ("GET", "/api/v1/reports/where-is?entity=PII"),
    ("POST", "/api/v1/rebuild/search"),
    ("POST", "/api/v1/lineage"),
    ("POST", "/api/v1/lineage/batch"),
]


@pytest.mark.parametrize(("method", "path"), PLAIN_USER_REFUSED)
def test_a_plain_user_may_not_manage(governed: ApiWorld, method: str, path: str) -> None:
    body = {"cluster": "prod", "user": "x"} if method == "POST" else None
    refused = governed.user("nobody").request(method, path, json=body)
    assert refused.status_code == 403, refused.text
    assert refused.json()["error"]["details"]["reasons"]


def test_every_route_but_health_asks_for_a_token(weir: ApiWorld) -> None:
    client = weir.anonymous()
    spec = client.get("/openapi.json").json()
    sign_in = (
        "session",
        "login/{provider}",
        "callback/{provider}",
        "backchannel/{provider}",
        "device",
        "device/poll",
        "device/{code}",
        "device/{code}/continue",
        "device/{code}/refuse",
        "device/{code}/let-in",
    )
    where_to_sign_in = {f"/.well-known/oauth-protected-resource{path}" for path in ("", "/mcp")}
    open_routes = {"/healthz", "/readyz", "/metrics", *where_to_sign_in, *(f"/api/v1/auth/{path}" for path in sign_in)}
    for path, methods in spec["paths"].items():
        for method in methods:
            filled = path.replace("{", "").replace("}", "")
            status = client.request(method, filled).status_code
            assert (status != 401) if path in open_routes else (status == 401), f"{method} {path}: {status}"


def test_two_authorizations_are_none(weir: ApiWorld) -> None:
    """Servers before this one may have looked at the other of the two."""
    given = weir.admin.headers["authorization"]
    twice = weir.anonymous().get("/api/v1/datasets", headers=[("Authorization", given), ("Authorization", given)])
    assert twice.status_code == 401 and "more than one" in twice.json()["error"]["message"]


def test_an_unexpected_failure_tells_nothing_of_itself(weir: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("secret person1@mail.example.com")

    monkeypatch.setattr(weir.services[Search], "search", broken)
    failed = weir.admin.get("/api/v1/search", params={"q": "x"})
    assert failed.status_code == 500 and "person1" not in failed.text and "Traceback" not in failed.text
    assert failed.json()["error"]["details"]["reference"]


def test_a_body_that_is_too_large_is_refused(weir: ApiWorld) -> None:
    mib = 1024 * 1024
    for path, most in (("/api/v1/lineage/batch", 64), ("/api/v1/apply", 4), ("/api/v1/decisions", 4)):
        refused = weir.admin.post(path, content=b"x" * (most * mib + 1))
        assert refused.status_code == 413 and f"{most} MiB" in refused.json()["error"]["message"]
    events = weir.admin.post("/api/v1/lineage/batch", content=b"[" + b" " * (5 * mib) + b"]")
    assert events.status_code == 200


def test_metrics_and_security_headers(weir: ApiWorld) -> None:
    weir.admin.get("/api/v1/datasets")
    metrics = weir.anonymous().get("/metrics")
    assert 'weir_http_requests_total{method="GET",route="/api/v1/datasets",status="200"} 1.0' in metrics.text
    assert metrics.headers["x-content-type-options"] == "nosniff"
    page = weir.anonymous().get("/")
    assert page.status_code == 200 and "default-src 'none'" in page.headers["content-security-policy"]


def test_pruning_leaves_grants_of_approved_requests(governed: ApiWorld) -> None:
    governed.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: petra}\nspec: {groups: [privacy]}\n")
    governed.scan(cluster="prod", topics=["orders"])
    asked = {"dataset": "prod/orders", "fields": ["value.region"], "purpose": "campaign"}
    request = governed.user("ana").post("/api/v1/access-requests", json=asked).json()
    for name in ("otto", "petra"):
        governed.user(name).post(f"/api/v1/access-requests/{request['id']}/approve")
    pruned = governed.admin.post("/api/v1/apply?prune=true", content=GOVERNANCE.encode()).json()["changes"]
    assert [c["name"] for c in pruned if c["action"] == "delete"] == ["petra"]
    grants = governed.admin.get("/api/v1/grants").json()["grants"]
    assert {g["dataset"] for g in grants} == {"prod/orders", "prod/payments"}


def test_datasets_with_any_personal_data_are_listed(governed: ApiWorld) -> None:
    governed.scan(cluster="prod", topics=["orders"])
    for entity, count in (("PII", 1), ("EMAIL_ADDRESS", 1), ("CREDIT_CARD", 0)):
        answer = governed.admin.get("/api/v1/datasets", params={"entity": entity}).json()
        assert (answer["total"], len(answer["datasets"])) == (count, count), entity


def test_long_answers_are_compressed(weir: ApiWorld) -> None:
    assert weir.admin.get("/openapi.json").headers["content-encoding"] == "gzip"


def test_a_preview_and_a_list_of_decisions_have_an_end(governed: ApiWorld) -> None:
    long = {"mask": {"type": "MASK"}, "values": ["short", "x" * 10_001]}
    refused = governed.admin.post("/api/v1/policies/masks/preview", json=long)
    assert refused.status_code == 400 and "10,000 characters" in refused.json()["error"]["message"]
    many = {"requests": [{"dataset": "prod/orders"}] * 1001}
    refused = governed.admin.post("/api/v1/decisions", json=many)
    assert refused.status_code == 400 and "1000" in refused.json()["error"]["message"]
