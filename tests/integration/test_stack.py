"""The local servers for real: started, healed after a kill, stopped without a trace.

Kafka alone, in a folder of its own with free ports, beside whatever else runs on the machine.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from stack import Instance, KeptServer, ProcessSpec, StackError, StackSettings
from stack.instances.state import State
from stack.processes.process import MARK, marked
from tests.waiting import until

pytestmark = [pytest.mark.integration, pytest.mark.own_servers]
ROOT = Path(__file__).resolve().parents[2]
SETTINGS = StackSettings(
    kafka_port=0, registry_port=0, neo4j_port=0, elasticsearch_port=0, spark_port=0, query_port=0, start_timeout=120
)
ONLY = {"kafka"}
SLEEP = "import time; time.sleep(300)"
HEAR_SIGINT = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
)


class Recorder:
    """Keeps what a start reports."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def downloading(self, done: int, total: int, megabytes: float) -> None: ...

    def starting(self, name: str) -> None:
        self.told.append(("starting", name))

    def ready(self, name: str, seconds: float, address: str) -> None:
        self.told.append(("ready" if seconds else "running", name))

    def stopping(self, name: str) -> None:
        self.told.append(("stopping", name))

    def note(self, text: str) -> None:
        self.told.append(("note", text))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One folder for the module, so that Kafka's storage is formatted once."""
    folder = tmp_path_factory.mktemp("stack") / "weir"
    yield folder
    instance = Instance(folder, SETTINGS)
    instance.down()
    assert marked(instance._mark()) == []


@pytest.fixture
def instance(folder: Path) -> Instance:
    """The instance with nothing running."""
    instance = Instance(folder, SETTINGS)
    instance.down()
    return instance


@pytest.fixture
def kafka(folder: Path) -> Instance:
    """The instance with Kafka, and Kafka alone, running in the background."""
    kafka = Instance(folder, SETTINGS)
    if {each["name"] for each in kafka.status() if each["state"] != "stopped"} - ONLY:
        kafka.down()
    kafka.up(detach=True, only=ONLY)
    return kafka


def row(instance: Instance, name: str = "kafka") -> Any:
    return next(row for row in instance.status() if row["name"] == name)


def produce(address: str, topic: str, count: int) -> None:
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": address})
    admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(30)
    producer = Producer({"bootstrap.servers": address, "acks": "all"})
    for number in range(count):
        producer.produce(topic, str(number))
    assert producer.flush(30) == 0


def count(address: str, topic: str) -> int:
    from confluent_kafka import Consumer, TopicPartition

    consumer = Consumer({"bootstrap.servers": address, "group.id": "count"})
    try:
        low, high = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=30)
        return int(high - low)
    finally:
        consumer.close()


def test_status_names_what_runs_and_what_does_not(kafka: Instance) -> None:
    running = row(kafka)
    assert running["state"] == "ready"
    assert running["version"] == "4.1.0"
    assert running["url"] == kafka.addresses().kafka == f"127.0.0.1:{running['port']}"
    assert psutil.Process(running["pid"]).is_running()
    assert 50e6 < running["memory"] < 1.2e9
    assert Path(running["log"]).exists()
    stopped = row(kafka, "neo4j")
    assert (stopped["state"], stopped["pid"], stopped["memory"]) == ("stopped", None, 0)


def test_a_killed_server_is_healed_with_its_data_on_its_port(kafka: Instance) -> None:
    before = row(kafka)
    produce(before["url"], "healed", 100)
    os.kill(before["pid"], signal.SIGKILL)
    until(lambda: row(kafka)["state"] == "dead")
    kafka.up(detach=True, only=ONLY)
    after = row(kafka)
    assert (after["state"], after["url"]) == ("ready", before["url"])
    assert after["pid"] != before["pid"]
    assert count(after["url"], "healed") == 100


def test_a_second_up_starts_nothing(kafka: Instance) -> None:
    before, recorder = row(kafka), Recorder()
    kafka.up(detach=True, only=ONLY, progress=recorder)
    assert row(kafka)["pid"] == before["pid"]
    assert recorder.told == [("running", "kafka")]


def test_down_leaves_no_process_and_no_port_but_the_data(kafka: Instance) -> None:
    before = row(kafka)
    produce(before["url"], "kept", 10)
    assert kafka.down() == 1
    assert not psutil.pid_exists(before["pid"])
    with pytest.raises(OSError), socket.create_connection(("127.0.0.1", before["port"]), 1):
        pass
    assert row(kafka)["state"] == "stopped"
    assert kafka.down() == 0
    kafka.up(detach=True, only=ONLY)
    assert row(kafka)["port"] == before["port"]
    assert count(before["url"], "kept") == 10


def test_wiping_deletes_data_and_secrets(tmp_path: Path) -> None:
    instance = Instance(tmp_path / "weir", SETTINGS)
    before = instance.addresses()
    (instance.home.data("kafka")).mkdir(parents=True)
    instance.down(wipe=True)
    assert not (instance.home.root / "data").exists()
    assert instance.addresses().neo4j_auth != before.neo4j_auth


def test_secrets_are_the_owners_alone(kafka: Instance) -> None:
    addresses = kafka.addresses()
    for path in (kafka.home.root / "secrets").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(kafka.home.root.stat().st_mode) == 0o700
    secrets = {addresses.neo4j_auth[1], addresses.spark.split("token=")[1]}
    assert len(secrets) == 2
    assert all(len(secret) >= 32 for secret in secrets)
    command = " ".join(psutil.Process(row(kafka)["pid"]).cmdline())
    assert not any(secret in command for secret in secrets)


def test_servers_do_not_inherit_the_users_environment(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary-in-the-shell")
    instance.up(detach=True, only=ONLY)
    assert "canary-in-the-shell" not in psutil.Process(row(instance)["pid"]).environ().values()


def test_a_wanted_port_that_is_taken_is_replaced_and_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        wanted = taken.getsockname()[1]
        instance = Instance(tmp_path / "weir", SETTINGS.model_copy(update={"kafka_port": wanted}))
        recorder = Recorder()
        try:
            address = instance.up(detach=True, only=ONLY, progress=recorder).kafka
            assert address != f"127.0.0.1:{wanted}"
            assert ("note", f"port {wanted} is taken; kafka uses {address.split(':')[1]}") in recorder.told
        finally:
            instance.down()


def test_the_callers_processes_come_last_and_go_first(kafka: Instance, tmp_path: Path) -> None:
    mark = tmp_path / "env.json"
    code = f"import json,os,pathlib; pathlib.Path({str(mark)!r}).write_text(json.dumps(dict(os.environ))); {SLEEP}"
    spec = ProcessSpec("weir", (sys.executable, "-c", code), {"OWN": "1"}, mark.exists, needs=("kafka",), version="0")
    recorder = Recorder()
    kafka.up(detach=True, only=ONLY, extra=[spec], progress=recorder)
    assert recorder.told == [("running", "kafka"), ("starting", "weir"), ("ready", "weir")]
    environment = json.loads(mark.read_text())
    assert environment["OWN"] == "1"
    assert environment["WEIR_KAFKA__BOOTSTRAP_SERVERS"] == kafka.addresses().kafka
    assert environment["WEIR_NEO4J__PASSWORD"] == kafka.addresses().neo4j_auth[1]
    assert row(kafka, "weir")["state"] == "ready"
    recorder = Recorder()
    kafka.down(progress=recorder)
    assert recorder.told == [("stopping", "weir"), ("stopping", "kafka")]


def test_a_failed_start_ends_what_it_started(instance: Instance) -> None:
    spec = ProcessSpec("weir", (sys.executable, "-c", "raise SystemExit('no database')"), ready=lambda: False)
    with pytest.raises(StackError, match="weir ended with code 1 while it was starting") as failure:
        instance.up(detach=True, only=ONLY, extra=[spec])
    assert failure.value.tail == ("no database",)
    assert {each["state"] for each in instance.status()} == {"stopped"}
    assert marked(instance._mark()) == []


def test_a_failed_start_leaves_alone_what_ran_before(kafka: Instance) -> None:
    before = row(kafka)["pid"]
    spec = ProcessSpec("weir", (sys.executable, "-c", "raise SystemExit(4)"), ready=lambda: False)
    with pytest.raises(StackError, match="code 4"):
        kafka.up(detach=True, only=ONLY, extra=[spec])
    assert (row(kafka)["pid"], row(kafka)["state"]) == (before, "ready")


def test_two_starts_of_one_folder_do_not_race(instance: Instance) -> None:
    instance.home.create()
    with instance.home.locked(), pytest.raises(StackError, match=r"Another start or stop .* is under way"):
        Instance(instance.home.root, SETTINGS).up(detach=True, only=ONLY)


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StackError, match=r"cannot be written .* WEIR_HOME"):
        Instance(tmp_path / "file" / "weir", SETTINGS).up(detach=True, only=ONLY)


def foreground(instance: Instance) -> subprocess.Popen[str]:
    """`python -m stack up` in a process of its own, waited for until Kafka is ready and its supervisor waits."""
    environment = dict(os.environ) | {"WEIR_HOME": str(instance.home.root), "WEIR_STACK__KAFKA_PORT": "0"}
    # Tests that were started in the background ignore SIGINT and hand that on, so a small program of its own hears it
    # again; a `preexec_fn` would fork this process with gRPC's threads in it, which aborts now and then.
    words = [sys.executable, "-c", HEAR_SIGINT, sys.executable, "-m", "stack", "up", "--only", "kafka"]
    child = subprocess.Popen(words, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
    assert child.stderr is not None
    lines: list[str] = []
    for line in child.stderr:
        lines.append(line)
        if line.startswith("kafka ready"):
            until(lambda: State.load(instance.home.state_file).mode == "foreground")
            return child
    raise AssertionError(f"the foreground start ended with {child.wait()}: {''.join(lines)}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_foreground_stops_everything(instance: Instance, number: signal.Signals) -> None:
    child = foreground(instance)
    server = row(instance)["pid"]
    child.send_signal(number)
    assert child.wait(60) == 130
    assert not psutil.pid_exists(server)
    assert not instance.home.state_file.exists()


def test_the_foreground_says_which_server_died_and_another_up_heals_it(instance: Instance) -> None:
    child = foreground(instance)
    assert child.stderr is not None
    server = row(instance)["pid"]
    os.kill(server, signal.SIGKILL)
    assert "kafka ended by itself" in child.stderr.readline()
    until(lambda: row(instance)["state"] == "dead")
    instance.up(detach=True, only=ONLY)
    assert row(instance)["state"] == "ready"
    # Stopped from elsewhere, the foreground ends without an error.
    assert instance.down() == 1
    assert child.wait(30) == 0


def test_what_a_killed_foreground_left_is_ended_by_the_next_up(instance: Instance) -> None:
    child = foreground(instance)
    left = row(instance)["pid"]
    child.kill()
    child.wait()
    assert psutil.pid_exists(left)
    recorder = Recorder()
    instance.up(detach=True, only=ONLY, progress=recorder)
    assert recorder.told[0] == ("note", "ending what an earlier run left behind")
    assert not psutil.pid_exists(left)
    assert row(instance)["state"] == "ready"


def test_what_nobody_recorded_is_found_by_its_mark(instance: Instance) -> None:
    environment = dict(os.environ) | {MARK: f"{instance._mark()}:kafka"}
    lost = subprocess.Popen([sys.executable, "-c", SLEEP], env=environment, start_new_session=True)
    try:
        instance.up(detach=True, only=ONLY)
        assert not psutil.pid_exists(lost.pid)
    finally:
        lost.kill()
        lost.wait()


def test_a_hung_server_is_started_again(kafka: Instance) -> None:
    hung = row(kafka)["pid"]
    os.kill(hung, signal.SIGSTOP)
    settings = SETTINGS.model_copy(update={"stop_timeout": 0.5})
    Instance(kafka.home.root, settings).up(detach=True, only=ONLY)
    assert not psutil.pid_exists(hung)
    assert row(kafka)["state"] == "ready"


def test_a_kept_server_is_replaced_on_its_port_and_only_the_one_that_was_seen(kafka: Instance) -> None:
    kept = KeptServer(kafka, "kafka")
    entry = kept.entry()
    assert entry is not None
    replaced = kept.replace(entry.identity)
    assert replaced is not None and not psutil.pid_exists(entry.pid)
    until(lambda: row(kafka)["state"] == "ready")
    after = kept.entry()
    assert after is not None and (after.pid, after.port) == (replaced.pid, entry.port)
    assert kept.replace(entry.identity) is None, "somebody replaced it already"
    kafka.down()
    assert kept.entry() is None and kept.replace(after.identity) is None
    assert row(kafka)["state"] == "stopped"


def test_a_kept_server_is_left_to_who_starts_or_stops_the_instance(kafka: Instance) -> None:
    kept = KeptServer(kafka, "kafka")
    entry = kept.entry()
    assert entry is not None
    with kafka.home.locked(), pytest.raises(StackError, match="under way"):
        kept.replace(entry.identity)
    state = State.load(kafka.home.state_file)
    state.stopping = True
    state.save()
    assert kept.entry() is None and kept.replace(entry.identity) is None
    assert psutil.pid_exists(entry.pid)
    state.stopping = False
    state.save()
