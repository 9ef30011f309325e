"""Whether a server of a cluster lets in somebody without credentials, by requests that change nothing. Plain data and the port."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

ServerKind = Literal["registry", "connect"]


class Door(StrEnum):
    """What came of a request without credentials."""

    OPEN = "open"
    CLOSED = "closed"
    NOT_KNOWN = "notKnown"


@dataclass(frozen=True, slots=True)
class ServerDoor:
    """reads, writes  what somebody without credentials gets by requests of each kind
    evidence       each request and the status of its answer, as in `GET /subjects 200`
    problem        why nothing is known, in a sentence
    roles_unknown  the server may have roles that refuse a change, and shows them to nobody
    """

    kind: ServerKind
    url: str
    reads: Door = Door.NOT_KNOWN
    writes: Door = Door.NOT_KNOWN
    evidence: tuple[str, ...] = ()
    problem: str | None = None
    roles_unknown: bool = False


class DoorProbe(Protocol):
    """Asks servers without credentials."""

    def ask(self, kind: ServerKind, url: str, ca: str | None = None) -> ServerDoor:
        """What a schema registry or a Kafka Connect answers; `ca`: file of its authorities. Raises nothing of the server."""
