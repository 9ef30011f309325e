"""Topics with days and weeks, and faults planted in them: how often the checks of quality find them, and what else they report.

The figures of a topic are drawn from random numbers of a seed; the checks are those of the product.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from catalog.quality.check import check
from catalog.quality.episodes import Episode, Step
from catalog.quality.layout import Layout, layout
from catalog.quality.points import Course
from catalog.quality.sensitivity import SENSITIVITIES
from catalog.quality.usual import DAYS, HOURS, WEEKS, History, Levels

START = datetime(2026, 1, 5, tzinfo=UTC)  # a Monday
HOUR = timedelta(hours=1)
FAULTS = ("drop", "spike", "nulls", "distinct", "type", "late", "missing")
"""What is planted; each is measured by the series of `MEASURES`."""
MEASURES: Mapping[str, str] = {
    "drop": "volume",
    "spike": "volume",
    "nulls": "nulls",
    "distinct": "distinct",
    "type": "type:string",
    "late": "lateness",
    "missing": "presence",
}
MOST_READ = 1000


PATHS = ("value", "value.id", "value.email", "value.amount", "value.customer", "value.status")
SERIES = (
    *("volume", "lateness", "records"),
    *(f"{name} {path}" for path in PATHS for name in ("presence", "nulls")),
    *("distinct value.id", "distinct value.customer", "distinct value.status"),
    *("type:double value.amount", "type:int64 value.amount", "type:string value.amount"),
)


@dataclass(frozen=True)
class Fault:
    """From an hour on, for some hours."""

    kind: str
    topic: int
    begins: int
    hours: int
    size: float

    def lasts(self, hour: int) -> bool:
        return self.begins <= hour < self.begins + self.hours


@dataclass
class Topic:
    """How many records come depends on the hour and on the day of the week; what they hold varies by chance."""

    random: np.random.Generator
    base: float
    daily: float
    weekend: float
    peak: float
    noise: float
    null_share: float
    doubles: float
    customers: int
    slow: float

    @staticmethod
    def drawn(generator: np.random.Generator) -> Topic:
        return Topic(
            random=generator,
            base=float(10 ** generator.uniform(1.5, 5)),
            daily=float(generator.uniform(0.3, 0.9)),
            weekend=float(generator.uniform(0.3, 1.0)),
            peak=float(generator.uniform(0, 24)),
            noise=float(generator.uniform(0.03, 0.2)),
            null_share=float(generator.choice([0.0, 0.0, 0.01, 0.1, 0.4])),
            doubles=float(generator.choice([0.0, 0.0, 0.02, 0.2])),
            customers=int(10 ** generator.uniform(1, 4)),
            slow=float(10 ** generator.uniform(0, 2)),
        )

    def rates(self, hours: Any) -> Any:
        """Records an hour, without chance."""
        day = 1 + self.daily * np.cos((hours % 24 - self.peak) / 24 * 2 * math.pi)
        return self.base * day * np.where(hours % 168 >= 120, self.weekend, 1.0)

    def figures(self, hours: Any, fault: Fault | None) -> Any:
        """What scans of these hours would measure: a row an hour, columns as `SERIES`."""
        draw, kind, size, n = self.random, fault.kind if fault else "", fault.size if fault else 0.0, len(hours)
        rate = self.rates(hours) * np.exp(draw.normal(0, self.noise, n)) * (size if kind in ("drop", "spike") else 1.0)
        volume = draw.poisson(rate)
        records = np.minimum(MOST_READ, volume)
        late = draw.exponential(3600 / np.maximum(rate, 1)) + draw.gamma(2, self.slow, n)
        wobble = np.clip(self.null_share * np.exp(draw.normal(0, 0.1, n)), 0, 1)
        nulls = draw.binomial(records, wobble + ((1 - wobble) * size if kind == "nulls" else 0.0))
        present = draw.binomial(records, 1 - size if kind == "missing" else 1.0)
        customers = self.customers * (1 - np.exp(-records / self.customers)) * (1 + draw.normal(0, 0.03, n))
        texts = size if kind == "type" else 0.0
        doubles = draw.binomial(records, self.doubles * (1 - texts))
        read = np.maximum(records, 1)
        of_records = {
            "records": records,
            **{
                f"{name} {path}": np.full(n, share) for path in PATHS for name, share in (("presence", 1), ("nulls", 0))
            },
            "nulls value.email": nulls / read,
            "presence value.email": present / read,
            "distinct value.id": np.round(
                records * (size if kind == "distinct" else 1.0) * (1 + draw.normal(0, 0.02, n))
            ),
            "distinct value.customer": np.round(customers),
            "distinct value.status": np.minimum(records, 5 - (draw.random(n) < 0.1)),
            "type:double value.amount": doubles / read,
            "type:int64 value.amount": np.maximum(0, 1 - doubles / read - texts),
            "type:string value.amount": np.full(n, texts),
        }
        known = {key: np.where(records > 0, each, np.nan) for key, each in of_records.items()}
        whole = {"volume": volume, "lateness": late + (size if kind == "late" else 0.0), **known}
        return np.stack([np.asarray(whole[key], float) for key in SERIES], axis=1)


def planted(seed: int, topics: int, count: int, first: int, hours: int = 24) -> list[Fault]:
    """Faults of all kinds on different topics, within `hours` after the hour `first`."""
    draw = random.Random(seed)
    sizes = {
        "drop": (0.02, 0.3),
        "spike": (4, 12),
        "nulls": (0.25, 0.9),
        "distinct": (0.005, 0.2),
        "type": (0.25, 1.0),
        "late": (3 * 3600, 12 * 3600),
        "missing": (0.25, 1.0),
    }
    return [
        Fault(kind, topic, first + draw.randrange(hours - 4), draw.randint(3, 6), draw.uniform(*sizes[kind]))
        for kind, topic in zip((FAULTS * count)[:count], draw.sample(range(topics), count), strict=True)
    ]


@dataclass
class Outcome:
    """detected: faults with an anomaly of their series while they lasted; related: other anomalies of a topic while a fault of it
    lasted; false: all others, by series."""

    planted: int = 0
    detected: int = 0
    related: int = 0
    false: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)
    delays: list[int] = field(default_factory=list)
    checks: int = 0

    def add(self, other: Outcome) -> None:
        self.planted += other.planted
        self.detected += other.detected
        self.related += other.related
        self.false.update(other.false)
        self.missed += other.missed
        self.delays += other.delays
        self.checks += other.checks


def run(seed: int, topics: int = 50, weeks: int = 6, faults: int = 20, sensitivity: str = "normal") -> Outcome:
    """Weeks of history that are not judged, a day that is only learned from, and a day that is judged."""
    first = weeks * 168 + 24
    by_topic = {each.topic: each for each in planted(seed, topics, faults, first)} if faults else {}
    outcome = Outcome(planted=len(by_topic))
    for number in range(topics):
        topic = Topic.drawn(np.random.default_rng([seed, number]))
        _run_topic(topic, by_topic.get(number), first, outcome, sensitivity)
    return outcome


def _run_topic(topic: Topic, fault: Fault | None, first: int, outcome: Outcome, sensitivity: str) -> None:
    placed = layout(SERIES)
    past = Past(placed, first + 24)
    hours = np.array(hours_compared(first - 24, first + 24))
    past.mean[hours] = topic.figures(hours, None)
    is_found = False
    for step in run_checks(topic, fault, first - 24, first + 24, past, sensitivity):
        outcome.checks += step.checks
        for change in step.opened:
            lasted = fault is not None and fault.begins <= step.hour <= fault.begins + fault.hours
            if fault is not None and lasted and change == MEASURES[fault.kind]:
                if not is_found:
                    outcome.delays.append(step.hour - fault.begins)
                is_found = True
            elif lasted:
                outcome.related += 1
            else:
                outcome.false[change] += 1
    outcome.detected += is_found
    if fault is not None and not is_found:
        outcome.missed.append(f"{fault.kind} {fault.size:.3g} of {topic.base:.0f}/h")


def hours_compared(begin: int, end: int) -> list[int]:
    """The hours before `begin` that checks of the hours to `end` look at; to draw figures of others would take time only."""
    weeks = {hour - 168 * n for hour in range(begin, end) for n in range(1, WEEKS + 1)}
    days = set(range(begin - 24 * DAYS, begin))
    return sorted(hour for hour in weeks | days if 0 <= hour < begin)


@dataclass
class Past:
    """Figures of every hour, as the hourly points of the store hold them."""

    layout: Layout
    hours: int
    mean: Any = field(init=False)
    unusual: Any = field(init=False)

    def __post_init__(self) -> None:
        self.mean = np.full((self.hours, self.layout.width), np.nan)
        self.unusual = np.zeros((self.hours, self.layout.width))

    def add(self, hour: int, figures: Any, unusual: Any = None) -> None:
        self.mean[hour] = figures
        if unusual is not None:
            self.unusual[hour] = unusual

    def history(self, hour: int) -> History:
        weeks = [hour - 168 * n for n in range(WEEKS, 0, -1) if hour >= 168 * n]
        days = [hour - 24 * n for n in range(DAYS, 0, -1) if hour >= 24 * n]
        return History(
            self._course(weeks), lambda: self._course(days), lambda: self._course([*range(max(0, hour - HOURS), hour)])
        )

    def _course(self, hours: list[int]) -> Course:
        mean = self.mean[hours]
        return Course(tuple(START + hour * HOUR for hour in hours), mean, mean, mean, self.unusual[hours])


@dataclass(frozen=True)
class Seen:
    hour: int
    checks: int
    opened: tuple[str, ...]


def run_checks(topic: Topic, fault: Fault | None, begin: int, end: int, past: Past, sensitivity: str) -> Iterator[Seen]:
    """Checks of every hour, each of which becomes part of the past."""
    placed = past.layout
    learned, episodes = np.full((2, placed.width), np.nan), dict[str, Episode]()
    levels = Levels(np.full(placed.width, np.nan), np.full(placed.width, np.nan))
    for hour in range(begin, end):
        now = START + hour * HOUR
        lasting = fault if fault is not None and fault.lasts(hour) else None
        figures = topic.figures(np.array([hour]), lasting)[0]
        checked = check(
            "topic",
            figures,
            placed,
            past.history(hour),
            levels,
            learned,
            episodes,
            SENSITIVITIES[sensitivity],
            now,
            hours=1.0,
            marked=False,
        )
        learned, episodes = checked.learned, dict(checked.episodes)
        for change in checked.changes:
            if change.step is Step.OPEN and change.episode is not None:
                known = episodes[change.series.key]
                episodes[change.series.key] = Episode(known.since, known.outside, known.calm, "an anomaly")
        past.add(hour, figures, checked.unusual)
        opened = tuple(each.series.name for each in checked.changes if each.step is Step.OPEN)
        yield Seen(hour, 1, opened)
