"""orders: what the shop confirms, as nested JSON with a list and a map, e-mail addresses in five places."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import partial

from api.demo.plan import Planted, Record, TopicPlan, Trap
from api.demo.world import World, iso, uuid_of

PLANTED = (
    Planted("orders", "key", "PERSON"),
    Planted("orders", "value.customer.name", "PERSON"),
    Planted("orders", "value.customer.email", "EMAIL_ADDRESS"),
    Planted("orders", "value.customer.phone", "PHONE_NUMBER"),
    Planted("orders", "value.items[].gift_email", "EMAIL_ADDRESS"),
    Planted("orders", "value.attributes{contact}", "PHONE_NUMBER"),
    Planted("orders", "value.attributes{gift_note}", "EMAIL_ADDRESS", share=0.15),
    Planted("orders", "headers.actor", "EMAIL_ADDRESS"),
)
TRAPS = (
    Trap("orders", "value.items[].sku", "CREDIT_CARD", "sixteen digits that pass the Luhn test"),
    Trap("orders", "value.attributes{ticket}", "PHONE_NUMBER", "a ten-digit number of a ticket"),
    Trap("orders", "value.attributes{app}", "IP_ADDRESS", "a version of four parts"),
)


def _orders(world: World, rng: random.Random) -> Iterator[Record]:
    for number, at in enumerate(world.times(rng, 1500, 14)):
        buyer = rng.choice(world.customers)
        items: list[dict[str, object]] = []
        cents = 0
        for product in rng.sample(world.products, rng.randint(1, 4)):
            count = rng.choice((1, 1, 1, 2, 3))
            item: dict[str, object] = {"sku": product.sku, "qty": count}
            if rng.random() < 0.06:
                item["gift_email"] = rng.choice(world.customers).email
            items.append(item)
            cents += product.cents * count
        attributes = {"channel": rng.choice(("web", "app", "phone", "van"))}
        if rng.random() < 0.3:
            attributes["contact"] = buyer.phone
        if rng.random() < 0.2:
            note = world.sentence(rng)
            if rng.random() < 0.15:
                note += f" Please send the photo to {rng.choice(world.customers).email}, thanks."
            attributes["gift_note"] = note
        if rng.random() < 0.25:
            attributes["ticket"] = f"{rng.randrange(10**9, 10**10)}"
        if attributes["channel"] == "app":
            attributes["app"] = rng.choice(("4.12.0.3", "4.12.1.0", "5.0.0.17"))
        customer: dict[str, object] = {"name": buyer.name, "email": buyer.email}
        if rng.random() < 0.85:
            customer["phone"] = buyer.phone
        elif rng.random() < 0.5:
            customer["phone"] = None
        order: dict[str, object] = {
            "order_id": f"O-{100000 + number}",
            "customer": customer,
            "amount": "@amount",
            "items": items,
            "attributes": attributes,
            "created_at": iso(at),
            "region": buyer.region,
        }
        if rng.random() < 0.1:
            order["gift_wrap"] = rng.random() < 0.5
        text = json.dumps(order, ensure_ascii=False, separators=(",", ":"))
        text = text.replace('"@amount"', f"{cents // 100}.{cents % 100:02d}", 1)
        headers = (("actor", rng.choice(world.staff).email.encode()), ("trace", uuid_of(rng).encode()))
        yield Record(buyer.name.encode(), text.encode(), headers, at)


def plans(world: World) -> list[TopicPlan]:
    return [
        TopicPlan(
            name="orders",
            partitions=3,
            format={"key": "string", "value": "json"},
            make=partial(_orders, world),
            seed=f"{world.seed}:orders",
        )
    ]
