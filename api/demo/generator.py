"""All topics of the demo from one seed: the same seed and end time give the same bytes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from api.demo.plan import Planted, TopicPlan, Trap
from api.demo.topics import legacy, orders, people, registered, text, vans, web
from api.demo.world import World

FAMILIES = (orders, web, registered, text, vans, people, legacy)

PLANTED: list[Planted] = [planted for family in FAMILIES for planted in family.PLANTED]
"""Every place where the generator puts personal data, to hold scans and reports to."""

TRAPS: list[Trap] = [trap for family in FAMILIES for trap in family.TRAPS]
"""Every place that only looks like it."""

DERIVED: list[Planted] = [
    Planted("order-mails", "value.to", "EMAIL_ADDRESS"),
    Planted("order-mails", "value.name", "PERSON"),
]
"""Personal data in the topics that the demo's jobs write."""

DERIVED_TOPICS = ("revenue-by-region", "clicks.clean", "order-mails", "newsletter-audience")

KEEP = {"retention.ms": "-1"}
"""Records carry the times of the story, so that Kafka must not delete them for their age."""

SEED = 7

UNTIL = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)


def topic_plans(seed: int = SEED, until: datetime = UNTIL, prefix: str = "") -> list[TopicPlan]:
    """The plans of all topics. `prefix` goes before every topic's name, for tests on a shared broker.

    The records' times end at `until`. PLANTED and TRAPS name topics without prefix.
    """
    world = World(seed, until)
    return [
        replace(plan, name=prefix + plan.name, config={**KEEP, **plan.config})
        for family in FAMILIES
        for plan in family.plans(world)
    ]
