"""A local stack that asks for passwords: the whole demo runs on it, and who has none reads nothing."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from api.demo.expect import known_addresses
from api.demo.produce import client
from stack import Instance, StackSettings
from tests.client_environment import programs
from tests.conftest import ROOT, instance_environment
from tests.consumer_clients import Clients, Where

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.own_servers, pytest.mark.timeout(1200)]


def run(env: dict[str, str], *arguments: str, timeout: float = 900) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        env=env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@pytest.fixture(scope="module")
def secured() -> Iterator[tuple[Path, dict[str, str], dict[str, Any]]]:
    """Home, environment and addresses of a secured instance after the demo."""
    home = Path(tempfile.mkdtemp(prefix="weir-secured-"))
    env = instance_environment(home)
    try:
        done = run(env, "api", "demo", "--secured", "--detach")
        assert done.returncode == 0, f"{done.stdout[-5000:]}\n{done.stderr[-5000:]}"
        assert "SECURED" not in done.stderr, "there is nothing to warn of"
        yield home, env, json.loads(run(env, "stack", "env", "-o", "json").stdout)
    finally:
        run(env, "api", "down")
        for folder in (home, Path(env["WEIR_SECRETS__FOLDER"])):
            shutil.rmtree(folder, ignore_errors=True)


def test_the_servers_are_ready_by_their_passwords(secured: tuple[Path, dict[str, str], dict[str, Any]]) -> None:
    _, env, _ = secured
    rows = json.loads(run(env, "api", "status", "-o", "json").stdout)["servers"]
    assert {row["name"]: row["state"] for row in rows if row["state"] != "ready"} == {}


def test_nobody_reads_without_a_password(secured: tuple[Path, dict[str, str], dict[str, Any]]) -> None:
    _, _, addresses = secured
    for name, paths in (
        (
            "elasticsearch",
            ("/_cluster/health", "/_cat/indices", "/weir-catalog/_search", "/_nodes", "/weir-catalog/_doc/1"),
        ),
        ("registry", ("/subjects", "/schemas/ids/1", "/../../registry/v3/search/artifacts", "/../../../")),
    ):
        user, password = addresses[f"{name}_login"]
        for path in paths:
            for login in (None, (user, "wrong"), ("admin", password), (user, "")):
                answer = httpx.get(addresses[name] + path, auth=login, timeout=20)
                assert answer.status_code == 401, (name, path, answer.text[:200])
        assert httpx.get(addresses[name] + paths[0], auth=(user, password), timeout=20).status_code == 200


def test_kafka_takes_only_who_signs_in(secured: tuple[Path, dict[str, str], dict[str, Any]]) -> None:
    home, _, addresses = secured
    ports = json.loads((home / "ports.json").read_text())
    controller = f"127.0.0.1:{ports['kafka-controller'][1]}"
    for bootstrap in (addresses["kafka"], controller):
        for login in ({}, client(("weir", "wrong")), client(("admin", addresses["kafka_login"][1]))):
            with pytest.raises(KafkaException):
                AdminClient({"bootstrap.servers": bootstrap, "log_level": 0, **login}).list_topics(timeout=4)
    kafka = {"bootstrap.servers": addresses["kafka"], **client(tuple(addresses["kafka_login"]))}
    assert {"orders", "payments", "_weir.events"} <= set(AdminClient(kafka).list_topics(timeout=20).topics)


def test_a_scan_by_address_signs_in_and_a_query_reads(secured: tuple[Path, dict[str, str], dict[str, Any]]) -> None:
    home, env, addresses = secured
    scan = run(env, "api", "scan", "--bootstrap-servers", addresses["kafka"], "--topics", "orders", "-o", "json")
    assert scan.returncode == 0, scan.stderr
    assert json.loads(scan.stdout)["state"] == "done"
    rows = json.loads(run(env, "api", "status", "-o", "json").stdout)
    token = (home / "tokens" / "ana").read_text().strip()
    answer = httpx.post(
        f"{rows['url']}/api/v1/query",
        json={"sql": "SELECT count(*) AS n FROM prod.orders"},
        headers={"Authorization": f"Bearer {token}"},
        timeout=120,
    )
    assert answer.status_code == 200 and answer.json()["rows"][0][0] > 0, answer.text


def test_clients_that_nobody_changed_read_the_masked_copy_and_not_the_topic(
    secured: tuple[Path, dict[str, str], dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """By what `weir rights client` prints, as the consumer of the demo, which reads a masked copy since its grant ended."""
    home, env, addresses = secured
    login = Instance(home, StackSettings(secured=True)).addresses().kafka_consumer_login
    assert login is not None
    user, password = login
    asked = ("prod/users", "--for-consumer", user, "--as", "ana")
    forms = {
        form: run(env, "api", "rights", "client", *asked, "--form", form)
        for form in ("python", "java", "spark", "quix", "librdkafka")
    }
    assert {form: done.stderr for form, done in forms.items() if done.returncode} == {}
    texts = {form: done.stdout for form, done in forms.items()}
    assert password not in str(texts)
    copy = texts["java"].splitlines()[0].removeprefix("# topic: ")
    assert copy.startswith("users.masked-")
    admin = {"bootstrap.servers": addresses["kafka"], **client(tuple(addresses["kafka_login"]))}
    where = Where(tmp_path_factory.mktemp("clients"), {"KAFKA_PASSWORD": password}, admin)
    clients = Clients(addresses["spark"], programs(tmp_path_factory.mktemp("quix")) / "python")
    every = clients.require(texts, where, copy, "users", 20)
    known = known_addresses()
    assert known and not [address for address in known if address in str(every)]


def test_everything_below_the_home_is_the_owners(secured: tuple[Path, dict[str, str], dict[str, Any]]) -> None:
    home, _, _ = secured
    # Spark makes what it is sent executable for all, in a folder that nobody else can enter.
    paths = [
        path for path in (home, *home.rglob("*")) if not path.is_symlink() and "userFiles-" not in str(path.parent)
    ]
    wrong = [f"{path} {oct(mode)}" for path in paths if (mode := stat.S_IMODE(path.stat().st_mode)) & 0o077]
    assert wrong == []


def test_no_password_is_in_a_log_or_a_command_line(secured: tuple[Path, dict[str, str], dict[str, Any]]) -> None:
    home, _, addresses = secured
    passwords = [addresses[f"{name}_login"][1] for name in ("kafka", "registry", "elasticsearch")]
    texts = {str(path): path.read_text(errors="replace") for path in (home / "logs").rglob("*") if path.is_file()}
    texts["ps"] = subprocess.run(["ps", "axww", "-o", "args"], capture_output=True, text=True, check=True).stdout
    assert [name for name, text in texts.items() if any(password in text for password in passwords)] == []
