"""What a field's name says: weak evidence, which never decides alone and can speak against an entity."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from scanners.detectors.name_words import CATEGORY_WORDS, MORE_WORDS, OF_THINGS, POSTCODES, folded
from scanners.detectors.national import IDS

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")


@lru_cache(maxsize=16384)
def words(name: str) -> tuple[str, ...]:
    """`customerEmail2`, `customer_email2` -> ("customer", "email", "2"); `prénom` -> ("prenom",)."""
    return tuple(w.lower() for w in _WORD.findall(name if name.isascii() else folded(name)))


FOR: dict[str, frozenset[str]] = {
    "EMAIL_ADDRESS": frozenset({"email", "mail", "e_mail", "emails", "correo", "courriel"}),
    "PHONE_NUMBER": frozenset({
        "phone", "phones", "telephone", "tel", "mobile", "cell", "cellphone", "fax", "msisdn", "whatsapp", "telefon",
        "telefono", "handy", "phone_number", "contact_number", "contact", "sms", "callback", "caller", "callee",
    }),
    "CREDIT_CARD": frozenset({"card", "cc", "pan", "credit_card", "cardnumber", "creditcard", "ccnum", "visa", "mastercard"}),
    "IBAN_CODE": frozenset({"iban", "account", "bank"}),
    "IP_ADDRESS": frozenset({"ip", "ipaddr", "ips", "ipv4", "ipv6", "remote_addr", "client_ip", "addr", "host", "ip_address"}),
    "MAC_ADDRESS": frozenset({"mac", "bssid", "hwaddr", "ethernet"}),
    "CRYPTO": frozenset({"wallet", "btc", "bitcoin", "eth", "ethereum", "crypto", "payout", "address"}),
    "PERSON": frozenset({
        "name", "firstname", "lastname", "fullname", "surname", "first_name", "last_name", "full_name", "given_name",
        "family_name", "middle_name", "maiden_name", "customer_name", "person", "contact_name", "cardholder", "holder",
        "recipient", "passenger", "patient", "driver", "author", "employee", "customer", "user", "owner", "assignee",
        "sender", "agent", "reporter", "nachname", "vorname", "nombre", "apellido", "nom", "prenom", "cognome",
    }),
    "LOCATION": frozenset({
        "address", "street", "addr", "address1", "address2", "line1", "line2", "shipping_address", "billing_address",
        "home_address", "zip", "zipcode", "postcode", "postal", "postal_code", "zip_code", "plz", "strasse", "direccion",
        "adresse", "indirizzo", "rue", "calle",
    }),
    "DATE_OF_BIRTH": frozenset({"birth", "dob", "birthday", "birthdate", "born", "date_of_birth", "birth_date", "geburtsdatum"}),
    "PASSWORD": frozenset({"password", "passwd", "pwd", "passphrase", "passcode", "pin_code"}),
    "API_KEY": frozenset({
        "token", "secret", "apikey", "api_key", "access_token", "access_key", "secret_key", "private_key", "auth_key",
        "client_secret", "authorization", "bearer", "credential", "credentials", "jwt", "cookie", "cookies", "set_cookie",
        "session_cookie", "auth_cookie", "jsessionid", "phpsessid",
    }),
    "ADVERTISING_ID": frozenset({
        "idfa", "gaid", "aaid", "adid", "advertising_id", "ad_id", "advertiser_id", "advertisingid", "maid", "rida", "tifa",
        "google_ad_id", "gps_adid",
    }),
    "DEVICE_ID": frozenset({
        "device_id", "deviceid", "imei", "udid", "android_id", "idfv", "device_uuid", "device_token", "device_fingerprint",
        "installation_id", "install_id", "handset_id", "mobile_id", "fingerprint_id", "imsi", "iccid",
    }),
    "PASSPORT": frozenset({
        "passport", "passport_number", "passport_no", "passport_id", "reisepass", "passnummer", "pasaporte", "passeport",
        "passaporto", "passaporte",
    }),
    "DRIVER_LICENSE": frozenset({
        "driver_license", "drivers_license", "driver_licence", "drivers_licence", "driving_license", "driving_licence",
        "driverslicense", "driverlicense", "dl_number", "dl_no", "fuhrerschein", "permis_conduire", "permis_de_conduire",
        "licencia_conducir", "licencia_de_conducir", "patente_guida", "rijbewijs",
    }),
    "GEO_COORDINATES": frozenset({
        "lat", "lon", "lng", "latitude", "longitude", "location", "position", "coordinates", "geo", "gps", "latlng", "coords",
    }),
    **{spec.entity: frozenset(spec.words) for spec in IDS},
    "US_SSN": frozenset({"ssn", "social_security", "social", "tax_id", "taxid", "taxpayer", "tin", "national_id"}),
}  # fmt: skip
"""Words and phrases (joined by _) that speak for an entity."""
FOR.update({entity: FOR[entity] | more for entity, more in MORE_WORDS.items()})
FOR.update(CATEGORY_WORDS)
FOR["LOCATION"] |= POSTCODES

_CODES = frozenset({
    "sku", "product", "item", "article", "part", "gtin", "ean", "upc", "isbn", "asin", "barcode", "order", "invoice", "ticket",
    "case", "ref", "reference", "tracking", "shipment", "parcel", "serial", "batch", "lot", "version", "build", "hash",
    "checksum", "etag", "digest", "sha", "md5", "offset", "sequence", "seq", "timestamp", "ts", "epoch", "time", "created",
    "updated", "amount", "price", "total", "count", "quantity", "qty", "size", "weight", "duration", "latency", "bytes",
    "score", "rate", "port", "code", "coupon", "voucher", "trace", "span", "correlation", "request", "session", "iccid",
})  # fmt: skip

_OF_DOCUMENTS = frozenset({
    "country", "state", "class", "type", "status", "expiry", "expires", "expiration", "issued", "date", "valid", "until",
    "authority", "image", "url", "scan", "hash", "count", "check",
})  # fmt: skip
_OF_GOODS = frozenset(
    {"product", "item", "article", "sku", "category", "department", "clothing", "shoe", "grammatical", "noun", "plug"}
)
_OF_PLACES = frozenset({
    "store", "shop", "warehouse", "depot", "branch", "station", "airport", "hub", "site", "venue", "restaurant", "hotel",
})  # fmt: skip

AGAINST: dict[str, frozenset[str]] = {
    "PHONE_NUMBER": _CODES | {"id", "uuid", "imei", "ip", "isbn", "tower", "sector"},
    "PASSWORD": frozenset({
        "changed", "updated", "reset", "strength", "policy", "expiry", "expires", "expired", "age", "count", "length",
        "attempts", "required", "enabled", "status", "type", "algorithm", "rotated", "url", "link",
    }),
    "CREDIT_CARD": (_CODES - {"code"}) | {"imei", "loyalty", "gift", "uuid", "id", "account"},
    "US_SSN": _CODES | {"id"},
    "PASSPORT": _OF_DOCUMENTS,
    "DRIVER_LICENSE": _OF_DOCUMENTS,
    "IP_ADDRESS": frozenset({
        "version", "ver", "release", "build", "oid", "firmware", "revision", "os", "semver", "section",
        "node", "pod", "broker", "cluster", "server", "gateway", "router", "nameserver", "dns", "listen", "bind", "cidr",
        "subnet", "netmask", "instance", "fw",
    }),
    "EMAIL_ADDRESS": frozenset(
        {"message_id", "msgid", "package", "image", "asset", "repo", "repository", "clone", "ssh", "git"}
    ),
    "PERSON": OF_THINGS | frozenset({
        "product", "file", "filename", "host", "hostname", "server", "service", "event", "topic", "app", "application",
        "brand", "company", "org", "organization", "team", "group", "store", "shop", "country", "city", "region",
        "state", "status", "type", "kind", "category", "class", "field", "table", "column", "schema", "database", "db",
        "index", "domain", "device", "sensor", "metric", "job", "task", "step", "stage", "branch", "repo",
        "repository", "package", "module", "function", "method", "species", "color", "colour", "size", "plan", "role",
        "id", "path", "url", "node", "cluster", "namespace", "queue", "bucket", "campaign", "model", "vehicle", "item",
        "sku", "label", "tag", "commit", "workflow", "action", "check", "license", "language", "environment", "ref",
        "head", "base", "rule", "currency", "carrier", "bank", "timezone", "locale", "version", "agent", "browser",
        "os", "platform", "email",
    }),
    "GENDER": _OF_GOODS,
    "ETHNICITY": frozenset({"horse", "dog", "car", "event", "heat", "start", "condition", "id", "data", "lap", "number"}),
    "HEALTH": frozenset({
        "device", "sensor", "engine", "vehicle", "machine", "system", "error", "server", "service", "node", "check", "app", "disk",
        "network", "plant", "crop", "count", "date", "url", "feature", "account", "user_disabled", "button", "flag", "job", "at",
    }),
    "USERNAME": frozenset({
        "count", "method", "type", "status", "time", "at", "date", "url", "page", "attempts", "result", "provider", "device",
        "failed", "last", "required", "enabled", "history", "event", "service", "domain", "format", "pattern", "length",
    }),
    "LICENSE_PLATE": frozenset({"well", "lab", "sample", "tectonic", "name", "type", "country", "state", "food", "menu", "dish"}),
    "LOCATION": _OF_PLACES
    | {"ip", "mac", "email", "wallet", "memory", "url", "web", "remote", "host", "server", "broker"},
    "DATE_OF_BIRTH": frozenset({
        "order", "event", "created", "updated", "expiry", "expires", "expiration", "valid", "until", "issued", "issue", "hired",
        "hire", "joined", "join", "start", "started", "end", "ended", "since", "death", "died", "founded", "incorporated",
        "established", "purchase", "purchased", "release", "released", "published", "publication", "built", "construction",
        "seen", "login", "modified", "changed", "due", "paid", "delivery", "registered", "signup", "activated",
    }),
    "IBAN_CODE": frozenset({"sku", "hash"}),
    "API_KEY": frozenset(
        {
            "page",
            "next",
            "continuation",
            "cursor",
            "count",
            "type",
            "name",
            "usage",
            "limit",
            "symbol",
            "csrf",
            "sync",
            "resume",
        }
    ),
    "GEO_COORDINATES": _OF_PLACES
    | {"city", "country", "region", "office", "sensor", "tile", "map", "stop", "merchant", "vendor", "supplier"},
    "DEVICE_ID": frozenset({"type", "model", "os", "sensor", "meter"}),
    "ADVERTISING_ID": frozenset({"campaign", "type", "group"}),
    "MAC_ADDRESS": frozenset({"dev_eui", "thumbprint", "fingerprint", "wwn", "serial", "checksum", "digest"}),
    "CRYPTO": frozenset({"hash", "commit", "sha", "digest", "contract", "tx", "transaction", "txid", "block"}),
    **{spec.entity: _CODES for spec in IDS if spec.entity != "US_SSN"},
}  # fmt: skip
"""Words that speak against an entity: what competing things are called."""


def speaks(entity: str, names: Iterable[str]) -> int:
    """1 when the nearest name that says anything speaks for the entity, -1 when it speaks against, 0 for neither.

    `names` are the names on the path, from the root; the last counts first, and its last word most.
    """
    path = tuple(names)
    near = path[-3:]
    # Two names that have words are asked and the one above them: paths differ mostly in what stands before these.
    return _speaks(entity, near if len(path) > 3 and words(near[-1]) and words(near[-2]) else path)


_LONGEST = max(phrase.count("_") + 1 for said in (FOR, AGAINST) for phrases in said.values() for phrase in phrases)
"""Words of the longest phrase."""


class _Phrases:
    """Words, and phrases of several, that stand in a name."""

    __slots__ = ("every", "long")

    def __init__(self, every: frozenset[str]) -> None:
        self.every = every
        self.long = frozenset(p for p in every if "_" in p)

    def within(self, tokens: tuple[str, ...]) -> bool:
        """Whether a phrase of several words stands in the name."""
        return len(tokens) > 1 and not self.long.isdisjoint(_runs(tokens))

    def word(self, tokens: Iterable[str]) -> bool:
        return not self.every.isdisjoint(tokens)


@lru_cache(maxsize=16384)
def _runs(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """All runs of two and more words, as phrases are written."""
    count = len(tokens)
    return tuple(
        "_".join(tokens[start:end])
        for start in range(count - 1)
        for end in range(start + 2, min(count, start + _LONGEST) + 1)
    )


@lru_cache(maxsize=64)
def _phrases(entity: str) -> tuple[_Phrases, _Phrases]:
    return _Phrases(FOR.get(entity, frozenset())), _Phrases(AGAINST.get(entity, frozenset()))


@lru_cache(maxsize=16384)
def _speaks(entity: str, names: tuple[str, ...]) -> int:
    for_, against = _phrases(entity)
    for depth, name in enumerate(reversed(names)):
        tokens = words(name)
        if not tokens:
            continue
        last = tokens[-1] if not tokens[-1].isdigit() or len(tokens) == 1 else tokens[-2]
        if last in for_.every or "_".join(tokens) in for_.every or for_.within(tokens):
            # `product_name` ends in a word of persons, but says whose name it is.
            return -1 if against.word(tokens[:-1]) else _parent(entity, names, depth, against)
        if against.word(tokens) or against.within(tokens):
            return -1
        if for_.word(tokens):
            return 1
        if depth >= 1:
            break
    return 0


_GENERIC = frozenset({
    "name", "address", "number", "key", "token", "id", "nombre", "nom", "nome", "naam", "namn", "navn", "adresse", "direccion",
})  # fmt: skip
_PEOPLE = frozenset({
    "customer", "user", "person", "employee", "driver", "passenger", "patient", "contact", "recipient", "sender", "author",
    "owner", "holder", "cardholder", "member", "client", "guest", "student", "buyer", "seller", "billing", "shipping",
    "delivery", "home", "assignee", "reporter", "agent", "profile", "account", "committer", "creator", "sponsor", "actor",
})  # fmt: skip


def _parent(entity: str, names: tuple[str, ...], depth: int, against: _Phrases) -> int:
    """A bare `name` says little: the name above decides whose it is."""
    place = len(names) - 1 - depth
    own = words(names[place])
    if len(own) > 1 or own[-1] not in _GENERIC or entity not in ("PERSON", "LOCATION"):
        return 1
    above = words(names[place - 1]) if place else ()
    if not _PEOPLE.isdisjoint(above):
        return 1
    return -1 if against.word(above) else 1


def named_as(phrases: frozenset[str], names: Iterable[str]) -> bool:
    """Whether one of the phrases stands in one of the names."""
    return any(f"_{phrase}_" in f"_{'_'.join(words(name))}_" for name in names for phrase in phrases)


def shared(names: Iterable[str]) -> frozenset[str]:
    """Names as a set of what is worth comparing: themselves in lower case, joined by _."""
    return frozenset("_".join(words(name)) for name in names)


def of_person(names: Iterable[str]) -> bool:
    """Whether a name on the path is that of a person or their account."""
    return any(t in _PEOPLE for name in names for t in words(name))
