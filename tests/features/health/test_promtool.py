"""Prometheus' own checks of the alert rules, the dashboard and the names of metrics, by promtool of its Go module."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from tests.api_world import orders, world
from tests.features.health.test_monitoring import FOLDER, alerts, dashboard
from tests.go_tools import PROMTOOL

pytestmark = [pytest.mark.tail, pytest.mark.slow, pytest.mark.timeout(1500)]
TESTS = Path(__file__).with_name("alerts_test.yml")


def promtool(*words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROMTOOL.program(), *words], input=text, capture_output=True, text=True, check=False)


def test_the_rules_are_rules_of_prometheus() -> None:
    done = promtool("check", "rules", "--lint=all", "--lint-fatal", str(FOLDER / "alerts.yml"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(alerts())} rules found" in done.stdout


def test_alerts_come_when_they_should_and_end() -> None:
    done = promtool("test", "rules", str(TESTS))
    assert done.returncode == 0, done.stdout + done.stderr
    tried = {
        case["alertname"] for test in yaml.safe_load(TESTS.read_text())["tests"] for case in test["alert_rule_test"]
    }
    assert len(tried & {rule["alert"] for rule in alerts()}) >= 6


def test_a_rule_that_never_comes_is_noticed(tmp_path: Path) -> None:
    rules = (FOLDER / "alerts.yml").read_text().replace("weir_server_up == 0", "weir_server_up == 2")
    (tmp_path / "alerts.yml").write_text(rules)
    whole = yaml.safe_load(TESTS.read_text()) | {"rule_files": ["alerts.yml"]}
    (tmp_path / "tests.yml").write_text(yaml.safe_dump(whole))
    done = promtool("test", "rules", str(tmp_path / "tests.yml"))
    assert done.returncode != 0
    assert "WeirServerAway" in done.stdout + done.stderr


def test_every_expression_of_the_dashboard_is_promql(tmp_path: Path) -> None:
    # promtool reads no dashboards, so each expression becomes a rule that records it.
    expressions = [target["expr"] for panel in dashboard()["panels"] for target in panel["targets"]]
    rules = [{"record": f"dashboard:panel:{number}", "expr": text} for number, text in enumerate(expressions)]
    assert len(rules) >= 15
    file = tmp_path / "dashboard.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    done = promtool("check", "rules", str(file))
    assert done.returncode == 0, done.stdout + done.stderr


def test_names_of_metrics_are_as_prometheus_wants_them(tmp_path: Path) -> None:
    with world(tmp_path, {"orders": orders(5)}) as created:
        created.apply(
            "apiVersion: weir/v1\nkind: Cluster\nmetadata: {name: prod}\nspec: {bootstrapServers: 'localhost:9092'}\n"
        )
        created.scan(cluster="prod", topics=["orders"])
        text = created.anonymous().get("/metrics").text
    assert "weir_scans{" in text
    done = promtool("check", "metrics", text=text)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
