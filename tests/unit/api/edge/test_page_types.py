"""The web pages fit the present API: their sources pass TypeScript's check against the types made of its document."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.api_world import world
from tests.e2e.browser import UI, build_module


def test_the_pages_fit_the_types_of_the_present_api(tmp_path: Path) -> None:
    node = build_module().find_node()
    if node is None or not (UI / "node_modules" / "openapi-typescript").is_dir():
        pytest.skip("Node or the web pages' packages are not installed: `python ui/build.py` fetches them")
    described = tmp_path / "openapi.json"
    with world(tmp_path / "weir") as weir:
        described.write_text(weir.admin.get("/openapi.json").text)
    for arguments in (["scripts/types.mjs"], ["node_modules/typescript/bin/tsc", "--noEmit"]):
        done = subprocess.run(
            [str(node.node), *arguments],
            cwd=UI,
            env={**os.environ, "WEIR_OPENAPI": str(described)},
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
        assert done.returncode == 0, f"{arguments[0]}: {done.stdout[-2000:]}{done.stderr[-500:]}"
