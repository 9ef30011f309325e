"""Where leases and the beats of their holders are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from catalog.errors import WeirError


@dataclass(frozen=True, slots=True)
class Lease:
    """A duty in the hands of one process.

    holder  the process, in the form of `catalog.leases.holder`; empty: it was given back
    number  rises with every taking; what is written under a smaller one is refused
    """

    name: str
    holder: str
    number: int


class LeaseLost(WeirError):
    """Another process holds the duty by now, so nothing more is written for it here."""

    code = "lease_lost"


class LeaseStore(Protocol):
    """Leases. Each call raises Unavailable."""

    def all(self) -> Mapping[str, Lease]:
        """By the name of the duty."""
        ...

    def take(self, name: str, holder: str, seen: Lease | None) -> Lease | None:
        """Take a duty whose lease is still as it was `seen`; None where another process was first."""
        ...

    def give_back(self, lease: Lease) -> None:
        """Let others take a duty at once. A lease that another process has taken stays as it is."""
        ...


class Beats(Protocol):
    """Signs of life of processes: numbers that rise. Clocks of different machines are never compared. Raises Unavailable."""

    def beat(self, holder: str) -> None:
        """Raise the number of a process."""
        ...

    def all(self) -> Mapping[str, int]:
        """The number of each process that has not ended."""
        ...

    def end(self, holder: str) -> None:
        """The process ends: it is not waited for."""
        ...
