"""What is there afterwards, read by the doors that people use."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import httpx

from benchmarks.faults.ledger import Tally, compare
from benchmarks.faults.load import Load, World

SETTLE_S = 90.0
Copies = Mapping[str, Sequence[str]]


class Reader:
    """Reads all of one world. Every call raises httpx.HTTPError."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._client = httpx.Client(headers={"Authorization": f"Bearer {world.weir.token()}"}, timeout=120)
        self._asker = httpx.Client(headers={"Authorization": f"Bearer {world.weir.token(world.asker)}"}, timeout=120)

    def get(self, path: str, client: httpx.Client | None = None, **asked: Any) -> Any:
        answer = (client or self._client).get(f"{self.world.weir.url}/api/v1/{path}", params=asked)
        return answer.raise_for_status().json()

    def runs(self, keys: Sequence[str]) -> Copies:
        """Keys are "job run"; copies are the states of the runs of that id."""

        def of(key: str) -> tuple[str, list[str]]:
            job, run = key.split(" ")
            try:
                listed = self.get(f"namespaces/{self.world.namespace}/jobs/{job}/runs")["runs"]
            except httpx.HTTPStatusError as error:
                if error.response.status_code != 404:
                    raise
                return key, []
            return key, [each["state"] for each in listed if each["id"] == run]

        with ThreadPoolExecutor(4) as pool:
            return dict(pool.map(of, keys))

    def edges(self) -> Copies:
        copies: dict[str, list[str]] = defaultdict(list)
        for source in {f"source-{n}" for n in range(9)}:
            try:
                node = f"dataset:{self.world.namespace}:{source}"
                answer = self.get("lineage", nodeId=node, direction="downstream", depth=1)
            except httpx.HTTPStatusError as error:
                if error.response.status_code != 404:
                    raise
                continue
            for edge in answer["edges"]:
                copies[f"{source} > {edge['target'].rsplit(':', 1)[1]}"].append(edge["kind"])
        return copies

    def datasets(self) -> Copies:
        copies: dict[str, list[str]] = defaultdict(list)
        for each in self._datasets(None, namespace=self.world.namespace):
            copies[each["name"]].append("there")
        return copies

    def terms(self) -> Copies:
        copies: dict[str, list[str]] = defaultdict(list)
        for document in self.get("declared/GlossaryTerm")["documents"]:
            copies[document["metadata"]["name"]].append("there")
        return copies

    def tags(self) -> Copies:
        return {each["name"]: [" ".join(each["tags"])] for each in self._datasets(self.world.cluster)}

    def requests(self) -> Copies:
        copies: dict[str, list[str]] = defaultdict(list)
        for each in self._pages("access-requests", "requests", self._asker, mine=True):
            copies[each["reason"]].append(each["state"])
        return copies

    def queries(self) -> Copies:
        copies: dict[str, list[str]] = defaultdict(list)
        cursor = None
        while True:
            asked: dict[str, Any] = {"actor": self.world.asker, "action": "query", "limit": 1000}
            asked |= {"cursor": cursor} if cursor else {}
            page = self.get("audit", **asked)
            for entry in page["entries"]:
                if entry["action"] == "query":
                    copies[entry["details"]["query"]].append(entry["decision"])
            cursor = page["next"]
            if cursor is None:
                return copies

    def scans(self, keys: Sequence[str]) -> Copies:
        states = {key: self.get(f"scans/{key}")["state"] for key in keys}
        return {key: ["ended" if state not in ("queued", "running") else state] for key, state in states.items()}

    def index(self) -> tuple[dict[str, str], Copies]:
        """Datasets of the catalog with their tags and owners, and the same as search has them."""

        def shown(each: Mapping[str, Any]) -> str:
            owners = sorted(
                "/".join(map(str, owner.values())) if isinstance(owner, dict) else str(owner)
                for owner in each["owners"]
            )
            return f"{sorted(each['tags'])} {owners}"

        mine = self._datasets(self.world.cluster)
        catalog = {each["reference"]: shown(each) for each in mine if each["name"] in self.world.topics}
        catalog |= {each["reference"]: shown(each) for each in self._datasets(None, namespace=self.world.namespace)}
        hits: dict[str, list[str]] = defaultdict(list)
        for where in ({"cluster": self.world.cluster}, {"namespace": self.world.namespace}):
            for hit in self._pages("search", "hits", None, q="", kind="dataset", **where):
                if hit["name"] in self.world.topics or hit["namespace"] == self.world.namespace:
                    hits[hit["reference"]].append(shown(hit))
        return catalog, hits

    def chain_holds(self) -> str | None:
        """None when the audit chain holds and its head was compared, else what is wrong."""
        verified = self.get("audit/verify")
        if verified["holds"] and verified["headChecked"]:
            return None
        return f"audit chain: {verified['problem'] or verified['note']}"

    def lag(self) -> int | None:
        return httpx.get(f"{self.world.weir.url}/readyz", timeout=15).json()["lineage"]["lagEvents"]  # type: ignore[no-any-return]

    def _datasets(self, cluster: str | None, **where: str) -> Iterator[dict[str, Any]]:
        asked = {"cluster": cluster, **where} if cluster else where
        return self._pages("datasets", "datasets", None, **asked)

    def _pages(self, path: str, name: str, client: httpx.Client | None, **asked: Any) -> Iterator[dict[str, Any]]:
        start = 0
        while True:
            page = self.get(path, client, limit=1000, offset=start, **asked)
            yield from page[name]
            start += len(page[name])
            if not page[name] or start >= page["total"]:
                return


def compared(load: Load, settle_s: float = SETTLE_S) -> tuple[dict[str, Tally], list[str]]:
    """Each kind's tally, and what else is wrong, after the graph and the index have caught up.

    Looks again until nothing is missing, or until `settle_s` seconds have passed in which nothing more appeared: what is
    folded or indexed later is not lost.
    """
    reader, ledgers = Reader(load.world), load.ledgers
    tallies: dict[str, Tally] = {}

    def look(kind: str, read: Callable[[], Tally]) -> None:
        most, deadline = -1, time.monotonic() + settle_s
        while True:
            try:
                tallies[kind] = read()
                if not (tallies[kind].lost or tallies[kind].doubled) or time.monotonic() > deadline:
                    return
                if tallies[kind].present > most:
                    most, deadline = tallies[kind].present, time.monotonic() + settle_s
            except (httpx.HTTPError, ValueError):
                if time.monotonic() > deadline:
                    raise
            time.sleep(1.0)

    def judged(kind: str, read: Callable[[], Copies]) -> None:
        look(kind, lambda: ledgers[kind].compare(read()))

    judged("edges", reader.edges)
    judged("runs", lambda: reader.runs(sorted(ledgers["runs"].all_acknowledged())))
    judged("datasets", reader.datasets)
    judged("terms", reader.terms)
    judged("tags", reader.tags)
    judged("requests", reader.requests)
    judged("queries", reader.queries)
    judged("scans", lambda: reader.scans(sorted(ledgers["scans"].all_acknowledged())))
    look("index", lambda: _index(reader))
    wrong = [problem for problem in (reader.chain_holds(),) if problem]
    return tallies, wrong


def _index(reader: Reader) -> Tally:
    """The search index against the catalog; what only the index has counts as doubled."""
    catalog, hits = reader.index()
    extra = tuple(f"{name}: only in the index" for name in sorted(set(hits) - set(catalog)))
    tally = compare(set(catalog), catalog, hits)
    return replace(tally, doubled=tally.doubled + extra)
