"""What the browser tests need of the machine: a Chromium, a Node, the pages' packages; and how a spec file is run."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
UI = ROOT / "ui"

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "microsoft-edge")
_MAC = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)


def find_chromium() -> str | None:
    """The browser that CHROMIUM names, else the first of its family on PATH or where macOS keeps it; None without."""
    if given := os.environ.get("CHROMIUM"):
        return shutil.which(given)
    paths = (shutil.which(name) for name in (*_NAMES, *_MAC))
    return next((path for path in paths if path), None)


def build_module() -> ModuleType:
    """ui/build.py, which knows where Node is; the folder is not a Python package."""
    spec = importlib.util.spec_from_file_location("weir_ui_build_for_tests", UI / "build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def browser_missing() -> str | None:
    """Why there is no browser to run tests in, with the fix; None when there is one."""
    if find_chromium() is None:
        given = os.environ.get("CHROMIUM")
        return (
            f"CHROMIUM names {given}, which is not a program"
            if given
            else "no Chromium, Chrome or Edge on PATH: install one (apt-get install chromium) or name it in CHROMIUM"
        )
    return None


def packages_missing() -> str | None:
    """The same of what starting Weir brings along: a Node and the pages' packages."""
    if build_module().find_node() is None:
        return "no Node 20.19 or newer: install it, or `pip install -r requirements/node.txt` into .venv"
    if not (UI / "node_modules" / "vitest").is_dir():
        return "the web pages' packages are not installed: `python ui/build.py` fetches them"
    return None


@dataclass(frozen=True)
class SpecResult:
    """The result of one spec file: its failed tests with their first lines, how many passed, and the text of the run."""

    passed: int
    failed: list[str]
    text: str


def run_specs(names: Sequence[str], url: str, tokens: Path, timeout: float) -> dict[str, SpecResult]:
    """Run each ui/e2e/NAME.spec.ts against a Weir, one after another in one process and one browser.

    `tokens`: the folder of one token a user; the admin's is beside it. `timeout`: of the whole run, in seconds.
    """
    node = build_module().find_node()
    assert node is not None
    report = tokens.parent / "browser.json"
    report.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "WEIR_URL": url,
        "WEIR_TOKENS": str(tokens),
        "CHROMIUM": find_chromium() or "",
        "NO_COLOR": "1",
        "PATH": f"{node.node.parent}{os.pathsep}{os.environ.get('PATH', '')}",
    }
    command = [
        str(node.node),
        str(UI / "node_modules/vitest/vitest.mjs"),
        "run",
        "--config",
        "vitest.e2e.config.ts",
        "--reporter=default",
        "--reporter=json",
        f"--outputFile={report}",
        *(f"e2e/{name}.spec.ts" for name in names),
    ]
    done = subprocess.run(
        command, cwd=UI, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )
    text = done.stdout + done.stderr
    ended = f"the run ended with {done.returncode}"
    if not report.exists():
        return {name: SpecResult(0, [ended], text) for name in names}
    document: dict[str, Any] = json.loads(report.read_text())
    results = {
        Path(file["name"]).name.removesuffix(".spec.ts"): _result(file, text) for file in document["testResults"]
    }
    if done.returncode and not any(result.failed for result in results.values()):
        return {name: SpecResult(0, [ended], text) for name in names}
    return {name: results.get(name, SpecResult(0, ["it did not run"], text)) for name in names}


def _result(file: dict[str, Any], text: str) -> SpecResult:
    tests = file["assertionResults"]
    failed = [
        f"{one['fullName'].strip()}: {' '.join(one['failureMessages'])[:600]}"
        for one in tests
        if one["status"] == "failed"
    ]
    if file["status"] == "failed" and not failed:
        failed = [str(file.get("message", ""))[:600] or "the file failed before its first test"]
    return SpecResult(sum(one["status"] == "passed" for one in tests), failed, text)
