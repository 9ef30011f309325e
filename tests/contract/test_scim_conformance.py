"""The checks of scim2-tester, against a running server: what RFC 7643 and RFC 7644 ask of a service."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
import uvicorn
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

from tests.api_world import ApiWorld, world
from tests.scim_world import ACCOUNT


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[ApiWorld, str]]:
    with world(tmp_path) as weir:
        server = uvicorn.Server(uvicorn.Config(weir.app, port=0, log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            thread.join(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            yield weir, f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join(10)


def test_every_check_of_the_tester_passes(served: tuple[ApiWorld, str]) -> None:
    weir, url = served
    weir.apply(ACCOUNT)
    asked = {"user": "directory", "scopes": ["scim"], "days": 1}
    token = weir.admin.post("/api/v1/tokens", json=asked).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    with httpx2.Client(base_url=f"{url}/scim/v2", headers=headers, timeout=60) as http:
        results = check_server(SyncSCIMClient(http))
    counts = {status.name: sum(each.status is status for each in results) for status in Status}
    print(counts)
    bad = [each for each in results if each.status in (Status.ERROR, Status.CRITICAL)]
    assert not bad, "\n".join(f"{each.title}: {each.reason}" for each in bad)
    assert counts["SUCCESS"] >= 60, counts
