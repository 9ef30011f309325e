"""What competing things are called: words that are evidence against an entity, and names that mean little by themselves."""

from __future__ import annotations

from scanners.detectors.core.checked_kind import CODES
from scanners.detectors.lists.name_words import OF_THINGS
from scanners.detectors.lists.national_forms import IDS
from scanners.detectors.registry import installed

_OF_DOCUMENTS = frozenset({
        "country", "state", "class", "type", "status", "expiry", "expires", "expiration", "issued", "date", "valid",
        "until", "authority", "image", "url", "scan", "hash", "count", "check",
    })  # fmt: skip
_OF_GOODS = frozenset(
    {
        "product",
        "item",
        "article",
        "sku",
        "category",
        "department",
        "clothing",
        "shoe",
        "grammatical",
        "noun",
        "plug",
    }
)
_OF_PLACES = frozenset({
        "store", "shop", "warehouse", "depot", "branch", "station", "airport", "hub", "site", "venue", "restaurant",
        "hotel",
    })  # fmt: skip

AGAINST: dict[str, frozenset[str]] = {
    **{kind.entity: kind.other_names for kind in installed().kinds if kind.other_names},
    "PHONE_NUMBER": CODES | {"id", "uuid", "imei", "ip", "isbn", "tower", "sector"},
    "PASSWORD": frozenset({
        "changed", "updated", "reset", "strength", "policy", "expiry", "expires", "expired", "age", "count", "length",
        "attempts", "required", "enabled", "status", "type", "algorithm", "rotated", "url", "link",
    }),
    "US_SSN": CODES | {"id"},
    "PASSPORT": _OF_DOCUMENTS,
    "DRIVER_LICENSE": _OF_DOCUMENTS,
    "PERSON": OF_THINGS | frozenset({
        "product", "file", "filename", "host", "hostname", "server", "service", "event", "topic", "app", "application",
        "brand", "company", "org", "organization", "team", "group", "store", "shop", "country", "city", "region", "state",
        "status", "type", "kind", "category", "class", "field", "table", "column", "schema", "database", "db", "index",
        "domain", "device", "sensor", "metric", "job", "task", "step", "stage", "branch", "repo", "repository", "package",
        "module", "function", "method", "species", "color", "colour", "size", "plan", "role", "id", "path", "url", "node",
        "cluster", "namespace", "queue", "bucket", "campaign", "model", "vehicle", "item", "sku", "label", "tag", "commit",
        "workflow", "action", "check", "license", "language", "environment", "ref", "head", "base", "rule", "currency",
        "vessel", "ship", "boat", "horse", "pet", "dog", "cat", "street", "school", "university", "airport", "station",
        "song", "album", "movie", "book", "title", "game", "drug", "disease", "planet", "drink", "dish", "carrier", "bank",
        "timezone", "locale", "version", "agent", "browser", "os", "platform", "email",
    }),
    "GENDER": _OF_GOODS,
    "ETHNICITY": frozenset({
        "horse", "dog", "car", "event", "heat", "start", "condition", "id", "data", "lap", "number",
    }),
    "HEALTH": frozenset({
        "device", "sensor", "engine", "vehicle", "machine", "system", "error", "server", "service", "node", "check", "app",
        "disk", "network", "plant", "crop", "count", "date", "url", "feature", "account", "user_disabled", "button",
        "flag", "job", "at",
    }),
    "USERNAME": frozenset({
        "count", "method", "type", "status", "time", "at", "date", "url", "page", "attempts", "result", "provider",
        "device", "failed", "last", "required", "enabled", "history", "event", "service", "domain", "format", "pattern",
        "length",
    }),
    "LICENSE_PLATE": frozenset({
        "well", "lab", "sample", "tectonic", "name", "type", "country", "state", "food", "menu", "dish",
    }),
    "LOCATION": _OF_PLACES
    | {"ip", "mac", "email", "wallet", "memory", "url", "web", "remote", "host", "server", "broker"},
    "DATE_OF_BIRTH": frozenset({
        "order", "event", "created", "updated", "expiry", "expires", "expiration", "valid", "until", "issued", "issue",
        "hired", "hire", "joined", "join", "start", "started", "end", "ended", "since", "death", "died", "founded",
        "incorporated", "established", "purchase", "purchased", "release", "released", "published", "publication", "built",
        "construction", "seen", "login", "modified", "changed", "due", "paid", "delivery", "registered", "signup",
        "activated",
    }),
    "API_KEY": frozenset({
        "page", "next", "continuation", "cursor", "count", "type", "name", "usage", "limit", "symbol", "csrf", "sync",
        "resume",
    }),
    "GEO_COORDINATES": _OF_PLACES
    | {"city", "country", "region", "office", "sensor", "tile", "map", "stop", "merchant", "vendor", "supplier"},
    "DEVICE_ID": frozenset({
        "type", "model", "os", "sensor", "meter",
    }),
    "ADVERTISING_ID": frozenset({
        "campaign", "type", "group",
    }),
    **{spec.entity: CODES for spec in IDS if spec.entity != "US_SSN"},
}  # fmt: skip
"""Words that are evidence against an entity: what competing things are called."""

GENERIC = frozenset({
        "name", "nm", "adr", "address", "number", "key", "token", "id", "nombre", "nom", "nome", "naam", "namn", "navn",
        "adresse", "direccion",
    })  # fmt: skip
PEOPLE = frozenset({
        "customer", "user", "person", "employee", "driver", "passenger", "patient", "contact", "recipient", "sender",
        "author", "owner", "holder", "cardholder", "member", "client", "guest", "student", "buyer", "seller", "billing",
        "shipping", "delivery", "home", "assignee", "reporter", "agent", "profile", "account", "committer", "creator",
        "sponsor", "actor", "dbtr", "cdtr", "debtor", "creditor", "beneficiary", "insured", "applicant", "traveler",
        "traveller", "policyholder", "subscriber", "spouse", "payer", "payee", "visitor",
    })  # fmt: skip
