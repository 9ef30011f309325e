"""newsletter, customer-latest and returns: personal data in keys and headers, a compacted topic, an empty one."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from functools import partial

from api.demo.plan import Planted, Record, TopicPlan, Trap, compact
from api.demo.world import World

PLANTED = (
    Planted("newsletter", "key", "EMAIL_ADDRESS"),
    Planted("newsletter", "headers.reply-to", "EMAIL_ADDRESS"),
    Planted("customer-latest", "value.name", "PERSON"),
    Planted("customer-latest", "value.email", "EMAIL_ADDRESS"),
    Planted("customer-latest", "value.phone", "PHONE_NUMBER"),
    Planted("customer-latest", "value.birth_date", "DATE_OF_BIRTH"),
    Planted("customer-latest", "value.address.street", "LOCATION"),
    Planted("customer-latest", "value.loyalty_number", "LOYALTY_NUMBER"),
)
TRAPS = (
    Trap("customer-latest", "value.email_hash", "EMAIL_ADDRESS", "a SHA-256 hash in a column named after it"),
    Trap("customer-latest", "value.account", "PHONE_NUMBER", "a ten-digit id"),
    Trap("newsletter", "headers.list-id", "EMAIL_ADDRESS", "the name of a list"),
)


def _newsletter(world: World, rng: random.Random) -> Iterator[Record]:
    for at in world.times(rng, 300, 7):
        person = rng.choice(world.customers)
        value = {"issue": rng.choice(("spring", "autumn")), "opened": rng.random() < 0.4, "links": rng.randrange(5)}
        headers = (("reply-to", rng.choice(world.staff).email.encode()), ("list-id", b"shop.newsletter"))
        yield Record(person.email.encode(), compact(value), headers, at)


def _latest(world: World, rng: random.Random) -> Iterator[Record]:
    for at in world.times(rng, 700, 7):
        person = rng.choice(world.customers)
        if rng.random() < 0.08:
            yield Record(person.id.encode(), None, (), at)  # a tombstone: the customer asked to be forgotten
            continue
        value: dict[str, object] = {
            "customer_id": person.id,
            "account": str(7310000000 + int(person.id[2:])),
            "name": person.name,
            "email": person.email,
            "email_hash": hashlib.sha256(person.email.encode()).hexdigest(),
            "address": {"street": person.street, "postcode": person.postcode, "city": person.city},
            "country": person.country,
        }
        if rng.random() < 0.7:
            value["phone"] = person.phone
        if rng.random() < 0.6:
            value["birth_date"] = person.birth_date
        if rng.random() < 0.5:
            value["loyalty_number"] = person.loyalty
        yield Record(person.id.encode(), compact(value), (), at)


def _nothing(world: World, rng: random.Random) -> Iterator[Record]:
    return iter(())


_COMPACTED = {
    # One segment a day and an eager cleaner, so that offsets really have holes after a while.
    "cleanup.policy": "compact",
    "min.cleanable.dirty.ratio": "0.01",
    "segment.ms": "86400000",
}


def plans(world: World) -> list[TopicPlan]:
    return [
        TopicPlan(
            name="newsletter",
            partitions=1,
            format={"key": "string", "value": "json"},
            make=partial(_newsletter, world),
            seed=f"{world.seed}:newsletter",
        ),
        TopicPlan(
            name="customer-latest",
            partitions=2,
            format={"key": "string", "value": "json"},
            make=partial(_latest, world),
            seed=f"{world.seed}:customer-latest",
            config=_COMPACTED,
        ),
        TopicPlan(
            name="returns",
            partitions=1,
            format={"key": "none", "value": "none"},
            make=partial(_nothing, world),
            seed=f"{world.seed}:returns",
        ),
    ]
