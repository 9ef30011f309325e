"""How full a JVM's heap is, read from the counters it shares with its own user (`-XX:+UsePerfData`).

The JVM writes them into a file that is mapped into its memory, so they can be read while it pauses to collect
its heap, and at no cost to it. The values of the old generation are those behind its last collection.
"""

from __future__ import annotations

import struct
import tempfile
from dataclasses import dataclass
from pathlib import Path

_MAGIC = 0xCAFEC0C0
_OLD = "sun.gc.generation.1"
_FULL = "sun.gc.collector.1"


@dataclass(frozen=True, slots=True)
class Heap:
    """old_used, old_most   bytes of the old generation: in use behind the last collection, and the most it may grow to
    full_collections, full_seconds   collections of the whole heap since the JVM began, and the time they took
    """

    old_used: int
    old_most: int
    full_collections: int
    full_seconds: float

    @property
    def share(self) -> float:
        """How much of the old generation is in use, 0..1."""
        return self.old_used / self.old_most if self.old_most > 0 else 0.0


def read(pid: int) -> Heap | None:
    """The heap of a process; None where the system or the JVM does not show it."""
    for folder in Path(tempfile.gettempdir()), Path("/tmp"):  # noqa: S108 - Java's own place
        for path in folder.glob(f"hsperfdata_*/{pid}"):
            try:
                return parse(path.read_bytes())
            except OSError:
                continue
    return None


def parse(data: bytes) -> Heap | None:
    """The counters of a file of this kind; None for another one, or one that is not complete yet."""
    try:
        if struct.unpack_from(">I", data)[0] != _MAGIC:
            return None
        order = "<" if data[4] else ">"
        offset, count = struct.unpack_from(f"{order}ii", data, 24)
        counters: dict[str, int] = {}
        ticks = 1
        for _ in range(count):
            length, name_at, vector, kind = struct.unpack_from(f"{order}iiic", data, offset)
            value_at = struct.unpack_from(f"{order}i", data, offset + 16)[0]
            if kind == b"J" and vector == 0:
                start = offset + name_at
                name = data[start : data.index(b"\0", start)].decode("ascii")
                counters[name] = struct.unpack_from(f"{order}q", data, offset + value_at)[0]
            if length <= 0:
                return None
            offset += length
        ticks = counters.get("sun.os.hrt.frequency", ticks)
        return Heap(
            counters[f"{_OLD}.space.0.used"],
            counters[f"{_OLD}.maxCapacity"],
            counters[f"{_FULL}.invocations"],
            counters[f"{_FULL}.time"] / max(1, ticks),
        )
    except (struct.error, IndexError, ValueError, KeyError):
        return None
