"""A search server that has no room: what its callers read, and what a rebuild that ends so leaves."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from pytest_socket import enable_socket

from catalog.adapters.elastic.index import ElasticSearchIndex
from catalog.errors import Unavailable
from catalog.model import DatasetId
from tests.catalog_samples import NAMESPACE, World, scan
from tests.twins.catalog.index import MemorySearchIndex


class _Full(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"error": {"type": "circuit_breaking_exception"}, "status": 429}).encode()
        self.send_response(429)
        self.send_header("X-Elastic-Product", "Elasticsearch")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def full() -> Iterator[ElasticSearchIndex]:
    enable_socket()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Full)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    index = ElasticSearchIndex(f"http://127.0.0.1:{server.server_port}")
    yield index
    index.close()
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_full_server_is_not_one_that_is_away(full: ElasticSearchIndex) -> None:
    with pytest.raises(Unavailable) as refused:
        full.ping()
    assert "too little memory" in refused.value.message and "WEIR_STACK__ELASTICSEARCH_MEMORY" in refused.value.message
    assert "does not answer" not in refused.value.message


class _Rebuild:
    """Takes some batches, and then nothing more."""

    def __init__(self, batches: int) -> None:
        self._left = batches

    def add(self, entries: object) -> None:
        if not self._left:
            raise Unavailable("The heap is full.")
        self._left -= 1

    def swap(self) -> None:
        raise AssertionError("an index that lacks documents does not take the place of the old one")

    def abandon(self) -> None:
        raise Unavailable("Nothing is removed either.")


@pytest.mark.parametrize("batches", [0, 1, 3])
def test_a_rebuild_that_fails_names_the_first_cause_and_keeps_the_old_index(
    batches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(index=MemorySearchIndex())
    for number in range(6):
        world.datasets.record_scan(
            scan(DatasetId(NAMESPACE, f"topic{number}"), [f"value.field_{n}" for n in range(700)])
        )
    monkeypatch.setattr(world.index, "rebuild", lambda: _Rebuild(batches))
    with pytest.raises(Unavailable, match="The heap is full"):
        world.search.rebuild_search()
    monkeypatch.undo()
    assert world.search.search("", filters={"kind": ["dataset"]}).total == 6
    assert world.search.rebuild_search() == 6
    assert world.search.search("", filters={"kind": ["field"]}).total == 6 * 700
