"""A view's SQL replaced while many read it: no error, no answer with rows of two generations, no older one after a newer one."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter

import httpx

from benchmarks.streams.world import World

READERS = 50
NAME = "measured.replaced"
FIRST = "SELECT id, region, amount FROM bench.`{topic}`"
SECOND = "SELECT id, region, amount * 2 AS amount FROM bench.`{topic}`"


class Reader(threading.Thread):
    """Asks for one key, several keys and a range in turns, and checks each answer against its generation's number."""

    def __init__(self, number: int, url: str, token: str, keys: int, end: threading.Event) -> None:
        super().__init__()
        self._dice, self._keys, self._end = random.Random(number), keys, end
        self._http = httpx.Client(base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {token}"}, timeout=60)
        self.answers: Counter[int] = Counter()
        self.wrong: list[str] = []

    def run(self) -> None:
        newest = 0
        while not self._end.is_set():
            first = self._dice.randrange(self._keys - 100)
            asked = self._dice.choice(
                (
                    {"key": str(first)},
                    {"keys": ",".join(map(str, range(first, first + 20)))},
                    {"from": str(first), "to": str(first + 49)},
                )
            )
            try:
                answer = self._http.get(f"/views/{NAME}/rows", params=asked)
                answer.raise_for_status()
                body = answer.json()
            except httpx.HTTPError as error:
                self.wrong.append(f"{asked}: {error}")
                continue
            generation, times = body["generation"], 1 if body["generation"] == 1 else 2
            self.answers[generation] += 1
            expected = [[n, f"r{n % 100}", n % 1000 / 4 * times] for n in range(first, first + len(body["rows"]))]
            most = {"key": 1, "keys": 20, "from": 50}[next(iter(asked))]
            if body["rows"] != expected or len(body["rows"]) != most:
                self.wrong.append(f"{asked} in generation {generation}: {json.dumps(body['rows'])[:200]}")
            if generation < newest:
                self.wrong.append(f"generation {generation} after {newest}")
            newest = max(newest, generation)


def measure(world: World, topic: str, keys: int) -> list[str]:
    """What the readers saw, and what the comparison shows before."""
    world.view(NAME, FIRST.format(topic=topic), "id")
    world.current(NAME)
    sql = SECOND.format(topic=topic)
    spec = {"sql": sql, "runAs": {"user": "bench-reader"}, "key": ["id"]}
    diff = world.post(f"/views/{NAME}/diff", json={"spec": spec})
    end = threading.Event()
    token = world.weir.token("bench-reader")
    readers = [Reader(number, world.weir.url, token, keys, end) for number in range(READERS)]
    for each in readers:
        each.start()
    time.sleep(5)
    begun = time.monotonic()
    world.view(NAME, sql, "id")
    world.until(lambda: world.shown(NAME).get("generation") == 2)
    took = time.monotonic() - begun
    time.sleep(5)
    end.set()
    for each in readers:
        each.join()
    answers = sum((each.answers for each in readers), Counter[int]())
    wrong = [line for each in readers for line in each.wrong]
    world.delete(NAME)
    return [
        f"the comparison before: {json.dumps({name: diff[name] for name in list(diff)[:4]}, default=str)[:300]}",
        f"SQL of {keys:,} rows replaced in {took:.0f} s under {READERS} readers: answers by generation"
        f" {dict(sorted(answers.items()))}, {len(wrong)} wrong",
        *wrong[:5],
    ]
