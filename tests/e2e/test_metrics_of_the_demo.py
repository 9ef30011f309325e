"""The metrics of an instance that has done everything the demo does, by Prometheus' own check of names."""

from __future__ import annotations

import subprocess

import pytest

from tests.conftest import RunningWeir
from tests.go_tools import PROMTOOL

pytestmark = [pytest.mark.e2e, pytest.mark.tail, pytest.mark.timeout(1500)]


def test_names_are_as_prometheus_wants_them(demo: RunningWeir) -> None:
    with demo.client() as admin:
        text = admin.get("/metrics").text
    assert "weir_view_lag_seconds{" in text
    command = [PROMTOOL.program(), "check", "metrics"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
