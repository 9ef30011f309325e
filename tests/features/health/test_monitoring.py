"""Alert rules and the dashboard ask for metrics, labels and commands that Weir has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from api.cli import tree
from tests.api_world import ApiWorld, orders, world

FOLDER = Path(__file__).resolve().parents[3] / "docs/reference/monitoring"
_NAME = re.compile(r"\b([a-z][a-z0-9_]*)\b(?!\s*\()")
_WORDS = {"by", "le", "sum", "rate", "increase", "histogram_quantile", "and", "or", "on", "without"}
PROMETHEUS = {"up"}
"""Metrics that Prometheus makes itself."""


def names(expression: str) -> set[str]:
    """Names of metrics in an expression of PromQL."""
    bare = re.sub(r"\{[^}]*\}|\[[^]]*\]|\b(by|without|on)\s*\([^)]*\)", " ", re.sub(r'"[^"]*"', '""', expression))
    return {word for word in _NAME.findall(bare) if word not in _WORDS and not re.fullmatch(r"\d*e?\d*", word)}


def alerts() -> list[dict[str, Any]]:
    groups = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def dashboard() -> dict[str, Any]:
    whole: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text())
    return whole


def expressions() -> list[str]:
    panels = [target["expr"] for panel in dashboard()["panels"] for target in panel["targets"]]
    return [*(rule["expr"] for rule in alerts()), *panels]


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("weir"), {"orders": orders(5)}) as created:
        created.apply(
            "apiVersion: weir/v1\nkind: Cluster\nmetadata: {name: prod}\nspec: {bootstrapServers: 'localhost:9092'}\n"
        )
        yield created


@pytest.fixture
def exported(weir: ApiWorld) -> set[str]:
    """Names of samples that `/metrics` gives, and of families that have none yet."""
    text = weir.anonymous().get("/metrics").text
    declared = re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M)
    known = {name for name, _ in declared}
    known |= {f"{name}_bucket" for name, kind in declared if kind == "histogram"}
    return known


def test_every_expression_asks_for_what_is_exported(exported: set[str]) -> None:
    unknown = {name: text for text in expressions() for name in names(text) - exported - PROMETHEUS}
    assert unknown == {}


def test_names_are_read_out_of_expressions() -> None:
    text = 'histogram_quantile(0.9, sum by (le) (rate(a_bucket{x="b_c"}[5m]))) / b_total > 4e9'
    assert names(text) == {"a_bucket", "b_total"}


def test_every_rule_has_a_sentence_a_fix_and_a_severity() -> None:
    rules = alerts()
    assert len({rule["alert"] for rule in rules}) == len(rules) >= 10
    for rule in rules:
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert rule["annotations"]["summary"].endswith(".")
        assert rule["annotations"]["fix"]


def test_every_command_that_a_rule_names_exists() -> None:
    named = [words for rule in alerts() for words in re.findall(r"`weir ([a-z -]+)", rule["annotations"]["fix"])]
    assert named
    for words in named:
        command: Any = tree(words.split())
        for word in words.split(" --")[0].split():
            command = command.commands.get(word)
            assert command is not None, words


def test_a_dashboard_has_its_source_by_variable() -> None:
    whole = dashboard()
    assert [each["name"] for each in whole["templating"]["list"]] == ["source"]
    assert {panel["datasource"]["uid"] for panel in whole["panels"]} == {"${source}"}
    assert len({panel["id"] for panel in whole["panels"]}) == len(whole["panels"])


def test_figures_of_scans_are_in_the_metrics(weir: ApiWorld) -> None:
    weir.scan(cluster="prod", topics=["orders"])
    samples = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(weir.anonymous().get("/metrics").text)
        for sample in family.samples
    }
    assert samples["weir_scans", "done"] >= 1
    assert samples["weir_scans", "queued"] == 0
    assert samples[("weir_scan_queue_seconds",)] == 0
    assert samples["weir_queries_running", "query"] == 0
    assert samples[("process_resident_memory_bytes",)] > 1e6
    assert ("weir_delivery_failures", "webhook") not in samples


def test_labels_are_words_of_fixed_lists(weir: ApiWorld) -> None:
    weir.admin.get("/api/v1/datasets/prod/orders-of-ana@example.com")
    assert "ana@example.com" not in weir.anonymous().get("/metrics").text
