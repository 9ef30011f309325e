"""A third corpus: people, addresses, networks and cards by mimesis, countries that the first two lack, and the column names
of public schemas. Nothing in it was taken from the detector's lists, and the detector met it before it was changed for it.

Names come from: SAP (KNA1, PA0002, ADR6: field lists of the IDoc DEBMDM05), Salesforce Contact and PersonAccount, ISO 20022
pain.001 and pacs.008, HL7 FHIR R4 Patient, schema.org Person, LDAP inetOrgPerson (RFC 2798), OpenID Connect claims, vCard
(RFC 6350), Elastic Common Schema 8, AWS CloudTrail, Zeek conn.log, W3C extended log, RADIUS (RFC 2865), SNMP IF-MIB, Stripe,
Shopify, Magento, PrestaShop, Odoo res.partner, OpenStreetMap tags, Synthea patients.csv, OMOP CDM person, OpenRTB 2.6,
Segment's spec, Bitcoin Core RPC, EMV and ISO 8583.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import cycle

from mimesis import Internet, Payment, Person

from tests.pii_corpus.by_mimesis import by
from tests.pii_corpus.columns import Column, Make, draw, sparse, within
from tests.pii_corpus.third_clean import clean
from tests.pii_corpus.third_ids import IDS, cz_rc, digits, sg_nric
from tests.pii_corpus.third_people import others, persons

COUNT = 250


def form(*shapes: str) -> Make:
    """# is a digit, % one from 2 to 9."""

    def make(rng: random.Random) -> str:
        shape = rng.choice(shapes)
        return "".join(rng.choice({"#": "0123456789", "%": "23456789"}.get(c, c)) for c in shape)

    return make


HOSTS = (
    "seznam.cz freemail.hu abv.bg ukr.net mail.ru naver.com 163.com walla.co.il otenet.gr centrum.sk inbox.lv xtra.co.nz"
    " student.uct.ac.za moe.gov.sg itau.com.uy stofanet.dk"
).split()
_user = by(
    Person, lambda p: p.username(mask=random.Random(p.random.random()).choice(["l.d", "l_l", "ld", "U-d", "l"])), "en"
)


def email(rng: random.Random) -> str:
    user, host = _user(rng), rng.choice(HOSTS)
    return rng.choice([f"{user}@{host}", f"{user}@{host}", f"{user.upper()}@{host.upper()}", f"SMTP:{user}@{host}"])


PHONES: dict[str, Make] = {
    "SE": form("070-### ## ##", "+46 73 ### ## ##", "08-### ### ##"),
    "DK": form("+45 %# ## ## ##", "+45%#######"),
    "NO": form("+47 4## ## ###", "+47 9#######"),
    "CZ": form("+420 60% ### ###", "+420 77% ### ###"),
    "HU": form("+36 20 ### ####", "+36 30 ### ####"),
    "GR": form("+30 69% ### ####", "+30 21 0### ####"),
    "TR": form("+90 53# ### ## ##", "+90 (212) ### ## ##"),
    "UA": form("+380 67 ### ## ##", "+38 (050) ###-##-##"),
    "RU": form("+7 (916) ###-##-##", "+7 903 ### ## ##"),
    "IL": form("+972 54-###-####", "+972-52-#######"),
    "ZA": form("+27 82 ### ####", "+27 (0)83 ### ####"),
    "KR": form("+82 10-####-####", "+82-10-####-####"),
    "CN": form("+86 138 #### ####", "+86-139########"),
    "NG": form("+234 803 ### ####", "+234 (0)806 ### ####"),
    "AR": form("+54 9 11 %### ####", "+54 11 4### ####"),
    "SG": form("+65 9### ####", "+65-8#######"),
    "NZ": form("+64 21 ### ####", "+64 (0)27 ### ####"),
    "SE, national": form("070-### ## ##", "0735 ## ## ##", "08-### ### ##"),
    "TR, national": form("0532 ### ## ##", "0 (533) ### ## ##"),
    "KR, national": form("010-%###-####", "02-%###-####"),
    "CN, national": form("138########", "139 #### ####"),
    "ZA, national": form("082 ### ####", "(011) %## ####"),
    "IL, national": form("054-#######", "052-%##-####"),
    "RU, national": form("8 (916) ###-##-##", "8-903-###-##-##"),
    "PT, national": form("91% ### ###", "96# ### ###"),
}


def card(rng: random.Random) -> str:
    number = str(by(Payment, lambda p: p.credit_card_number())(rng))
    return rng.choice([number, number.replace(" ", ""), number.replace(" ", "-")])


def iban(rng: random.Random) -> str:
    country, bban = rng.choice(
        [
            ("CZ", digits(rng, 20)),
            ("DK", digits(rng, 14)),
            ("HU", digits(rng, 24)),
            ("TR", digits(rng, 22)),
            ("SA", digits(rng, 2) + "".join(rng.choices("0123456789ABCDEFGHJK", k=18))),
            ("GR", digits(rng, 23)),
            ("MT", "VALL" + digits(rng, 5) + "".join(rng.choices("0123456789ABC", k=18))),
            ("IL", digits(rng, 19)),
        ]
    )
    number = "".join(str(int(c, 36)) for c in f"{bban}{country}00")
    full = f"{country}{98 - int(number) % 97:02d}{bban}"
    return rng.choice([full, full, " ".join(full[i : i + 4] for i in range(0, len(full), 4))])


address = by(Internet, lambda i: i.random.choice([i.ip_v4, i.ip_v4, i.ip_v6, i.ip_v4_with_port])())


def mac(rng: random.Random) -> str:
    plain = str(by(Internet, lambda i: i.mac_address())(rng))
    tail = f"{rng.getrandbits(24):06x}"
    head = rng.choice(["ac:de:48", "3c:22:fb", "b8:27:eb", "f4:5c:89", "00:1a:2b"])
    address = rng.choice([plain, f"{head}:{tail[:2]}:{tail[2:4]}:{tail[4:]}"])
    return rng.choice([address, address.upper(), address.replace(":", "-").upper()])


def ssn(rng: random.Random) -> str:
    return f"{rng.choice([*range(1, 666), *range(667, 900)]):03d}-{rng.randrange(1, 100):02d}-{rng.randrange(1, 10**4):04d}"


_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def wallet(rng: random.Random) -> str:
    """Pay to public key or script hash, checksum of two rounds of SHA-256. mimesis' own have none."""
    from hashlib import sha256

    body = bytes([rng.choice([0, 5])]) + rng.randbytes(20)
    raw = body + sha256(sha256(body).digest()).digest()[:4]
    number, text = int.from_bytes(raw, "big"), ""
    while number:
        number, rest = divmod(number, 58)
        text = _BASE58[rest] + text
    return "1" * next(i for i, b in enumerate(raw) if b) + text


PATTERNS: dict[str, tuple[Make, tuple[tuple[str, ...], ...]]] = {
    "EMAIL_ADDRESS": (
        email,
        (
            ("CtctDtls", "EmailAdr"),
            ("ADR6", "SMTP_ADDR"),
            ("PersonEmail",),
            ("contact:email",),
            ("receipt_email",),
            ("mail",),
            ("userIdentity", "emailAddress"),
        ),
    ),
    "PHONE_NUMBER": (
        form("+1 (416) %##-####", "+1-604-%##-####", "+1 514 %## ####"),
        (
            ("CtctDtls", "MobNb"),
            ("KNA1", "TELF1"),
            ("MobilePhone",),
            ("contact:phone",),
            ("telephoneNumber",),
            ("homePhone",),
            ("phone_number",),
        ),
    ),
    "CREDIT_CARD": (
        card,
        (
            ("PlainCardData", "PAN"),
            ("primaryAccountNumber",),
            ("payment_method_data", "card", "number"),
            ("CCNUM",),
            ("cc_number",),
        ),
    ),
    "IBAN_CODE": (
        iban,
        (
            ("DbtrAcct", "Id", "IBAN"),
            ("TIBAN", "IBAN"),
            ("res_partner_bank", "acc_number"),
            ("sepa_debit", "iban"),
        ),
    ),
    "IP_ADDRESS": (
        address,
        (
            ("source", "ip"),
            ("sourceIPAddress",),
            ("client_details", "browser_ip"),
            ("c-ip",),
            ("id.orig_h",),
            ("context", "ip"),
            ("network.peer.address",),
        ),
    ),
    "MAC_ADDRESS": (
        mac,
        (
            ("host", "mac"),
            ("Calling-Station-Id",),
            ("ifPhysAddress",),
            ("chaddr",),
            ("kismet.device.base.macaddr",),
        ),
    ),
    "US_SSN": (ssn, (("SSN",), ("PID", "SSNNumberPatient"), ("employeeSSN",), ("subscriber", "ssn"))),
    "CRYPTO": (wallet, (("scriptPubKey", "address"), ("payout_address",), ("btc_address",), ("crypto", "address"))),
    "SG_NRIC_FIN": (sg_nric, (("uinfin",), ("NRIC",), ("person", "nricFin"))),
    "CZ_RC": (cz_rc, (("RodneCislo",), ("pojistenec", "rodne_cislo"), ("PA0002", "PERID"))),
}
NEUTRAL = ("ZZFIELD1", "custom_17", "Wert", "v", "udf3", "attributeValue", "p7", "Text")
NOTES = (
    "Volal zákazník, nový údaj je {}, prosím opravit",
    "Cust. provided {} - pls update master data asap (2nd request).",
    "{} <- confirmed over chat with agent 12",
    "Nachricht vom Portal: bitte {} hinterlegen. Danke!",
    "Клиент просит заменить на {} до пятницы",
)
PLAIN = (
    "Shipment left the hub, next scan expected tomorrow",
    "objednávka byla zabalena a předána dopravci",
    "status set to ON HOLD by batch run",
    "please see attachment for the details of the outage",
    "заказ оплачен и ожидает отправки",
    "no answer so far, will retry next week",
)


def plain(rng: random.Random) -> str:
    return f"{rng.choice(PLAIN)} ({rng.randrange(10_000)})"


def blank(rng: random.Random) -> str:
    return rng.choice(["", "-", "none", "N/V", "k.A.", "?", "not provided", "0000"])


def corpus(seed: int = 30_11, count: int = COUNT) -> list[Column]:
    """About 330 columns, 100 of them clean. The same for the same seed."""
    rng = random.Random(seed)
    return [*_patterns(rng, count), *_more(rng, count), *persons(rng, count), *others(rng, count), *clean(rng, count)]


def _patterns(rng: random.Random, count: int) -> Iterator[Column]:
    for entity, (make, paths) in PATTERNS.items():
        turns = cycle(paths)
        for names in paths:
            yield Column(entity, "full", names, draw(make, count, rng))
        yield Column(entity, "half filled", ("data", *next(turns)), sparse(make, blank, count, 0.4, rng))
        yield Column(entity, "neutral name", (rng.choice(NEUTRAL),), draw(make, count, rng))
        yield Column(
            entity,
            "wrong name",
            ("log", rng.choice(["summary", "oldval", "caption", "detail"])),
            draw(make, count, rng),
        )
        yield Column(entity, "sparse 1%", next(turns), sparse(make, blank, 4 * count, 0.012, rng))
        yield Column(
            entity, "sparse 1%, neutral name", (rng.choice(NEUTRAL),), sparse(make, blank, 4 * count, 0.012, rng)
        )
        yield Column(entity, "free text", ("Case", "CommentBody"), within(make, NOTES, 2 * count, 0.03, rng, plain))
        yield Column(entity, "key", next(turns)[-1:], draw(make, count, rng))
        yield Column(entity, "header", next(turns)[-1:], draw(make, count, rng))
        yield Column(entity, "map value", ("extensions",), draw(make, count, rng), "ext")
        yield Column(entity, "map key", ("index_by",), draw(make, count, rng))
        yield Column(entity, "list", next(turns), draw(make, count, rng))
        yield Column(entity, "objects in a list", ("telecom", "value"), draw(make, count, rng))
        yield Column(entity, "JSON in text", ("rawMessage",), draw(make, count, rng))
        yield Column(entity, "base64", ("Body",), draw(make, count, rng))


def _more(rng: random.Random, count: int) -> Iterator[Column]:
    for style, make in PHONES.items():
        yield Column("PHONE_NUMBER", "national form", ("Contact", "OtherPhone"), draw(make, count, rng), style)
    for style, shape in {"E.164, no +": "4670#######", "TR mobile": "532#######", "CN mobile": "138########"}.items():
        yield Column("PHONE_NUMBER", "digits only", ("subscriber", "MSISDN"), draw(form(shape), count, rng), style)
    yield Column(
        "CREDIT_CARD",
        "number",
        ("DE2", "PAN"),
        [int(card(rng).replace(" ", "").replace("-", "")) for _ in range(count)],
    )
    yield Column("US_SSN", "no dashes", ("W2", "EmployeeSSN"), [ssn(rng).replace("-", "") for _ in range(count)])
    for entity, (names, make) in IDS.items():
        yield Column(entity, "national id", names, draw(make, count, rng))
        yield Column(entity, "national id, sparse", names, sparse(make, blank, 4 * count, 0.012, rng))
