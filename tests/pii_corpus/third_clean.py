"""Clean columns of the third corpus: what public feeds, catalogs, ledgers and machines publish that is about nobody.

Names from GTFS, GBFS, OpenTelemetry, Kubernetes, Prometheus, SAP documents (BKPF, MARA), FIX, ISO 6346, IMO and MMSI, LOINC,
SNOMED CT, NDC, NYC TLC trip records, arXiv, OpenAlex, PyPI, npm, Debian, Stripe and Shopify objects.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator

from mimesis import (
    Address,
    Development,
    Finance,
    Food,
    Hardware,
    Internet,
    Path,
    Person,
    Science,
    Text,
    Transport,
)

from tests.pii_corpus.by_mimesis import by
from tests.pii_corpus.columns import Column, Make, draw
from tests.pii_corpus.third_ids import digits

UPPER, LOWER, HEX = string.ascii_uppercase, string.ascii_lowercase, "0123456789abcdef"


def one_of(*values: object) -> Make:
    return lambda r: r.choice(values)


def mask(shape: str) -> Make:
    """# a digit, ? a capital, ~ a small letter, ^ a hex digit."""
    pools = {"#": string.digits, "?": UPPER, "~": LOWER, "^": HEX}
    return lambda r: "".join(r.choice(pools[c]) if c in pools else c for c in shape)


def span(low: int, high: int, shape: str = "{}") -> Make:
    return lambda r: shape.format(r.randrange(low, high))


def counted(start: int, shape: str = "{}", step: int = 1) -> Make:
    at = [start]

    def make(rng: random.Random) -> str:
        at[0] += step + rng.randrange(2)
        return shape.format(at[0])

    return make


def container(r: random.Random) -> str:
    """ISO 6346: owner, U, six digits, check digit."""
    code = "".join(r.choices(UPPER, k=3)) + "U" + digits(r, 6)
    values = [int(c) if c.isdigit() else (ord(c) - 55) + (ord(c) - 55 + 9) // 11 - (ord(c) < 66) * 0 for c in code]
    return code + str(sum(v << i for i, v in enumerate(values)) % 11 % 10)


def imo(r: random.Random) -> str:
    body = str(r.randrange(900000, 999999))
    return f"IMO {body}{sum(int(d) * w for d, w in zip(body, (7, 6, 5, 4, 3, 2), strict=True)) % 10}"


def issn(r: random.Random) -> str:
    body = digits(r, 7)
    check = -sum(int(d) * w for d, w in zip(body, range(8, 1, -1), strict=True)) % 11
    return f"{body[:4]}-{body[4:]}{'X' if check == 10 else check}"


def gtin14(r: random.Random) -> str:
    body = "1" + digits(r, 12)
    return body + str(-sum(int(d) * (3 if i % 2 == 0 else 1) for i, d in enumerate(body)) % 10)


def stamp(shape: str) -> Make:
    from datetime import UTC, datetime

    return lambda r: datetime.fromtimestamp(1_700_000_000 + r.randrange(90_000_000), UTC).strftime(shape)


CLEAN: dict[str, tuple[tuple[str, ...], Make]] = {
    "GTFS stop": (("stops", "stop_id"), mask("#####")),
    "GTFS stop name": (("stops", "stop_name"), by(Address, lambda a: f"{a.street_name()} / {a.street_name()}", "en")),
    "GTFS headsign": (("trips", "trip_headsign"), by(Address, lambda a: a.city(), "cs")),
    "GTFS route": (("routes", "route_long_name"), by(Address, lambda a: f"{a.city()} - {a.city()}", "fi")),
    "GTFS times": (("stop_times", "departure_time"), lambda r: f"{r.randrange(5, 27):02d}:{r.randrange(60):02d}:00"),
    "GBFS station": (("station", "station_id"), mask("^^^^^^^^^^^^^^^^")),
    "GBFS lat": (("station", "lat"), lambda r: round(r.uniform(59, 60), 6)),
    "TLC zone": (("PULocationID",), span(1, 265)),
    "OTel span": (("span_id",), mask("^^^^^^^^^^^^^^^^")),
    "OTel trace": (("traceparent",), mask("00-^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^-^^^^^^^^^^^^^^^^-01")),
    "OTel version": (("telemetry", "sdk.version"), lambda r: f"1.{r.randrange(40)}.{r.randrange(9)}"),
    "four-part version": (
        ("file", "pe.file_version"),
        lambda r: f"10.0.{r.randrange(10000, 26000)}.{r.randrange(1, 4000)}",
    ),
    "assembly version": (("AssemblyVersion",), lambda r: ".".join(str(r.randrange(n)) for n in (20, 9, 99, 999))),
    "kernel": (("uname",), lambda r: f"5.15.0-{r.randrange(40, 130)}-generic"),
    "pod": (("kubernetes", "pod.name"), mask("checkout-^^^^^^^^^^-~~~~~")),
    "image digest": (("image", "digest"), lambda r: f"sha256:{r.getrandbits(256):064x}"),
    "image": (("container", "image"), mask("registry.local/team/app:1.##.#")),
    "cluster CIDR": (("podCIDR",), lambda r: f"10.{r.randrange(256)}.{r.randrange(256)}.0/24"),
    "metric": (("__name__",), one_of("http_requests_total", "node_cpu_seconds_total", "up")),
    "bucket": (("le",), one_of("0.005", "0.01", "+Inf")),
    "SAP document": (("BKPF", "BELNR"), counted(1_900_000_000)),
    "SAP material": (("MARA", "MATNR"), lambda r: f"{r.randrange(10**8):018d}"),
    "SAP plant": (("WERKS",), one_of("1000", "2000", "DE01")),
    "SAP company": (("BUKRS",), one_of("0001", "US01")),
    "SAP posting date": (("BKPF", "BUDAT"), stamp("%Y%m%d")),
    "SAP IDoc": (("EDIDC", "DOCNUM"), counted(448_213_000, "{:016d}")),
    "SAP EAN": (("MARA", "EAN11"), gtin14),
    "SAP cost": (("WRBTR",), lambda r: f"{r.uniform(1, 9000):.2f}"),
    "SAP vendor": (("LIFNR",), lambda r: f"{r.randrange(10**6):010d}"),
    "FIX symbol": (("Symbol",), by(Finance, lambda f: f.stock_ticker(), "en")),
    "FIX order": (("ClOrdID",), mask("???########")),
    "CFI": (("cfiCode",), mask("ES????")),
    "FIGI": (("figi",), mask("BBG00#######")),
    "LEI": (("lei",), mask("549300????????????##")),
    "BIC": (("FinInstnId", "BICFI"), mask("????SE2?")),
    "end to end": (("PmtId", "EndToEndId"), mask("E2E-########-####")),
    "UETR": (("PmtId", "UETR"), mask("^^^^^^^^-^^^^-4^^^-a^^^-^^^^^^^^^^^^")),
    "remittance": (("RmtInf", "Ustrd"), lambda r: f"Invoice {r.randrange(10**6)} of {r.randrange(1, 29)}.01.2026"),
    "creditor reference": (("RmtInf", "CdtrRefInf", "Ref"), mask("RF##################")),
    "MIC": (("exchange", "mic"), one_of("XNAS", "XSTO", "XPRA")),
    "container": (("containerNumber",), container),
    "ship": (("vessel", "imo"), imo),
    "MMSI": (("vessel", "mmsi"), mask("2########")),
    "ship names": (("vessel", "vesselName"), one_of("MSC Anna", "Maersk Essen", "Ever Ace", "Emma Maersk", "HMM Oslo")),
    "AIS position": (("ais", "latitude"), lambda r: round(r.uniform(53, 60), 5)),
    "flight": (("flightNumber",), mask("OK###")),
    "tail": (("aircraft", "tailNumber"), mask("OK-???")),
    "ICAO24": (("icao24",), mask("^^^^^^")),
    "aircraft": (("aircraft", "model"), by(Transport, lambda t: t.airplane())),
    "cars": (("vehicle", "model"), by(Transport, lambda t: t.car())),
    "car makers": (("vehicle", "make"), by(Transport, lambda t: t.manufacturer())),
    "LOINC": (("Observation", "code"), mask("####-#")),
    "SNOMED": (("Procedure", "snomed"), mask("#########")),
    "NDC": (("medication", "ndc"), mask("####-####-##")),
    "CPT": (("procedure", "cpt"), mask("9####")),
    "ISSN": (("issn",), issn),
    "GTIN-14": (("trade_item", "gtin"), gtin14),
    "DOI": (("doi",), mask("10.####/~~~~~.####.######")),
    "arXiv": (("arxiv_id",), lambda r: f"{r.randrange(10, 26)}{r.randrange(1, 13):02d}.{r.randrange(20000):05d}"),
    "PMID": (("pmid",), mask("3#######")),
    "gene": (("gene",), one_of("BRCA1", "TP53", "EGFR", "MYC")),
    "DNA": (("sequence",), by(Science, lambda s: s.dna_sequence(40))),
    "SI": (("unit",), by(Science, lambda s: s.measure_unit())),
    "npm": (("package",), one_of("@babel/core", "@types/node", "left-pad", "@scope/pkg@1.2.3")),
    "deb": (("deb_version",), mask("#:#.1#-#ubuntu#")),
    "git": (("head_commit", "id"), mask("^" * 40)),
    "git remote": (("remote",), mask("git@git.corp.local:team/~~~~~~.git")),
    "message id": (
        ("messageId",),
        lambda r: f"<{r.getrandbits(96):024x}.{r.randrange(10**9)}@mx{r.randrange(9)}.corp.cz>",
    ),
    "Stripe ids": (
        ("payment_intent",),
        lambda r: "pi_" + "".join(r.choices(string.ascii_letters + string.digits, k=24)),
    ),
    "Shopify gid": (("admin_graphql_api_id",), mask("gid://shopify/Order/##############")),
    "order name": (("order", "name"), counted(100_000, "#{}")),
    "tracking": (("fulfillment", "tracking_number"), mask("1Z##############")),
    "tracking digits": (("shipment", "trackingNumber"), mask("9400############")),
    "gift card": (("gift_card", "code"), mask("^^^^-^^^^-^^^^-^^^^")),
    "receipt": (("receipt_number",), mask("####-####")),
    "vendor names": (("product", "vendor"), by(Finance, lambda f: f.company(), "en")),
    "bank names": (("bank", "bankName"), by(Finance, lambda f: f.bank(), "en")),
    "dishes": (("menu", "dish"), by(Food, lambda f: f.dish(), "en")),
    "drinks": (("menu", "drink"), by(Food, lambda f: f.drink(), "en")),
    "cities": (("addressLocality",), by(Address, lambda a: a.city(), "en")),
    "cities cs": (("TwnNm",), by(Address, lambda a: a.city(), "cs")),
    "countries": (("country",), by(Address, lambda a: a.country(), "en")),
    "regions": (("addressRegion",), by(Address, lambda a: a.state(), "en")),
    "airports": (("iata",), by(Address, lambda a: a.iata_code(), "en")),
    "jobs": (("jobTitle",), by(Person, lambda p: p.occupation(), "en")),
    "schools": (("alumniOf",), by(Person, lambda p: p.university(), "en")),
    "languages": (("preferredLanguage",), by(Person, lambda p: p.language(), "en")),
    "CPU": (("host", "cpu"), by(Hardware, lambda h: h.cpu())),
    "phone models": (("device", "model"), by(Hardware, lambda h: h.phone_model())),
    "graphics": (("gpu",), by(Hardware, lambda h: h.graphics())),
    "resolutions": (("screen", "resolution"), by(Hardware, lambda h: h.resolution())),
    "languages of programs": (("linguist",), by(Development, lambda d: d.programming_language())),
    "systems": (("os", "name"), by(Development, lambda d: d.os())),
    "user agents": (("user_agent", "original"), by(Internet, lambda i: i.user_agent())),
    "hosts": (("url", "domain"), by(Internet, lambda i: i.hostname())),
    "links": (("landing_site",), by(Internet, lambda i: f"{i.url()}products/{i.slug()}?page=2")),
    "content types": (("http", "mime_type"), by(Internet, lambda i: i.content_type())),
    "paths": (("file", "path"), by(Path, lambda p: p.project_dir())),
    "sentences": (("body_html",), by(Text, lambda t: t.sentence(), "en")),
    "sentences fi": (("description",), by(Text, lambda t: t.sentence(), "fi")),
    "titles": (("headline",), by(Text, lambda t: t.title(), "en")),
    "words": (("keywords",), by(Text, lambda t: " ".join(t.words(3)), "da")),
    "colours": (("variant", "option1"), by(Text, lambda t: t.color(), "en")),
    "created": (("CreatedDate",), stamp("%Y-%m-%dT%H:%M:%S.000+0000")),
    "valid until": (("ENDDA",), one_of("99991231", "20271231", "20261130")),
    "hire dates": (
        ("employment", "BEGDA"),
        lambda r: f"{r.randrange(1990, 2026)}{r.randrange(1, 13):02d}{r.randrange(1, 29):02d}",
    ),
    "epoch ms": (("event", "ingested"), counted(1_760_000_000_000, step=977)),
    "birth weights": (("birthWeight",), span(1900, 4800)),
    "e-mail flags": (("email_verified",), one_of("true", "false")),
    "bounce reasons": (("EmailBouncedReason",), one_of("mailbox full", "unknown host")),
    "phone kinds": (("telecom", "system"), one_of("phone", "email", "fax")),
    "masked cards": (("card", "last4"), mask("####")),
    "masked e-mails": (("EmailMasked",), lambda r: f"{r.choice(LOWER)}***@***.com"),
    "hashed ids": (("device", "didsha1"), mask("^" * 40)),
    "hashed e-mails": (("user", "email_sha256"), mask("^" * 64)),
    "grades": (("score", "display"), lambda r: f"{r.randrange(10)}.{r.randrange(10)}/10"),
    "team": (("assignment_group",), one_of("Network Operations", "Service Desk", "Database Admins")),
}


def clean(rng: random.Random, count: int) -> Iterator[Column]:
    for what, (names, make) in CLEAN.items():
        yield Column(None, "clean", names, draw(make, count, rng), what)
