"""Connectors by declaration, through the whole application, on the twin of a worker."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import structlog

from api.config.settings import Settings
from api.joins.connectors.places import Places
from api.joins.connectors.sync import ConnectorSync
from api.joins.observing import Observing
from catalog.ports import CatalogStore
from catalog.records import DeclaredDocument
from tests.connector_world import CLUSTER, SECRET, World, connector
from tests.twins.connectors import SINK, SOURCE

PENDING_LINES = DeclaredDocument("ConnectorPending", "lines", {"name": "lines"}, {"leave": []})


def test_a_connector_is_made_changed_and_taken_away(weir: World) -> None:
    shown = weir.change(connector(), dryRun="true")
    assert shown["action"] == "create" and weir.worker.connectors == {}
    assert weir.change(connector())["action"] == "create"
    live = weir.worker.connectors["lines"]
    assert dict(live.config) == {"connector.class": SOURCE, "file": "/data/in.txt", "topic": "lines"}
    assert weir.change(connector())["action"] == "unchanged"
    changed = weir.change(connector(config="file: /data/other.txt, topic: lines, tasks.max: 2"))
    assert changed["action"] == "update" and "+    file: /data/other.txt" in changed["diff"]
    assert weir.worker.connectors["lines"].config["tasks.max"] == "2"
    (document,) = weir.admin.get("/api/v1/declared/Connector").json()["documents"]
    assert document["spec"]["config"] == {"file": "/data/other.txt", "topic": "lines", "tasks.max": 2}
    assert weir.admin.delete("/api/v1/declared/Connector/lines").json() == {
        "kind": "Connector",
        "name": "lines",
        "action": "delete",
    }
    assert weir.worker.connectors == {} and weir.admin.get("/api/v1/connectors").json() == {"connectors": []}


def test_prune_takes_away_what_the_documents_do_not_have(weir: World) -> None:
    weir.apply(connector("a") + "\n---\n" + connector("b"))
    assert set(weir.worker.connectors) == {"a", "b"}
    answer = weir.put(connector("a"), prune="true").json()["changes"]
    assert {(each["action"], each["name"]) for each in answer} == {("unchanged", "a"), ("delete", "b")}
    assert set(weir.worker.connectors) == {"a"}


def test_the_state_is_declared_or_left_to_operators(weir: World) -> None:
    weir.apply(connector(more="  state: paused\n"))
    assert weir.worker.connectors["lines"].state == "PAUSED"
    for action, state in (
        ("resume", "RUNNING"),
        ("stop", "STOPPED"),
        ("resume", "RUNNING"),
        ("pause", "PAUSED"),
        ("resume", "RUNNING"),
    ):
        answer = weir.admin.post(f"/api/v1/connectors/lines/{action}")
        assert answer.json() == {"name": "lines", "action": action} and weir.worker.connectors["lines"].state == state
    changed = weir.change(connector(more="  state: paused\n"), dryRun="true")
    assert (
        changed["action"] == "update"
        and "-  state: running" in changed["diff"]
        and "+  state: paused" in changed["diff"]
    )
    weir.apply(connector(more="  state: paused\n"))
    assert weir.worker.connectors["lines"].state == "PAUSED"
    weir.apply(connector())
    weir.admin.post("/api/v1/connectors/lines/resume")
    assert weir.change(connector())["action"] == "unchanged" and weir.worker.connectors["lines"].state == "RUNNING"
    weir.worker.fail("lines", "java.lang.RuntimeException: x")
    weir.admin.post("/api/v1/connectors/lines/restart")
    assert weir.admin.get("/api/v1/connectors/lines").json()["state"] == "running"
    actions = [each["action"] for each in weir.admin.get("/api/v1/audit").json()["entries"]]
    assert {"connector.pause", "connector.resume", "connector.stop", "connector.restart"} <= set(actions)


def test_a_change_by_hand_is_in_the_diff_and_is_taken_back(weir: World) -> None:
    weir.apply(connector())
    weir.worker.configure(
        "lines", {"connector.class": SOURCE, "file": "/data/hand.txt", "topic": "lines", "my.password": SECRET}
    )
    shown = weir.admin.get("/api/v1/connectors/lines").json()
    assert shown["differs"] == ["config.file", "config.my.password"]
    assert shown["drift"] == [
        {"field": "config.file", "declared": "/data/in.txt", "actual": "/data/hand.txt"},
        {"field": "config.my.password", "declared": None, "actual": "(not shown)"},
    ]
    change = weir.change(connector(), dryRun="true")
    assert change["action"] == "update"
    assert "-    file: /data/hand.txt" in change["diff"] and "+    file: /data/in.txt" in change["diff"]
    assert "-    my.password: (not shown)" in change["diff"] and SECRET not in change["diff"]
    weir.apply(connector())
    assert dict(weir.worker.connectors["lines"].config) == {
        "connector.class": SOURCE,
        "file": "/data/in.txt",
        "topic": "lines",
    }
    weir.worker.delete("lines")
    assert weir.admin.get("/api/v1/connectors/lines").json()["state"] == "missing"
    assert weir.change(connector())["action"] == "create" and "lines" in weir.worker.connectors


def test_secrets_are_named_and_shown_nowhere(weir: World, tmp_path: Path) -> None:
    weir.worker.passwords = {"store.key"}
    text = connector(
        config="file: /in, topic: lines, store.key: {env: WEIR_SECRET_DB}, other.password: '${file:/run/db:password}'"
    )
    with structlog.testing.capture_logs() as logs:
        weir.apply(text)
        assert weir.worker.connectors["lines"].config["store.key"] == SECRET
        assert weir.worker.connectors["lines"].config["other.password"] == "${file:/run/db:password}"
        assert weir.change(text)["action"] == "unchanged"
        weir.worker.configure("lines", {**weir.worker.connectors["lines"].config, "store.key": "another-secret"})
        change = weir.change(text, dryRun="true")
    assert change["action"] == "update" and "another-secret" not in str(change) and "(not shown)" in change["diff"]
    places = ("connectors", "connectors/lines", "declared/Connector", "audit", "clusters/prod/connectors")
    answers = str(logs) + "".join(
        weir.admin.get(f"/api/v1/{place}").text for place in places if place != "clusters/prod/connectors"
    )
    assert SECRET not in answers and "another-secret" not in answers
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("db.password: secret-4711", "db.password is a secret by its name"),
        ("snowflake.private.key: secret-4711", "is a secret by its name"),
        ("store.key: secret-4711", "config.store.key is a password by the plugin's own definition"),
        ("url: 'postgres://u:secret-4711@db/x'", "url holds a password in an address"),
        ("url: 'jdbc:postgresql://db/x?user=u&password=secret-4711'", "url holds a password in an address"),
        ("store.key: {env: OTHER}", "only names that begin with WEIR_SECRET_"),
        ("store.key: {file: ../admin.token}", "only files in the folder of secrets"),
        ("store.key: {env: WEIR_SECRET_NONE}", "WEIR_SECRET_NONE, which is not set"),
        ("store.key: {value: secret-4711}", "a secret names one place"),
        ("x: [secret-4711]", "x must be text, a number"),
        ("name: x", "name is written as metadata.name"),
        ("connector.class: x", "connector.class is written as plugin"),
    ],
)
def test_secrets_in_plain_text_are_refused(weir: World, config: str, words: str) -> None:
    weir.worker.passwords = {"store.key"}
    error = weir.refused(connector(config=f"file: /in, topic: lines, {config}"))
    assert words in error["message"] and "4711" not in str(error), error
    assert weir.worker.connectors == {} and weir.admin.get("/api/v1/declared/Connector").json() == {"documents": []}


def test_a_secret_goes_to_no_worker_that_others_can_listen_to(weir: World) -> None:
    text = connector(
        config="file: /in, topic: lines, x: {env: WEIR_SECRET_DB}", more="  connect: {url: 'http://far:8083'}\n"
    )
    error = weir.refused(text)
    assert "the secrets of the configuration would be sent to it" in error["message"]


def test_what_the_plugin_refuses_is_a_sentence_for_each_field(weir: World) -> None:
    error = weir.refused(connector(config="file: /in, tasks.max: many"))
    assert error["message"] == (
        "line 1: Connector lines: config.tasks.max: Invalid value many for configuration tasks.max: Not a number of type INT."
        " config.topic is missing; the plugin requires it."
    )
    assert [each["field"] for each in error["details"]["fields"]] == ["spec.config.tasks.max", "spec.config.topic"]
    assert weir.worker.connectors == {}


def test_a_plugin_that_is_missing_names_those_that_are_there(weir: World) -> None:
    error = weir.refused(connector().replace("FileStreamSource", "FileStreemSourceConnector"))
    assert (
        f"has no plugin FileStreemSourceConnector; it has {SINK}, {SOURCE}. Did you mean {SOURCE}?" in error["message"]
    )
    listed = weir.admin.get("/api/v1/clusters/prod/connector-plugins").json()["plugins"]
    assert [each["class"] for each in listed] == [SINK, SOURCE]


def test_dead_letters_are_for_sinks(weir: World) -> None:
    letters = "  deadLetters: {topic: lines.dead, replication: 1}\n"
    assert "writes no dead letters for a source" in weir.refused(connector(more=letters))["message"]
    sink = connector("out", letters, "file: /out, topics: lines").replace("FileStreamSource", SINK)
    weir.apply(sink)
    assert dict(weir.worker.connectors["out"].config) == {
        "connector.class": SINK,
        "file": "/out",
        "topics": "lines",
        "errors.tolerance": "all",
        "errors.deadletterqueue.topic.name": "lines.dead",
        "errors.deadletterqueue.topic.replication.factor": "1",
        "errors.deadletterqueue.context.headers.enable": "true",
    }
    assert weir.admin.get("/api/v1/connectors/out").json()["deadLetters"] == "lines.dead"
    twice = sink.replace("topics: lines", "topics: lines, errors.tolerance: none")
    assert "config.errors.tolerance is set by deadLetters" in weir.refused(twice)["message"]


def test_a_worker_that_is_away_refuses_and_changes_nothing(weir: World) -> None:
    weir.apply(connector())
    weir.worker.away = True
    error = weir.refused(connector(config="file: /new, topic: lines"), 503)
    assert error["message"] == (
        "line 1: Connector lines: Kafka Connect at https://connect:8083 does not answer; check connect.url of the cluster."
    )
    (row,) = weir.admin.get("/api/v1/connectors").json()["connectors"]
    assert row["state"] == "unknown" and "does not answer" in row["error"]
    assert weir.admin.get("/api/v1/connectors/lines").status_code == 200
    assert weir.admin.post("/api/v1/connectors/lines/restart").status_code == 503


def test_a_worker_that_goes_away_between_is_brought_up_to_date_later(weir: World) -> None:
    """Checked, recorded, and then the worker is gone: the answer has a sentence about it, and the background worker does it."""
    weir.apply(connector())
    worker = weir.worker
    configure = worker.configure

    def gone(name: str, config: Any) -> None:
        worker.away = True
        configure(name, config)

    worker.configure = gone  # type: ignore[method-assign]
    change = weir.change(connector(config="file: /new, topic: lines"))
    assert (
        change["action"] == "update" and "does not answer" in change["problem"] and "tries again" in change["problem"]
    )
    assert weir.admin.get("/api/v1/connectors/lines").json()["pending"]["reason"].startswith("Kafka Connect at")
    weir.services[ConnectorSync].step()
    worker.away, worker.configure = False, configure  # type: ignore[method-assign]
    weir.services[ConnectorSync].step()
    assert worker.connectors["lines"].config["file"] == "/new"
    assert weir.admin.get("/api/v1/connectors/lines").json()["pending"] is None
    worker.away = True
    deleted = weir.admin.delete("/api/v1/declared/Connector/lines").json()
    assert deleted["action"] == "delete" and "does not answer" in deleted["problem"]
    (row,) = weir.admin.get("/api/v1/connectors").json()["connectors"]
    assert (row["name"], row["state"]) == ("lines", "deleting")
    worker.away = False
    weir.services[ConnectorSync].step()
    assert worker.connectors == {} and weir.admin.get("/api/v1/connectors").json()["connectors"] == []


def test_a_connector_of_others_is_taken_over_only_when_asked(weir: World) -> None:
    weir.worker.create("lines", {"connector.class": SOURCE, "topic": "old", "file": "/old"}, "running")
    error = weir.refused(connector(), 409)
    assert "has a connector lines already that is not declared here; write adopt: true" in error["message"]
    weir.apply(connector(more="  adopt: true\n"))
    assert weir.worker.connectors["lines"].config["topic"] == "lines"


def test_a_connector_moves_to_another_worker(weir: World) -> None:
    weir.apply(connector())
    weir.apply(connector(more="  connect: {url: 'https://second:8083'}\n"))
    assert weir.worker.connectors == {}
    assert set(weir.workers["https://second:8083"].connectors) == {"lines"}
    assert weir.services[Places].workers() == [("prod", {"url": "https://second:8083"})]


def test_who_may(weir: World) -> None:
    weir.apply(connector())
    weir.worker.fail(
        "lines",
        "org.apache.kafka.connect.errors.ConnectException: Couldn't find or create file '/data/in.txt' for Task"
        "\n\tat a.B(C.java:1)",
    )
    ana, otto = weir.user("ana"), weir.user("otto")
    for action in ("pause", "resume", "restart", "stop"):
        assert ana.post(f"/api/v1/connectors/lines/{action}").status_code == 403
    assert ana.post("/api/v1/apply", content=connector().encode()).status_code == 403
    shown = ana.get("/api/v1/connectors/lines").json()
    assert shown["state"] == "failed" and shown["may"] == {"operate": False} and shown["drift"] is None
    assert shown["error"] == "It failed; its owners and who may manage see why."
    seen = otto.get("/api/v1/connectors/lines").json()
    assert (
        seen["error"] == "It failed with ConnectException: Couldn't find or create file '/data/in.txt' for Task."
        and seen["drift"] == []
    )
    assert seen["tasks"][0]["error"] == seen["error"]
    assert weir.anonymous().get("/api/v1/connectors").status_code == 401


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (connector("a/b"), "begins with a letter or digit"),
        (connector(".a"), "begins with a letter or digit"),
        (connector().replace("cluster: prod", "cluster: nope"), "There is no cluster 'nope' (known: prod)"),
        (connector(more="  state: asleep\n"), "spec.state"),
        (connector(more="  unknown: 1\n"), "is not known"),
        (connector(more="  deadLetters: {topic: 'a b'}\n"), "a topic's name has letters"),
    ],
)
def test_bad_documents(weir: World, text: str, words: str) -> None:
    assert words in weir.refused(text)["message"]


def test_a_cluster_without_connect_and_names_that_are_not_there(weir: World) -> None:
    weir.apply(CLUSTER.replace("prod", "bare").replace(', connect: {url: "https://connect:8083"}', ""))
    error = weir.refused(connector().replace("cluster: prod", "cluster: bare"))
    assert "The cluster bare names no Kafka Connect" in error["message"]
    assert weir.admin.get("/api/v1/clusters/bare/connector-plugins").status_code == 400
    weir.apply(connector())
    missing = weir.admin.get("/api/v1/connectors/linse")
    assert missing.status_code == 404 and "Did you mean lines?" in missing.json()["error"]["message"]


def test_cluster_and_connector_in_one_file(weir: World) -> None:
    text = connector().replace("cluster: prod", "cluster: both") + "\n---" + CLUSTER.replace("prod", "both")
    assert {each["action"] for each in weir.put(text).json()["changes"]} == {"create"}
    assert "lines" in weir.worker.connectors


def test_two_processes_of_weir_make_one_connector(weir: World) -> None:
    """Both bring it at once: the second finds it made, and configures it."""
    worker = weir.worker
    get = worker.get

    def late(name: str) -> Any:
        worker.get = get  # type: ignore[method-assign]
        worker.connectors.clear()
        worker.create(name, {"connector.class": SOURCE, "file": "/older", "topic": "lines"}, "running")
        return None

    weir.apply(connector(config="file: /older, topic: lines"))
    document = weir.services[CatalogStore].document("Connector", "lines")
    assert document is not None
    new = {**document.spec, "config": {"file": "/new", "topic": "lines"}}
    weir.services[CatalogStore].put_document(replace(document, spec=new))
    weir.services[CatalogStore].put_document(PENDING_LINES)
    worker.get = late  # type: ignore[method-assign]
    weir.services[ConnectorSync].step()
    assert worker.connectors["lines"].config["file"] == "/new"


def test_lineage_asks_the_worker_that_a_connector_names(weir: World) -> None:
    weir.apply(connector(more="  connect: {url: 'https://second:8083'}\n"))
    asked: list[str] = []

    class Silent:
        def connectors(self) -> list[Any]:
            return []

    def connect_of(url: str, auth: Any, ca: Any) -> Silent:
        asked.append(url)
        return Silent()

    weir.services[Observing]._connect_of = connect_of
    weir.services[Observing].step()
    assert sorted(asked) == ["https://connect:8083", "https://second:8083"]


def test_a_second_person_sees_where_a_secret_goes(weir: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any key of a configuration may be the address to which the plugin sends it."""
    monkeypatch.setattr(weir.services[Settings].secrets, "second_person", True)
    text = connector(config="file: /in, topic: lines, host: db, x: {env: WEIR_SECRET_DB}")
    assert "config.x to an address that was not declared" in weir.refused(text, 409)["message"]
    other = weir.user("zoe")
    weir.services[Settings].secrets.second_person = False
    weir.apply(text)
    weir.services[Settings].secrets.second_person = True
    assert weir.change(text)["action"] == "unchanged"
    assert "config.x" in weir.refused(text.replace("host: db", "host: evil"), 409)["message"]
    assert other.post("/api/v1/apply", content=text.encode()).status_code == 403


def test_values_and_places_of_secrets_are_for_owners_and_managers(weir: World, monkeypatch: pytest.MonkeyPatch) -> None:
    weir.apply(connector(config="file: /in, topic: lines, x: {env: WEIR_SECRET_DB}"))
    monkeypatch.delenv("WEIR_SECRET_DB")
    for who, sees in (("ana", False), ("otto", True)):
        client = weir.user(who)
        for place in ("connectors", "connectors/lines"):
            answer = client.get(f"/api/v1/{place}").text
            assert ("WEIR_SECRET_DB" in answer) is sees, answer
            assert ("Its state is not known; its owners and who may manage see why." in answer) is not sees
        (document,) = client.get("/api/v1/declared/Connector").json()["documents"]
        assert set(document["spec"]["config"]) == {"file", "topic", "x"}
        assert ("/in" in str(document)) is sees


@pytest.mark.parametrize(
    "url", ["http://169.254.169.254/latest/admin?x=", "https://connect/#", "https://connect\\\\@evil"]
)
def test_an_address_of_a_worker_ends_in_a_path(weir: World, url: str) -> None:
    weir.refused(connector(more=f'  connect: {{url: "{url}"}}\n'))
    weir.refused(CLUSTER.replace("https://connect:8083", url))
    assert [each for each, _ in weir.asked if each != "https://connect:8083"] == []


def test_a_document_of_older_rules_is_listed_and_can_be_applied_again_and_deleted(weir: World) -> None:
    weir.apply(connector() + "\n---\n" + connector("other"))
    document = weir.services[CatalogStore].document("Connector", "lines")
    assert document is not None
    old = {**document.spec, "config": {"file": "/in", "topic": "lines", "authToken": "secret-4711"}}
    weir.services[CatalogStore].put_document(replace(document, spec=old))
    weir.services[CatalogStore].put_document(PENDING_LINES)
    weir.services[ConnectorSync].step()
    rows = {each["name"]: each for each in weir.admin.get("/api/v1/connectors").json()["connectors"]}
    assert rows["other"]["error"] is None and "breaks a rule that is newer" in rows["lines"]["error"]
    assert "4711" not in str(rows)
    assert weir.change(connector())["action"] == "update"
    weir.services[CatalogStore].put_document(replace(document, spec=old))
    assert weir.admin.delete("/api/v1/declared/Connector/lines").status_code == 200
    assert set(weir.worker.connectors) == {"other"}


def test_a_connector_of_a_topic_of_hidden_lineage_is_as_if_there_were_none(weir: World) -> None:
    weir.scan(cluster="prod", topics=["orders"])
    weir.apply(connector("to-it", config="file: /data/in.txt, topic: orders"))
    weir.apply(
        "{apiVersion: weir/v1, kind: Dataset, metadata: {name: orders, cluster: prod}, spec: {owners: [{user: otto}]}}"
    )
    weir.apply(
        "{apiVersion: weir/v1, kind: Visibility, metadata: {name: paths},"
        " spec: {match: {datasets: [prod/orders]}, lineage: owners}}"
    )
    ana, otto = weir.user("ana"), weir.user("otto")
    assert [each["name"] for each in otto.get("/api/v1/connectors").json()["connectors"]] == ["to-it"]
    assert otto.get("/api/v1/connectors/to-it").status_code == 200
    assert ana.get("/api/v1/connectors").json() == {"connectors": []}
    hidden, absent = (ana.get(f"/api/v1/connectors/{name}") for name in ("to-it", "of-it"))
    assert hidden.status_code == absent.status_code == 404
    assert hidden.text.replace("to-it", "of-it") == absent.text
