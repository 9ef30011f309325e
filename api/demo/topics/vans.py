"""van-telemetry: two sensors in one topic, twenty records a second from one and one a second from the other."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from functools import partial

from api.demo.plan import Planted, Record, TopicPlan, Trap, compact
from api.demo.world import World

PLANTED = (
    Planted("van-telemetry", "value.driver", "EMAIL_ADDRESS"),
    Planted("van-telemetry", "value.device", "MAC_ADDRESS"),
)
TRAPS = (
    Trap("van-telemetry", "value.fw", "IP_ADDRESS", "a version of four parts"),
    Trap("van-telemetry", "value.t", "PHONE_NUMBER", "milliseconds since 1970"),
)
SECONDS = 20
ACCELEROMETER_HZ = 20


def _telemetry(world: World, rng: random.Random) -> Iterator[Record]:
    start = int(world.until.timestamp() * 1000) - 3_600_000
    vans = [(van, rng.uniform(43, 53), rng.uniform(-1, 8), world.staff[n]) for n, van in enumerate(world.vans[:5])]
    for second in range(SECONDS):
        for van, latitude, longitude, driver in vans:
            at = start + second * 1000
            gps: dict[str, object] = {
                "van": van,
                "t": at,
                "lat": round(latitude + second * 0.0002, 6),
                "lon": round(longitude + second * 0.0001, 6),
            }
            if rng.random() < 0.7:
                gps["speed_kmh"] = round(rng.uniform(0, 90), 1)
            if second % 4 == 0:
                gps |= {"driver": driver.email, "device": driver.mac, "fw": "2.0.14.3"}
            if second % 10 == 5:
                gps["fuel_l"] = round(rng.uniform(5, 70), 1)
            yield Record(van.encode(), compact(gps), (("sensor", b"gps"),), at)
            for tick in range(ACCELEROMETER_HZ):
                moment = at + tick * 1000 // ACCELEROMETER_HZ
                value: dict[str, object] = {"van": van, "t": moment, "seq": second * ACCELEROMETER_HZ + tick}
                for axis in ("ax", "ay", "az"):
                    if rng.random() < 0.97:  # an axis is lost now and then
                        value[axis] = round(math.sin(tick + second) + rng.gauss(0, 0.1), 4)
                yield Record(van.encode(), compact(value), (("sensor", b"acc"),), moment)


def plans(world: World) -> list[TopicPlan]:
    return [
        TopicPlan(
            name="van-telemetry",
            partitions=2,
            format={"key": "string", "value": "json"},
            make=partial(_telemetry, world),
            seed=f"{world.seed}:van-telemetry",
        )
    ]
