"""The counters of a JVM, of a real file and of what is none."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stack.processes.heap import Heap, parse


def counters(values: dict[str, int], order: str = "<") -> bytes:
    """A file as HotSpot writes it: a header of 32 bytes, then entries that each name themselves."""
    entries = b""
    for name, value in values.items():
        text = name.encode() + b"\0"
        text += b"\0" * (-len(text) % 8)
        size = 24 + len(text) + 8
        entries += struct.pack(f"{order}iiic3si", size, 24, 0, b"J", b"\0\0\0", 24 + len(text)) + b"\0" * 0
        entries += b"\0" * (24 - 20) + text + struct.pack(f"{order}q", value)
    head = struct.pack(">I", 0xCAFEC0C0) + bytes([1 if order == "<" else 0, 2, 0, 1])
    return head + struct.pack(f"{order}iiqii", 32 + len(entries), 0, 0, 32, len(values)) + entries


VALUES = {
    "sun.gc.generation.1.space.0.used": 600,
    "sun.gc.generation.1.maxCapacity": 800,
    "sun.gc.collector.1.invocations": 7,
    "sun.gc.collector.1.time": 5_000,
    "sun.os.hrt.frequency": 1_000,
}


@pytest.mark.parametrize("order", ["<", ">"])
def test_the_heap_is_read_in_either_order_of_bytes(order: str) -> None:
    heap = parse(counters(VALUES, order))
    assert heap == Heap(600, 800, 7, 5.0)
    assert heap.share == 0.75


@pytest.mark.parametrize("name", [name for name in VALUES if "frequency" not in name])
def test_a_file_without_a_counter_shows_no_heap(name: str) -> None:
    assert parse(counters({each: value for each, value in VALUES.items() if each != name})) is None


@given(st.integers(0, len(counters(VALUES))), st.binary(max_size=40))
def test_a_damaged_file_raises_nothing(cut: int, more: bytes) -> None:
    whole = counters(VALUES)
    samples = parse(whole[:cut] + more)
    assert samples is None or isinstance(samples, Heap)
    assert parse(more) is None
