"""The record of what runs: WEIR_HOME/run/stack.json, replaced in one step at every change."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from stack.home import write_atomically
from stack.processes.process import Identity

Mode = Literal["foreground", "detached"]


@dataclass(frozen=True)
class Entry:
    """One started process."""

    name: str
    pid: int
    create_time: float
    port: int
    url: str
    version: str
    log: str

    @property
    def identity(self) -> Identity:
        return Identity(self.pid, self.create_time)


@dataclass
class State:
    """What an instance runs, in the order it was started. Safe to change from several threads."""

    path: Path
    mode: Mode = "detached"
    supervisor: Identity | None = None
    stopping: bool = False
    servers: dict[str, Entry] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @classmethod
    def load(cls, path: Path) -> State:
        """Read the record; a missing or unreadable one is empty (lost processes are found by their mark)."""
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            supervisor = Identity(**raw["supervisor"]) if raw["supervisor"] else None
            servers = {entry["name"]: Entry(**entry) for entry in raw["servers"]}
            return cls(path, raw["mode"], supervisor, bool(raw["stopping"]), servers)
        except (OSError, ValueError, KeyError, TypeError):
            return cls(path)

    def record(self, entry: Entry) -> None:
        """Add or replace one process and write. Raises OSError."""
        with self._lock:
            self.servers.pop(entry.name, None)
            self.servers[entry.name] = entry
            self._write()

    def forget(self, name: str) -> None:
        """Drop one process and write. Raises OSError."""
        with self._lock:
            self.servers.pop(name, None)
            self._write()

    def save(self) -> None:
        """Raises OSError."""
        with self._lock:
            self._write()

    def remove(self) -> None:
        """Delete the record."""
        with self._lock:
            self.servers.clear()
            self.path.unlink(missing_ok=True)

    def _write(self) -> None:
        raw = {
            "mode": self.mode,
            "supervisor": asdict(self.supervisor) if self.supervisor else None,
            "stopping": self.stopping,
            "servers": [asdict(entry) for entry in self.servers.values()],
        }
        write_atomically(self.path, json.dumps(raw, indent=1), mode=0o600)
