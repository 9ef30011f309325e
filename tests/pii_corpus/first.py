"""The corpus the detector is tuned on: Faker's persons of ten locales, in the forms real systems hold them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from faker import Faker

from tests.pii_corpus.columns import Column, Make, draw, sparse, within
from tests.pii_corpus.first_clean import clean

LOCALES = ("de_DE", "fr_FR", "en_GB", "en_US", "en_IN", "pt_BR", "ja_JP", "es_ES", "it_IT", "pl_PL")
COUNT = 300


@lru_cache(maxsize=64)
def fake(locale: str) -> Any:
    return Faker(locale)


def by(locale: str, ask: Callable[[Any], Any]) -> Make:
    def make(rng: random.Random) -> Any:
        faker = fake(locale)
        seed = rng.getrandbits(48)
        faker.seed_instance(seed)
        # Some of Faker's numbers (CURP, NIF) are drawn from the process's random numbers, whatever its own seed.
        common = random.getstate()
        random.seed(seed)
        try:
            return ask(faker)
        finally:
            random.setstate(common)

    return make


def any_of(*makes: Make) -> Make:
    return lambda rng: rng.choice(makes)(rng)


def email(rng: random.Random) -> str:
    f = fake(rng.choice(LOCALES))
    f.seed_instance(rng.getrandbits(48))
    user = f.user_name()
    match rng.randrange(8):
        case 0:
            return f"{user}+{rng.choice(['shop', 'news', 'x1'])}@{f.free_email_domain()}"
        case 1:
            return f"{user}@mail.{rng.choice(['eu', 'dept7', 'staff'])}.{f.domain_name()}".upper()
        case 2:
            return f"{f.ascii_first_name() if hasattr(f, 'ascii_first_name') else 'Ann'} <{user}@{f.domain_name()}>"
        case 3:
            return f"{user}@xn--mnchen-3ya.de"
        case 4:
            return f"{user}@müller-söhne.de"
        case _:
            return str(f.email())


def phones(locale: str) -> Make:
    return by(locale, lambda f: f.phone_number())


def bare_phones(prefixes: tuple[str, ...], length: int) -> Make:
    def make(rng: random.Random) -> str:
        head = rng.choice(prefixes)
        return head + "".join(rng.choices("0123456789", k=length - len(head)))

    return make


PHONES: dict[str, Make] = {
    "US": phones("en_US"),
    "US dots": lambda r: f"{r.randrange(201, 989)}.{r.randrange(200, 999)}.{r.randrange(10000):04d}",
    "DE": lambda r: f"0{r.choice(['30', '40', '89', '221', '69', '351'])}/{r.randrange(1000000, 99999999)}",
    "DE mobile": lambda r: f"01{r.choice(['51', '60', '70', '72', '76'])} {r.randrange(1000000, 99999999)}",
    "FR": lambda r: f"0{r.choice('12345679')} " + " ".join(f"{r.randrange(100):02d}" for _ in range(4)),
    "FR dots": lambda r: f"0{r.choice('67')}." + ".".join(f"{r.randrange(100):02d}" for _ in range(4)),
    "GB": lambda r: f"07{r.choice(['700', '911', '400', '811'])} {r.randrange(1000000):06d}",
    "BR": phones("pt_BR"),
    "JP": lambda r: f"0{r.choice(['90', '80', '70'])}-{r.randrange(1000, 9999)}-{r.randrange(10000):04d}",
    "IN": lambda r: f"+91-{r.randrange(70000, 99999)}-{r.randrange(100000):05d}",
    "IT": phones("it_IT"),
    "PL": phones("pl_PL"),
}
BARE: dict[str, Make] = {
    "US": bare_phones(("2125", "4155", "3124", "7134", "6026", "3057", "2068"), 10),
    "DE": bare_phones(("0151", "0160", "0170", "0175", "0176"), 11),
    "FR": bare_phones(("06", "07"), 10),
    "E.164": any_of(
        bare_phones(("+49151", "+49170"), 14), bare_phones(("+336", "+337"), 12), bare_phones(("+1415", "+1212"), 12)
    ),
}


def grouped(card: str, mark: str) -> str:
    return mark.join(card[i : i + 4] for i in range(0, len(card), 4))


card = by(
    "en_US", lambda f: f.credit_card_number(f.random_element(["visa16", "mastercard", "amex", "discover", "jcb16"]))
)
iban = any_of(*(by(loc, lambda f: f.iban()) for loc in ("de_DE", "fr_FR", "en_GB", "es_ES", "it_IT", "pl_PL", "nl_NL")))


def mac(rng: random.Random) -> str:
    raw = f"{rng.getrandbits(48):012x}"
    two = [raw[i : i + 2] for i in range(0, 12, 2)]
    four = [raw[i : i + 4] for i in range(0, 12, 4)]
    return rng.choice([":".join(two), "-".join(two).upper(), ".".join(four)])


SSN = by("en_US", lambda f: f.ssn())
IDS: dict[str, tuple[str, Make]] = {
    "ES_NIF": ("nif", by("es_ES", lambda f: f.nif())),
    "IT_FISCAL_CODE": ("codice_fiscale", by("it_IT", lambda f: f.ssn())),
    "PL_PESEL": ("pesel", by("pl_PL", lambda f: f.pesel())),
    "BR_CPF": ("cpf", by("pt_BR", lambda f: f.cpf())),
    "NL_BSN": ("bsn", by("nl_NL", lambda f: f.ssn())),
    "FI_PERSONAL_IDENTITY_CODE": ("hetu", by("fi_FI", lambda f: f.ssn())),
    "SE_PERSONNUMMER": ("personnummer", by("sv_SE", lambda f: f.ssn())),
    "UK_NINO": (
        "nino",
        lambda r: (
            f"{r.choice(['AB', 'CE', 'JK', 'PR', 'SW'])} {r.randrange(100):02d} {r.randrange(100):02d}"
            f" {r.randrange(100):02d} {r.choice('ABCD')}"
        ),
    ),
    "NO_FODSELSNUMMER": ("fodselsnummer", by("no_NO", lambda f: f.ssn())),
    "CH_AHV": ("ahv", by("de_CH", lambda f: f.ssn())),
    "RO_CNP": ("cnp", by("ro_RO", lambda f: f.ssn())),
    "FR_NIR": ("insee", by("fr_FR", lambda f: f.ssn())),
    "CA_SIN": ("sin", by("en_CA", lambda f: f.ssn())),
    "MX_CURP": ("curp", by("es_MX", lambda f: f.curp())),
    "TR_TCKN": ("tckn", by("tr_TR", lambda f: f.ssn())),
}

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def bitcoin(rng: random.Random) -> str:
    from hashlib import sha256

    body = bytes([rng.choice([0, 5])]) + rng.randbytes(20)
    number = int.from_bytes(body + sha256(sha256(body).digest()).digest()[:4], "big")
    text = ""
    while number:
        number, rest = divmod(number, 58)
        text = ALPHABET[rest] + text
    return "1" * (len(body) - len(body.lstrip(b"\0"))) + text


PATTERNS: dict[str, tuple[str, Make]] = {
    "EMAIL_ADDRESS": ("email", email),
    "PHONE_NUMBER": ("phone", any_of(*(PHONES[k] for k in ("US", "DE", "FR", "GB", "IN")))),
    "CREDIT_CARD": ("card_number", lambda r: grouped(card(r), r.choice(["", " ", "-"]))),
    "IBAN_CODE": ("iban", lambda r: grouped(iban(r), r.choice(["", " "]))),
    "IP_ADDRESS": ("client_ip", any_of(by("en_US", lambda f: f.ipv4()), by("en_US", lambda f: f.ipv6()))),
    "MAC_ADDRESS": ("mac", mac),
    "US_SSN": ("ssn", SSN),
    "CRYPTO": ("wallet", bitcoin),
    "BR_CPF": IDS["BR_CPF"],
    "IT_FISCAL_CODE": IDS["IT_FISCAL_CODE"],
}

SENTENCES = (
    "Customer asked to change it to {} before the next delivery.",
    "pls call back, reference {} , thx",
    "As discussed with the caller ({}), we will send a new one.",
    "{} was given by the guest at check-in; please verify!",
    "Kunde meldet sich wieder, Angabe: {}. Bitte prüfen.",
    "Le client indique {} et attend une réponse.",
)
NEUTRAL = ("v", "data", "attr_3", "f12", "info", "value_text", "extra", "x", "details", "payload_item")


def sentence(rng: random.Random) -> str:
    f = fake("en_US")
    f.seed_instance(rng.getrandbits(48))
    return str(f.sentence(9))


def word(rng: random.Random) -> str:
    return rng.choice(["n/a", "unknown", "-", "see file", "none given", "pending", "same as above", "later"])


def corpus(seed: int = 7, count: int = COUNT) -> list[Column]:
    """About 250 columns, 100 of them clean. The same for the same seed."""
    rng = random.Random(seed)
    return [*_patterns(rng, count), *_phones(rng, count), *_ids(rng, count), *_persons(rng, count), *clean(rng, count)]


def _patterns(rng: random.Random, count: int) -> Iterator[Column]:
    for entity, (name, make) in PATTERNS.items():
        some = draw(make, count, rng)
        yield Column(entity, "full", ("customer", name), some)
        yield Column(entity, "neutral name", ("body", rng.choice(NEUTRAL)), draw(make, count, rng))
        yield Column(
            entity,
            "wrong name",
            ("event", rng.choice(["comment", "label", "title", "description"])),
            draw(make, count, rng),
        )
        yield Column(entity, "sparse 1%", ("account", name), sparse(make, word, 3 * count, 0.01, rng))
        yield Column(
            entity, "sparse 1%, neutral name", (rng.choice(NEUTRAL),), sparse(make, word, 3 * count, 0.01, rng)
        )
        yield Column(entity, "free text", ("ticket", "message"), within(make, SENTENCES, count, 0.05, rng, sentence))
        yield Column(entity, "key", (name,), some)
        yield Column(entity, "header", (f"x-{name}",), some)
        yield Column(entity, "map value", ("attributes",), draw(make, count, rng))
        yield Column(entity, "map key", ("by_" + name,), draw(make, count, rng))
        yield Column(entity, "list", ("customer", name + "s"), draw(make, count, rng))
        yield Column(entity, "JSON in text", ("raw",), draw(make, count, rng))
        yield Column(entity, "base64", ("blob",), draw(make, count, rng))
    yield Column("CREDIT_CARD", "number", ("payment", "pan"), [int(card(rng)) for _ in range(count)])
    yield Column("PHONE_NUMBER", "number", ("contact", "mobile"), [int(BARE["US"](rng)) for _ in range(count)])
    yield Column("US_SSN", "no dashes", ("employee", "ssn"), [SSN(rng).replace("-", "") for _ in range(count)])
    yield Column("IP_ADDRESS", "private", ("conn", "src"), draw(by("en_US", lambda f: f.ipv4_private()), count, rng))


def _phones(rng: random.Random, count: int) -> Iterator[Column]:
    for style, make in PHONES.items():
        yield Column("PHONE_NUMBER", "national form", ("contact", "tel"), draw(make, count, rng), style)
    for style, make in BARE.items():
        yield Column("PHONE_NUMBER", "digits only", ("user", "mobile_number"), draw(make, count, rng), style)


def _ids(rng: random.Random, count: int) -> Iterator[Column]:
    for entity, (name, make) in IDS.items():
        yield Column(entity, "national id", ("person", name), draw(make, count, rng))
        yield Column(entity, "national id, sparse", ("person", name), sparse(make, word, 3 * count, 0.01, rng))


def _born(form: str) -> Make:
    """Dates of birth of people of 16 to 90 years."""
    return by("en_US", lambda f: f.date_of_birth(minimum_age=16, maximum_age=90).strftime(form))


def _persons(rng: random.Random, count: int) -> Iterator[Column]:
    for locale in ("de_DE", "fr_FR", "en_GB", "en_US", "en_IN", "pt_BR", "es_ES", "it_IT", "pl_PL"):
        yield Column("PERSON", "full", ("customer", "name"), draw(by(locale, lambda f: f.name()), count, rng), locale)
        yield Column(
            "LOCATION",
            "full",
            ("shipping", "address"),
            draw(by(locale, lambda f: f.address().replace("\n", ", ")), count, rng),
            locale,
        )
    yield Column("PERSON", "full", ("passenger", "first_name"), draw(by("en_US", lambda f: f.first_name()), count, rng))
    yield Column("PERSON", "full", ("passenger", "last_name"), draw(by("de_DE", lambda f: f.last_name()), count, rng))
    yield Column("PERSON", "key", ("name",), draw(by("en_US", lambda f: f.name()), count, rng))
    for form in ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y%m%d", "%d %b %Y"):
        yield Column("DATE_OF_BIRTH", "full", ("patient", "dob"), draw(_born(form), count, rng), form)
    yield Column("PASSWORD", "full", ("login", "password"), draw(by("en_US", lambda f: f.password()), count, rng))
