"""A larger sample of the same mix never finds less: every share divides by the texts that it was counted over."""

from __future__ import annotations

import json
import random

import pytest

from scanners.model import RawRecord
from scanners.scan.classify import classify
from scanners.schemas.registered import Schemas
from scanners.settings import ScannerSettings
from scanners.worker.profile import TopicProfiler
from tests.detectors import detector
from tests.pii_corpus import second
from tests.pii_corpus.columns import Make
from tests.twins.scanners import sealed

REGIONS = tuple(ScannerSettings().phone_regions)
SIZES = (50, 65, 400, 2_500)
LARGEST = 30_000
BATCH = 2_000
"""Records of one batch: a detector reads a column in parts, as a scan gives them."""

MIXES: dict[str, tuple[str, tuple[str, ...], Make]] = {
    "E.164 numbers in id": ("PHONE_NUMBER", ("id",), second.forms("+4479########", "+49151########")),
    "E.164 numbers, neutral name": ("PHONE_NUMBER", ("val",), second.forms("+4479########")),
    "national numbers, name fits": ("PHONE_NUMBER", ("phone",), second.PHONE_FORMS["US"]),
    "cards in a stock number": ("CREDIT_CARD", ("sku",), second.card),
    "addresses of the network": ("IP_ADDRESS", ("val",), second.address),
    "e-mail": ("EMAIL_ADDRESS", ("val",), second.email),
    "IBAN": ("IBAN_CODE", ("val",), second.iban),
    "SSN": ("US_SSN", ("val",), second.ssn),
    "NHS number": ("UK_NHS", ("nhs_number",), second.nhs),
    "MAC": ("MAC_ADDRESS", ("val",), second.mac),
    "wallet": ("CRYPTO", ("val",), second.bech32),
    "date of birth": ("DATE_OF_BIRTH", ("dob",), second.forms("19%#-0%-1#")),
    "passport": ("PASSPORT", ("passport_number",), second.forms("C########")),
    "person": ("PERSON", ("customer", "name"), lambda r: f"{r.choice(second.GIVEN)} {r.choice(second.FAMILY)}"),
    "address": ("LOCATION", ("street",), lambda r: f"{r.randrange(1, 900)} {r.choice(second.STREETS)} Road"),
}


def tags(names: tuple[str, ...], make: Make, count: int, blanks: float = 0.0) -> set[str]:
    """The entities found at a field of `count` records, `blanks` of which hold no value of the mix."""
    rng = random.Random(11)
    texts = ["n/a" if rng.random() < blanks else str(make(rng)) for _ in range(count)]
    profiler = TopicProfiler("t", Schemas(), "salt", detector(*REGIONS))
    for start in range(0, count, BATCH):
        bodies = [_nested(names, text) for text in texts[start : start + BATCH]]
        profiler.add([RawRecord(None, json.dumps(body).encode(), [], 0, i, i) for i, body in enumerate(bodies)])
    verdicts, _ = classify(sealed("t", [profiler.sketch]))
    return {c.entity for c in verdicts}


def _nested(names: tuple[str, ...], text: str) -> object:
    body: object = text
    for name in reversed(names):
        body = {name: body}
    return body


@pytest.mark.sampled(10)
@pytest.mark.parametrize("mix", MIXES)
@pytest.mark.parametrize("blanks", [0.0, 0.4])
def test_more_records_do_not_find_less(mix: str, blanks: float) -> None:
    entity, names, make = MIXES[mix]
    by_size = {n: entity in tags(names, make, n, blanks) for n in SIZES}
    assert sorted(by_size.values()) == list(by_size.values()), f"{mix}: {by_size}"
    if not blanks:
        assert by_size[SIZES[-1]], f"{mix} is not found in {SIZES[-1]} records"


@pytest.mark.parametrize("mix", ["E.164 numbers in id", "national numbers, name fits"])
def test_many_records_find_what_fifty_do(mix: str) -> None:
    entity, names, make = MIXES[mix]
    assert entity in tags(names, make, LARGEST)
