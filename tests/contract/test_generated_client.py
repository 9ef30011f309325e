"""A client that a generator makes of `/openapi.json`: all of it can be imported, and its calls arrive.

The pages' own client, which openapi-typescript makes of the same document, is checked with the pages.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_socket import enable_socket

from tests.api_world import ApiWorld, world
from tests.client_environment import programs
from tests.served import served

pytestmark = [pytest.mark.tail, pytest.mark.timeout(600)]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def generator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment with the generator."""
    return programs(tmp_path_factory.mktemp("generator"))


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("weir")) as created:
        yield created


def test_a_generated_client_has_every_route_and_calls_ten(weir: ApiWorld, generator: Path, tmp_path: Path) -> None:
    enable_socket()  # on the loopback address
    described = weir.admin.get("/openapi.json").json()
    document, client = tmp_path / "openapi.json", tmp_path / "weir_client"
    document.write_text(json.dumps(described))
    generated = subprocess.run(
        [
            generator / "openapi-python-client",
            "generate",
            "--path",
            document,
            "--output-path",
            client,
            "--meta",
            "none",
        ],
        capture_output=True,
        text=True,
        env={"PATH": f"{generator}:/usr/bin:/bin", "HOME": str(tmp_path)},
        check=False,
    )
    assert generated.returncode == 0, generated.stdout[-2000:] + generated.stderr[-2000:]
    assert "will not be generated" not in generated.stdout, generated.stdout[-2000:]
    operations = sum(len(methods) for methods in described["paths"].values())
    assert len([path for path in client.glob("api/*/*.py") if path.name != "__init__.py"]) == operations

    token = weir.admin.headers["Authorization"].removeprefix("Bearer ")
    with served(weir.app) as url:
        script = ROOT / "tests" / "contract" / "generated_client_calls.py"
        called = subprocess.run(
            [generator / "python", script, client, url, token], capture_output=True, text=True, timeout=300, check=False
        )
    assert called.returncode == 0, called.stderr[-3000:]
    modules, *calls = called.stdout.splitlines()
    assert int(modules) > operations
    assert len(calls) == 10
    for line in calls:
        name, status, answer = line.split()
        assert int(status) in (200, 201, 202, 503 if "readyz" in name else 200), line
        assert answer != "NoneType" or name == "lineage.lineage_post_event", line
