"""Leases and beats in memory."""

from __future__ import annotations

from catalog.leases.ports import Lease


class MemoryLeases:
    """`catalog.leases.ports.LeaseStore`."""

    def __init__(self) -> None:
        self._leases: dict[str, Lease] = {}

    def all(self) -> dict[str, Lease]:
        return dict(self._leases)

    def take(self, name: str, holder: str, seen: Lease | None) -> Lease | None:
        present = self._leases.get(name)
        if present is not None and present != seen:
            return None
        self._leases[name] = Lease(name, holder, present.number + 1 if present else 1)
        return self._leases[name]

    def give_back(self, lease: Lease) -> None:
        present = self._leases.get(lease.name)
        if present is not None and present.number == lease.number:
            self._leases[lease.name] = Lease(lease.name, "", lease.number)


class MemoryBeats:
    """`catalog.leases.ports.Beats`."""

    def __init__(self) -> None:
        self._beats: dict[str, int] = {}

    def beat(self, holder: str) -> None:
        self._beats[holder] = self._beats.get(holder, 0) + 1

    def all(self) -> dict[str, int]:
        return dict(self._beats)

    def end(self, holder: str) -> None:
        self._beats.pop(holder, None)
