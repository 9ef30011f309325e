"""How well and how fast search finds what people mean, on the judged set of tests/search_set (see its README).

    weir test --bench search             both catalogs, quick: about 28,900 places, on Elasticsearch and over HTTP
    weir test --bench search --full      the generated catalog with 20,000 datasets and 1,000,000 fields
    weir test --bench search --full --datasets=2000    a smaller one of the kind
    weir test --bench search --memory    with the index in memory, without a server
    weir test --bench search --direct    the search service itself, without HTTP
    weir test --bench search --faults    and the queries of the tune half that failed, with what came first
    weir test --bench search --save      keep the figures as those that later runs are set beside

Prints nDCG@10, MRR and the number of queries that found nothing right, by kind, of each half: of this search, of plain BM25
on names in the same run, and of the search before (tests/search_set/before.json). Queries of the test half are never listed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table

from benchmarks._search_world import Door, opened
from benchmarks._servers import servers
from tests.search_set import catalogs, generated
from tests.search_set.bm25 import NamesOnly
from tests.search_set.catalogs import Judged, places
from tests.search_set.judged import HALVES, Query
from tests.search_set.measure import DEPTH, Score, means, score

ROOT = Path(__file__).resolve().parent.parent

BEFORE = ROOT / "tests" / "search_set" / "before.json"
LIMITS = {"search_p95_ms": 100.0, "suggest_p95_ms": 40.0}
INDEXED_S = 600.0
"""Seconds in which the large catalog is to be indexed."""
SUGGEST = "/api/v1/search/suggest"

Asked = list[tuple[Query, Score, Score, list[Any]]]
"""Query, its score here and by BM25 on names, what came first here."""


def main() -> int:
    console = Console(width=150)
    options = set(sys.argv[1:])
    sizes = {option for option in options if re.fullmatch(r"--datasets=\d+", option)}
    if unknown := options - sizes - {"--full", "--memory", "--direct", "--faults", "--save"}:
        console.print(f"There is no option {' '.join(sorted(unknown))}.\n{__doc__}", markup=False)
        return 2
    if options >= {"--full", "--memory"}:
        console.print("The large catalog does not fit the index in memory; give --full or --memory.")
        return 2
    if "--memory" in options:
        return _run(console, options, None)
    with servers(["elasticsearch"]) as addresses:
        return _run(console, options, addresses.elasticsearch)


def _run(console: Console, options: set[str], elasticsearch: str | None) -> int:
    full = "--full" in options
    size = next(
        (int(option.partition("=")[2]) for option in options if option.startswith("--datasets=")), generated.FULL
    )
    judged = [catalogs.second(size)] if full else [catalogs.first(), catalogs.second()]
    asked: Asked = []
    figures: dict[str, Any] = {}
    for one in judged:
        if one.skipped:
            console.print(f"[yellow]{one.skipped}[/]")
        console.print(
            f"{one.name}: {len(one.catalog.datasets):,} datasets, {one.catalog.documents:,} places,"
            f" {len(one.queries)} queries"
        )
        with opened(one.write, elasticsearch, "--direct" in options) as door:
            if elasticsearch is not None:
                door.figures.update(_server(elasticsearch))
                _warm(door, one.queries)
            asked += _ask(one, door)
            if elasticsearch is not None:  # nobody waits for the index in memory
                door.figures.update(_latencies(door, one.queries, (1, 4) if full else (1,)))
            figures[one.name] = {name: round(value, 1) for name, value in door.figures.items()}
    taken = _taken(asked, figures)
    way = ("memory" if elasticsearch is None else f"{size:,} datasets" if full else "quick") + (
        ", direct" if "--direct" in options else ""
    )
    kept: dict[str, Any] = json.loads(BEFORE.read_text()) if BEFORE.exists() else {}
    _print(console, taken, kept.get(way))
    if "--faults" in options:
        _faults(console, asked)
    if "--save" in options:
        kept[way] = taken
        BEFORE.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
        console.print(f"kept as {way!r} in {BEFORE.relative_to(ROOT)}")
    return 0


def _warm(door: Door, queries: Sequence[Query]) -> None:
    for query in queries[:40]:
        door.get("/api/v1/search", {"q": query.q, "limit": DEPTH})


def _ask(judged: Judged, door: Door) -> Asked:
    names = NamesOnly(judged.catalog.datasets)
    asked: Asked = []
    for query in judged.queries:
        status, answer = door.get("/api/v1/search", {"q": query.q, "limit": DEPTH})
        if status != 200:
            raise SystemExit(f"{query.q!r} was answered {status}: {answer}")
        ranking = places(answer)
        asked.append((query, score(ranking, query.grades), score(names.search(query.q), query.grades), ranking))
    return asked


def _latencies(door: Door, queries: Sequence[Query], clients: Sequence[int]) -> dict[str, float]:
    """Milliseconds: searches as typed in full, and suggestions for each of their beginnings."""
    typed = [query.q for query in queries]
    begun = [q[:end] for q in typed for end in range(1, min(len(q), 24) + 1)]
    latencies: dict[str, float] = {}
    for count in clients:
        suffix = "" if count == 1 else f"_{count}_clients"
        for name, path, texts in (
            ("search", "/api/v1/search", typed),
            ("suggest", SUGGEST, begun[:: max(1, len(begun) // 200)]),
        ):
            if door.get(path, {"q": "a"})[0] == 404:
                continue  # not there yet
            taken = sorted(_timed(door, path, texts, count))
            latencies[f"{name}_p50_ms{suffix}"] = taken[len(taken) // 2]
            latencies[f"{name}_p95_ms{suffix}"] = taken[int(len(taken) * 0.95)]
    return latencies


def _timed(door: Door, path: str, texts: Sequence[str], clients: int) -> list[float]:
    def run(get: Callable[[str, Mapping[str, Any]], tuple[int, Any]], mine: Sequence[str]) -> list[float]:
        taken = []
        for text in mine:
            begun = time.perf_counter()
            status, answer = get(path, {"q": text})
            taken.append(1000 * (time.perf_counter() - begun))
            if status != 200:
                raise SystemExit(f"{path}?q={text} was answered {status}: {answer}")
        return taken

    if clients == 1:
        return run(door.get, texts)
    with ThreadPoolExecutor(clients) as pool:
        parts = [pool.submit(run, door.client(), texts[n::clients]) for n in range(clients)]
        return [ms for part in parts for ms in part.result()]


def _server(elasticsearch: str, index: str = "bench-search*") -> dict[str, float]:
    """MB: disk of the index; heap in use, and all that Elasticsearch's process holds."""
    with httpx.Client(base_url=elasticsearch, timeout=30) as client:
        disk = client.get(f"/{index}/_stats/store").json()["_all"]["primaries"]["store"]["size_in_bytes"]
        (node,) = client.get("/_nodes/stats/jvm,process").json()["nodes"].values()
        (info,) = client.get("/_nodes/process").json()["nodes"].values()
    sizes = {"disk_mb": disk / 1e6, "heap_used_mb": node["jvm"]["mem"]["heap_used_in_bytes"] / 1e6}
    sizes["heap_max_mb"] = node["jvm"]["mem"]["heap_max_in_bytes"] / 1e6
    status = Path(f"/proc/{info['process']['id']}/status")
    if status.exists():
        sizes["resident_mb"] = int(status.read_text().split("VmRSS:")[1].split()[0]) / 1000
    return sizes


def _taken(asked: Asked, figures: Mapping[str, Any]) -> dict[str, Any]:
    queries = [query for query, *_ in asked]
    ways = {"search": [ours for _, ours, _, _ in asked], "names": [plain for _, _, plain, _ in asked]}
    return {
        "commit": _commit(),
        "parts": sorted({query.part for query in queries}),
        "figures": figures,
        **{
            way: {half: {kind: mean.to_json() for kind, mean in means(queries, given, half).items()} for half in HALVES}
            for way, given in ways.items()
        },
        "all": {way: means(queries, given)["all"].to_json() for way, given in ways.items()},
        "by_part": {
            part: means(
                [query for query, *_ in asked if query.part == part],
                [one for query, one, *_ in asked if query.part == part],
            )["all"].to_json()
            for part in sorted({query.part for query in queries})
        },
    }


def _commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def _print(console: Console, taken: Mapping[str, Any], before: Mapping[str, Any] | None) -> None:
    comparable = before is not None and before["parts"] == taken["parts"]
    for half in HALVES:
        table = Table(title=f"{half}: nDCG@10, MRR, nothing right", title_justify="left", box=None)
        for heading in ("kind", "queries", "search", "", "", "before", "", "", "BM25 on names", "", ""):
            table.add_column(heading, justify="left" if heading == "kind" else "right")
        for kind, mean in taken["search"][half].items():
            old = before["search"][half].get(kind) if before is not None and comparable else None
            table.add_row(kind, str(mean["queries"]), *_cells(mean), *_cells(old), *_cells(taken["names"][half][kind]))
        console.print(table)
    if before is not None and not comparable:
        console.print(f"[yellow]The figures of before are of other parts ({', '.join(before['parts'])}).[/]")
    console.print(
        f"both halves: search {taken['all']['search']['ndcg']:.3f}, BM25 on names"
        f" {taken['all']['names']['ndcg']:.3f}; "
        + ", ".join(f"{part} {mean['ndcg']:.3f}" for part, mean in taken["by_part"].items())
    )
    for name, figures in taken["figures"].items():
        table = Table(name, "measured", "before", "limit", box=None)
        old = (before or {}).get("figures", {}).get(name, {})
        for figure, value in figures.items():
            limit = next((f"{ms:g}" for what, ms in LIMITS.items() if figure.startswith(what)), "")
            if figure == "index_s" and figures["datasets"] >= generated.FULL:
                limit = f"{INDEXED_S:g}"
            table.add_row(
                figure.replace("_", " "), f"{value:,.1f}", f"{old[figure]:,.1f}" if figure in old else "", limit
            )
        if not any(figure.startswith("suggest") for figure in figures):
            table.add_row("suggestions", "not there yet", "", "")
        console.print(table)


def _cells(mean: Mapping[str, float] | None) -> list[str]:
    if mean is None:
        return ["", "", ""]
    return [f"{mean['ndcg']:.2f}", f"{mean['mrr']:.2f}", f"{mean['missed']} of {mean['queries']}"]


def _faults(console: Console, asked: Asked) -> None:
    for query, ours, plain, ranking in asked:
        if query.half == "tune" and ours.ndcg < 0.6:
            shown = ", ".join(f"{name} {path or ''}".strip() for name, path in ranking[:3]) or "nothing"
            console.print(
                f"{ours.ndcg:.2f} (names {plain.ndcg:.2f}) {query.kind} {query.q!r}: {shown}",
                markup=False,
                highlight=False,
            )


if __name__ == "__main__":
    sys.exit(main())
