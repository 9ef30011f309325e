"""Programs that are built from their Go modules, once for each version, for the tests of what other programs read."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

BUILD_SECONDS = 1200
"""Building one takes up to three minutes on two cores."""


@dataclass(frozen=True)
class GoTool:
    """`module`: the path that `go install` takes; the last part of it is the program."""

    module: str
    version: str

    def program(self) -> str:
        """The path of the program, built if it was not yet. Skips the test where that is not possible, with the reason."""
        name = self.module.rsplit("/", 1)[-1]
        folder = _folder() / f"{name}-{self.version}"
        if not (folder / name).exists():
            self._build(folder)
        return str(folder / name)

    def _build(self, folder: Path) -> None:
        go = shutil.which("go")
        if go is None:
            pytest.skip(f"Go is not installed, so {self.module} cannot be built")
        environment = {**os.environ, "GOBIN": str(folder)}
        command = [go, "install", f"{self.module}@{self.version}"]
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False, timeout=BUILD_SECONDS
            )
        except subprocess.TimeoutExpired:
            pytest.skip(f"{self.module} was not built within {BUILD_SECONDS} seconds")
        if done.returncode:
            pytest.skip(f"{self.module} could not be built: {(done.stderr.strip().splitlines() or ['no reason'])[-1]}")


def _folder() -> Path:
    given = os.environ.get("WEIR_TEST_GO_TOOLS")
    return Path(given) if given else Path.home() / ".cache" / "weir-test-tools"


HELM = GoTool("helm.sh/helm/v3/cmd/helm", "v3.22.0")
KUBECTL_VALIDATE = GoTool("sigs.k8s.io/kubectl-validate", "v0.0.4")
PROMTOOL = GoTool("github.com/prometheus/prometheus/cmd/promtool", "v0.316.0")
