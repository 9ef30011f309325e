"""The types that the web pages are checked against are those of the present API."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.api_world import world
from tests.e2e.browser import UI, build_module


def test_the_pages_types_are_of_the_present_api(tmp_path: Path) -> None:
    node = build_module().find_node()
    if node is None or not (UI / "node_modules" / "openapi-typescript").is_dir():
        pytest.skip("Node or the web pages' packages are not installed: `python ui/build.py` fetches them")
    described = tmp_path / "openapi.json"
    with world(tmp_path / "weir") as weir:
        described.write_text(weir.admin.get("/openapi.json").text)
    done = subprocess.run(
        [str(node.node), "scripts/types.mjs", "--check"],
        cwd=UI,
        env={**os.environ, "WEIR_OPENAPI": str(described)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{done.stderr[-500:]} (WEIR_OPENAPI=FILE npm run types)"
