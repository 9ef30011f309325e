"""What an answer for an agent costs beside the API's answer to the same question, asked in pairs of one run.

    weir test --bench agent_answers                  60 pairs of each question
    weir test --bench agent_answers --pairs=300      more
    weir test --bench agent_answers --save           keep the figures in benchmarks/results

One process serves the API on a socket; its stores are in memory. A pair is what a person's program would send, one request for
each that the tool needs, and one call of the tool at `/mcp`. The order within a pair changes. Client and server share the process,
so processor time is that of both; it does not depend on what else the machine does.
"""

from __future__ import annotations

import http.client
import json
import re
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode, urlsplit

from rich.console import Console
from rich.table import Table

from api.config.settings import Settings
from tests.agent_world import AgentWorld
from tests.api_world import orders
from tests.served import served

RESULTS = Path(__file__).parent / "results" / "agent_answers.json"
MOST_MS = 20.0
LONGEST_S = 30.0
"""Seconds after which a question has had pairs enough."""
WIDE = 60
"""Further topics, so that lists are full."""
NODE = "dataset:kafka://localhost:9092:{}"
VERSION = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass(frozen=True)
class Question:
    """A tool with its arguments, and the addresses that answer the same by REST."""

    tool: str
    arguments: Mapping[str, Any]
    paths: tuple[str, ...]


def _path(path: str, **query: Any) -> str:
    return f"/api/v1{path}" + (f"?{urlencode(query)}" if query else "")


QUESTIONS = (
    Question("search", {"query": "email"}, (_path("/search", q="email", limit=20),)),
    Question("list_datasets", {}, (_path("/datasets", limit=20),)),
    Question(
        "describe_dataset",
        {"dataset": "prod/orders"},
        tuple(_path(f"/datasets/prod/orders{part}") for part in ("", "/schema", "/classifications")),
    ),
    Question("lineage", {"dataset": "prod/orders"}, (_path("/lineage", nodeId=NODE.format("orders")),)),
    Question(
        "path",
        {"from": "prod/orders", "to": "prod/payments"},
        (_path("/lineage/paths", **{"from": NODE.format("orders"), "to": NODE.format("payments")}),),
    ),
    Question("impact", {"dataset": "prod/orders"}, (_path("/impact", nodeId=NODE.format("orders")),)),
    Question("where_is", {"entity": "EMAIL_ADDRESS"}, (_path("/reports/where-is", entity="EMAIL_ADDRESS"),)),
    Question("who_has_access", {"dataset": "prod/orders"}, (_path("/access/datasets/prod/orders"),)),
    Question("my_grants", {}, (_path("/me"), _path("/grants"))),
)


@dataclass
class Costs:
    """Milliseconds of each pair: by the clock, and of the processor."""

    rest: list[float] = field(default_factory=list)
    tool: list[float] = field(default_factory=list)
    rest_cpu: list[float] = field(default_factory=list)
    tool_cpu: list[float] = field(default_factory=list)

    def more(self, share: int) -> float:
        """By how much a tool's answer is later than its pair, at a share of the pairs in per cent."""
        return at([tool - rest for rest, tool in zip(self.rest, self.tool, strict=True)], share)

    def more_cpu(self) -> float:
        return statistics.median(tool - rest for rest, tool in zip(self.rest_cpu, self.tool_cpu, strict=True))


def at(values: Sequence[float], share: int) -> float:
    """The value that a share of the values, in per cent, is not beyond."""
    return sorted(values)[min(len(values) - 1, len(values) * share // 100)]


class Wire:
    """One connection that is kept, with a token."""

    def __init__(self, url: str, token: str) -> None:
        where = urlsplit(url)
        self._connection = http.client.HTTPConnection(str(where.hostname), where.port)
        self._headers = {"Authorization": f"Bearer {token}"}

    def rest(self, question: Question) -> None:
        """Raises RuntimeError for an answer that is a failure."""
        for path in question.paths:
            self._asked("GET", path, None, {})

    def tool(self, question: Question) -> None:
        """As `rest`."""
        params = {"name": question.tool, "arguments": question.arguments, "_meta": ENVELOPE}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "MCP-Protocol-Version": VERSION,
            "MCP-Method": "tools/call",
            "MCP-Name": question.tool,
        }
        text = self._asked("POST", "/mcp", json.dumps(message), headers)
        if '"isError":true' in text or '"error":{"code"' in text:
            raise RuntimeError(f"{question.tool} failed: {text[:500]}")

    def _asked(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> str:
        self._connection.request(method, path, body, {**self._headers, **headers})
        answer = self._connection.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            raise RuntimeError(f"{method} {path} answers {answer.status}: {text[:500]}")
        return text


def measured(wire: Wire, question: Question, pairs: int) -> Costs:
    """The costs of so many pairs, after some that warm up."""
    for _ in range(5):
        wire.rest(question)
        wire.tool(question)
    costs, ends = Costs(), time.monotonic() + LONGEST_S
    for number in range(pairs):
        if time.monotonic() > ends:
            break
        ways = [(wire.rest, costs.rest, costs.rest_cpu), (wire.tool, costs.tool, costs.tool_cpu)]
        for ask, clock, processor in ways if number % 2 else reversed(ways):
            _noted(partial(ask, question), clock, processor)
    return costs


def _noted(work: Callable[[], None], clock: list[float], processor: list[float]) -> None:
    begun, used = time.perf_counter(), time.process_time()
    work()
    clock.append((time.perf_counter() - begun) * 1000)
    processor.append((time.process_time() - used) * 1000)


def shown(console: Console, costs_of: Mapping[str, Costs]) -> None:
    table = Table("tool", "REST p50", "tool p50", "more p50", "more p95", "processor: REST", "tool", "more")
    for name, costs in costs_of.items():
        row = [at(costs.rest, 50), at(costs.tool, 50), costs.more(50), costs.more(95)]
        row += [statistics.median(costs.rest_cpu), statistics.median(costs.tool_cpu), costs.more_cpu()]
        mark = "[red]" if costs.more_cpu() > MOST_MS else ""
        table.add_row(name, *(f"{mark}{value:.1f}" for value in row))
    console.print("Milliseconds.", table)


def saved(costs_of: Mapping[str, Costs]) -> None:
    """Write the figures that docs/explanation/benchmarks.md shows."""
    figures = [
        {"work": f"{name}: later than REST, {title}", "measured": [round(value, 1)], "unit": "ms", **limit}
        for name, costs in costs_of.items()
        for title, value, limit in (
            ("processor time, p50", costs.more_cpu(), {"limit": {"most": MOST_MS}}),
            ("by the clock, p50", costs.more(50), {}),
        )
    ]
    about = {"order": 13, "subject": "Answers for agents", "command": "weir test --bench agent_answers"}
    whole = {**about, "date": datetime.now(UTC).date().isoformat(), "machine": "2 cores", "figures": figures}
    RESULTS.write_text(json.dumps(whole, indent=1) + "\n")


def main() -> int:
    console = Console(width=150, highlight=False)
    options = set(sys.argv[1:])
    numbers = {each for each in options if re.fullmatch(r"--pairs=[1-9]\d{0,4}", each)}
    if unknown := options - numbers - {"--save"}:
        console.print(f"There is no option {' '.join(sorted(unknown))}.\n{__doc__}", markup=False)
        return 2
    pairs = next((int(each.partition("=")[2]) for each in numbers), 60)
    settings = Settings()
    settings.api.rate_requests = settings.api.rate_queries = settings.api.rate_searches = 0
    with TemporaryDirectory() as folder:
        more = {f"wide-{number:02}": orders(5) for number in range(WIDE)}
        world = AgentWorld(Path(folder), more, settings=settings)
        try:
            with served(world.app) as url:
                wire = Wire(url, world.tokens["admin"])
                costs_of = {each.tool: measured(wire, each, pairs) for each in QUESTIONS}
        finally:
            world.services.close()
    shown(console, costs_of)
    if "--save" in options:
        saved(costs_of)
    return int(any(costs.more_cpu() > MOST_MS for costs in costs_of.values()))


if __name__ == "__main__":
    sys.exit(main())
