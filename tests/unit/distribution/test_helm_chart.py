"""The Helm chart as Helm renders it, against the types of Kubernetes. Both programs are built from their Go modules."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.go_tools import HELM, KUBECTL_VALIDATE
from tests.unit.distribution.chart_values import ALL, ALSO_REQUIRED, LEAST, REQUIRED
from tests.unit.distribution.test_helm_values import CHART

pytestmark = [pytest.mark.tail, pytest.mark.slow, pytest.mark.timeout(2600)]
KUBERNETES = ("1.27", "1.30")
"""Versions of Kubernetes whose types the validator brings."""

Document = dict[str, Any]


def run(tmp_path: Path, command: str, values: dict[str, Any], *more: str) -> subprocess.CompletedProcess[str]:
    """A command of Helm over the chart with such values."""
    file = tmp_path / "values.yaml"
    file.write_text(yaml.safe_dump(values))
    words = [HELM.program(), command, *(["weir"] if command == "template" else []), str(CHART), "--values", str(file)]
    return subprocess.run([*words, "--kube-version", "1.30.0", *more], capture_output=True, text=True, check=False)


def rendered(tmp_path: Path, values: dict[str, Any]) -> list[Document]:
    done = run(tmp_path, "template", values)
    assert done.returncode == 0, done.stderr
    return [document for document in yaml.safe_load_all(done.stdout) if document]


def named(documents: list[Document]) -> dict[tuple[str, str], Document]:
    return {(each["kind"], each["metadata"]["name"]): each for each in documents}


def joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Values of which the second count where both have one."""
    both = {**one}
    for name, value in other.items():
        both[name] = joined(one.get(name, {}), value) if isinstance(value, dict) else value
    return both


def without(values: dict[str, Any], path: str) -> dict[str, Any]:
    first, last = path.split(".")
    return values | {first: {name: value for name, value in values[first].items() if name != last}}


@pytest.mark.parametrize("values", [LEAST, ALL], ids=["least", "all"])
def test_helm_finds_nothing_to_warn_of(tmp_path: Path, values: dict[str, Any]) -> None:
    done = run(tmp_path, "lint", values, "--strict")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[WARNING]" not in done.stdout


@pytest.mark.parametrize("version", KUBERNETES)
@pytest.mark.parametrize("values", [LEAST, ALL], ids=["least", "all"])
def test_what_is_rendered_is_of_the_types_of_kubernetes(tmp_path: Path, values: dict[str, Any], version: str) -> None:
    documents = [each for each in rendered(tmp_path, values) if each["kind"] != "ServiceMonitor"]
    assert validated(tmp_path, documents, version) == (0, "")


def test_the_validator_refuses_a_field_that_kubernetes_lacks(tmp_path: Path) -> None:
    documents = rendered(tmp_path, LEAST)
    deployment = named(documents)["Deployment", "weir-api"]
    deployment["spec"]["template"]["spec"]["containers"][0]["readinesProbe"] = {}
    code, errors = validated(tmp_path, documents, KUBERNETES[-1])
    assert code != 0
    assert "readinesProbe" in errors


def validated(tmp_path: Path, documents: list[Document], version: str) -> tuple[int, str]:
    """The validator's exit code, and its words where it refuses something."""
    file = tmp_path / "rendered.yaml"
    file.write_text(yaml.safe_dump_all(documents))
    command = [KUBECTL_VALIDATE.program(), str(file), "--version", version]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.parametrize("path", REQUIRED)
def test_a_missing_value_is_named_in_one_sentence(tmp_path: Path, path: str) -> None:
    done = run(tmp_path, "template", without(LEAST, path))
    assert done.returncode != 0
    assert f"Set the value {path} to " in done.stderr


@pytest.mark.parametrize("path", ALSO_REQUIRED)
def test_a_value_that_another_one_needs_is_named(tmp_path: Path, path: str) -> None:
    done = run(tmp_path, "template", joined(LEAST, ALSO_REQUIRED[path]))
    assert done.returncode != 0
    assert f"Set the value {path} to " in done.stderr


def test_a_misspelt_value_is_named(tmp_path: Path) -> None:
    done = run(tmp_path, "template", joined(LEAST, {"serve": {"replica": 2}}))
    assert done.returncode != 0
    assert "replica" in done.stderr


@pytest.mark.parametrize("values", [LEAST, ALL], ids=["least", "all"])
def test_pods_have_no_rights_and_write_nowhere_but_in_their_volumes(tmp_path: Path, values: dict[str, Any]) -> None:
    documents = rendered(tmp_path, values)
    started = [each for each in documents if each["kind"] in ("Deployment", "StatefulSet")]
    assert [each["kind"] for each in started] == ["Deployment", "StatefulSet"]
    for each in started:
        pod = each["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        # A Service named weir would give the pods WEIR_PORT, and Weir refuses a variable that it does not know.
        assert pod["enableServiceLinks"] is False
        for container in (*pod["initContainers"], *pod["containers"]):
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert set(container["resources"]) == {"requests", "limits"}
        claimed = [claim["metadata"]["name"] for claim in each["spec"].get("volumeClaimTemplates", ())]
        volumes = {*claimed, *(volume["name"] for volume in pod["volumes"])}
        assert len(volumes) == len(claimed) + len(pod["volumes"])
        assert {mount["name"] for container in pod["containers"] for mount in container["volumeMounts"]} <= volumes


def test_secrets_are_named_and_never_in_the_settings(tmp_path: Path) -> None:
    documents = named(rendered(tmp_path, ALL))
    assert "Secret" not in {kind for kind, _ in documents}
    settings = documents["ConfigMap", "weir"]["data"]
    variables = documents["Deployment", "weir-api"]["spec"]["template"]["spec"]["containers"][0]["env"]
    secret = {each["name"]: each["valueFrom"]["secretKeyRef"]["name"] for each in variables if "valueFrom" in each}
    assert secret == {
        "WEIR_DATABASE__URL": "weir-database",
        "WEIR_NEO4J__PASSWORD": "weir-neo4j",
        "WEIR_SPARK__REMOTE": "weir-spark",
        "WEIR_QUERY__REMOTE": "weir-query",
        "WEIR_VIEWS__REMOTE": "weir-views",
        "WEIR_VIEWS__SERVING_URL": "weir-serving",
        "WEIR_KAFKA__SASL_PASSWORD": "weir-kafka",
        "WEIR_SCHEMA_REGISTRY__PASSWORD": "weir-registry",
        "WEIR_ELASTICSEARCH__PASSWORD": "weir-elasticsearch",
        "WEIR_SECRET_SMTP": "weir-mail",
    }
    assert set(settings).isdisjoint(secret)
    assert settings["WEIR_LOG__LEVEL"] == "DEBUG"
    assert settings["WEIR_LINEAGE__REPLICATION"] == "3"


def test_a_changed_setting_starts_the_pods_again(tmp_path: Path) -> None:
    def annotation(values: dict[str, Any]) -> str:
        deployment = named(rendered(tmp_path, values))["StatefulSet", "weir-worker"]
        return str(deployment["spec"]["template"]["metadata"]["annotations"]["checksum/settings"])

    changed = joined(LEAST, {"settings": {"WEIR_LOG__LEVEL": "DEBUG"}})
    assert annotation(LEAST) == annotation(LEAST) != annotation(changed)


def test_what_is_optional_is_left_out(tmp_path: Path) -> None:
    least, most = named(rendered(tmp_path, LEAST)), named(rendered(tmp_path, ALL))
    optional = {
        ("Ingress", "weir"),
        ("HorizontalPodAutoscaler", "weir-api"),
        ("ServiceMonitor", "weir"),
        ("PodDisruptionBudget", "weir-worker"),
    }
    assert set(most) - set(least) == optional
    assert least["Deployment", "weir-api"]["spec"]["replicas"] == 1
    assert "replicas" not in most["Deployment", "weir-api"]["spec"]


def test_workers_are_as_many_as_wanted_each_with_a_volume_of_its_own(tmp_path: Path) -> None:
    def worker(**values: Any) -> Document:
        spec: Document = named(rendered(tmp_path, joined(LEAST, {"worker": values})))["StatefulSet", "weir-worker"][
            "spec"
        ]
        return spec

    three = worker(replicas=3, persistence={"storageClass": "fast", "size": "3Gi"})
    assert three["replicas"] == 3
    (claim,) = three["volumeClaimTemplates"]
    assert claim["spec"] == {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "fast",
        "resources": {"requests": {"storage": "3Gi"}},
    }
    for values, home in (
        ({"enabled": False}, {"emptyDir": {"sizeLimit": "1Gi"}}),
        ({"existingClaim": "mine"}, {"persistentVolumeClaim": {"claimName": "mine"}}),
    ):
        spec = worker(persistence=values)
        assert spec["replicas"] == 1 and "volumeClaimTemplates" not in spec
        assert {"name": "home", **home} in spec["template"]["spec"]["volumes"]


def test_several_workers_do_not_share_a_claim(tmp_path: Path) -> None:
    values = {"worker": {"replicas": 2, "persistence": {"existingClaim": "mine"}}}
    done = run(tmp_path, "template", joined(LEAST, values))
    assert done.returncode != 0
    assert "Set the value worker.persistence.existingClaim to nothing, or worker.replicas to 1" in done.stderr


def test_selectors_find_the_pods_that_they_are_for(tmp_path: Path) -> None:
    documents = named(rendered(tmp_path, ALL))
    labels = {
        name: documents[kind, f"weir-{name}"]["spec"]["template"]["metadata"]["labels"]
        for kind, name in (("Deployment", "api"), ("StatefulSet", "worker"))
    }
    wanted = {
        "api": [
            documents["Service", "weir"]["spec"]["selector"],
            documents["PodDisruptionBudget", "weir-api"]["spec"]["selector"]["matchLabels"],
            documents["NetworkPolicy", "weir-api"]["spec"]["podSelector"]["matchLabels"],
        ],
        "worker": [
            documents["Service", "weir-worker"]["spec"]["selector"],
            documents["PodDisruptionBudget", "weir-worker"]["spec"]["selector"]["matchLabels"],
            documents["NetworkPolicy", "weir-worker"]["spec"]["podSelector"]["matchLabels"],
        ],
    }
    for name, selectors in wanted.items():
        other = labels["worker" if name == "api" else "api"]
        for selector in selectors:
            assert selector.items() <= labels[name].items()
            assert not selector.items() <= other.items()
    monitor = documents["ServiceMonitor", "weir"]["spec"]
    assert monitor["selector"]["matchLabels"].items() <= documents["Service", "weir"]["metadata"]["labels"].items()
    assert monitor["endpoints"] == [{"port": "http", "path": "/metrics", "interval": "30s"}]


def test_the_api_is_ready_by_its_probes_and_nobody_calls_the_worker(tmp_path: Path) -> None:
    documents = named(rendered(tmp_path, ALL))
    container = documents["Deployment", "weir-api"]["spec"]["template"]["spec"]["containers"][0]
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert documents["NetworkPolicy", "weir-worker"]["spec"]["ingress"] == []
    assert documents["NetworkPolicy", "weir-api"]["spec"]["policyTypes"] == ["Ingress", "Egress"]
    assert {"protocol": "UDP", "port": 53} in documents["NetworkPolicy", "weir-api"]["spec"]["egress"][0]["ports"]
