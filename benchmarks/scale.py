"""What grows with the number of datasets: the same work on catalogs of several sizes, each of 50 fields a dataset.

    weir test --bench scale                            1,000, 5,000 and 20,000 datasets (1,000,000 fields)
    weir test --bench scale --datasets 100,1000        other sizes
    weir test --bench scale --memory                   with the index in memory, without a server

Datasets are recorded as scans record them; the record store is SQLite, the index is in Elasticsearch, and questions pass all
of HTTP's layers in one process. Seconds are medians of five questions. `growth` is the last column: how much more a work takes
at the largest size than at the smallest, divided by how much larger the catalog is; 1 is proportional, 0 does not grow.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from fastapi.testclient import TestClient
from rich.console import Console
from rich.table import Table

from api.app import create_app
from api.config.home import Home
from api.wiring import backups
from api.wiring.instance import Instance, write_admin_token
from benchmarks._search_world import remove_index, services_of
from benchmarks._servers import servers
from catalog.ports import CatalogStore
from catalog.search.service import Search
from tests.search_set import generated
from tests.search_set.planned import record

_ASKED = 5
_POLICY = """
apiVersion: weir/v1
kind: Policy
metadata: {name: mails-%d}
spec: {type: mask, match: {tags: [EMAIL_ADDRESS]}, mask: {type: MASK_HASH}, except: {groups: [privacy]}}
"""
Figures = dict[str, float]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("weir test --bench scale", description="What grows with the number of datasets.")
    parser.add_argument("--datasets", default="1000,5000,20000", help="sizes, the smallest first")
    parser.add_argument("--memory", action="store_true", help="the index in memory, without Elasticsearch")
    options = parser.parse_args(arguments)
    sizes = [int(each) for each in options.datasets.split(",")]
    if options.memory:
        return _report(sizes, [_measured(size, None) for size in sizes])
    with servers(["elasticsearch"]) as addresses:
        return _report(sizes, [_measured(size, addresses.elasticsearch) for size in sizes])


def _report(sizes: Sequence[int], measured: Sequence[Figures]) -> int:
    table = Table("work", *(f"{size:,} datasets" for size in sizes), "growth", box=None)
    larger = sizes[-1] / sizes[0]
    for name in measured[0]:
        values = [figures[name] for figures in measured]
        growth = values[-1] / values[0] / larger if values[0] and larger > 1 else 0.0
        table.add_row(
            name, *(f"{value:,.3g}" if value < 1000 else f"{value:,.0f}" for value in values), f"{growth:.2f}"
        )
    console = Console(width=150)
    console.print(table)
    console.print(f"Load of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors.")
    return 0


def _measured(size: int, elasticsearch: str | None) -> Figures:
    """Figures of one size, by the name of the work with its unit."""
    figures: Figures = {}
    index = f"bench-scale-{size}"
    with tempfile.TemporaryDirectory(prefix="weir-bench-scale-") as folder:
        home = Home(Path(folder))
        weir = services_of(home, elasticsearch, index)
        try:
            with _timed(figures, "recording as scans do, s"):
                count = record(weir[CatalogStore], "corp", generated.datasets(size), generated.vocabulary().glossary())
            assert count == size, f"{count} datasets were recorded"
            with _timed(figures, "index rebuilt, s"):
                weir[Search].rebuild_search()
                weir[Search].refresh()
            figures["record store, MB"] = sum(f.stat().st_size for f in home.root.glob("weir.db*")) / 1e6
            _questions(weir, home, size, figures)
            figures["memory of the process, MB"] = psutil.Process().memory_info().rss / 1e6
        finally:
            weir.close()
            if elasticsearch is not None:
                remove_index(elasticsearch, index)
        _backups(home, Path(folder), figures)
    print(f"{size:,} datasets: " + "; ".join(f"{name} {value:.4g}" for name, value in figures.items()), flush=True)
    return figures


def _questions(weir: Instance, home: Home, size: int, figures: Figures) -> None:
    write_admin_token(weir)
    token = home.admin_token.read_text().strip()
    client = TestClient(create_app(weir), headers={"Authorization": f"Bearer {token}"})

    def get(path: str, **asked: Any) -> Any:
        answer = client.get(f"/api/v1{path}", params=asked)
        assert answer.status_code == 200, f"{path}: {answer.text[:300]}"
        return answer.json()

    first = get("/datasets", limit=50)["datasets"][0]
    address = f"/datasets/{first['cluster']}/{first['name']}"
    asked: dict[str, Callable[[], Any]] = {
        "list of datasets, first page, ms": lambda: get("/datasets", limit=50),
        "list of datasets, last page, ms": lambda: get("/datasets", limit=50, offset=size - 50),
        "a dataset with its schema, ms": lambda: (get(address), get(f"{address}/schema")),
        "search `customer email`, ms": lambda: get("/search", q="customer email"),
        "where is EMAIL_ADDRESS, places, ms": lambda: get("/reports/where-is", entity="EMAIL_ADDRESS", access="false"),
        "inbox of an administrator, ms": lambda: get("/inbox"),
    }
    for name, question in asked.items():
        question()
        figures[name] = 1000 * statistics.median(_seconds(question) for _ in range(_ASKED))

    numbers = iter(range(100))

    def declared() -> None:
        answer = client.post("/api/v1/apply", content=(_POLICY % next(numbers)).encode())
        assert answer.status_code == 200, answer.text[:300]
        get(f"/access/datasets/{first['cluster']}/{first['name']}")

    figures["a new policy, and who sees a dataset then, ms"] = 1000 * statistics.median(
        _seconds(declared) for _ in range(_ASKED)
    )


def _backups(home: Home, folder: Path, figures: Figures) -> None:
    file = folder / "weir.backup"
    with _timed(figures, "backup, s"):
        backups.create(home, file, None)
    with _timed(figures, "backup read through, s"):
        backups.verify(file, None)
    with _timed(figures, "restore, s"):
        backups.restore(Home(folder / "restored"), file, None)


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


@contextmanager
def _timed(figures: Figures, name: str) -> Iterator[None]:
    begun = time.perf_counter()
    yield
    figures[name] = time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
