"""legacy-feed: what an old system sends when nobody looks: good JSON, broken JSON, and worse."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator
from functools import partial

from api.demo.plan import Planted, Record, TopicPlan, Trap, compact
from api.demo.world import World, iso

PLANTED = (
    Planted("legacy-feed", "value.contact", "EMAIL_ADDRESS"),
    Planted("legacy-feed", "value.payload", "EMAIL_ADDRESS"),  # JSON in a string
)
TRAPS = (Trap("legacy-feed", "value.ref", "US_SSN", "a reference written 000-12-3456"),)

DEPTH = 40


def _legacy(world: World, rng: random.Random) -> Iterator[Record]:
    for number, at in enumerate(world.times(rng, 400, 20)):
        person = rng.choice(world.customers)
        ref = f"000-{rng.randrange(100):02d}-{rng.randrange(10**4):04d}"
        draw = rng.random()
        if draw < 0.60:
            value = compact({"id": number, "ref": ref, "contact": person.email, "at": iso(at)})
        elif draw < 0.72:
            inner = compact({"mail": person.email, "note": world.sentence(rng)}).decode()
            value = compact({"id": number, "ref": ref, "payload": inner})
        elif draw < 0.78:
            blob = base64.b64encode(compact({"van": rng.choice(world.vans), "load": rng.randrange(900)})).decode()
            value = compact({"id": number, "ref": ref, "blob": blob})
        elif draw < 0.84:
            value = compact({"id": number, "ref": ref, "at": iso(at)})[: rng.randrange(8, 30)]  # cut off
        elif draw < 0.88:
            value = bytes(rng.choices(range(128, 256), k=rng.randrange(16, 64)))
        elif draw < 0.91:
            value = b'{"id":%d,"deep":' % number + b'{"d":' * DEPTH + b"1" + b"}" * DEPTH + b"}"
        elif draw < 0.94:
            value = b'{"id":%d,"ref":"%s","ref":"%s"}' % (number, ref.encode(), ref.encode())  # one name twice
        elif draw < 0.97:
            value = b'{"id":%d,"weight":%s}' % (number, rng.choice((b"NaN", b"Infinity", b"1e400")))
        else:
            value = rng.choice((b"", b"null", b"[]", b'"just text"', b"{}", b"12345678901234567890123"))
        yield Record(None, value, (), at)


def plans(world: World) -> list[TopicPlan]:
    return [
        TopicPlan(
            name="legacy-feed",
            partitions=1,
            format={"key": "none", "value": "json"},
            make=partial(_legacy, world),
            seed=f"{world.seed}:legacy-feed",
        )
    ]
