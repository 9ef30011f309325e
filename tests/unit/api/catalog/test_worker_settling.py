"""Settling gives way to other writers: the slower the store, the fewer names in one transaction."""

from __future__ import annotations

from api.processes.worker import SETTLED_LEAST, SETTLED_MOST, SETTLING_S, settled_next


def test_slow_transactions_become_smaller_down_to_the_least() -> None:
    wanted, sizes = SETTLED_MOST, []
    for _ in range(8):
        wanted = settled_next(wanted, SETTLING_S * 5)
        sizes.append(wanted)
    assert sizes[0] < SETTLED_MOST and sizes[-1] == SETTLED_LEAST and sizes == sorted(sizes, reverse=True)


def test_quick_transactions_become_larger_up_to_the_most() -> None:
    wanted = SETTLED_LEAST
    for _ in range(8):
        wanted = settled_next(wanted, SETTLING_S / 10)
    assert wanted == SETTLED_MOST


def test_in_between_the_size_stays() -> None:
    assert settled_next(40, SETTLING_S / 2) == 40
