"""What any `ConnectWorker` must do, on the twin and on a real worker."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from catalog.call_deadline import all_calls_within
from catalog.errors import Conflict, InvalidInput, NotFound, Unavailable
from connectors.adapters.rest import ConnectRest
from connectors.ports import ConnectWorker
from tests.twins.connectors import SINK, SOURCE, MemoryConnect
from tests.waiting import until

if TYPE_CHECKING:
    from tests.conftest import Stack


@pytest.fixture(params=["memory", pytest.param("rest", marks=pytest.mark.integration)])
def worker(request: pytest.FixtureRequest) -> Iterator[ConnectWorker]:
    if request.param == "memory":
        yield MemoryConnect()
        return
    stack: Stack = request.getfixturevalue("stack_with_connect")
    yield ConnectRest(stack.connect)


@pytest.fixture
def name(worker: ConnectWorker) -> Iterator[str]:
    chosen = f"a b.{uuid.uuid4().hex[:8]}"  # what must be quoted in an address
    yield chosen
    worker.delete(chosen)


@pytest.fixture
def config(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "in.txt").write_text("one\ntwo\n")
    return {
        "connector.class": SOURCE,
        "file": str(tmp_path / "in.txt"),
        "topic": f"lines-{uuid.uuid4().hex[:8]}",
        "topic.creation.default.replication.factor": "1",
        "topic.creation.default.partitions": "1",
    }


def test_the_plugins_are_those_of_the_worker(worker: ConnectWorker) -> None:
    kinds = {plugin.name: plugin.kind for plugin in worker.plugins()}
    assert kinds[SOURCE] == "source" and kinds[SINK] == "sink"
    assert list(kinds) == sorted(kinds)


def test_a_configuration_is_checked_by_its_plugin(worker: ConnectWorker, config: dict[str, str]) -> None:
    assert not [field for field in worker.validate("x", config) if field.errors]
    wrong = {"connector.class": SOURCE, "tasks.max": "many"}
    errors = {field.name: field.errors for field in worker.validate("x", wrong) if field.errors}
    assert set(errors) == {"tasks.max", "topic"}
    assert "Not a number" in errors["tasks.max"][0] and errors["topic"][0].startswith("Missing required configuration")
    assert "many" not in repr(worker.validate("x", wrong))


def test_a_connector_is_created_changed_and_deleted(worker: ConnectWorker, name: str, config: dict[str, str]) -> None:
    assert worker.get(name) is None and worker.delete(name) is False
    worker.create(name, config, "running")

    def now() -> tuple[str, list[str]]:
        live = worker.get(name)
        assert live is not None
        return live.state, [task.state for task in live.tasks]

    until(lambda: now() == ("RUNNING", ["RUNNING"]))
    live = worker.get(name)
    assert live is not None and (live.kind, dict(live.config)) == ("source", config) and live.worker
    assert config["file"] not in repr(live)
    assert worker.all()[name].config == live.config
    worker.configure(name, {**config, "batch.size": "7"})
    until(lambda: worker.all()[name].config.get("batch.size") == "7")
    assert worker.delete(name) is True
    until(lambda: worker.get(name) is None)


def test_it_is_paused_stopped_resumed_and_restarted(worker: ConnectWorker, name: str, config: dict[str, str]) -> None:
    worker.create(name, config, "paused")

    def state() -> str:
        live = worker.get(name)
        return live.state if live is not None else ""

    until(lambda: state() == "PAUSED")
    worker.set_state(name, "running")
    until(lambda: state() == "RUNNING")
    worker.set_state(name, "stopped")
    until(lambda: state() == "STOPPED")
    worker.set_state(name, "running")
    until(lambda: state() == "RUNNING")
    worker.restart(name)
    until(lambda: state() == "RUNNING")


def test_a_configuration_that_is_refused_is_one_sentence(worker: ConnectWorker, name: str) -> None:
    with pytest.raises(InvalidInput, match="refuses the configuration") as refused:
        worker.create(name, {"connector.class": SOURCE, "file": "/secret-4711"}, "running")
    assert "4711" not in refused.value.message and worker.get(name) is None


def test_a_name_is_taken_once(worker: ConnectWorker, name: str, config: dict[str, str]) -> None:
    worker.create(name, config, "paused")
    with pytest.raises(Conflict, match="has a connector of that name already"):
        worker.create(name, {**config, "topic": "another"}, "running")
    live = worker.get(name)
    assert live is not None and live.config["topic"] == config["topic"]


def test_what_is_not_there_cannot_be_operated(worker: ConnectWorker) -> None:
    for action in (lambda: worker.set_state("nobody", "paused"), lambda: worker.restart("nobody")):
        with pytest.raises(NotFound, match="no connector 'nobody'"):
            action()
    assert worker.topics("nobody") == []


def test_a_worker_that_is_away_is_named(worker: ConnectWorker) -> None:
    if isinstance(worker, MemoryConnect):
        worker.away = True
        away: ConnectWorker = worker
    else:
        away = ConnectRest("http://127.0.0.1:1")
    calls: list[Callable[[], object]] = [
        away.plugins,
        away.all,
        lambda: away.get("x"),
        lambda: away.validate("x", {"connector.class": SOURCE}),
        lambda: away.delete("x"),
        lambda: away.restart("x"),
    ]
    for call in calls:
        with pytest.raises(Unavailable, match=r"Kafka Connect at http://\S+ does not answer; check connect.url"):
            call()


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308, 400, 500])
def test_only_an_answer_of_success_is_one(status: int) -> None:
    """What redirects, or answers that nothing changed, did nothing."""
    done = ConnectRest("http://connect:8083")
    answer = httpx.Response(status, json={}, headers={"Location": "http://elsewhere"})
    done._client = httpx.Client(transport=httpx.MockTransport(lambda _: answer))
    for call in (done.plugins, lambda: done.configure("x", {}), lambda: done.delete("x"), lambda: done.restart("x")):
        with (
            all_calls_within(0.5),
            pytest.raises((Unavailable, InvalidInput), match=r"answers|refuses the configuration"),
        ):
            call()


def test_a_read_that_the_worker_fails_once_is_repeated_and_a_change_is_not() -> None:
    """It answers 500 to a read of a connector whose state it is just changing."""
    answers = [httpx.Response(500), httpx.Response(200, json=[])]
    worker = ConnectRest("http://connect:8083")
    worker._client = httpx.Client(transport=httpx.MockTransport(lambda _: answers.pop(0)))
    assert worker.plugins() == []
    answers += [httpx.Response(500), httpx.Response(200)]
    with pytest.raises(Unavailable, match="answers 500"):
        worker.restart("x")
    assert len(answers) == 1
