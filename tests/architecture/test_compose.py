"""docker-compose.yml: valid, of the versions of `weir up`, healthy before it is used, closed to the network."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from api import VERSION
from stack import SERVERS, StackSettings
from stack.installed import versions

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docker-compose.yml"
COMPOSE: dict[str, Any] = yaml.safe_load(FILE.read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
PUBLISHED = [(name, port) for name, service in SERVICES.items() for port in service.get("ports", [])]


def test_the_schema_of_compose_files_holds() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(FILE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_docker_reads_it_as_it_is_meant() -> None:
    docker = shutil.which("docker")
    known = docker is not None and subprocess.run([docker, "compose", "version"], capture_output=True, check=False)
    if docker is None or not known or known.returncode:
        pytest.skip("docker with its plugin compose is not installed here")
    command = [docker, "compose", "--file", str(FILE), "config", "--format", "json"]
    environment = {**os.environ, "NEO4J_PASSWORD": "made-up-word", "SPARK_TOKEN": "made-up-word"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)["services"]) == set(SERVICES)


def test_the_services_are_the_servers_and_weir() -> None:
    names = {"kafka", "schema-registry", "neo4j", "elasticsearch", "spark", "query", "weir-server", "weir-worker"}
    assert set(SERVICES) == names
    assert {name.replace("schema-", "") for name in names} - {"weir-server", "weir-worker"} == set(SERVERS)


@pytest.mark.parametrize(
    ("service", "image"),
    [
        ("kafka", f"apache/kafka:{versions.KAFKA}"),
        ("schema-registry", f"apicurio/apicurio-registry:{versions.REGISTRY}"),
        ("neo4j", f"neo4j:{versions.NEO4J}-community"),
        ("elasticsearch", f"docker.elastic.co/elasticsearch/elasticsearch:{versions.ELASTICSEARCH}"),
        ("spark", f"weir-spark:{versions.SPARK}"),
        ("query", f"weir-spark:{versions.SPARK}"),
        ("weir-server", f"weir:{VERSION}"),
        ("weir-worker", f"weir:{VERSION}"),
    ],
)
def test_versions_are_those_of_the_local_servers(service: str, image: str) -> None:
    assert SERVICES[service]["image"] == image


def test_spark_is_the_locked_pyspark() -> None:
    assert f"\npyspark=={versions.SPARK} " in (ROOT / "requirements" / "base.txt").read_text()


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_says_when_it_is_healthy(name: str) -> None:
    check = SERVICES[name]["healthcheck"]
    assert check["test"][0] in ("CMD", "CMD-SHELL")
    assert check["retries"] >= 10


@pytest.mark.parametrize("name", SERVICES)
def test_every_dependency_is_awaited_until_healthy(name: str) -> None:
    dependencies = SERVICES[name].get("depends_on", {})
    assert isinstance(dependencies, dict)
    for other, how in dependencies.items():
        assert other in SERVICES
        assert how == {"condition": "service_healthy"}


def test_weir_waits_for_every_server() -> None:
    assert set(SERVICES["weir-server"]["depends_on"]) == set(SERVICES) - {"weir-server", "weir-worker"}
    assert "weir-server" in SERVICES["weir-worker"]["depends_on"]


@pytest.mark.parametrize(("name", "port"), PUBLISHED)
def test_ports_can_be_moved_and_stay_on_this_machine(name: str, port: str) -> None:
    assert re.fullmatch(r"127\.0\.0\.1:\$\{[A-Z0-9_]+:-\d+\}:\d+", port)


def test_default_ports_are_those_of_the_local_servers() -> None:
    defaults = {name: [int(re.search(r":-(\d+)", port)[1]) for port in ports] for name, ports in published().items()}  # type: ignore[index]
    settings = StackSettings()
    assert defaults["kafka"] == [settings.kafka_port]
    assert defaults["schema-registry"] == [settings.registry_port]
    assert defaults["neo4j"] == [settings.neo4j_port]
    assert defaults["elasticsearch"] == [settings.elasticsearch_port]
    # Spark Connect is for Weir alone; what is published there is Weir's own port, whose network it shares.
    assert defaults["spark"] == [8484]


def published() -> dict[str, list[str]]:
    return {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}


def test_no_password_is_written_down() -> None:
    secret = re.compile(r"^\s*(?P<name>\w*(?:PASSWORD|AUTH|TOKEN|REMOTE|SECRET)\w*): *(?P<value>.+)$", re.MULTILINE)
    matches = [(match["name"], match["value"]) for match in secret.finditer(FILE.read_text())]
    assert len(matches) >= 4
    for name, value in matches:
        assert re.search(r"\$\{[A-Z0-9_]+:\?[^}]+\}", value), f"{name} has a value of its own"


def test_variables_do_not_collide_with_weirs_settings() -> None:
    # Weir refuses a WEIR_ name it does not know, and these would be in the same shell.
    assert not re.findall(r"\$\{(WEIR_\w+)", FILE.read_text())


def test_services_without_a_network_of_their_own_share_sparks() -> None:
    for name in ("weir-server", "weir-worker", "query"):
        assert SERVICES[name]["network_mode"] == "service:spark"
    for name in ("weir-server", "weir-worker"):
        for variable in ("WEIR_SPARK__REMOTE", "WEIR_QUERY__REMOTE"):
            assert "localhost" in SERVICES[name]["environment"][variable]


def test_the_stages_that_compose_builds_exist() -> None:
    stages = set(re.findall(r"^FROM \S+ AS (\w+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE))
    targets = {service["build"]["target"] for service in SERVICES.values() if "build" in service}
    assert targets == stages
