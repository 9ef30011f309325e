"""How long a small request waits while one client sends the largest bodies that a route takes: `weir test --bench stalls`.

    WEIR_URL=http://127.0.0.1:8080 WEIR_TOKEN=... python -m benchmarks.stalls [NAME...]

Needs a running instance and the token of somebody with `manage`; names choose bodies. Printed for each body: its size in
MB, the seconds until its answer, its status, and the longest of the small requests (`GET /me`, one after another) that
ran meanwhile, in ms. Nothing is written but lineage events of the namespace `stalls`.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx

Body = Callable[[], str]
_YAML, _JSON = "application/yaml", "application/json"
_PAUSE_S = 0.02


def _sql(text: str) -> str:
    return json.dumps({"sql": text})


def _event(number: int) -> dict[str, Any]:
    return {
        "eventType": "COMPLETE",
        "eventTime": "2026-01-01T00:00:00Z",
        "producer": "https://weir.example/stalls",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json",
        "run": {"runId": f"0198a0b4-6d2e-7cc0-9d2f-{number:012d}"},
        "job": {"namespace": "stalls", "name": f"job{number % 50}"},
        "outputs": [{"namespace": "kafka://stalls", "name": "topic"}],
    }


def _role(entries: int) -> str:
    grants = ",".join("{dataset: a}" for _ in range(entries))
    return f"apiVersion: weir/v1\nkind: Role\nmetadata: {{name: stalls}}\nspec: {{read: [{grants}]}}"


def _terms(count: int) -> str:
    return "\n---\n".join(
        f"apiVersion: weir/v1\nkind: Term\nmetadata: {{name: stall{number}}}\nspec: {{description: d}}"
        for number in range(count)
    )


BODIES: dict[str, tuple[str, str, Body]] = {
    "SQL of 1.8 MB": (
        "query",
        _JSON,
        lambda: _sql(f"SELECT 1 FROM t WHERE n IN ({','.join(map(str, range(280_000)))})"),
    ),
    "SQL of 60 MB": ("query", _JSON, lambda: _sql("SELECT 1 FROM " + "x" * 60_000_000)),
    "SQL of 7,000 conditions": ("query", _JSON, lambda: _sql("SELECT 1 FROM t WHERE " + " AND ".join(["a=1"] * 7000))),
    "SQL of 20,000 brackets": ("query", _JSON, lambda: _sql("SELECT " + "(" * 20_000 + "1" + ")" * 20_000)),
    "SQL to check": ("query/check", _JSON, lambda: _sql(f"SELECT {','.join(f'a{i}' for i in range(14_000))} FROM t")),
    "JSON 10,000,000 deep": ("query", _JSON, lambda: '{"sql":' + "[" * 10_000_000 + "]" * 10_000_000 + "}"),
    "event, 5,000,000 deep": ("lineage", _JSON, lambda: '{"facets":' + '{"a":' * 5_000_000 + "1" + "}" * 5_000_001),
    "event of 54 MB": ("lineage", _JSON, lambda: json.dumps({**_event(0), "facets": {"a": ["y" * 50] * 1_000_000}})),
    "batch of 10,000 events": ("lineage/batch", _JSON, lambda: json.dumps([_event(i) for i in range(10_000)])),
    "batch of 200,000 events": ("lineage/batch", _JSON, lambda: json.dumps([_event(i) for i in range(200_000)])),
    "SQL of a job": (
        "lineage/sql",
        _JSON,
        lambda: json.dumps({"sql": f"INSERT INTO t SELECT {'a,' * 900_000}b FROM x"}),
    ),
    "YAML list of 0.9 MB": ("apply?dryRun=true", _YAML, lambda: _role(70_000)),
    "YAML list of 18 MB": ("apply?dryRun=true", _YAML, lambda: _role(1_400_000)),
    "YAML of 5,000 terms": ("apply?dryRun=true", _YAML, lambda: _terms(5000)),
    "YAML 100,000 deep": ("apply?dryRun=true", _YAML, lambda: "a: " + "[" * 100_000 + "]" * 100_000),
    "recognizer on 52 MB": ("recognizers/test", _JSON, lambda: json.dumps({"values": ["a" * 100] * 500_000})),
    "simulation of 18 MB": ("policies/simulate", _YAML, lambda: _role(1_400_000)),
}
"""Name -> route, content type, body."""


def main() -> None:
    url, token = os.environ.get("WEIR_URL", "").rstrip("/"), os.environ.get("WEIR_TOKEN")
    if not url or not token:
        sys.exit("Set WEIR_URL to the address of a running instance and WEIR_TOKEN to a token that may `manage`.")
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{url}/api/v1", headers=headers, timeout=200) as client:
        alone = sorted(_small(client, 50))
        print(f"{'alone':<26}{'':>30} p50 {alone[len(alone) // 2]:4.0f} ms, longest {alone[-1]:5.0f} ms")
        for name, (route, form, body) in BODIES.items():
            if not sys.argv[1:] or any(word in name for word in sys.argv[1:]):
                print(f"{name:<26}{_beside(client, route, form, body().encode())}", flush=True)


def _beside(client: httpx.Client, route: str, form: str, body: bytes) -> str:
    over = threading.Event()
    waits: list[float] = []

    def small() -> None:
        while not over.is_set():
            waits.extend(_small(client, 1))

    probe = threading.Thread(target=small)
    probe.start()
    begun = time.monotonic()
    try:
        status = str(client.post(f"/{route}", content=body, headers={"Content-Type": form}).status_code)
    except httpx.TransportError as error:
        status = type(error).__name__
    took = time.monotonic() - begun
    over.set()
    probe.join()
    return f"{len(body) / 1e6:6.1f} MB{took:8.2f} s  {status:>12} longest small request {max(waits):6.0f} ms"


def _small(client: httpx.Client, count: int) -> Iterator[float]:
    """Milliseconds of small requests, one after another."""
    for _ in range(count):
        begun = time.monotonic()
        client.get("/me").raise_for_status()
        yield (time.monotonic() - begun) * 1000
        time.sleep(_PAUSE_S)


if __name__ == "__main__":
    main()
