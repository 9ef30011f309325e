"""Clients that two generators make of `/openapi.json`: all of them can be imported, and their calls arrive.

The pages' own client, which openapi-typescript makes of the same document, is checked with the pages.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_socket import enable_socket

from stack.installed import java
from stack.progress import Silent
from tests.api_world import ApiWorld, world
from tests.client_environment import programs, run
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

    modules, *calls = called(weir, generator, "generated_client_calls.py", client)
    assert int(modules) > operations
    arrived(calls, without_answer="lineage.lineage_post_event")


def test_openapi_generator_makes_a_client_too(weir: ApiWorld, generator: Path, tmp_path: Path) -> None:
    enable_socket()  # on the loopback address
    described = weir.admin.get("/openapi.json").json()
    (tmp_path / "openapi.json").write_text(json.dumps(described))
    home = java.find("", tmp_path / "java.log", Silent()).home
    words = "generate -i openapi.json -g python -o client --package-name weir_client".split()
    code_alone = "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false"
    command: list[str | Path] = [generator / "openapi-generator-cli", *words, "--global-property", code_alone]
    run(command, tmp_path, {"JAVA_HOME": str(home), "PATH": f"{home}/bin:{generator}:/usr/bin:/bin"})

    modules, *calls = called(weir, generator, "second_client_calls.py", tmp_path / "client")
    assert int(modules) > len(described["components"]["schemas"])
    arrived(calls, without_answer="lineage_post_event")


def called(weir: ApiWorld, generator: Path, script: str, client: Path) -> list[str]:
    """What a script of calls prints: the number of modules that were imported, then a line a call."""
    token = weir.admin.headers["Authorization"].removeprefix("Bearer ")
    with served(weir.app) as url:
        words: list[str | Path] = [generator / "python", ROOT / "tests" / "contract" / script, client, url, token]
        return run(words, client.parent).splitlines()


def arrived(calls: list[str], without_answer: str) -> None:
    """Ten calls were answered as is documented."""
    assert len(calls) == 10
    for line in calls:
        name, status, answer = line.split()
        assert int(status) in (200, 201, 202, 503 if "readyz" in name else 200), line
        assert answer != "NoneType" or name == without_answer, line
