"""A cluster behind TLS and passwords: declared, scanned and queried; what is wrong with it is one sentence."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from api.config.home import Home
from api.config.settings import Settings
from api.wiring.adapters import Adapters
from api.wiring.given import GivenAdapters
from tests.conftest import RunningWeir
from tests.secured_kafka import PASSWORD, USER, SecuredKafka, secured_kafka

pytestmark = [pytest.mark.e2e, pytest.mark.integration]


@pytest.fixture(scope="module")
def secured(weir: RunningWeir) -> Iterator[SecuredKafka]:
    folder = weir.secrets / "secured"
    folder.mkdir()
    with secured_kafka(folder) as kafka:
        admin = AdminClient(kafka.client())
        admin.create_topics([NewTopic("vault", 2)])["vault"].result(30)
        producer = Producer(kafka.client())
        for number in range(50):
            producer.produce("vault", json.dumps({"number": number, "mail": f"p{number}@example.org"}).encode())
        assert producer.flush(30) == 0
        yield kafka


@pytest.fixture(scope="module")
def password(weir: RunningWeir) -> Path:
    path = weir.secrets / "password"
    path.write_text(PASSWORD + "\n")
    return path


def cluster(name: str, address: str, security: dict[str, Any]) -> str:
    spec = {"type": "kafka", "bootstrapServers": address, "security": security}
    role = {"read": [{"dataset": f"{name}/*"}]}
    documents = [
        {"apiVersion": "weir/v1", "kind": "Cluster", "metadata": {"name": name}, "spec": spec},
        {"apiVersion": "weir/v1", "kind": "Role", "metadata": {"name": f"reads-{name}"}, "spec": role},
        {"apiVersion": "weir/v1", "kind": "User", "metadata": {"name": name}, "spec": {"roles": [f"reads-{name}"]}},
    ]
    return yaml.safe_dump_all(documents)


def sasl(kafka: SecuredKafka, password: Path, **changed: Any) -> dict[str, Any]:
    user = {"mechanism": "SCRAM-SHA-512", "username": USER, "password": {"file": str(password)}}
    return {"tls": {"ca": str(kafka.ca)}, "sasl": user | changed}


def scan_and_query(weir: RunningWeir, folder: Path, name: str, declared: str) -> dict[str, Any]:
    file = folder / f"{name}.yaml"
    file.write_text(declared)
    weir.command("apply", "-f", str(file))
    scan = json.loads(weir.command("scan", name, "-o", "json").stdout)
    assert (scan["state"], [d["name"] for d in scan["datasets"]]) == ("done", ["vault"]), scan
    token = weir.command("token", "create", "--user", name).stdout.strip()
    with weir.client() as client:
        answer = client.post(
            "/api/v1/query",
            json={"sql": f"SELECT count(*) AS n, min(mail) AS m FROM `{name}`.vault"},
            headers={"Authorization": f"Bearer {token}"},
        )
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def size_of(weir: RunningWeir, name: str) -> int:
    """Bytes of its topic, which another client than that of the scan reads."""
    with weir.client() as client:
        return int(client.get(f"/api/v1/datasets/{name}/vault/partitions").json()["size"])


def test_tls_with_a_password(weir: RunningWeir, secured: SecuredKafka, password: Path, tmp_path: Path) -> None:
    declared = cluster("secured", secured.scram, sasl(secured, password))
    answer = scan_and_query(weir, tmp_path, "secured", declared)
    assert answer["rows"] == [[50, "p0@example.org"]]
    assert size_of(weir, "secured") > 50


def test_a_client_certificate(weir: RunningWeir, secured: SecuredKafka, tmp_path: Path) -> None:
    tls = {"ca": str(secured.ca), "certificate": str(secured.certificate), "key": str(secured.key)}
    answer = scan_and_query(weir, tmp_path, "secured", cluster("secured", secured.mutual, {"tls": tls}))
    assert answer["rows"][0][0] == 50
    assert size_of(weir, "secured") > 50


def test_what_is_wrong_is_said(weir: RunningWeir, secured: SecuredKafka, password: Path, tmp_path: Path) -> None:
    wrong = weir.secrets / "wrong"
    wrong.write_text("not-the-password")
    cases = {
        "refuses the user name or password": sasl(secured, wrong),
        "does not agree on TLS": {"sasl": sasl(secured, password)["sasl"], "tls": {}},
        "which is not there": sasl(secured, password) | {"tls": {"ca": "nowhere.pem"}},
        "cannot be read": sasl(secured, Path("nowhere")),
        "folder of secrets": sasl(secured, Path("/etc/hostname")),
    }
    for number, (expected, security) in enumerate(cases.items()):
        file = tmp_path / f"{number}.yaml"
        file.write_text(cluster(f"bad{number}", secured.scram, security))
        applied = weir.command("apply", "-f", str(file), check=False)
        done = weir.command("scan", f"bad{number}", check=False) if applied.returncode == 0 else applied
        output = done.stdout + done.stderr
        assert done.returncode != 0
        assert expected in " ".join(output.split()), output
        assert "not-the-password" not in output and "Traceback" not in output and "Exception" not in output


def test_weirs_own_topics_can_live_there(secured: SecuredKafka, tmp_path: Path) -> None:
    kafka = {
        "bootstrap_servers": secured.scram,
        "tls_ca": str(secured.ca),
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_username": USER,
        "sasl_password": PASSWORD,
    }
    settings = Settings.model_validate({"kafka": kafka})
    assert PASSWORD not in repr(settings)
    parts = Adapters(settings, Home(tmp_path), GivenAdapters())
    parts.probes()["kafka"]()
    log, source = parts.log, parts.source
    try:
        log.append("key", b"{}")
        deadline = time.monotonic() + 60
        while not (records := source.poll(10, 2**20, 1.0)):
            assert time.monotonic() < deadline
        assert [record.value for record in records] == [b"{}"]
    finally:
        source.close()
        log.close()
