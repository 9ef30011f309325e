"""What happens when things break: nothing acknowledged is lost, every failure is a sentence, `up` heals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.conftest import ROOT, RunningWeir, instance_environment
from tests.waiting import until

pytestmark = [pytest.mark.e2e, pytest.mark.integration]


def event(number: int, run: str) -> dict[str, Any]:
    return {
        "eventTime": "2026-03-01T12:00:00Z",
        "eventType": "COMPLETE",
        "producer": "https://example.com/fault-test",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": str(uuid.uuid4())},
        "job": {"namespace": f"fault-{run}", "name": f"job-{number}"},
        "inputs": [{"namespace": f"fault-{run}", "name": "source"}],
        "outputs": [{"namespace": f"fault-{run}", "name": f"sink-{number}"}],
    }


def awaited(look: Callable[[], bool], what: str, seconds: float = 90) -> None:
    until(look, what, seconds, every=0.2)


def server(weir: RunningWeir, name: str) -> dict[str, Any]:
    rows = json.loads(weir.command("status", "-o", "json").stdout)["servers"]
    entry: dict[str, Any] = next(row for row in rows if row["name"] == name)
    return entry


@pytest.mark.tail
def test_no_accepted_event_is_lost_when_neo4j_is_killed(weir: RunningWeir) -> None:
    run = uuid.uuid4().hex[:8]
    with weir.client() as admin:
        for number in range(100):
            if number == 30:
                psutil.Process(server(weir, "neo4j")["pid"]).kill()
            assert admin.post("/api/v1/lineage", json=event(number, run)).status_code == 201
        ready = admin.get("/readyz")
        assert ready.status_code == 200 and ready.json()["status"] == "degraded"
        down = admin.get("/api/v1/lineage", params={"nodeId": f"dataset:fault-{run}:source"})
        assert down.status_code == 503 and "Neo4j" in down.json()["error"]["message"]
        healed = weir.command("up", "--detach")
        assert "neo4j" in healed.stderr

        def sinks() -> set[str]:
            answer = admin.get(
                "/api/v1/lineage", params={"nodeId": f"dataset:fault-{run}:source", "direction": "downstream"}
            )
            return {edge["target"] for edge in answer.json().get("edges", [])}

        awaited(lambda: len(sinks()) == 100, "the fold of all 100 events")
        awaited(lambda: bool(admin.get("/readyz").json()["status"] == "ready"), "readiness")


@pytest.mark.tail
def test_a_killed_worker_and_server_are_brought_back(weir: RunningWeir) -> None:
    for name in ("weir-worker", "weir"):
        before = server(weir, name)["pid"]
        psutil.Process(before).kill()
        awaited(lambda name=name: server(weir, name)["state"] == "dead", f"the end of {name}")  # type: ignore[misc]
        weir.command("up", "--detach")
        assert server(weir, name)["pid"] != before and server(weir, name)["state"] == "ready"


def run_alone(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    env = {**instance_environment(home), **more}
    return subprocess.run(
        [sys.executable, "-m", "api", *arguments],
        env=env,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "environment", "named"),
    [
        (("search", "email"), {}, "weir up"),
        (("search", "email"), {"WEIR_URL": "http://127.0.0.1:1", "WEIR_TOKEN": "x"}, "127.0.0.1:1"),
        (("up", "--detach"), {"WEIR_API__PROT": "1"}, "WEIR_API__PORT"),
        (("up", "--detach"), {"WEIR_STACK__KAFKA_PORT": "many"}, "WEIR_STACK__KAFKA_PORT"),
        (("up", "--detach"), {"WEIR_STACK__JAVA_HOME": "/nowhere"}, "/nowhere"),
        (("apply", "-f", "/nowhere.yaml"), {"WEIR_TOKEN": "x"}, "/nowhere.yaml"),
        (("serve",), {"WEIR_DATABASE__URL": "mysql://x"}, "WEIR_DATABASE__URL"),
        (("serve",), {"WEIR_DATABASE__URL": "sqlite:////proc/nowhere/weir.db"}, "/proc/nowhere"),
    ],
)
def test_each_failure_is_a_sentence(
    tmp_path: Path, arguments: tuple[str, ...], environment: dict[str, str], named: str
) -> None:
    done = run_alone(tmp_path, *arguments, **environment)
    assert done.returncode != 0
    assert named in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and "at org." not in done.stderr


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = run_alone(blocked / "home", "up", "--detach")
    assert done.returncode == 1 and str(blocked) in done.stderr and "Traceback" not in done.stderr


def test_a_wrong_token_is_a_sentence(weir: RunningWeir) -> None:
    env = {**weir.env, "WEIR_TOKEN": "weir_wrong"}
    done = subprocess.run(
        [sys.executable, "-m", "api", "search", "x"],
        env=env,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1 and "token" in done.stderr and "Traceback" not in done.stderr


def test_a_scan_is_cancelled_and_says_so(demo: RunningWeir) -> None:
    with demo.client() as admin:
        scan = admin.post("/api/v1/scans", json={"cluster": "prod", "topics": ["*"]}).json()
        cancelled = admin.post(f"/api/v1/scans/{scan['id']}/cancel")
        assert cancelled.status_code == 200
        awaited(lambda: admin.get(f"/api/v1/scans/{scan['id']}").json()["state"] == "cancelled", "the end of the scan")


def test_the_launcher_passes_on_its_signal(tmp_path: Path) -> None:
    """A foreground `up` that is asked to end while it starts leaves nothing behind."""
    env = instance_environment(tmp_path)
    started = subprocess.Popen(
        [sys.executable, "-m", "api", "up"],
        env=env,
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    state = tmp_path / "run" / "stack.json"
    awaited(lambda: state.exists() and "kafka" in state.read_text(), "the first server's start")
    pids = [entry["pid"] for entry in _entries(state)]
    os.kill(started.pid, signal.SIGTERM)
    started.communicate(timeout=90)
    assert pids and not [pid for pid in pids if _alive(pid)]


def _entries(state: Path) -> list[dict[str, Any]]:
    document = json.loads(state.read_text())
    servers = document["servers"]
    return list(servers.values()) if isinstance(servers, dict) else list(servers)


def _alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
