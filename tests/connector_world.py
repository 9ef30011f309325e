"""The whole application over twins of workers of Kafka Connect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scanners.model import RawRecord
from tests.api_world import ApiWorld
from tests.twins.connectors import MemoryConnect

SECRET = "secret-4711"
CLUSTER = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092", connect: {url: "https://connect:8083"}}
"""
PEOPLE = "\n---\n".join(
    f"{{apiVersion: weir/v1, kind: User, metadata: {{name: {name}}}, spec: {{}}}}" for name in ("ana", "otto")
)


def connector(name: str = "lines", more: str = "", config: str = "file: /data/in.txt, topic: lines") -> str:
    return (
        f"apiVersion: weir/v1\nkind: Connector\nmetadata: {{name: {name}}}\nspec:\n  cluster: prod\n"
        f"  plugin: FileStreamSource\n  config: {{{config}}}\n  owners: [{{user: otto}}]\n{more}"
    )


class World(ApiWorld):
    def __init__(self, folder: Path, topics: Mapping[str, Sequence[RawRecord]] | None = None) -> None:
        self.workers: dict[str, MemoryConnect] = {}
        self.asked: list[tuple[str, Any]] = []
        super().__init__(folder, topics, connect_workers=self._worker)

    def _worker(self, url: str, auth: Any, ca: Any) -> MemoryConnect:
        self.asked.append((url, auth))
        return self.workers.setdefault(url, MemoryConnect(url))

    @property
    def worker(self) -> MemoryConnect:
        return self._worker("https://connect:8083", None, None)

    def put(self, text: str, **flags: str) -> Any:
        return self.admin.post("/api/v1/apply", content=text.encode(), params=flags)

    def change(self, text: str, **flags: str) -> dict[str, Any]:
        answer = self.put(text, **flags)
        assert answer.status_code == 200, answer.text
        (change,) = answer.json()["changes"]
        return dict(change)

    def refused(self, text: str, status: int = 400) -> dict[str, Any]:
        answer = self.put(text)
        assert answer.status_code == status, answer.text
        error: dict[str, Any] = answer.json()["error"]
        return error
