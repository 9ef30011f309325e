"""Where a connector is made, what a second person must have seen before its secrets go there, and bringing it there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from api.config.settings import Settings
from api.joins.connectors.places import Places
from api.joins.connectors.sync import ConnectorSync
from catalog.datasets.datasets import Datasets
from catalog.declared.cluster_specs import ClusterSpec
from catalog.ports import CatalogStore
from catalog.records import DeclaredDocument
from tests.connector_world import CLUSTER, SECRET, World, connector
from tests.twins.connectors import SOURCE, MemoryConnect

A, B = "https://connect:8083", "https://other:8083"
EVIL = "https://evil:1"
WITH_SECRET = "file: /in, topic: lines, x: {env: WEIR_SECRET_DB}"
FOREIGN = {"connector.class": SOURCE, "file": "/theirs", "topic": "theirs"}


def at(url: str, credentials: str = "") -> str:
    return f"  connect: {{url: '{url}'{credentials}}}\n"


@pytest.fixture
def two(weir: World) -> World:
    """Two people who may manage, where a second one is asked for."""
    for name in ("mia", "noa"):
        weir.apply(f"{{apiVersion: weir/v1, kind: User, metadata: {{name: {name}}}, spec: {{roles: [admin]}}}}")
    weir.services[Settings].secrets.second_person = True
    return weir


def send(weir: World, person: str, text: str, **flags: str) -> Any:
    return weir.user(person).post("/api/v1/apply", content=text.encode(), params=flags)


def sent_to(weir: World, url: str) -> list[Any]:
    """What a worker was asked with: credentials, and configurations."""
    worker = weir.workers.get(url)
    return [auth for asked, auth in weir.asked if asked == url] + (worker.validated if worker is not None else [])


# -- a second person -------------------------------------------------------------------------------------------------


def test_nothing_is_sent_before_a_second_person_applied_the_same(two: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_SECRET_W1", "w1pw")
    text = connector(config=WITH_SECRET, more=at(EVIL, ", username: u, password: {env: WEIR_SECRET_W1}"))
    dry = send(two, "mia", text, dryRun="true")
    assert dry.status_code == 200 and sent_to(two, EVIL) == []
    (change,) = dry.json()["changes"]
    assert change["action"] == "create" and "The worker was not asked" in change["notes"][0]
    assert "config.x" in change["notes"][0] and "connect.password" in change["notes"][0]
    assert send(two, "mia", text).status_code == 409 and send(two, "mia", text).status_code == 409
    assert send(two, "noa", text, dryRun="true").status_code == 200
    assert sent_to(two, EVIL) == [], "a dry run of the second person carries nothing"
    assert send(two, "noa", text).status_code == 200
    assert two.workers[EVIL].connectors["lines"].config["x"] == SECRET
    assert send(two, "mia", text, dryRun="true").json()["changes"][0]["action"] == "unchanged"


def test_a_cluster_beside_it_sends_no_credentials_either(two: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_SECRET_W1", "w1pw")
    other = CLUSTER.replace("prod", "both").replace(
        f'url: "{A}"', f'url: "{EVIL}", username: u, password: {{env: WEIR_SECRET_W1}}'
    )
    text = connector().replace("cluster: prod", "cluster: both") + "\n---" + other
    assert send(two, "mia", text, dryRun="true").status_code == 200
    assert send(two, "mia", text).status_code == 409
    assert sent_to(two, EVIL) == []


def test_what_is_wrong_is_refused_though_the_worker_is_not_asked(two: World) -> None:
    text = connector(config="file: /in, x: {env: OTHER}", more=at(EVIL))
    assert send(two, "mia", text).status_code == 400
    assert send(two, "mia", connector("a/b", config=WITH_SECRET)).status_code == 400


def test_another_worker_of_the_cluster_is_another_destination(two: World) -> None:
    text = connector(config=WITH_SECRET)
    assert [send(two, who, text).status_code for who in ("mia", "noa")] == [409, 200]
    moved = CLUSTER.replace(A, B)
    answer = send(two, "mia", moved)
    assert answer.status_code == 409 and "the secrets of Connector lines" in answer.text
    assert send(two, "noa", moved).status_code == 200
    assert sent_to(two, B) == [] and set(two.worker.connectors) == {"lines"}
    assert send(two, "mia", text).status_code == 409 and sent_to(two, B) == []
    assert send(two, "noa", text).status_code == 200
    assert two.workers[B].connectors["lines"].config["x"] == SECRET and two.worker.connectors == {}
    authority = moved.replace(f'"{B}"', f'"{B}", ca: /etc/ssl/certs/own.pem')
    assert send(two, "mia", authority).status_code == 409, "how the worker is recognised is a part of where it goes"


def test_a_worker_that_changes_between_the_two_is_refused(two: World) -> None:
    """The second person saw another worker."""
    text = connector(config=WITH_SECRET)
    assert send(two, "mia", text).status_code == 409
    two.services[Settings].secrets.second_person = False
    two.apply(CLUSTER.replace(A, EVIL))
    two.services[Settings].secrets.second_person = True
    assert send(two, "noa", text).status_code == 409 and sent_to(two, EVIL) == []


# -- the worker where it was made ------------------------------------------------------------------------------------


def test_a_cluster_with_another_worker_takes_no_connector_of_others(weir: World) -> None:
    weir.apply(connector())
    weir.apply(CLUSTER.replace(A, B))
    other = weir._worker(B, None, None)
    other.create("lines", FOREIGN, "running")
    shown = weir.admin.get("/api/v1/connectors/lines").json()
    assert (shown["state"], shown["worker"], shown["differs"]) == ("running", A, ["connect"])
    assert shown["drift"] == [{"field": "connect", "declared": B, "actual": A}]
    error = weir.refused(connector(), 409)
    assert f"Kafka Connect at {B} has a connector lines already that is not declared here" in error["message"]
    weir.admin.post("/api/v1/connectors/lines/pause")
    assert weir.worker.connectors["lines"].state == "PAUSED" and other.connectors["lines"].state == "RUNNING"
    assert ("prod", {"url": A}) in weir.services[Places].workers()
    weir.admin.delete("/api/v1/declared/Connector/lines")
    assert weir.worker.connectors == {} and dict(other.connectors["lines"].config) == FOREIGN


def test_prune_deletes_where_it_was_made(weir: World) -> None:
    weir.apply(connector("lines") + "\n---\n" + connector("stays"))
    weir.apply(CLUSTER.replace(A, B))
    weir._worker(B, None, None).create("lines", FOREIGN, "running")
    assert weir.put(connector("stays"), prune="true").status_code == 200
    assert weir.worker.connectors == {} and set(weir.workers[B].connectors) == {"lines", "stays"}


def test_applying_it_again_moves_it_to_the_clusters_worker(weir: World) -> None:
    weir.apply(connector())
    weir.apply(CLUSTER.replace(A, B))
    planned = weir.change(connector(), dryRun="true")
    assert planned["action"] == "update" and f"-    url: {A}" in planned["diff"]
    assert weir.change(connector())["action"] == "update"
    assert weir.worker.connectors == {} and set(weir.workers[B].connectors) == {"lines"}
    assert weir.change(connector())["action"] == "unchanged"


@pytest.mark.parametrize("same", ["https://connect:8083/", "https://CONNECT:8083", "HTTPS://connect:8083"])
def test_the_same_worker_written_otherwise_or_with_other_credentials_is_no_move(
    weir: World, monkeypatch: pytest.MonkeyPatch, same: str
) -> None:
    if same.startswith("HTTPS"):
        same = A
    monkeypatch.setenv("WEIR_SECRET_W1", "w1pw")
    for url in (A, same):
        weir.workers[url] = weir.worker
    weir.apply(connector(more=at(A)))
    weir.admin.post("/api/v1/connectors/lines/stop")
    weir.apply(connector(more=at(same, ", username: u, password: {env: WEIR_SECRET_W1}")))
    assert weir.worker.connectors["lines"].state == "STOPPED"
    assert weir.services[CatalogStore].document("ConnectorPending", "lines") is None


def test_a_delete_that_waits_opens_no_other_worker(weir: World) -> None:
    weir.apply(connector())
    weir.worker.away = True
    weir.admin.delete("/api/v1/declared/Connector/lines")
    weir._worker(B, None, None).create("lines", FOREIGN, "running")
    weir.refused(connector(more=at(B)), 409)
    weir.worker.away = False
    weir.apply(connector())  # its own worker, where it is still to be deleted: it is Weir's own
    assert set(weir.worker.connectors) == {"lines"} and dict(weir.workers[B].connectors["lines"].config) == FOREIGN


def test_a_connector_leaves_a_dead_worker(weir: World) -> None:
    """It runs at the new one; the old one is asked again until it answers."""
    weir.apply(connector())
    weir.worker.away = True
    change = weir.change(connector(more=at(B)))
    assert "does not answer" in change["problem"] and set(weir.workers[B].connectors) == {"lines"}
    shown = weir.admin.get("/api/v1/connectors/lines").json()
    assert shown["state"] == "running" and A in shown["pending"]["reason"]
    weir.worker.away = False
    weir.services[ConnectorSync].step()
    assert weir.worker.connectors == {} and set(weir.workers[B].connectors) == {"lines"}
    assert weir.admin.get("/api/v1/connectors/lines").json()["pending"] is None


def test_a_connector_that_comes_back_is_not_deleted_later(weir: World) -> None:
    weir.apply(connector())
    weir.worker.away = True
    weir.apply(connector(more=at(B)))
    weir.worker.away = False
    weir.workers[B].away = True
    weir.apply(connector())
    weir.workers[B].away = False
    weir.services[ConnectorSync].step()
    assert set(weir.worker.connectors) == {"lines"} and weir.workers[B].connectors == {}


# -- several processes -----------------------------------------------------------------------------------------------


def meanwhile(worker: MemoryConnect, method: str, act: Callable[[], object], *, after: bool = False) -> None:
    """Once, before (or after) the worker does this, something else happens."""
    real = getattr(worker, method)

    def called(*given: Any) -> Any:
        setattr(worker, method, real)
        if not after:
            act()
        result = real(*given)
        if after:
            act()
        return result

    setattr(worker, method, called)


def again(weir: World) -> None:
    """Something is to be brought."""
    weir.services[CatalogStore].put_document(
        DeclaredDocument("ConnectorPending", "lines", {"name": "lines"}, {"leave": []}, datetime.now(UTC))
    )


def test_a_delete_while_a_reason_is_written_is_not_lost(weir: World) -> None:
    weir.apply(connector())
    again(weir)

    def delete() -> None:
        assert weir.admin.delete("/api/v1/declared/Connector/lines").status_code == 200
        weir.worker.away = True

    weir.services[ConnectorSync]._wait_s = 0.0
    meanwhile(weir.worker, "get", delete)
    weir.services[ConnectorSync].step()
    assert weir.services[CatalogStore].document("ConnectorPending", "lines") is not None
    weir.worker.away = False
    weir.services[ConnectorSync].step()
    assert weir.worker.connectors == {} and weir.services[CatalogStore].document("ConnectorPending", "lines") is None


@pytest.mark.parametrize("after", [False, True])
def test_a_delete_while_it_is_made_deletes_it(weir: World, after: bool) -> None:
    weir.apply(connector())
    weir.worker.delete("lines")
    again(weir)
    weir.services[ConnectorSync]._wait_s = 0.0
    meanwhile(weir.worker, "create", lambda: weir.admin.delete("/api/v1/declared/Connector/lines"), after=after)
    weir.services[ConnectorSync].step()
    assert weir.worker.connectors == {} and weir.services[CatalogStore].document("ConnectorPending", "lines") is None


def test_a_document_that_is_applied_meanwhile_wins(weir: World) -> None:
    weir.apply(connector())
    weir.worker.configure("lines", {"connector.class": SOURCE, "file": "/old", "topic": "lines"})
    again(weir)
    weir.services[ConnectorSync]._wait_s = 0.0
    newer = connector(config="file: /new, topic: lines")
    meanwhile(weir.worker, "configure", lambda: weir.apply(newer))
    weir.services[ConnectorSync].step()
    assert weir.worker.connectors["lines"].config["file"] == "/new"
    assert weir.services[CatalogStore].document("ConnectorPending", "lines") is None


def test_an_apply_waits_for_the_process_that_brings_it(weir: World) -> None:
    weir.apply(connector())
    again(weir)
    inside, go = threading.Event(), threading.Event()

    def held() -> None:
        inside.set()
        assert go.wait(30)

    meanwhile(weir.worker, "get", held)
    first = threading.Thread(target=weir.services[ConnectorSync].step)
    first.start()
    assert inside.wait(30)
    document = weir.services[CatalogStore].document("Connector", "lines")
    assert document is not None
    newer = {**document.spec, "config": {"file": "/new", "topic": "lines"}}
    weir.services[CatalogStore].put_document(replace(document, spec=newer))
    second = threading.Thread(target=weir.services[ConnectorSync].bring, args=("lines",))
    second.start()
    go.set()
    first.join(30)
    second.join(30)
    assert weir.worker.connectors["lines"].config["file"] == "/new"
    assert weir.services[CatalogStore].document("ConnectorPending", "lines") is None
    assert weir.services[CatalogStore].document("ConnectorLease", "lines") is None


def test_the_lease_of_a_process_that_was_killed_ends(weir: World) -> None:
    weir.apply(connector())
    weir.worker.delete("lines")
    again(weir)
    lease = {"holder": "gone", "until": "2999-01-01T00:00:00+00:00"}
    weir.services[CatalogStore].put_document(DeclaredDocument("ConnectorLease", "lines", {"name": "lines"}, lease))
    bringing = weir.services[ConnectorSync]
    bringing._wait_s = 0.0
    assert "Another process of Weir" in (bringing.bring("lines") or "") and weir.worker.connectors == {}
    over = {"holder": "gone", "until": "2000-01-01T00:00:00+00:00"}
    weir.services[CatalogStore].put_document(DeclaredDocument("ConnectorLease", "lines", {"name": "lines"}, over))
    assert bringing.bring("lines") is None and set(weir.worker.connectors) == {"lines"}


def test_a_cluster_with_connectors_is_not_deleted(weir: World) -> None:
    weir.apply(connector())
    answer = weir.admin.delete("/api/v1/declared/Cluster/prod")
    assert answer.status_code == 409
    assert answer.json()["error"]["message"] == (
        "Cluster 'prod' still has declared connectors (lines); delete them first: weir delete Connector lines."
    )
    only = weir.put(CLUSTER.replace("prod", "another"), prune="true")
    assert only.status_code == 409 and "declared connectors" in only.text
    assert set(weir.worker.connectors) == {"lines"}
    weir.admin.delete("/api/v1/declared/Connector/lines")
    assert weir.admin.delete("/api/v1/declared/Cluster/prod").status_code == 200


def test_a_cluster_that_only_a_scan_met_is_not_forgotten_with_connectors(weir: World) -> None:
    weir.services[Datasets].register_cluster("met", ClusterSpec.model_validate({"bootstrapServers": "localhost:9099"}))
    name = "met"
    weir.apply(connector(more=at(B)).replace("cluster: prod", f"cluster: '{name}'"))
    for path in (f"declared/Cluster/{name}", f"clusters/{name}"):
        answer = weir.admin.delete(f"/api/v1/{path}")
        assert answer.status_code == 409 and "declared connectors (lines)" in answer.text
