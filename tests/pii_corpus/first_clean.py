"""A hundred columns that hold nobody's data and look as if they did."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator

from tests.pii_corpus.columns import Column, Make, draw

HEX = "0123456789abcdef"


def digits(rng: random.Random, form: str) -> str:
    """# any digit, @ a capital, anything else itself."""
    return "".join(
        rng.choice(string.digits) if c == "#" else rng.choice(string.ascii_uppercase) if c == "@" else c for c in form
    )


def code(form: str) -> Make:
    return lambda r: digits(r, form)


def one(*values: object) -> Make:
    return lambda r: r.choice(values)


def hexes(length: int) -> Make:
    return lambda r: "".join(r.choices(HEX, k=length))


def luhn(head: str, length: int) -> Make:
    def make(rng: random.Random) -> str:
        body = head + "".join(rng.choices(string.digits, k=length - 1 - len(head)))
        total = sum(sum(divmod(int(d) * (2 - i % 2), 10)) for i, d in enumerate(reversed(body)))
        return body + str(-total % 10)

    return make


def uuid(r: random.Random) -> str:
    h = hexes(32)(r)
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"


def words(rng: random.Random, count: int = 6) -> str:
    pool = "ledger batch flush partition retry consumer window offset broker leader lag commit shard merge trigger sink".split()
    return " ".join(rng.choices(pool, k=count))


def counter(start: int, step: int = 7) -> Make:
    state = [start]

    def make(rng: random.Random) -> str:
        state[0] += rng.randrange(1, step)
        return str(state[0])

    return make


THINGS = ["Scarf", "Lamp", "Chair", "Kettle", "Blanket", "Drill", "Backpack", "Monitor", "Candle", "Sofa"]
COLOURS = ["Blue", "Amber", "Rose", "Olive", "Violet", "Ruby", "Ivory", "Jade", "Coral", "Hazel"]

CLEAN: dict[str, tuple[tuple[str, ...], Make]] = {
    "epoch seconds": (("created",), lambda r: 1_700_000_000 + r.randrange(10**7)),
    "epoch seconds text": (("ts",), lambda r: str(1_700_000_000 + r.randrange(10**7))),
    "epoch millis": (("event", "at"), lambda r: 1_700_000_000_000 + r.randrange(10**10)),
    "epoch micros": (("n1",), lambda r: str(1_700_000_000_000_000 + r.randrange(10**13))),
    "9 digits": (("batch_no",), code("#########")),
    "10 digits": (("customer_number",), code("##########")),
    "10 digits neutral": (("v",), code("##########")),
    "11 digits": (("contract",), code("###########")),
    "12 digits": (("meter",), code("############")),
    "13 digits": (("x",), code("#############")),
    "16 digits": (("reference",), code("################")),
    "16 digits neutral": (("data",), code("################")),
    "sequential 10": (("v",), counter(2024000123)),
    "sequential 9": (("record",), counter(400123456)),
    "sequential 11": (("id",), counter(17600000000)),
    "sequential 16": (("x",), counter(4000123456780000)),
    "Luhn SKU": (("sku",), luhn("4", 16)),
    "Luhn loyalty": (("loyalty_card",), luhn("6", 16)),
    "IMEI-like part": (("part",), luhn("35", 15)),
    "SKU dashed": (("sku",), code("###-##-####")),
    "part number": (("part_no",), code("###-##-####")),
    "ticket number": (("ticket",), code("###-##-####")),
    "order 3-7-7": (("order_id",), code("###-#######-#######")),
    "invoice": (("invoice",), code("2024-####-####")),
    "invoice dotted": (("doc",), code("##.####.##")),
    "version 3": (("version",), lambda r: f"{r.randrange(9)}.{r.randrange(30)}.{r.randrange(9)}"),
    "version 4": (
        ("agent", "release"),
        lambda r: f"{r.randrange(9)}.{r.randrange(20)}.{r.randrange(9)}.{r.randrange(30)}",
    ),
    "version 4 neutral": (("v",), lambda r: f"{r.randrange(9)}.{r.randrange(20)}.{r.randrange(9)}.{r.randrange(30)}"),
    "browser build": (("browser",), lambda r: f"{r.randrange(90, 120)}.0.{r.randrange(4000, 6200)}.{r.randrange(200)}"),
    "OID": (("oid",), lambda r: f"1.3.6.1.4.1.{r.randrange(9999)}.{r.randrange(9)}"),
    "section": (("chapter",), lambda r: f"{r.randrange(12)}.{r.randrange(12)}.{r.randrange(12)}.{r.randrange(12)}"),
    "sha1": (("commit",), hexes(40)),
    "sha256": (("digest",), hexes(64)),
    "md5": (("etag",), hexes(32)),
    "hashed e-mail": (("user_email",), hexes(64)),
    "hashed phone": (("phone_hash",), hexes(40)),
    "hex 12": (("node",), hexes(12)),
    "hex 16": (("span_id",), hexes(16)),
    "ethereum-like hash": (("tx_hash",), lambda r: "0x" + hexes(40)(r)),
    "uuid": (("id",), uuid),
    "uuid compact": (("trace",), hexes(32)),
    "ulid": (("key_id",), lambda r: "01H" + "".join(r.choices("0123456789ABCDEFGHJKMNPQRSTVWXYZ", k=23))),
    "shop coordinates": (("store", "lat"), lambda r: round(r.uniform(47, 54), 6)),
    "coordinates text": (("warehouse", "position"), lambda r: f"{r.uniform(47, 54):.6f},{r.uniform(6, 14):.6f}"),
    "money": (("amount",), code("###.##")),
    "large money": (("total",), code("1#.###.###,##")),
    "percent": (("rate",), code("##.####")),
    "product names": (("product", "name"), lambda r: f"{r.choice(COLOURS)} {r.choice(THINGS)}"),
    "product neutral": (("title",), lambda r: f"{r.choice(COLOURS)} {r.choice(THINGS)} {r.randrange(9)}"),
    "brands": (
        ("brand",),
        one("Calvin Klein", "Hugo Boss", "Jack Daniels", "Ralph Lauren", "Paul Smith", "Marc Jacobs"),
    ),
    "companies": (
        ("company", "name"),
        one("Henkel AG", "Johnson & Sons", "Miller Brothers Ltd", "Peters GmbH", "Deere Inc"),
    ),
    "cities": (
        ("city",),
        one("Berlin", "San Diego", "Santiago", "Victoria", "Charlotte", "Florence", "Austin", "Sydney"),
    ),
    "countries": (("country",), one("DE", "FR", "US", "IN", "BR", "JP")),
    "languages": (("lang",), one("de-DE", "en-US", "pt-BR")),
    "currencies": (("currency",), one("EUR", "USD", "JPY", "BRL")),
    "BIC": (("bic",), code("@@@@DE##XXX")),
    "ISIN": (("isin",), code("US##########")),
    "statuses": (("status",), one("Open", "Closed", "In Progress", "On Hold")),
    "roles": (("role",), one("Admin", "Team Lead", "Guest User")),
    "weekdays": (("day",), one("Monday", "Tuesday", "Sunday")),
    "months": (("month",), one("April", "May", "June", "August")),
    "log lines": (
        ("log",),
        lambda r: (
            f"2024-05-{r.randrange(1, 28):02d} 12:{r.randrange(60):02d}:01,{r.randrange(999):03d}"
            f" INFO [main] c.a.b.C: {words(r)} took {r.randrange(9999)} ms"
        ),
    ),
    "stack traces": (
        ("error",),
        lambda r: f"at com.acme.app.Handler.{r.choice(['run', 'call'])}(Handler.java:{r.randrange(999)})",
    ),
    "paths": (("file",), lambda r: f"/var/lib/app/{words(r, 1)}/{r.randrange(10**9)}.log"),
    "urls": (("url",), lambda r: f"https://shop.example/p/{r.randrange(10**8)}?page={r.randrange(9)}"),
    "git urls": (("clone_url",), lambda r: f"git@github.com:acme/{words(r, 1)}.git"),
    "images": (("asset",), lambda r: f"{words(r, 1)}@2x.png"),
    "docker": (("image",), lambda r: f"registry.acme.io/{words(r, 1)}@sha256:{hexes(64)(r)}"),
    "npm": (("dep",), lambda r: f"{words(r, 1)}@{r.randrange(9)}.{r.randrange(9)}.1"),
    "handles": (("handle",), lambda r: "@" + words(r, 1)),
    "message ids": (
        ("message_id",),
        lambda r: f"<{r.getrandbits(60):x}.{r.getrandbits(40):x}@mx{r.randrange(9)}.acme.io>",
    ),
    "hosts": (("host",), lambda r: f"{words(r, 1)}-{r.randrange(99)}.eu-west-1.compute.internal"),
    "brokers": (("bootstrap",), lambda r: f"broker-{r.randrange(9)}.kafka:9092"),
    "ports": (("port",), lambda r: str(r.randrange(1024, 65535))),
    "times": (("when",), lambda r: f"{r.randrange(24):02d}:{r.randrange(60):02d}:{r.randrange(60):02d}"),
    "timecodes": (
        ("pos",),
        lambda r: f"{r.randrange(24):02d}:{r.randrange(60):02d}:{r.randrange(60):02d}:{r.randrange(25):02d}",
    ),
    "dates": (("created",), lambda r: f"20{r.randrange(10, 26)}-0{r.randrange(1, 9)}-1{r.randrange(9)}"),
    "local dates": (("due",), lambda r: f"{r.randrange(1, 28):02d}.0{r.randrange(1, 9)}.2024"),
    "timestamps": (
        ("updated_at",),
        lambda r: f"2024-0{r.randrange(1, 9)}-1{r.randrange(9)}T10:11:{r.randrange(60):02d}Z",
    ),
    "ISBN": (("isbn",), code("978-#-##-######-#")),
    "ISBN 10": (("book",), code("#-####-####-#")),
    "EAN": (("ean",), code("40###########")),
    "tracking": (("tracking_number",), code("1Z###@@#########")),
    "tracking digits": (("shipment",), code("####  ####  ####")),
    "plates": (("slot",), code("@@-##-@@")),
    "flight": (("flight",), code("LH####")),
    "VIN-like": (("chassis",), code("WDB#######F######")),
    "e-mail flags": (("email_sent",), one("true", "false")),
    "SSN flags": (("ssn_verified",), one("yes", "no")),
    "phone type": (("phone_type",), one("mobile", "landline", "fax")),
    "phone model": (("phone_model",), one("Pixel 8", "iPhone 15 Pro", "Galaxy S24")),
    "card brand": (("card_type",), one("visa", "amex")),
    "address kind": (("address_type",), one("billing", "shipping")),
    "ip version": (("ip_version",), one("4", "6")),
    "mac os": (("mac_os",), one("14.1.2", "13.6")),
    "name of event": (("event_name",), one("Page View", "Add To Cart")),
    "masked cards": (("card_number",), code("****-****-****-####")),
    "masked e-mail": (("email",), one("a***@***.com", "***", "j***@***.de")),
    "colors": (("color",), lambda r: "#" + hexes(6)(r)),
    "dimensions": (("size",), code("##x##x## cm")),
    "ratio": (("v",), code("#:#:#")),
    "words": (("note",), lambda r: words(r)),
    "sentences with numbers": (
        ("text",),
        lambda r: f"{words(r, 3)} {r.randrange(10**6)} of {r.randrange(10**9)} {words(r, 2)}",
    ),
    "base64 binary": (("blob",), lambda r: __import__("base64").b64encode(r.randbytes(48)).decode()),
    "license": (("license", "name"), one("Apache License 2.0", "MIT License")),
    "C++ names": (("symbol",), lambda r: f"std::{words(r, 1)}::{words(r, 1)}"),
    "decimals dotted": (("sensor",), lambda r: f"{r.uniform(0, 9):.12f}"),
}


def clean(rng: random.Random, count: int) -> Iterator[Column]:
    for what, (names, make) in CLEAN.items():
        yield Column(None, "clean", names, draw(make, count, rng), what)
