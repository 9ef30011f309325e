"""Testing a connection over HTTP: what answers, what is wrong, and who may ask."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.config.settings import Settings
from api.features.clusters.cluster_trial import ClusterTrial
from catalog.errors import NotAllowed
from tests.api_world import ApiWorld, world

AT = "/api/v1/clusters/test"


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path) as created:
        yield created


def test_a_cluster_that_answers_is_described_and_not_stored(weir: ApiWorld) -> None:
    spec = {"bootstrapServers": "localhost:9092"}
    answer = weir.admin.post(AT, json={"name": "prod", "spec": spec})
    assert answer.status_code == 200, answer.text
    assert answer.json() == {
        "checks": [{"what": "Kafka", "ok": True, "message": "1 broker, 1 topics that this user may see."}],
        "clusterId": "cluster-1",
        "brokers": ["localhost:9092"],
        "topics": 1,
        "knownAs": None,
    }
    assert weir.admin.get("/api/v1/clusters").json()["clusters"] == []


PROD = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {type: kafka, bootstrapServers: "localhost:9092"}
"""


def test_a_declared_cluster_is_tested_by_its_name(weir: ApiWorld) -> None:
    weir.apply(PROD)
    answer = weir.admin.post("/api/v1/clusters/prod/test").json()
    assert answer["knownAs"] == "prod"
    assert answer["checks"][0]["message"].startswith("This is prod, already declared. 1 broker")
    entries = weir.admin.get("/api/v1/audit", params={"limit": 10}).json()["entries"]
    assert ("cluster.test", "prod") in {(each["action"], each["target"]) for each in entries}
    unknown = weir.admin.post("/api/v1/clusters/nowhere/test")
    assert unknown.status_code == 404 and "nowhere" in unknown.text
    assert weir.user("ana").post("/api/v1/clusters/prod/test").status_code == 403


def test_a_second_name_of_a_declared_cluster_is_noticed(weir: ApiWorld) -> None:
    weir.apply(PROD)
    weir.scan(cluster="prod", topics=["orders"])
    answer = weir.admin.post(AT, json={"name": "live", "spec": {"bootstrapServers": "elsewhere:9092"}}).json()
    assert answer["knownAs"] == "prod"
    assert "This is prod, already declared: a second name" in answer["checks"][0]["message"]


@pytest.mark.parametrize(
    ("port", "says"),
    [
        ("refused", "Nobody listens at nowhere:1"),
        ("unknown host", "host name of nowhere:1 is not known"),
        ("no answer", "firewall"),
        ("open", "nowhere:1 is open, but no Kafka answers there without TLS and sign-in"),
        ("tls", "nowhere:1 wants TLS, and TLS is not chosen: switch TLS on"),
        ("kafka", "nowhere:1, but lists no brokers to a client without sign-in: add SASL"),
    ],
)
def test_a_cluster_that_does_not_answer_says_why(
    weir: ApiWorld, monkeypatch: pytest.MonkeyPatch, port: str, says: str
) -> None:
    monkeypatch.setattr(weir.services[ClusterTrial], "_port", lambda address: port)
    answer = weir.admin.post(AT, json={"name": "prod", "spec": {"bootstrapServers": "nowhere:1"}}).json()
    (check,) = answer["checks"]
    assert not check["ok"]
    assert says in check["message"]
    assert answer["topics"] is None


@pytest.mark.parametrize(
    ("port", "says"),
    [
        ("kafka", "nowhere:1 without TLS, and TLS is chosen: switch TLS off"),
        ("tls", "check the authority (CA), the client's certificate and the sign-in"),
        ("open", "nowhere:1 is open, but no Kafka answers there with the TLS and sign-in given"),
    ],
)
def test_tls_that_the_listener_does_not_have_is_named(
    weir: ApiWorld, monkeypatch: pytest.MonkeyPatch, port: str, says: str
) -> None:
    monkeypatch.setattr(weir.services[ClusterTrial], "_port", lambda address: port)
    spec = {"bootstrapServers": "nowhere:1", "security": {"tls": {}}}
    (check,) = weir.admin.post(AT, json={"name": "prod", "spec": spec}).json()["checks"]
    assert not check["ok"]
    assert says in check["message"]


def test_a_spec_that_no_document_may_have_is_refused(weir: ApiWorld) -> None:
    for spec in (
        {},
        {"bootstrapServers": "not an address"},
        {"bootstrapServers": "a:1", "nonsense": 1},
        {"bootstrapServers": "a:1", "security": {"sasl": {"username": "u", "password": "hunter2"}}},
    ):
        refused = weir.admin.post(AT, json={"name": "prod", "spec": spec})
        assert refused.status_code == 400, refused.text
        assert "hunter2" not in refused.text


def test_only_who_may_manage_tests(weir: ApiWorld) -> None:
    body = {"name": "prod", "spec": {"bootstrapServers": "localhost:9092"}}
    assert weir.user("ana").post(AT, json=body).status_code == 403
    assert weir.anonymous().post(AT, json=body).status_code == 401


def test_a_secret_is_not_sent_where_a_second_person_has_to_agree(
    weir: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEIR_SECRET_KAFKA", "s3cret-of-the-broker")
    weir.services[Settings].secrets.second_person = True
    sasl = {"mechanism": "PLAIN", "username": "u", "password": {"env": "WEIR_SECRET_KAFKA"}}
    spec = {"bootstrapServers": "localhost:9092", "security": {"sasl": sasl}}
    with pytest.raises(NotAllowed, match="second person"):
        weir.services[ClusterTrial].test("prod", spec)
