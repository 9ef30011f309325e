"""The people and things of the demo's shop, drawn once from a seed. All persons are invented.

E-mail addresses are in the domains reserved for examples, IP addresses in the ranges reserved for documentation, and
phone numbers in ranges that no person has, as far as the country keeps one.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property

from faker import Faker

REGIONS = {"US": ("en_US",), "UK": ("en_GB",), "EU": ("de_DE", "fr_FR", "nl_NL")}
COUNTRY = {"en_US": "US", "en_GB": "GB", "de_DE": "DE", "fr_FR": "FR", "nl_NL": "NL"}
_PHONES = {
    "en_US": ("+1 202-555-01{:02d}", "(415) 555-01{:02d}", "+1 (312) 555-01{:02d}"),
    "en_GB": ("+44 20 7946 0{:03d}",),
    "de_DE": ("+49 30 23125{:03d}", "030 23125{:03d}"),
    "fr_FR": ("+33 1 99 00 {:02d} 12",),
    "nl_NL": ("+31 85 1234 {:03d}",),
}
_DOMAINS = ("example.com", "example.org", "example.net", "mail.example.com", "post.example.org")
_GOODS = (
    "wool scarf",
    "oak chair",
    "rain jacket",
    "desk lamp",
    "coffee grinder",
    "bicycle bell",
    "garden hose",
    "walking boots",
    "tea pot",
    "picnic blanket",
    "wall clock",
    "bread knife",
    "camping stove",
    "linen shirt",
)
_COLOURS = ("blue", "green", "grey", "red", "natural", "black")


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    name: str
    first: str
    email: str
    phone: str
    street: str
    postcode: str
    city: str
    country: str
    region: str
    iban: str
    card: str
    birth_date: str
    ip: str
    mac: str
    loyalty: str
    tax_id: str | None


@dataclass(frozen=True, slots=True)
class Product:
    sku: str
    name: str
    cents: int


def luhn_digit(digits: str) -> str:
    """The check digit that makes `digits` pass the Luhn test, as card numbers do."""
    total = sum(sum(divmod(int(c) * (2 if i % 2 == 0 else 1), 10)) for i, c in enumerate(reversed(digits)))
    return str(-total % 10)


@dataclass(frozen=True)
class World:
    """Everything is drawn from `seed`; times run up to `until`."""

    seed: int
    until: datetime

    def rng(self, name: str) -> random.Random:
        return random.Random(f"{self.seed}:{name}")  # noqa: S311  repeatable on purpose

    def _faker(self, locale: str, name: str) -> Faker:
        faker = Faker(locale)
        faker.seed_instance(f"{self.seed}:{locale}:{name}")
        return faker

    @cached_property
    def customers(self) -> tuple[Person, ...]:
        """240 people over three regions."""
        return tuple(self._people("customer", 240))

    @cached_property
    def staff(self) -> tuple[Person, ...]:
        """24 people, some of whom drive."""
        return tuple(self._people("staff", 24, domain="staff.example.com"))

    @cached_property
    def products(self) -> tuple[Product, ...]:
        """60 goods. Their numbers have sixteen digits and pass the Luhn test, but no card network begins with 10."""
        rng = self.rng("products")
        products = []
        for _ in range(60):
            digits = "10" + "".join(rng.choices("0123456789", k=13))
            name = f"{rng.choice(_COLOURS)} {rng.choice(_GOODS)}"
            products.append(Product(digits + luhn_digit(digits), name, rng.randrange(490, 18990)))
        return tuple(products)

    @cached_property
    def vans(self) -> tuple[str, ...]:
        return tuple(f"VAN-{n:04d}" for n in self.rng("vans").sample(range(1000, 9999), 8))

    @cached_property
    def user_agents(self) -> tuple[str, ...]:
        faker = self._faker("en_US", "browsers")
        return tuple(faker.user_agent() for _ in range(20))

    def sentence(self, rng: random.Random) -> str:
        """A few words of no meaning, from a stock of 200."""
        return rng.choice(self._sentences)

    @cached_property
    def _sentences(self) -> tuple[str, ...]:
        faker = self._faker("en_US", "sentences")
        return tuple(faker.sentence(8) for _ in range(200))

    def times(self, rng: random.Random, count: int, days: float) -> Iterator[int]:
        """`count` moments in milliseconds, in order, over the last `days` days."""
        last = int(self.until.timestamp() * 1000)
        span = int(days * 86_400_000)
        return iter(sorted(last - rng.randrange(span) for _ in range(count)))

    def _people(self, kind: str, count: int, domain: str | None = None) -> Iterator[Person]:
        rng = self.rng(kind)
        fakers = {locale: self._faker(locale, kind) for locale in COUNTRY}
        taken: set[str] = set()
        number = 0
        while number < count:
            region = rng.choices(("EU", "US", "UK"), (5, 3, 2))[0]
            locale = rng.choice(REGIONS[region])
            faker = fakers[locale]
            first, last = faker.first_name(), faker.last_name()
            mailbox = f"{_plain(first)}.{_plain(last)}"
            if mailbox in taken:
                continue
            taken.add(mailbox)
            number += 1
            birth = datetime(1945, 1, 1, tzinfo=UTC) + timedelta(days=rng.randrange(22000))
            yield Person(
                id=f"{'C' if kind == 'customer' else 'S'}-{number * 7919 % 10**6:06d}",
                name=f"{first} {last}",
                first=first,
                email=f"{mailbox}@{domain or rng.choice(_DOMAINS)}",
                phone=rng.choice(_PHONES[locale]).format(rng.randrange(100)),
                street=faker.street_address().replace("\n", ", "),
                postcode=faker.postcode(),
                city=faker.city(),
                country=COUNTRY[locale],
                region=region,
                iban=faker.iban(),
                card=faker.credit_card_number("visa16"),
                birth_date=f"{birth:%Y-%m-%d}",
                ip=rng.choice(("203.0.113.{}", "198.51.100.{}", "192.0.2.{}")).format(rng.randrange(1, 255)),
                mac=":".join(f"{rng.randrange(256):02x}" for _ in range(6)),
                loyalty=f"LOY-{rng.randrange(10**8):08d}",
                tax_id=faker.ssn() if locale == "en_US" else None,
            )


def _plain(name: str) -> str:
    ascii_name = unicodedata.normalize("NFKD", name.replace("ß", "ss")).encode("ascii", "ignore").decode()
    return "".join(c for c in ascii_name.lower() if c.isalnum())


def iso(ms: int) -> str:
    """Milliseconds as 2026-11-20T18:03:11.250Z."""
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


def uuid_of(rng: random.Random) -> str:
    """A version-4 UUID from the given source."""
    bits = rng.getrandbits(128) & ~(0xF << 76) & ~(0x3 << 62) | (0x4 << 76) | (0x2 << 62)
    h = f"{bits:032x}"
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"
