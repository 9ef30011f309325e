"""Calls that one thread makes one after the other: each gets its own answer, and a long one keeps no other."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar

import pytest

from api.edge import request_batcher
from api.edge.request_batcher import RequestBatcher

PLACE: ContextVar[str] = ContextVar("place", default="nowhere")


@pytest.fixture
def batcher() -> Iterator[RequestBatcher]:
    calls = RequestBatcher(2)
    yield calls
    calls.close()


def test_each_call_gets_its_own_answer_or_error(batcher: RequestBatcher) -> None:
    def call(number: int) -> int:
        if number % 3 == 0:
            raise KeyError(number)
        return number * 2

    async def all_of_them() -> list[object]:
        return await asyncio.gather(
            *(batcher.run(lambda n=n: call(n)) for n in range(200)),  # type: ignore[misc]
            return_exceptions=True,
        )

    answers = asyncio.run(all_of_them())
    for number, answer in enumerate(answers):
        assert answer == number * 2 if number % 3 else isinstance(answer, KeyError) and answer.args == (number,)


def test_calls_are_made_by_one_thread_while_none_takes_long(
    batcher: RequestBatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in (
        "_LONG_SECONDS",
        "_WAIT_SECONDS",
    ):  # a machine with other work lets a thread wait for longer than them
        monkeypatch.setattr(request_batcher, limit, 60.0)

    async def some() -> set[str]:
        return set(await asyncio.gather(*(batcher.run(lambda: threading.current_thread().name) for _ in range(50))))

    assert len(asyncio.run(some())) == 1


def test_a_long_call_keeps_no_other_one(batcher: RequestBatcher) -> None:
    over = threading.Event()

    async def one_is_stuck() -> list[int]:
        stuck = asyncio.ensure_future(batcher.run(lambda: over.wait(20)))
        done_before = asyncio.ensure_future(batcher.run(lambda: 1))
        answers = [await done_before, *await asyncio.gather(*(batcher.run(lambda n=n: n) for n in range(20)))]  # type: ignore[misc]
        assert not stuck.done()
        over.set()
        assert await stuck
        return answers

    begun = time.monotonic()
    assert asyncio.run(one_is_stuck()) == [1, *range(20)]
    assert time.monotonic() - begun < 10


def test_who_no_longer_waits_gets_nothing_and_others_do(batcher: RequestBatcher) -> None:
    calls: list[str] = []

    async def one_leaves() -> str:
        over = threading.Event()
        first = asyncio.ensure_future(batcher.run(lambda: over.wait(10)))
        left = asyncio.ensure_future(batcher.run(lambda: calls.append("left")))
        last = asyncio.ensure_future(batcher.run(lambda: "last"))
        await asyncio.sleep(0)
        first.cancel()
        left.cancel()
        over.set()
        return await last

    assert asyncio.run(one_leaves()) == "last"
    assert asyncio.run(batcher.run(lambda: 5)) == 5


def test_each_loop_gets_its_answers(batcher: RequestBatcher) -> None:
    answers: dict[int, list[int]] = {}

    async def some(loop: int) -> list[int]:
        return [await batcher.run(lambda n=n: loop * 100 + n) for n in range(50)]  # type: ignore[misc]

    def run(loop: int) -> None:
        answers[loop] = asyncio.run(some(loop))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(20)
    assert answers == {loop: [loop * 100 + n for n in range(50)] for loop in range(4)}


def test_a_call_knows_where_it_came_from(batcher: RequestBatcher) -> None:
    async def here(name: str) -> str:
        PLACE.set(name)
        return await batcher.run(PLACE.get)

    async def both() -> list[str]:
        return list(await asyncio.gather(here("a"), here("b")))

    assert asyncio.run(both()) == ["a", "b"]
