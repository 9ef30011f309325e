"""A name never tags a field alone: yes and no, and addresses of pages, cannot be what most names announce."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from scanners.detectors.names.words_for import FOR
from scanners.model import RawRecord
from scanners.scan.classify import classify
from scanners.schemas.registered import Schemas
from scanners.sketch.seal import seal
from scanners.worker.profile import TopicProfiler
from tests.detectors import detector

NAMES = sorted({phrase for phrases in FOR.values() for phrase in phrases})


def tags(records: list[dict[str, Any]]) -> set[tuple[str, str]]:
    profiler = TopicProfiler("t", Schemas(), "salt", detector("US", "GB", "DE"))
    profiler.add([RawRecord(None, json.dumps(record).encode(), [], 0, i, i) for i, record in enumerate(records)])
    return {(c.path.removeprefix("value."), c.entity) for c in classify(seal(profiler.done()))[0]}


def alone(names: Sequence[str], value: Callable[[int], Any], count: int = 24) -> set[tuple[str, str]]:
    """Tags of topics with one field each, called so; `value` makes one of a record's number."""
    return {tag for name in names for tag in tags([{name: value(i)} for i in range(count)])}


OF_A_PERSON = {
    "is_pregnant", "pregnant", "schwanger", "disability", "disabilities", "behinderung", "hiv_positive", "smoker", "vaccinated",
    "chronic_condition", "discapacidad", "deficiencia", "union_member", "union_membership", "gewerkschaftsmitglied",
    "trade_union", "membre_syndicat", "afiliacion_sindical",
}  # fmt: skip
"""Names of a yes or no on a person's health or union."""


@pytest.mark.parametrize(
    "value",
    [
        lambda i: i % 3 == 0,
        lambda i: "true" if i % 3 else "false",
        lambda i: "yes" if i % 3 else "no",
        lambda i: ("enabled", "disabled", "unknown", "none")[i % 4],
    ],
    ids=["boolean", "true as text", "yes as text", "states"],
)
def test_a_yes_or_no_is_tagged_only_by_names_that_say_all(value: Any) -> None:
    tagged = alone(NAMES, value)
    assert {tag for tag in tagged if tag[0] not in OF_A_PERSON} == set()


def test_a_yes_or_no_of_a_person_is_still_found() -> None:
    tagged = alone(sorted(OF_A_PERSON), lambda i: i % 3 == 0)
    assert {name for name, _ in tagged} == OF_A_PERSON


def test_a_yes_or_no_with_a_name_of_health_counts_beside_a_persons_fields() -> None:
    assert tags([{"allergy": i % 2 == 0, "sku": i} for i in range(40)]) == set()
    assert ("allergy", "HEALTH") in tags([{"allergy": i % 2 == 0, "patient_id": i} for i in range(40)])


def test_an_account_that_is_disabled_is_not_ill() -> None:
    """As GitHub's events have it, beside a person's fields."""
    repository = {
        "id": 1,
        "private": False,
        "disabled": False,
        "archived": False,
        "owner": {"login": "octo", "disabled": True},
    }
    assert not [
        t
        for t in tags([{"repository": repository, "user": {"disabled": i % 2 == 0}} for i in range(60)])
        if t[1] == "HEALTH"
    ]


def pages(rng: random.Random) -> Iterator[str]:
    """Addresses with what keys and ids of people look like in parts of them."""
    tail = f"{rng.randrange(10)}.{rng.randrange(100)}-linux-x86_64.tar.gz"
    digits = "".join(rng.choices("0123456789abcdef", k=40))
    while True:
        yield f"https://github.com/acme/tools/releases/download/v1/sk-learn-extensions-for-python-3-{tail}"
        yield f"https://files.example.org/npm_modules-of-the-whole-company-website-in-one-file-{tail}"
        yield f"https://cdn.example.org/glrt-runtime-components-for-linux-and-mac-{tail}"
        yield f"//static.example.org/a/{digits}"
        yield f"/repos/acme/tools/commits/{digits}"


def test_an_address_of_a_page_is_no_more_than_that() -> None:
    addresses = pages(random.Random(4))
    names = [f"{name}_url" for name in NAMES]
    tagged = alone(names, lambda i: next(addresses))
    assert {(name, entity) for name, entity in tagged if entity != "URL"} == set()


def test_download_addresses_hold_no_keys() -> None:
    addresses = pages(random.Random(5))
    assert alone(["download_url", "href", "token_url"], lambda i: next(addresses)) == set()


@pytest.mark.parametrize(
    "key",
    ["sk-{48}", "sk-proj-{30}-{30}", "hf_{34}", "npm_{36}", "glpat-{20}", "SG.{22}.{43}", "ghp_{36}", "AKIA{16}"],
)
def test_keys_are_found_also_in_addresses(key: str) -> None:
    rng = random.Random(6)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" + ("abcdefghijklmnopqrstuvwxyz" if "AKIA" not in key else "")

    def drawn() -> str:
        text = key
        for part in ("16", "20", "22", "30", "34", "36", "43", "48"):
            while f"{{{part}}}" in text:
                text = text.replace(f"{{{part}}}", "".join(rng.choices(letters, k=int(part))), 1)
        return text

    records = [{"download_url": f"https://files.example.org/{drawn()}", "note": drawn()} for _ in range(30)]
    assert tags(records) >= {("download_url", "API_KEY"), ("note", "API_KEY")}
