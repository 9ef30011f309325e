"""Passports and driver's licences by country, national numbers by the specimens their issuers print, names in one word."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from catalog.model import Classification
from scanners.detectors.kinds.national import _module
from scanners.detectors.kinds.papers import countries, seven_three_one
from scanners.detectors.lists.national_forms import IDS
from scanners.detectors.names.fields import speaks, words
from scanners.model import RawRecord
from scanners.scan.classify import classify
from scanners.schemas.registered import Schemas
from scanners.worker.profile import TopicProfiler
from tests.detectors import detector
from tests.pii_corpus import third_ids
from tests.twins.scanners import sealed

Values = Sequence[Any] | Callable[[random.Random], Any]


STEMS = "Aba Bece Cedo Duna Erdo Fenyo Gat Hid Ipar Jozsef Lyng Mose".split()


def verdicts(record: dict[str, Values], count: int = 60) -> list[Classification]:
    """Of a topic whose records draw each field from its values."""
    rng = random.Random(3)
    profiler = TopicProfiler("t", Schemas(), "salt", detector())
    for i in range(count):
        body = {name: v(rng) if callable(v) else rng.choice(v) for name, v in record.items()}
        profiler.add([RawRecord(None, json.dumps(body, ensure_ascii=False).encode(), [], 0, i, i)])
    return list(classify(sealed("t", [profiler.sketch]))[0])


def tags(record: dict[str, Values]) -> dict[str, str]:
    return {c.path.removeprefix("value."): c.entity for c in verdicts(record)}


def digits(count: int) -> Callable[[random.Random], str]:
    return lambda r: "".join(r.choices("0123456789", k=count))


@pytest.mark.parametrize(
    ("entity", "text", "wanted"),
    [
        ("PASSPORT", "C01X00T478", {"DE"}),  # the Federal Printing Office's specimen, with its check digit
        ("PASSPORT", "C01X00T479", set()),
        ("PASSPORT", "12AB34567", {"FR"}),
        ("PASSPORT", "E1234567Z", {"PH", "SG"}),
        ("PASSPORT", "not one", set()),
        ("DRIVER_LICENSE", "MORGA657054SM9IJ", {"GB"}),  # of the DVLA's own description
        ("DRIVER_LICENSE", "MH1420110062821", {"IN"}),
        ("DRIVER_LICENSE", "12345678Z", {"ES"}),
        ("DRIVER_LICENSE", "12345678A", set()),
        ("DRIVER_LICENSE", "A1234-56789-01231", {"CA-ON", "US-NJ"}),
        ("DRIVER_LICENSE", "A1234-56789-01945", {"US-NJ"}),
    ],
)
def test_countries_a_paper_may_be_of(entity: str, text: str, wanted: set[str]) -> None:
    assert set(countries(entity, text)) == wanted


def test_a_field_of_papers_names_the_countries_all_its_numbers_may_be_of() -> None:
    (verdict,) = verdicts({"passport_no": lambda r: f"{digits(2)(r)}{r.choice('ABC')}{r.choice('XYZ')}{digits(5)(r)}"})
    assert (verdict.entity, verdict.evidence["countries"]) == ("PASSPORT", ["FR"])
    (verdict,) = verdicts({"dlno": lambda r: f"MH14{r.randrange(1990, 2020)}{digits(7)(r)}"})
    assert (verdict.entity, verdict.evidence["countries"]) == ("DRIVER_LICENSE", ["IN"])
    assert tags({"passport_stamp": ["entry", "exit"]}) == {}


def machine_readable(rng: random.Random) -> str:
    """The second line of a passport, after ICAO's specimen L898902C3 6 UTO 7408122 F 1204159."""

    def checked(field: str) -> str:
        return field + next(d for d in "0123456789" if seven_three_one(field, d))

    number, born, until = checked(f"L{digits(8)(rng)}"), checked("740812"), checked("120415")
    optional = checked("ZE184226B<<<<<")
    return f"{number}UTO{born}F{until}{optional}{checked(number + born + until + optional)[-1]}"


def test_machine_readable_lines_speak_for_themselves() -> None:
    assert seven_three_one("L898902C3", "6") and seven_three_one("740812", "2")
    (verdict,) = verdicts({"scan": machine_readable})
    assert (verdict.entity, verdict.evidence["countries"]) == ("PASSPORT", ["UTO"])
    broken: dict[str, Values] = {
        "scan": lambda r: machine_readable(r)[:-1] + str((int(machine_readable(r)[-1]) + 1) % 10)
    }
    assert tags(broken) == {}


@pytest.mark.parametrize(
    ("entity", "text"),
    [
        ("HK_HKID", "A123456(3)"),
        ("TW_NATIONAL_ID", "A123456789"),
        ("LV_PERSONAS_KODS", "161175-19997"),
        ("UY_CI", "1.234.567-2"),
        ("RU_INN", "500100732259"),
        ("IR_MELLI", "0499370899"),
        ("DE_SOCIAL_SECURITY", "15070649C103"),
        ("SV_DUI", "00016297-5"),
        ("AU_MEDICARE", "2123456701"),
        ("EC_CEDULA", "1714616123"),
        ("IS_KENNITALA", "120174-3399"),
        ("PK_CNIC", "34201-0891231-8"),
    ],
)
def test_specimens_have_their_check_digit_and_others_have_not(entity: str, text: str) -> None:
    accepts = _module(next(spec for spec in IDS if spec.entity == entity))
    assert accepts(text)
    if entity != "PK_CNIC":
        behind = (
            2 if entity in ("AU_MEDICARE", "IS_KENNITALA") else 1
        )  # an issue's and a century's digit come last there
        check = [i for i, c in enumerate(text) if c.isdigit()][-behind]
        wrong = [text[:check] + d + text[check + 1 :] for d in "0123456789" if d != text[check]]
        assert sum(map(accepts, wrong)) == 0


@pytest.mark.parametrize("entity", sorted(third_ids.IDS))
def test_national_numbers_are_found_by_name_and_not_when_drawn_at_random(entity: str) -> None:
    names, make = third_ids.IDS[entity]
    assert tags({names[-1]: make, "n": [1, 2]}).get(names[-1]) == entity
    if entity not in ("DK_CPR", "MY_NRIC"):
        assert tags({names[-1]: lambda r: "".join(r.choice("0123456789") if c.isdigit() else c for c in make(r))}) == {}


def test_numbers_of_lots_are_no_numbers_of_people() -> None:
    """A day in front and a serial behind, but of the last years."""

    def lot(r: random.Random) -> str:
        return f"{r.randrange(1, 29):02d}{r.randrange(1, 13):02d}{r.randrange(24, 27)}-{digits(4)(r)}"

    assert tags({"lot": lot}) == {} and tags({"c3": lot}) == {}


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("homephone", ("home", "phone")),
        ("EMAILADDRESS", ("email", "address")),
        ("CUSTOMERNAME", ("customer", "name")),
        ("cprnr", ("cprnr",)),
        ("productname", ("product", "name")),
        ("casino", ("casino",)),
        ("candidate", ("candidate",)),
        ("username", ("username",)),
        ("ipaddress", ("ip", "address")),
        ("valid", ("valid",)),
        ("dlno", ("dl", "no")),
    ],
)
def test_names_in_one_word_are_taken_apart(name: str, wanted: tuple[str, ...]) -> None:
    assert words(name) == wanted


def test_a_name_in_one_word_says_what_it_says_in_two() -> None:
    for glued, two in (("homephone", "home_phone"), ("productname", "product_name"), ("EMAILADDRESS", "email_address")):
        for entity in ("PHONE_NUMBER", "PERSON", "EMAIL_ADDRESS", "LOCATION"):
            assert speaks(entity, (glued,)) == speaks(entity, (two,)), (entity, glued)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        (
            "street",
            lambda r: (
                f"{r.choice('Aba Bece Cedo Duna Erdo Fenyo Gat Hid Ipar Jozsef'.split())} utca {r.randrange(1, 90)}."
            ),
        ),
        (
            "address",
            lambda r: (
                f"{r.choice('Skovvej Bygade Birkevej Strand Havn Lyng Mose Ager'.split())} {r.randrange(1, 90)}, 2. tv"
            ),
        ),
        (
            "addressLine1",
            lambda r: (
                f"{r.randrange(1, 300)} {r.choice('Laugar Hverf Skoga Tjarn Vatna Bakka Holta Hlid'.split())}vegur"
            ),
        ),
    ],
)
def test_a_street_and_a_number_are_an_address_where_the_name_says_so(name: str, values: Values) -> None:
    assert tags({name: values}) == {name: "LOCATION"}


@pytest.mark.parametrize("text", ["Rack {}", "Sensor {}", "Modbus {}", "Aisle {} Row 4"])
def test_what_machines_number_is_no_address(text: str) -> None:
    assert tags({"address": lambda r: text.format(r.randrange(300))}) == {}


@pytest.mark.parametrize(
    ("name", "values", "entity"),
    [
        ("Cookie", lambda r: f"theme=dark; sessionid={r.getrandbits(160):040x}; lang=en", True),
        ("line", lambda r: f"GET / cookie: JSESSIONID={r.getrandbits(128):032X}", True),
        ("set-cookie", ["lang=en; Path=/", "theme=dark; Path=/"], False),
        ("query", lambda r: f"sort=price&page={r.randrange(99)}&category=garden-tools-and-more", False),
    ],
)
def test_cookies_of_sessions(name: str, values: Values, entity: bool) -> None:
    assert tags({name: values}) == ({name: "API_KEY"} if entity else {})


def test_user_names_that_a_system_hands_out_are_nobodys() -> None:
    assert tags({"userName": lambda r: f"user_{r.randrange(10**6)}"}) == {}
    assert tags({"userName": lambda r: f"{r.choice('anna bert cora dino emil'.split())}{r.randrange(10**4)}"}) != {}


def test_an_ethereum_address_needs_a_name() -> None:
    forty: dict[str, Values] = {"h": lambda r: f"0x{r.getrandbits(160):040x}"}
    assert tags(forty) == {} and tags({"wallet": forty["h"]}) == {"wallet": "CRYPTO"}
