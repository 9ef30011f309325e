"""Special categories, user names and vehicles: found where name and texts agree, and not where only one of them does."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from scanners.detectors.kinds.categories import vin_checked
from scanners.model import RawRecord
from scanners.scan.classify import classify
from scanners.schemas.registered import Schemas
from scanners.worker.profile import TopicProfiler
from tests.detectors import detector
from tests.twins.scanners import sealed

Values = Sequence[Any] | Callable[[random.Random], Any]


def tags(record: dict[str, Values], count: int = 60) -> dict[str, str]:
    """Field -> entity of a topic whose records draw each field from its values."""
    rng = random.Random(3)
    profiler = TopicProfiler("t", Schemas(), "salt", detector())
    for i in range(count):
        body = {name: v(rng) if callable(v) else rng.choice(v) for name, v in record.items()}
        profiler.add([RawRecord(None, json.dumps(body, ensure_ascii=False).encode(), [], 0, i, i)])
    verdicts, _ = classify(sealed("t", [profiler.sketch]))
    return {c.path.removeprefix("value."): c.entity for c in verdicts}


def letters(count: int) -> Callable[[random.Random], str]:
    return lambda r: "".join(r.choices("abcdefghijklmnopqrstuvwxyz", k=count))


def plate(r: random.Random) -> str:
    return f"{letters(2)(r).upper()}-{letters(2)(r).upper()} {r.randrange(100, 9999)}"


def vin(r: random.Random) -> str:
    while True:
        text = "".join(r.choices("ABCDEFGHJKLMNPRSTUVWXYZ0123456789", k=17))
        if vin_checked(text):
            return text


FOUND: list[tuple[str, Values, str]] = [
    ("gender", ["m", "f", "d"], "GENDER"),
    ("Geschlecht", ["männlich", "weiblich"], "GENDER"),
    ("性別", ["男", "女"], "GENDER"),
    ("religion", ["catholic", "muslim", "none", "Hindu"], "RELIGION"),
    ("konfession", ["rk", "ev", "konfessionslos"], "RELIGION"),
    ("ethnicGroup", ["White British", "Black African", "Mixed"], "ETHNICITY"),
    ("political_party", ["Democrat", "Republican", "Independent"], "POLITICAL_OPINION"),
    ("sexualOrientation", ["heterosexual", "gay"], "SEXUAL_ORIENTATION"),
    ("union_member", [True, False], "TRADE_UNION_MEMBERSHIP"),
    ("gewerkschaft", ["ver.di", "IG Metall"], "TRADE_UNION_MEMBERSHIP"),
    ("icd10_code", ["E11.9", "I10", "J45.909"], "HEALTH"),
    ("diagnose", ["Diabetes Typ 2", "Asthma", "Migräne", "Hypertonie"], "HEALTH"),
    ("blood_type", ["A+", "0-", "AB+"], "HEALTH"),
    ("blood", ["O+", "B-", "AB+"], "HEALTH"),
    ("is_pregnant", [True, False], "HEALTH"),
    ("face_embedding", lambda r: letters(40)(r), "BIOMETRIC_ID"),
    ("username", lambda r: letters(6)(r) + str(r.randrange(99)), "USERNAME"),
    ("nom_utilisateur", letters(8), "USERNAME"),
    ("license_plate", plate, "LICENSE_PLATE"),
    ("車牌", lambda r: f"粤B{r.randrange(10000, 99999)}", "LICENSE_PLATE"),
    ("vin", vin, "VIN"),
    ("field7", vin, "VIN"),
]

CLEAN: list[tuple[str, Values]] = [
    ("product_gender", ["m", "f"]),
    ("gender", ["A-17", "B-22", "C-99"]),
    ("orientation", ["portrait", "landscape"]),
    ("race_id", ["R1", "R2"]),
    ("sensor_diagnosis", ["overheating", "low voltage", "ok here"]),
    ("condition", ["new", "used", "refurbished"]),
    ("login_method", ["password", "oauth", "saml", "magic-link", "sms"]),
    ("last_login", lambda r: f"2026-0{r.randrange(1, 9)}-1{r.randrange(9)}"),
    ("login_count", [1, 2, 3]),
    ("plate_type", ["steel", "glass"]),
    ("union", [1, 2]),
    ("serial", lambda r: "".join(r.choices("ABCDEFGHJKLMNPRSTUVWXYZ0123456789", k=17))),
    ("party_size", [2, 4]),
    ("vinyl", ["LP", "EP"]),
]


@pytest.mark.parametrize(("name", "values", "entity"), FOUND, ids=[f"{n}-{e}" for n, _, e in FOUND])
def test_a_category_is_found_where_name_and_texts_agree(name: str, values: Values, entity: str) -> None:
    assert tags({name: values, "n": [1, 2]}).get(name) == entity


@pytest.mark.parametrize(("name", "values"), CLEAN, ids=[n for n, _ in CLEAN])
def test_what_only_sounds_or_looks_alike_is_left_alone(name: str, values: Values) -> None:
    assert tags({name: values, "n": [1, 2]}) == {}


def test_a_person_beside_it_makes_a_category_likelier() -> None:
    profiler = TopicProfiler("t", Schemas(), "salt", detector())
    bodies = [{"patient_id": i, "gender": "mf"[i % 2]} for i in range(50)]
    profiler.add([RawRecord(None, json.dumps(b).encode(), [], 0, i, i) for i, b in enumerate(bodies)])
    (verdict,), _ = classify(sealed("t", [profiler.sketch]))
    assert verdict.score == pytest.approx(0.85)
    assert verdict.state == "suggested"


@pytest.mark.parametrize(
    "name", "geb gebdat d_o_b nac ne_le fecha_nac 生年月日 生日 szul_dat dogum_tar др dateofbirth".split()
)
def test_dates_of_birth_by_the_names_people_shorten_them_to(name: str) -> None:
    def born(r: random.Random) -> str:
        return f"{r.randrange(1935, 2008)}-{r.randrange(1, 13):02d}-{r.randrange(1, 29):02d}"

    assert tags({name: born, "n": [1, 2]}) == {name: "DATE_OF_BIRTH"}


def test_days_that_lie_as_births_do_beside_a_person() -> None:
    def born(r: random.Random) -> str:
        return f"{r.randrange(1935, 2008)}-{r.randrange(1, 13):02d}-{r.randrange(1, 29):02d}"

    def lately(r: random.Random) -> str:
        return f"{r.randrange(2019, 2026)}-{r.randrange(1, 13):02d}-{r.randrange(1, 29):02d}"

    people = ["Ann Lee", "Robert Ray", "Maria Silva"]
    assert tags({"col1": born, "customer_name": people})["col1"] == "DATE_OF_BIRTH"
    assert "col1" not in tags({"col1": lately, "customer_name": people})
    assert "hire_date" not in tags({"hire_date": born, "customer_name": people})
    assert "col1" not in tags({"col1": born, "sku": ["a", "b"]})


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("jusho", lambda r: f"東京都渋谷区神南{r.randrange(1, 9)}-{r.randrange(1, 30)}"),
        (
            "address",
            lambda r: f"{r.randrange(1, 999)}-{r.randrange(1, 30)} Shibuya, Tokyo {r.randrange(100, 999)}-0001",
        ),
        ("адрес", lambda r: f"г. Москва, Невский пр., д. {r.randrange(1, 200)}, кв. {r.randrange(1, 99)}"),
        ("عنوان", lambda r: f"شارع التحرير {r.randrange(1, 99)}، القاهرة"),
        ("field3", lambda r: f"서울특별시 강남구 테헤란로 {r.randrange(1, 400)}"),
    ],
)
def test_addresses_as_countries_write_them(name: str, values: Values) -> None:
    assert tags({name: values, "n": [1, 2]}).get(name) == "LOCATION"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("name", ["王伟", "李娜", "张伟", "刘洋", "陈静"]),
        ("customer_name", ["김민준", "이서연", "박지훈", "최수빈"]),
        ("fio", ["Иванов Иван Иванович", "Петрова Анна Сергеевна", "Сидоров П. А."]),
        ("full_name", ["محمد أحمد", "فاطمة علي", "عمر خالد"]),
        ("guest_name", ["山田太郎", "佐藤花子", "鈴木一郎"]),
    ],
)
def test_names_in_other_scripts(name: str, values: Values) -> None:
    assert tags({name: values, "n": [1, 2]}).get(name) == "PERSON"
