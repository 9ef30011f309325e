"""A large invented catalog from one seed: twelve branches, many naming habits, owners by team, deprecated and test topics.

The first n datasets are the same whatever the size, so a query about `the second dataset on parcel scans` means the same
in the quick catalog and in the large one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.search_set.planned import Field, Planned

SEED = 20
FIELDS = 50
QUICK = 300
FULL = 20_000
_LAYERS = ("raw", "clean", "enriched", "daily", "events", "snapshot", "changes", "curated")
_REGIONS = ("eu", "us", "de", "fr", "uk", "apac", "latam", "nordics", "it", "es")
_PEOPLE = (
    "amelie",
    "bruno",
    "chidi",
    "dalia",
    "emre",
    "freya",
    "goran",
    "hana",
    "imani",
    "jonas",
    "katya",
    "luca",
    "mei",
    "nils",
)
_TYPES = {
    "at": "timestamp",
    "ts": "timestamp",
    "dt": "date",
    "on": "date",
    "flg": "boolean",
    "amt": "decimal",
    "cnt": "int64",
}
_FORMATS = ("json", "json", "json", "avro", "avro", "protobuf")


class Vocabulary:
    """domains.yaml, read: `concepts` of a text of fields -> [(concept, spellings, entity)]."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.person = _fields(data["person"])
        self.technical = _fields(data["technical"])
        self.filler: list[str] = data["filler"]
        self.terms: dict[str, dict[str, Any]] = data["terms"]
        self.term_of = {concept: name for name, term in self.terms.items() for concept in term["of"]}
        self.subjects = [
            (domain, subject, spec, _fields(spec["fields"]))
            for domain, about in _interleaved(data["domains"])
            for subject, spec in about
        ]
        self.prefixes = {domain: spec["prefixes"] for domain, spec in data["domains"].items()}

    def glossary(self) -> dict[str, dict[str, Any]]:
        return {name: {"definition": term["definition"]} for name, term in self.terms.items()}


def _interleaved(domains: Mapping[str, Any]) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    for domain, spec in domains.items():
        yield domain, list(spec["subjects"].items())


def _fields(text: str) -> list[tuple[str, list[str], str | None]]:
    fields = []
    for part in text.split(","):
        names, _, entity = part.strip().partition(" !")
        spellings = names.strip().split("|")
        fields.append((spellings[0], spellings, entity or None))
    return fields


@cache
def vocabulary() -> Vocabulary:
    return Vocabulary(yaml.safe_load((Path(__file__).parent / "domains.yaml").read_text(encoding="utf-8")))


def datasets(count: int, seed: int = SEED) -> Iterator[Planned]:
    """`count` datasets; their subjects take turns."""
    words = vocabulary()
    taken: set[str] = set()
    for number in range(count):
        rng = random.Random(f"{seed}:{number}")
        yield _dataset(words, rng, number, taken)


def _dataset(words: Vocabulary, rng: random.Random, number: int, taken: set[str]) -> Planned:
    domain, subject, spec, own = words.subjects[number % len(words.subjects)]
    turn = number // len(words.subjects)
    fate = "live" if turn == 0 else rng.choices(("live", "deprecated", "test"), (86, 7, 7))[0]
    name = _name(rng, rng.choice(words.prefixes[domain]), rng.choice(spec["names"]) if turn else spec["names"][0], fate)
    while name in taken:
        name = f"{name}{rng.choice('._-')}{rng.choice(('v2', 'v3', 'v4', 'b', 'backfill', 'replay', str(number)))}"
    taken.add(name)
    fields = _paths(words, rng, spec, own, proper=turn == 0)
    about: dict[str, Any] = {"tags": [f"domain.{domain}"]}
    if rng.random() < 0.55 or fate != "live":
        about["description"] = spec["says"] if fate == "live" else _MARKS[fate] + spec["says"]
    if rng.random() < 0.92:
        about["owners"] = [{"group": spec["team"]}]
        if rng.random() < 0.3:
            about["owners"].append({"user": rng.choice(_PEOPLE)})
    if fate != "live":
        about["tags"].append(fate)
    elif rng.random() < 0.12:
        about["tags"].append("certified")
    return Planned(
        name,
        tuple(fields),
        about,
        domain,
        subject,
        fate != "live",
        int(rng.expovariate(0.02)) if fate == "live" and rng.random() < 0.6 else 0,
        {"key": "string", "value": rng.choice(_FORMATS)},
    )


_MARKS = {"deprecated": "Deprecated, do not use any more. ", "test": "For tests only. "}


def _name(rng: random.Random, prefix: str, subject: str, fate: str) -> str:
    layer, region = rng.choice(_LAYERS), rng.choice(_REGIONS)
    if fate == "test":
        prefix = rng.choice(("test", "tmp", "sandbox", "playground")) + "_" + prefix
    if fate == "deprecated" and rng.random() < 0.6:
        subject += rng.choice(("_old", "_legacy", "_bak"))
    style = rng.randrange(7)
    match style:
        case 0:
            return f"{prefix}.{layer}.{subject}.{region}"
        case 1:
            return f"{prefix}-{subject.replace('_', '-')}-{region}"
        case 2:
            return f"{prefix}_{subject}_{layer}".upper()
        case 3:
            return f"{prefix}.{region}.{_camel(subject)}"
        case 4:
            return f"{_camel(prefix)}{_pascal(subject)}{_pascal(layer)}"
        case 5:
            return f"{region}.{prefix}.{subject}.v{rng.randint(1, 4)}"
        case _:
            return f"dwh.{prefix}_{subject}_{region}"


def _paths(
    words: Vocabulary,
    rng: random.Random,
    spec: Mapping[str, Any],
    own: list[tuple[str, list[str], str | None]],
    proper: bool,
) -> list[Field]:
    """The subject's own fields, those of its party, technical ones, and fillers up to FIELDS.

    proper: its own fields go by their first spelling, so that each of these occurs.
    """
    style = rng.choice((_plain, _plain, _camel, _pascal, _upper, _kebab))
    wrap = rng.choice(("", "", "", "payload.", "data.", "body.after."))
    block = rng.choice(("", "", "details.", "attributes."))
    by_name: dict[str, Field] = {}

    def add(concept: str, spellings: list[str], entity: str | None, inside: str = "", before: str = "") -> None:
        spelling = spellings[0] if rng.random() < 0.45 else rng.choice(spellings)
        path = "value." + _styled(wrap + inside, style) + style(before + spelling)
        if path in by_name:
            return
        says = f"{_SAYS[concept]}" if concept in _SAYS and rng.random() < 0.3 else ""
        term = words.term_of.get(concept)
        terms = (term,) if term and rng.random() < 0.3 else ()
        by_name[path] = Field(path, _type(spelling), (entity,) if entity else (), says, concept, (), terms)

    for concept, spellings, entity in own:
        add(concept, spellings[:1] if proper else spellings, entity, block if rng.random() < 0.6 else "")
    if party := spec.get("party"):
        nested = rng.random() < 0.6
        for concept, spellings, entity in words.person:
            if rng.random() < 0.85:
                add(concept, spellings, entity, f"{party}." if nested else "", "" if nested else f"{party}_")
    for concept, spellings, entity in words.technical:
        add(concept, spellings, entity, rng.choice(("", "meta.")))
    number = 0
    while len(by_name) < FIELDS:
        number += 1
        add("", [f"{rng.choice(words.filler)}_{number:02d}"], None, rng.choice(("", "", "ext.")))
    return list(by_name.values())


_SAYS = {
    "email": "Where we write to.",
    "phone": "Where we ring.",
    "birth_date": "Day of birth.",
    "postcode": "Postal code of the address.",
    "event_time": "When it happened.",
    "ingested_at": "When it reached us.",
    "iban": "International bank account number.",
    "card_number": "Number on the card.",
    "remittance_info": "What the payer wants to say.",
    "weight_grams": "Weight in grams.",
    "diagnosis_code": "Code of the illness, ICD-10.",
    "latitude": "Degrees north.",
    "longitude": "Degrees east.",
    "gross_salary": "Pay before tax.",
    "user_agent": "What the client calls itself.",
}


def _type(spelling: str) -> str:
    return _TYPES.get(spelling.rsplit("_", 1)[-1], "string")


def _styled(path: str, style: Any) -> str:
    return "".join(f"{style(step)}." for step in path.split(".") if step)


def _plain(name: str) -> str:
    return name


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _pascal(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _upper(name: str) -> str:
    return name.upper()


def _kebab(name: str) -> str:
    return name.replace("_", "-")
