"""An API over the servers of a benchmark of queries, and what is declared there."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from benchmarks._query_world import DDL, KINDS, MASKS

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Api:
    """An API process over the servers of this run, and the token of its administrator."""

    url: str
    token: str

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {self.token}"}, timeout=120)


@contextlib.contextmanager
def servers_of_this_run() -> Iterator[dict[str, Any]]:
    """Addresses of the servers: those of WEIR_TEST_STACK, else of a Weir that is started for this."""
    given = os.environ.get("WEIR_TEST_STACK")
    if given:
        yield json.loads(Path(given).read_text())
        return
    run = [sys.executable, "-m", "api"]
    with tempfile.TemporaryDirectory(prefix="weir-bench-") as folder:
        ports = {
            f"WEIR_STACK__{name}_PORT": "0"
            for name in ("KAFKA", "REGISTRY", "NEO4J", "ELASTICSEARCH", "SPARK", "QUERY")
        }
        env = _environment(folder) | ports | {"WEIR_API__PORT": "0"}
        subprocess.run([*run, "up", "--detach"], env=env, cwd=ROOT, check=True, capture_output=True)
        try:
            stack = [sys.executable, "-m", "stack", "env", "-o", "json"]
            yield json.loads(subprocess.run(stack, env=env, cwd=ROOT, check=True, capture_output=True).stdout)
        finally:
            subprocess.run([*run, "down"], env=env, cwd=ROOT, check=False, capture_output=True)


def _environment(folder: str) -> dict[str, str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    return env | {"WEIR_HOME": f"{folder}/home", "PYTHONPATH": str(ROOT)}


@contextlib.contextmanager
def api(servers: dict[str, Any], settings: dict[str, str]) -> Iterator[Api]:
    """An API of its own, with these settings, over the servers."""
    mark = uuid.uuid4().hex[:8]
    with tempfile.TemporaryDirectory(prefix="weir-bench-") as folder:
        port = _free_port()
        env = _environment(folder) | {
            "WEIR_API__PORT": str(port),
            "WEIR_KAFKA__BOOTSTRAP_SERVERS": servers["kafka"],
            "WEIR_SCHEMA_REGISTRY__URL": servers["registry"],
            "WEIR_NEO4J__URI": servers["neo4j"],
            "WEIR_NEO4J__PASSWORD": servers["neo4j_auth"][1],
            "WEIR_ELASTICSEARCH__URL": servers["elasticsearch"],
            "WEIR_SPARK__REMOTE": servers["spark"],
            "WEIR_QUERY__REMOTE": servers.get("query", ""),
            "WEIR_LINEAGE__TOPIC": f"_bench.{mark}",
            "WEIR_LINEAGE__GROUP": mark,
            "WEIR_LINEAGE__GRAPH_NAME": f"bench{mark}",
            "WEIR_CATALOG__SEARCH_INDEX": f"bench-{mark}",
            "WEIR_POLICIES__AUDIT_HEAD_TOPIC": f"_bench.{mark}.head",
            **settings,
        }
        Path(f"{folder}/home").mkdir()
        process = subprocess.Popen(
            [sys.executable, "-m", "api", "server", "api"],
            env=env,
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        url = f"http://127.0.0.1:{port}"
        try:
            _await(url)
            yield Api(url, Path(f"{folder}/home/admin.token").read_text().strip())
        finally:
            process.terminate()
            process.wait(30)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _await(url: str) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(f"{url}/healthz").is_success:
                return
        time.sleep(0.3)
    raise RuntimeError("Weir did not start")


def declare(url: str, token: str, topic: str, kafka: str) -> None:
    """Declare a topic with its masks, and who reads it. Raises RuntimeError where Weir refuses that."""
    fields = "\n".join(f"    - {{path: {path}, tags: [{tag}]}}" for path, tag in KINDS.items())
    plain = "\n".join(f"    - {{path: value.{name}, tags: []}}" for name in ("id", "amount", "region", "n"))
    documents = [
        f"kind: Cluster\nmetadata: {{name: bench}}\nspec: {{type: kafka, bootstrapServers: '{kafka}'}}",
        f"kind: Dataset\nmetadata: {{name: {topic}, cluster: bench}}\nspec:\n  format: {{key: text, value: json}}\n"
        f"  schema: {{spark: '{DDL}'}}\n  fields:\n{fields}\n{plain}",
        "kind: Role\nmetadata: {name: reader}\nspec: {read: [{dataset: 'bench/*'}]}",
        "kind: User\nmetadata: {name: admin}\nspec: {roles: [reader]}",
        *(
            f"kind: Policy\nmetadata: {{name: mask-{tag.lower().replace('_', '-')}}}\nspec: {{type: mask, match: {{tags: [{tag}]}},"
            f" subjects: {{everyone: true}}, mask: {{type: {mask}}}}}"
            for tag, mask in MASKS.items()
        ),
    ]
    text = "\n---\n".join(f"apiVersion: weir/v1\n{document}" for document in documents)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/yaml"}
    answer = httpx.post(f"{url}/api/v1/apply", content=text.encode(), headers=headers, timeout=60)
    if not answer.is_success:
        raise RuntimeError(f"the benchmark's documents were refused: {answer.text[:600]}")
