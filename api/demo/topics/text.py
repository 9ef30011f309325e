"""support-tickets, audit-log and inventory-csv: prose, log lines and comma-separated lines."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

from api.demo.plan import Planted, Record, TopicPlan, Trap, compact
from api.demo.world import World, iso

PLANTED = (
    Planted("support-tickets", "value.body", "EMAIL_ADDRESS", share=0.07),
    Planted("support-tickets", "value.body", "PHONE_NUMBER", share=0.05),
    Planted("support-tickets", "value.from", "EMAIL_ADDRESS"),
    Planted("audit-log", "value", "IP_ADDRESS", share=0.6),
    Planted("audit-log", "value", "EMAIL_ADDRESS", share=0.3),
    Planted("inventory-csv", "value.buyer", "EMAIL_ADDRESS"),
)
TRAPS = (
    Trap("support-tickets", "value.ticket_no", "PHONE_NUMBER", "a ten-digit number"),
    Trap("support-tickets", "key", "PHONE_NUMBER", "a ten-digit number"),
    Trap("inventory-csv", "value.sku", "CREDIT_CARD", "sixteen digits that pass the Luhn test"),
    Trap("inventory-csv", "value.batch", "US_SSN", "a batch number written 123-45-6789"),
)
CSV_HEADER = "sku,name,stock,price,batch,buyer"


_SUBJECTS = ("Where is my order", "Wrong colour", "Return", "Invoice please", "The van did not come", "Thank you!")
_ASKS = ("Could you call me back on {phone}?", "My number is {phone}.")
_MAILS = ("Please write to {email} instead.", "my other address is {email}", "cc {email}")


def _tickets(world: World, rng: random.Random) -> Iterator[Record]:
    for at in world.times(rng, 800, 30):
        person = rng.choice(world.customers)
        body = " ".join(world.sentence(rng) for _ in range(rng.randint(1, 5)))
        draw = rng.random()
        if draw < 0.07:
            body += " " + rng.choice(_MAILS).format(email=person.email)
        elif draw < 0.12:
            body += " " + rng.choice(_ASKS).format(phone=person.phone)
        number = f"{rng.randrange(10**9, 10**10)}"
        value: dict[str, object] = {
            "ticket_no": number,
            "from": person.email,
            "subject": rng.choice(_SUBJECTS),
            "body": body,
            "language": {"DE": "de", "FR": "fr", "NL": "nl"}.get(person.country, "en"),
            "opened_at": iso(at),
        }
        if rng.random() < 0.3:
            value["tags"] = rng.sample(("late", "damaged", "refund", "praise", "van"), rng.randint(1, 2))
        yield Record(number.encode(), compact(value), (), at)


def _audit(world: World, rng: random.Random) -> Iterator[Record]:
    for at in world.times(rng, 500, 7):
        person, clerk = rng.choice(world.customers), rng.choice(world.staff)
        line = rng.choices(
            (
                f"sshd[{rng.randrange(900, 32000)}]: accepted key from {person.ip} port {rng.randrange(1024, 65535)}",
                f"web: {person.ip} signed in as {clerk.email}",
                f"cron: job stock-count ended after {rng.randrange(3, 900)} s, version 2.14.0.1",
            ),
            (3, 3, 4),
        )[0]
        yield Record(None, f"{iso(at)} {line}".encode(), (), at)


def _inventory(world: World, rng: random.Random) -> Iterator[Record]:
    times = list(world.times(rng, 401, 10))
    # A file read line by line into the topic, its head line included.
    yield Record(None, CSV_HEADER.encode(), (("file", b"stock-2026.csv"),), times[0])
    for at in times[1:]:
        product, clerk = rng.choice(world.products), rng.choice(world.staff)
        name = f'"{product.name}, {rng.choice(("small", "large"))}"' if rng.random() < 0.2 else product.name
        stock = "" if rng.random() < 0.05 else str(rng.randrange(0, 400))
        batch = f"{rng.randrange(900, 1000)}-{rng.randrange(100):02d}-{rng.randrange(10**4):04d}"
        price = f"{product.cents // 100}.{product.cents % 100:02d}"
        line = f"{product.sku},{name},{stock},{price},{batch},{clerk.email}"
        yield Record(None, line.encode(), (("file", b"stock-2026.csv"),), at)


def plans(world: World) -> list[TopicPlan]:
    table = {
        "support-tickets": (_tickets, 2, "string", "json"),
        "audit-log": (_audit, 1, "none", "text"),
        "inventory-csv": (_inventory, 1, "none", "csv"),
    }
    return [
        TopicPlan(
            name=name,
            partitions=partitions,
            format={"key": key, "value": value},
            make=partial(make, world),
            seed=f"{world.seed}:{name}",
        )
        for name, (make, partitions, key, value) in table.items()
    ]
