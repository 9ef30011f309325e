"""Clean columns of the second corpus: what machines, shops, networks and banks write that is about nobody."""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Iterator

from tests.pii_corpus.columns import Column, Make, draw

NODES = "atlas boreas ceres dione elara fenrir gaia hydra".split()
NOUNS = "valve gasket rotor flange sensor bracket washer coupling nozzle bearing".split()


def pick(*values: object) -> Make:
    return lambda r: r.choice(values)


def like(form: str) -> Make:
    """9 a digit, A a capital, a a small letter, x a hex digit."""
    pools = {"9": string.digits, "A": string.ascii_uppercase, "a": string.ascii_lowercase, "x": "0123456789abcdef"}
    return lambda r: "".join(r.choice(pools[c]) if c in pools else c for c in form)


def between(low: int, high: int, form: str = "{}") -> Make:
    return lambda r: form.format(r.randrange(low, high))


def rising(start: int, form: str = "{}") -> Make:
    state = [start]

    def make(rng: random.Random) -> str:
        state[0] += rng.randrange(1, 4)
        return form.format(state[0])

    return make


def check10(body: str, weights: tuple[int, int]) -> str:
    return body + str(-sum(int(d) * weights[i % 2] for i, d in enumerate(body)) % 10)


def ean(r: random.Random) -> str:
    return check10("50" + "".join(r.choices(string.digits, k=10)), (1, 3))


def imei_like_asset(r: random.Random) -> str:
    return "9900" + "".join(r.choices(string.digits, k=11))


CLEAN: dict[str, tuple[str, Make]] = {
    "GTIN": ("gtin", ean),
    "GTIN neutral": ("c4", ean),
    "SSCC": ("sscc", like("003999999999999999")),
    "asset tags": ("assetTag", imei_like_asset),
    "lot": ("lotNumber", like("999-99-9999")),
    "claim": ("claimRef", like("99-9999999")),
    "docket": ("docket", like("9999-99-99999")),
    "policy": ("policyNo", like("999.999.999-99")),
    "matter": ("matter", like("9999 9999 9999")),
    "meter": ("meterId", like("99999999999")),
    "account no": ("accountNo", like("9999999999")),
    "GL account": ("glAccount", like("9999-999-99")),
    "cost centre": ("costCentre", like("999 999 999")),
    "ten rising": ("seq", rising(4155550000)),
    "eleven rising": ("c1", rising(15112340000)),
    "nine rising": ("c2", rising(123450000)),
    "snowflake ids": ("id", rising(1712345678901234567)),
    "nano epoch": ("t", rising(1712345678901234567)),
    "julian": ("d", like("2024999")),
    "week": ("week", between(1, 53, "2024-W{:02d}")),
    "quarter": ("q", pick("Q1 2024", "Q2 2024")),
    "ordinal": ("o", between(100, 365, "2024-{}")),
    "date compact": ("day", between(10, 29, "202403{}")),
    "time range": ("slot", between(10, 20, "{}:00-21:00")),
    "duration": ("took", between(1, 60, "PT{}M3S")),
    "semver": ("appVersion", like("1.9.9-beta.9")),
    "windows build": ("osBuild", between(17000, 22000, "10.0.{}.1")),
    "firmware": ("fw", lambda r: f"{r.randrange(5)}.{r.randrange(10)}.{r.randrange(10)}.{r.randrange(100)}"),
    "dll version": (
        "fileVersion",
        lambda r: f"{r.randrange(200)}.{r.randrange(20)}.{r.randrange(50)}.{r.randrange(10)}",
    ),
    "OID": ("snmp", lambda r: f"1.3.6.1.2.1.{r.randrange(99)}.{r.randrange(9)}.0"),
    "netmask": ("netmask", pick("255.255.255.0", "255.255.0.0", "255.255.254.0")),
    "outline": ("clause", lambda r: f"{r.randrange(30)}.{r.randrange(9)}.{r.randrange(9)}.{r.randrange(9)}"),
    "crc": ("crc32", like("xxxxxxxx")),
    "blake": ("fingerprint", like("x" * 64)),
    "hashed phone": ("phone", like("x" * 32)),
    "hashed ip": ("ip_hash", like("x" * 40)),
    "cert print": ("thumbprint", lambda r: ":".join(f"{r.randrange(256):02X}" for _ in range(20))),
    "EUI-64": ("dev_eui", like("xxxxxxxxxxxxxxxx")),
    "WWN": ("wwn", lambda r: ":".join(f"{r.randrange(256):02x}" for _ in range(8))),
    "guid braces": ("classId", like("{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}")),
    "object id": ("_id", like("65xxxxxxxxxxxxxxxxxxxxxx")),
    "contract address": ("contract", like("0x" + "x" * 40)),
    "block hash": ("block", like("0x" + "x" * 64)),
    "arn": ("arn", lambda r: f"arn:aws:iam::{r.randrange(10**11, 10**12)}:role/{r.choice(NODES)}"),
    "pods": ("pod", lambda r: f"{r.choice(NODES)}-{like('xxxxxxxxx')(r)}-{like('aaaaa')(r)}"),
    "matrix room": ("room", lambda r: f"!{like('aaaaaaaa')(r)}:{r.choice(NODES)}.chat"),
    "ssh key remote": ("remote", lambda r: f"deploy@{r.choice(NODES)}:/srv/{r.choice(NOUNS)}"),
    "svn peg": ("peg", lambda r: f"trunk/{r.choice(NOUNS)}.c@{r.randrange(9999)}"),
    "scoped package": (
        "package",
        lambda r: f"@{r.choice(NODES)}/{r.choice(NOUNS)}@{r.randrange(9)}.{r.randrange(20)}.0",
    ),
    "action": ("uses", lambda r: f"actions/{r.choice(NOUNS)}@v{r.randrange(1, 5)}"),
    "retina": ("icon", lambda r: f"icons/{r.choice(NOUNS)}@3x.webp"),
    "annotation": ("code", lambda r: f"@Override public void {r.choice(NOUNS)}()"),
    "jdbc": ("dsn", lambda r: f"jdbc:postgresql://{r.choice(NODES)}.db:5432/{r.choice(NOUNS)}"),
    "cron": ("schedule", lambda r: f"{r.randrange(60)} {r.randrange(24)} * * 1-5"),
    "mime": ("contentType", pick("application/json", "text/html; charset=utf-8")),
    "agents": (
        "ua",
        lambda r: (
            f"Mozilla/5.0 (X11; Linux x86_64) Chrome/{r.randrange(90, 125)}.0.{r.randrange(4000, 6500)}"
            f".{r.randrange(200)} Safari/537.36"
        ),
    ),
    "SQL": ("statement", lambda r: f"SELECT name, email, phone FROM {r.choice(NOUNS)} WHERE id = {r.randrange(10**9)}"),
    "java trace": ("trace", lambda r: f"java.lang.IllegalState: {r.choice(NOUNS)} at Foo.java:{r.randrange(900)}"),
    "syslog": (
        "line",
        lambda r: (
            f"<{r.randrange(190)}>Oct 11 22:14:15 {r.choice(NODES)} su: 'su root' failed on /dev/pts/{r.randrange(9)}"
        ),
    ),
    "metric": (
        "metric",
        lambda r: (
            f"{r.choice(NODES)}.cpu.{r.randrange(8)}.idle {r.uniform(0, 99):.3f} {1710000000 + r.randrange(10**6)}"
        ),
    ),
    "k=v": (
        "msg",
        lambda r: (
            f"level=info ts={1710000000 + r.randrange(10**6)} offset={r.randrange(10**10)} took={r.randrange(999)}ms"
        ),
    ),
    "xml": ("doc", lambda r: f"<row id='{r.randrange(10**9)}' v='{r.choice(NOUNS)}'/>"),
    "shop lat": ("latitude", lambda r: f"{r.uniform(-34, -33):.5f}"),
    "route": ("polyline", lambda r: "".join(r.choices(string.ascii_letters + "@?~", k=40))),
    "geohash": ("geohash", lambda r: "u" + "".join(r.choices("0123456789bcdefghjkmnpqrstuvwxyz", k=8))),
    "plus codes": (
        "plusCode",
        lambda r: (
            f"{''.join(r.choices('23456789CFGHJMPQRVWX', k=8))}+{''.join(r.choices('23456789CFGHJMPQRVWX', k=2))}"
        ),
    ),
    "opening": ("opening", pick("Mo-Fr 09:00-17:00", "Sa 10:00-14:00")),
    "parts": ("partName", lambda r: f"{r.choice(NOUNS).title()} {r.choice(NOUNS).title()}"),
    "fashion": (
        "collection",
        pick("Tommy Hilfiger", "Michael Kors", "Stella McCartney", "Vera Wang", "Alexander Wang"),
    ),
    "ships": ("vessel", pick("Queen Mary", "Ever Given", "Emma Maersk", "Marco Polo")),
    "departments": ("department", pick("Human Resources", "Customer Care", "Research And Development")),
    "teams": ("teamName", pick("Red Bulls", "Green Bay", "San Jose Sharks")),
    "airports": ("airport", pick("John F Kennedy", "Charles De Gaulle", "Franz Josef Strauss", "Ronald Reagan")),
    "schools": ("school", pick("St Mary", "Martin Luther King", "George Washington High")),
    "songs": ("track", pick("Billie Jean", "Hey Jude", "Eleanor Rigby", "Lucy In The Sky")),
    "wines": ("wine", pick("Robert Mondavi", "Louis Latour", "Marques De Riscal")),
    "towns": ("town", pick("Port Elizabeth", "St Helens", "San Antonio", "Ciudad Juarez", "Georgetown")),
    "states": ("stateName", pick("New York", "Sao Paulo", "Nordrhein Westfalen")),
    "street of warehouse only": ("zone", pick("Aisle 12 Row 4", "Dock 7", "Bay 3 Shelf 2")),
    "flags": ("phoneVerified", pick("Y", "N")),
    "counts": ("emailCount", between(0, 90)),
    "kinds": ("emailType", pick("work", "home")),
    "templates": ("template", pick("Hello {name}, your phone {phone} was added", "Mail to {{email}} failed")),
    "null names": ("customerName", pick("***", "REDACTED", "[removed]", "")),
    "masked iban": ("iban", like("DE** **** **** **** **99")),
    "masked ssn": ("ssn", like("***-**-9999")),
    "masked ip": ("clientIp", pick("0.0.0.0", "x.x.x.x", "127.0.0.1", "")),
    "tokens": ("email", like("tok_xxxxxxxxxxxxxxxx")),
    "pseudonyms": ("userName", lambda r: f"user_{r.randrange(10**6)}"),
    "bic": ("bic", like("AAAAGB2L")),
    "sort code": ("sortCode", like("99-99-99")),
    "isin": ("security", like("GB00A9999999")),
    "lei": ("lei", lambda r: "5299" + like("00AAAAAAAAAAAA99")(r)),
    "cusip": ("cusip", like("99999A999")),
    "vat": ("vatId", like("ATU99999999")),
    "hs code": ("hsCode", like("9999.99.99.99")),
    "exchange rates": ("rate", lambda r: f"{r.uniform(0.5, 2):.10f}"),
    "big decimals": ("v9", lambda r: f"{r.randrange(10**6)}.{r.randrange(10**9):09d}"),
    "vectors": ("embedding", lambda r: f"[{r.uniform(-1, 1):.6f}, {r.uniform(-1, 1):.6f}, {r.uniform(-1, 1):.6f}]"),
    "score pairs": ("score", lambda r: f"{r.randrange(9)}-{r.randrange(9)}"),
    "aspect": (
        "aspect",
        lambda r: (
            f"{r.randrange(99)}:{r.randrange(99)}:{r.randrange(99)}:{r.randrange(99)}:{r.randrange(99)}:{r.randrange(99)}"
        ),
    ),
    "binary": ("png", lambda r: base64.b64encode(b"\x89PNG" + r.randbytes(40)).decode()),
    "hexdump": ("dump", lambda r: " ".join(f"{r.randrange(256):02x}" for _ in range(16))),
    "barcode text": ("barcode", like("AA-9999999-9")),
}


def clean(rng: random.Random, count: int) -> Iterator[Column]:
    for what, (name, make) in CLEAN.items():
        yield Column(None, "clean", ("machine", name), draw(make, count, rng), what)
