"""A judged catalog behind Weir's own door: recorded, indexed, and asked over HTTP or through the service itself."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from api.bootstrap import build
from api.config.home import Home
from api.config.settings import Settings
from api.features.search.answers import SearchAnswer
from api.wiring.given import GivenAdapters
from api.wiring.instance import Instance, write_admin_token
from catalog.ports import CatalogStore
from catalog.search.service import Search
from tests.twins.catalog.index import MemorySearchIndex
from tests.twins.lineage import MemoryEventLog, MemoryEventSource, MemoryGraph
from tests.twins.policies.stores import MemoryHeadPublisher

ROOT = Path(__file__).resolve().parent.parent
NOWHERE = "127.0.0.1:9"
"""For the servers that search does not need."""


@dataclass
class Door:
    """A way to ask. `get` gives (status, JSON); `client` makes another one for another thread; `search`: the service behind it,
    where it is in this process."""

    get: Callable[[str, Mapping[str, Any]], tuple[int, Any]]
    client: Callable[[], Callable[[str, Mapping[str, Any]], tuple[int, Any]]]
    figures: dict[str, float] = field(default_factory=dict)
    search: Any = None


@contextmanager
def opened(
    write: Callable[[Any], int], elasticsearch: str | None, direct: bool, index: str = "bench-search"
) -> Iterator[Door]:
    """A fresh record store and index, filled by `write`; in memory where no Elasticsearch is given.

    `figures`: datasets, seconds to record and to index, MB of the store.
    """
    with tempfile.TemporaryDirectory(prefix="weir-bench-search-") as folder:
        home = Home(Path(folder))
        services = services_of(home, elasticsearch, index)
        try:
            begun = time.perf_counter()
            count = write(services[CatalogStore])
            recorded = time.perf_counter()
            services[Search].rebuild_search()
            services[Search].refresh()
            services[Search].warm()
            figures = {
                "datasets": count,
                "record_s": recorded - begun,
                "index_s": time.perf_counter() - recorded,
                "store_mb": sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file()) / 1e6,
            }
            if direct:
                yield _direct(services, figures)
            elif elasticsearch is None:
                yield _inside(services, home, figures)
            else:
                services.close()
                with _process(home, elasticsearch, index) as door:
                    door.figures.update(figures)
                    yield door
        finally:
            services.close()
            if elasticsearch is not None:
                remove_index(elasticsearch, index)


def remove_index(elasticsearch: str, index: str) -> None:
    """Indexes are removed by name: a server may refuse patterns."""
    with httpx.Client(base_url=elasticsearch, timeout=60) as client:
        for name in client.get(f"/{index}-*").json():
            client.delete(f"/{name}").raise_for_status()


def services_of(home: Home, elasticsearch: str | None, index: str) -> Instance:
    """A Weir whose index is in Elasticsearch, or in memory, and whose other servers are not needed."""
    settings = Settings()
    log = MemoryEventLog()
    given: dict[str, Any] = {
        "log": log,
        "source": MemoryEventSource(log),
        "letters": MemoryEventLog(),
        "graph": MemoryGraph(),
        "publisher": MemoryHeadPublisher(),
        "event_topic": None,
    }
    if elasticsearch is None:
        given["index"] = MemorySearchIndex()
    else:
        settings.elasticsearch.url = elasticsearch
        settings.catalog.search_index = index
        settings.catalog.search_timeout_s = 120
    return build(settings, home, GivenAdapters(**given))


def _direct(services: Instance, figures: dict[str, float]) -> Door:
    def get(path: str, asked: Mapping[str, Any]) -> tuple[int, Any]:
        if path != "/api/v1/search":
            return 404, {}
        return 200, SearchAnswer.of(services[Search].search(asked["q"], limit=asked.get("limit", 20))).model_dump(
            mode="json", exclude_unset=True
        )

    return Door(get, lambda: get, figures, services[Search])


def _inside(services: Instance, home: Home, figures: dict[str, float]) -> Door:
    """The application in this process: no socket, all of HTTP's layers."""
    from fastapi.testclient import TestClient

    from api.app import create_app

    write_admin_token(services)
    token = home.admin_token.read_text().strip()
    client = TestClient(create_app(services), headers={"Authorization": f"Bearer {token}"})

    def get(path: str, asked: Mapping[str, Any]) -> tuple[int, Any]:
        answer = client.get(path, params=dict(asked))
        return answer.status_code, answer.json()

    return Door(get, lambda: get, figures)


@contextmanager
def _process(home: Home, elasticsearch: str, index: str) -> Iterator[Door]:
    """An API process of its own over this home."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")} | {
        "WEIR_HOME": str(home.root),
        "WEIR_API__PORT": str(port),
        "WEIR_ELASTICSEARCH__URL": elasticsearch,
        "WEIR_CATALOG__SEARCH_INDEX": index,
        "WEIR_KAFKA__BOOTSTRAP_SERVERS": NOWHERE,
        "WEIR_POLICIES__PUBLISH_AUDIT_HEAD": "false",
        "WEIR_QUERY__WARM_UP_QUERIES": "0",
        "WEIR_CATALOG__SEARCH_TIMEOUT_S": "60",
    }
    output = home.root / "api.log"
    with output.open("wb") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "api", "server", "api"], env=environment, stdout=stream, stderr=stream, cwd=ROOT
        )
    base = f"http://127.0.0.1:{port}"
    clients: list[httpx.Client] = []
    try:
        _await(base, process, output)
        headers = {"Authorization": f"Bearer {home.admin_token.read_text().strip()}"}

        def client() -> Callable[[str, Mapping[str, Any]], tuple[int, Any]]:
            connection = httpx.Client(base_url=base, headers=headers, timeout=120)
            clients.append(connection)

            def get(path: str, asked: Mapping[str, Any]) -> tuple[int, Any]:
                answer = connection.get(path, params=dict(asked))
                return answer.status_code, answer.json()

            return get

        yield Door(client(), client)
    finally:
        for connection in clients:
            connection.close()
        process.terminate()
        process.wait(20)


def _await(base: str, process: subprocess.Popen[bytes], output: Path) -> None:
    deadline = time.monotonic() + 120
    while True:
        try:
            if httpx.get(f"{base}/healthz", timeout=2).is_success:
                return
        except httpx.HTTPError:
            pass
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"the API did not start:\n{output.read_text()[-2000:]}")
        time.sleep(0.1)
