"""Several threads that call one function at once, for what they share without knowing it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

Given = TypeVar("Given")
Answer = TypeVar("Answer")

_SWITCH_S = 1e-5


def hammer(
    call: Callable[[Given], Answer],
    inputs: Sequence[Given],
    threads: int = 4,
    rounds: int = 1,
    forget: Callable[[], object] = lambda: None,
) -> list[str]:
    """What went wrong when threads call `call` with the inputs in orders of their own: errors and other answers than one
    thread gets. One thread answers afterwards, once `forget` has emptied the caches of what `call` uses."""
    answers: list[tuple[int, Answer]] = []
    wrong: list[str] = []
    gate = threading.Barrier(threads)

    def run(number: int) -> None:
        gate.wait()
        for step in range(len(inputs) * rounds):
            place = (step + number * len(inputs) // threads) % len(inputs)
            try:
                answers.append((place, call(inputs[place])))
            except Exception as error:
                wrong.append(f"{type(error).__name__}: {error}")

    with _eager_switches():
        workers = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    forget()
    expected = {place: call(inputs[place]) for place in range(len(inputs))}
    return wrong + [f"{inputs[place]!r}: {answer!r}" for place, answer in answers if answer != expected[place]]


@contextmanager
def _eager_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
