"""Servers that answer a probe as a test sets them. The twin of `catalog.adapters.door_probe`."""

from __future__ import annotations

from dataclasses import replace

from catalog.server_doors import Door, ServerDoor, ServerKind


class MemoryDoors:
    """See `catalog.server_doors.DoorProbe`. `doors`: address -> its answer; others are closed. `asked`: what was asked."""

    def __init__(self) -> None:
        self.doors: dict[str, ServerDoor] = {}
        self.asked: list[tuple[ServerKind, str, str | None]] = []

    def ask(self, kind: ServerKind, url: str, ca: str | None = None) -> ServerDoor:
        self.asked.append((kind, url, ca))
        closed = ServerDoor(kind, url, Door.CLOSED, Door.CLOSED, ("GET / 401",))
        return replace(self.doors.get(url, closed), kind=kind, url=url)
