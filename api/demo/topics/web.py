"""clicks, clicks.mobile and events: what browsers and apps send, five kinds of event in one topic among them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from urllib.parse import quote

from api.demo.plan import Planted, Record, TopicPlan, Trap, compact
from api.demo.world import Person, World, iso, uuid_of

PLANTED = (
    Planted("clicks", "value.ip", "IP_ADDRESS"),
    Planted("clicks", "value.url", "EMAIL_ADDRESS", share=0.08),
    Planted("clicks.mobile", "value.client.ip", "IP_ADDRESS"),
    Planted("clicks.mobile", "value.client.account", "EMAIL_ADDRESS"),
    Planted("events", "value.email", "EMAIL_ADDRESS"),
    Planted("events", "value.wifi_mac", "MAC_ADDRESS"),
    Planted("events", "value.ip", "IP_ADDRESS"),
)
TRAPS = (
    Trap("clicks", "value.ts", "PHONE_NUMBER", "milliseconds since 1970"),
    Trap("clicks", "value.site_version", "IP_ADDRESS", "a version of four parts"),
    Trap("clicks.mobile", "value.client.app_version", "IP_ADDRESS", "a version of four parts"),
    Trap("clicks.mobile", "value.ts", "PHONE_NUMBER", "seconds since 1970, ten digits"),
)
_PAGES = ("/", "/search", "/basket", "/goods/lamps", "/goods/chairs", "/help/returns", "/account")


def _url(rng: random.Random, person: Person) -> str:
    url = "https://shop.example.com" + rng.choice(_PAGES)
    draw = rng.random()
    if draw < 0.08:
        return f"{url}?utm_source=newsletter&email={quote(person.email, safe='@')}"
    if draw < 0.2:
        return f"{url}?utm_source=newsletter&utm_campaign=autumn"
    if draw < 0.25:
        return f"{url}?customer={person.id}&step=2"
    return url


def _clicks(world: World, rng: random.Random) -> Iterator[Record]:
    sessions = [(uuid_of(rng), rng.choice(world.customers), rng.choice(world.user_agents)) for _ in range(180)]
    for at in world.times(rng, 2000, 3):
        session, person, agent = rng.choice(sessions)
        value: dict[str, object] = {
            "session": session,
            "ts": at,
            "url": _url(rng, person),
            "ip": person.ip if rng.random() < 0.9 else f"2001:db8::{rng.randrange(1, 65535):x}",
            "user_agent": agent,
            "site_version": rng.choice(("10.4.2.1", "10.4.2.2")),
        }
        if rng.random() < 0.4:
            value["referrer"] = rng.choice(("https://search.example.net/", "https://news.example.org/shop", ""))
        if rng.random() < 0.05:
            value["viewport"] = {"w": rng.choice((1280, 1920)), "h": rng.choice((720, 1080))}
        yield Record(session.encode(), compact(value), (("source", b"edge-1"),), at)


def _mobile(world: World, rng: random.Random) -> Iterator[Record]:
    for at in world.times(rng, 1000, 3):
        person = rng.choice(world.customers)
        version = rng.choice(("4.12.0.3", "4.12.1.0", "5.0.0.17"))
        client: dict[str, object] = {
            "ip": person.ip,
            "app_version": version,
            "os": rng.choice(("android 14", "ios 18.1")),
        }
        if rng.random() < 0.5:
            client["account"] = person.email
        # The app's first release sent seconds as text, the next one as a number.
        ts: object = at // 1000 if version.startswith("5") else str(at // 1000)
        value = {"screen": rng.choice(("home", "list", "detail", "basket")), "ts": ts, "client": client}
        yield Record(None, compact(value), (), at)


def _cart_opened(world: World, rng: random.Random, person: Person) -> dict[str, object]:
    return {"cart_id": uuid_of(rng), "customer_id": person.id}


def _item_added(world: World, rng: random.Random, person: Person) -> dict[str, object]:
    product = rng.choice(world.products)
    return {"cart_id": uuid_of(rng), "product": {"name": product.name, "price": product.cents / 100}, "qty": 1}


def _account_created(world: World, rng: random.Random, person: Person) -> dict[str, object]:
    return {"customer_id": person.id, "email": person.email, "ip": person.ip, "consent": rng.random() < 0.7}


def _van_departed(world: World, rng: random.Random, person: Person) -> dict[str, object]:
    return {"van": rng.choice(world.vans), "stops": rng.randint(4, 30), "load_kg": round(rng.uniform(80, 900), 1)}


def _store_visited(world: World, rng: random.Random, person: Person) -> dict[str, object]:
    return {"store": rng.choice(("lyon", "utrecht", "leeds", "denver")), "wifi_mac": person.mac}


EVENT_TYPES: dict[str, Callable[[World, random.Random, Person], dict[str, object]]] = {
    "cart.opened": _cart_opened,
    "cart.item_added": _item_added,
    "account.created": _account_created,
    "van.departed": _van_departed,
    "store.visited": _store_visited,
}
"""The five kinds of event; `type` distinguishes them."""


def _events(world: World, rng: random.Random) -> Iterator[Record]:
    kinds = tuple(EVENT_TYPES)
    for at in world.times(rng, 1500, 7):
        kind = rng.choices(kinds, (30, 35, 10, 10, 15))[0]
        person = rng.choice(world.customers)
        head = {"id": uuid_of(rng), "type": kind, "at": iso(at)}
        yield Record(None, compact(head | EVENT_TYPES[kind](world, rng, person)), (("ce_type", kind.encode()),), at)


def plans(world: World) -> list[TopicPlan]:
    makes = {"clicks": (_clicks, 2), "clicks.mobile": (_mobile, 2), "events": (_events, 2)}
    return [
        TopicPlan(
            name=name,
            partitions=partitions,
            format={"key": "string" if name == "clicks" else "none", "value": "json"},
            make=partial(make, world),
            seed=f"{world.seed}:{name}",
        )
        for name, (make, partitions) in makes.items()
    ]
