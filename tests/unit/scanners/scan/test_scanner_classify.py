"""Verdicts on columns. Values are made here by rule, not by a generator that shares lists with the detectors."""

# ruff: noqa: E501
import json
import random
import string

import pytest

from catalog.model import ReviewState
from scanners.detectors.core.base import VERSION
from scanners.detectors.engine import Detector
from scanners.model import RawRecord
from scanners.scan.classify import classify
from scanners.schemas.registered import Schemas
from scanners.worker.profile import TopicProfiler
from tests.detectors import detector
from tests.twins.scanners import sealed

REGIONS = ("US", "GB", "DE", "FR")
N = 200


def scan(column, name="field", key=None, headers=(), value=None):
    profiler = TopicProfiler("t", Schemas(), "salt", detector(*REGIONS))
    records = []
    for i, text in enumerate(column):
        body = value(text) if value else {name: text}
        records.append(
            RawRecord(
                key(text) if key else None, json.dumps(body).encode(), [(h, text.encode()) for h in headers], 0, i, 1
            )
        )
    profiler.add(records)
    return classify(sealed("t", [profiler.sketch]))


def entities(column, name="field", **more):
    return {(c.path, c.entity) for c in scan(column, name, **more)[0]}


def draw():
    return random.Random(11)


def luhn_digits(prefix, length, rng):
    body = prefix + "".join(rng.choice(string.digits) for _ in range(length - len(prefix) - 1))
    for check in string.digits:
        total = 0
        for i, c in enumerate(reversed(body + check)):
            d = int(c) * (2 if i % 2 else 1)
            total += d - 9 if d > 9 else d
        if total % 10 == 0:
            return body + check
    raise AssertionError


def mails(rng, n=N):
    return [
        f"{''.join(rng.choices(string.ascii_lowercase, k=7))}{i}@{rng.choice(['gmx.net', 'posteo.de', 'mail.co.uk'])}"
        for i in range(n)
    ]


def digits(rng, pattern):
    return "".join(rng.choice(string.digits) if c == "#" else c for c in pattern)


def words(rng, n=8):
    return " ".join("".join(rng.choices(string.ascii_lowercase, k=rng.randint(2, 9))) for _ in range(n))


def iban(rng):
    bban = digits(rng, "#" * 18)
    return f"DE{98 - int(bban + '131400') % 97:02d}{bban}"


def cpf(rng):
    d = [rng.randrange(10) for _ in range(9)]
    for n in (10, 11):
        d.append((sum(x * w for x, w in zip(d, range(n, 1, -1), strict=True)) * 10 % 11) % 10)
    return "{}{}{}.{}{}{}.{}{}{}-{}{}".format(*d)


def ssn(rng):
    return f"{rng.choice([*range(1, 666), *range(667, 900)]):03d}-{rng.randrange(1, 100):02d}-{rng.randrange(1, 10000):04d}"


POSITIVE = {
    "EMAIL_ADDRESS": ("contact_info", lambda r: mails(r, 1)[0]),
    "PHONE_NUMBER": ("callback", lambda r: f"+49 30 {r.randrange(200000, 999999)}"),
    "CREDIT_CARD": ("number", lambda r: luhn_digits("4", 16, r)),
    "IBAN_CODE": ("field", iban),
    "IP_ADDRESS": ("origin", lambda r: ".".join(str(r.randrange(1, 255)) for _ in range(4))),
    "US_SSN": ("ssn", ssn),
    "MAC_ADDRESS": ("field", lambda r: ":".join(f"{r.randrange(256):02x}" for _ in range(6))),
    "BR_CPF": ("field", cpf),
    "DATE_OF_BIRTH": ("birth_date", lambda r: f"19{r.randrange(40, 99)}-0{r.randrange(1, 9)}-1{r.randrange(9)}"),
    "PASSWORD": ("password", lambda r: "".join(r.choices(string.ascii_letters + string.digits, k=12))),
    "API_KEY": ("config", lambda r: "AKIA" + "".join(r.choices(string.ascii_uppercase + string.digits, k=16))),
    "LOCATION": (
        "street",
        lambda r: f"{r.randrange(1, 900)} {r.choice(['Oak', 'Mill', 'Canal'])} {r.choice(['Street', 'Road'])}",
    ),
}


@pytest.mark.parametrize("entity", POSITIVE)
def test_a_column_full_of_it_is_found(entity):
    name, make = POSITIVE[entity]
    rng = draw()
    assert (f"value.{name}", entity) in entities([make(rng) for _ in range(N)], name)


NEGATIVE = {
    "four-part versions": (
        "release",
        lambda r: f"{r.randrange(9)}.{r.randrange(20)}.{r.randrange(9)}.{r.randrange(30)}",
    ),
    "versions with a neutral name": (
        "v",
        lambda r: f"{r.randrange(9)}.{r.randrange(20)}.{r.randrange(9)}.{r.randrange(30)}",
    ),
    "object ids": ("oid", lambda r: f"1.3.6.1.4.1.{r.randrange(9999)}.{r.randrange(9)}"),
    "epochs": ("at", lambda r: str(1_700_000_000 + r.randrange(10**7))),
    "ten digits": ("customer_number", lambda r: digits(r, "##########")),
    "part numbers like an SSN": ("part_no", lambda r: digits(r, "###-##-####")),
    "part numbers with a neutral name": ("value", lambda r: digits(r, "###-##-####")),
    "sixteen digits": ("reference", lambda r: digits(r, "#" * 16)),
    "Luhn-valid stock numbers": ("sku", lambda r: luhn_digits("4", 16, r)),
    "hashes": ("user_email", lambda r: "".join(r.choices("0123456789abcdef", k=64))),
    "git urls": ("clone_url", lambda r: f"git@github.com:acme/{words(r, 1)}.git"),
    "handles": ("author_handle", lambda r: "@" + words(r, 1)),
    "images": ("asset", lambda r: f"{words(r, 1)}@2x.png"),
    "packages": ("dep", lambda r: f"{words(r, 1)}@{r.randrange(9)}.{r.randrange(9)}.1"),
    "words": ("note", lambda r: words(r)),
    "times": ("when", lambda r: f"{r.randrange(24):02d}:{r.randrange(60):02d}:{r.randrange(60):02d}"),
    "dates": ("created", lambda r: f"20{r.randrange(10, 26)}-0{r.randrange(1, 9)}-1{r.randrange(9)}"),
    "isbn": ("isbn", lambda r: digits(r, "978-#-##-######-#")),
    "prices": ("price", lambda r: digits(r, "###.##")),
    "statuses": ("status", lambda r: r.choice(["Open", "Closed", "In Progress", "On Hold"])),
    "products": ("product_name", lambda r: f"{r.choice(['Blue', 'Old'])} {r.choice(['Scarf', 'Lamp', 'Chair'])}"),
    "cities": ("region", lambda r: r.choice(["North", "South West", "Central"])),
    "verified flags": ("ssn_verified", lambda r: r.choice(["yes", "no"])),
    "sent flags": ("email_sent", lambda r: r.choice(["true", "false"])),
}


@pytest.mark.parametrize("what", NEGATIVE)
def test_a_clean_column_is_not_tagged(what):
    name, make = NEGATIVE[what]
    rng = draw()
    assert entities([make(rng) for _ in range(N)], name) == set()


def test_one_percent_in_free_text_is_found_with_its_rate():
    rng = draw()
    column = [words(rng, 12) for _ in range(990)] + [f"please write to {m} soon" for m in mails(rng, 10)]
    verdicts, _ = scan(column, "body")
    assert [(c.path, c.entity) for c in verdicts] == [("value.body", "EMAIL_ADDRESS")]
    evidence = verdicts[0].evidence
    assert evidence["matched"] == 10 and evidence["sampled"] == 1000 and evidence["rate"] == 0.01
    assert evidence["freeText"] is True
    assert evidence["recognizers"] == [{"name": "weir:email", "version": VERSION}]
    assert verdicts[0].state is ReviewState.SUGGESTED


def test_keys_headers_map_keys_and_documents_in_texts():
    rng = draw()
    column = mails(rng)
    by_path = entities(
        column, key=str.encode, headers=("actor",), value=lambda t: {"by": {t: 1}, "doc": json.dumps({"m": t})}
    )
    assert by_path == {
        ("key", "EMAIL_ADDRESS"),
        ("headers.actor", "EMAIL_ADDRESS"),
        ("value.by@keys", "EMAIL_ADDRESS"),
        ("value.doc", "EMAIL_ADDRESS"),
    }


def test_percent_encoded_addresses_in_urls():
    column = [f"https://shop.test/a?u={m.replace('@', '%40')}&x=1" for m in mails(draw())]
    assert ("value.url", "EMAIL_ADDRESS") in entities(column, "url")


def test_persons_need_names_that_look_like_persons():
    rng = draw()
    people = [f"{rng.choice(['Anna', 'Peter', 'Maria', 'Tomasz'])} {words(rng, 1).capitalize()}" for _ in range(N)]
    assert ("value.customer.name", "PERSON") in entities(people, value=lambda t: {"customer": {"name": t}})
    assert ("key", "PERSON") in entities(people, key=str.encode, value=lambda t: {"n": 1})
    things = [f"{words(rng, 1).capitalize()} {words(rng, 1).capitalize()}" for _ in range(N)]
    assert entities(things, value=lambda t: {"product": {"name": t}}) == set()
    verdict = next(c for c in scan(people, "full_name")[0] if c.entity == "PERSON")
    assert "no language model" in verdict.evidence["note"]


def test_numbers_sent_as_numbers():
    rng = draw()
    cards = [int(luhn_digits("51", 16, rng)) for _ in range(N)]
    assert ("value.card_number", "CREDIT_CARD") in entities(cards, "card_number", headers=())
    assert entities([1_700_000_000_000 + i for i in range(N)], "ts") == set()


def test_public_and_private_addresses_are_told_apart():
    rng = draw()
    column = [f"10.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(256)}" for _ in range(50)]
    column += [f"93.184.{rng.randrange(256)}.{rng.randrange(1, 255)}" for _ in range(150)]
    evidence = scan(column, "client_ip")[0][0].evidence
    assert evidence["lookedAt"] < 200
    assert abs(evidence["private"] - 50) <= 20 and evidence["private"] + evidence["public"] == 200


def test_two_national_ids_that_both_fit_give_the_better_one():
    rng = draw()
    by_path = entities([cpf(rng).replace(".", "").replace("-", "") for _ in range(N)], "cpf")
    assert by_path == {("value.cpf", "BR_CPF")}


def test_unknown_bytes_are_unscanned():
    profiler = TopicProfiler("t", Schemas(), "salt", detector(*REGIONS))
    profiler.add([RawRecord(None, bytes([255, 254, 0, i, 1, 2, 3]), [], 0, i, 1) for i in range(20)])
    assert classify(sealed("t", [profiler.sketch])) == ((), ("value",))


def test_a_detector_that_fails_leaves_the_field_unscanned():
    class Broken:
        def prose(self, texts, names):
            raise RuntimeError("boom")

        def custom(self, texts, names):
            return {}, "recognizer_timed_out"

    profiler = TopicProfiler("t", Schemas(), "salt", Detector(("US",), Broken()))
    profiler.add([RawRecord(None, b'{"a":"some words that are free text"}', [], 0, 0, 1)])
    assert classify(sealed("t", [profiler.sketch]))[1] == ("value.a",)


def test_splitting_a_column_over_tasks_changes_nothing():
    rng = draw()
    column = [words(rng, 6) for _ in range(95)] + mails(rng, 5)
    records = [RawRecord(None, json.dumps({"a": t}).encode(), [], 0, i, 1) for i, t in enumerate(column)]

    def verdicts(parts):
        sketches = []
        for part in parts:
            profiler = TopicProfiler("t", Schemas(), "salt", detector(*REGIONS))
            profiler.add(part)
            sketches.append(profiler.sketch)
        return classify(sealed("t", sketches))

    assert verdicts([records]) == verdicts([records[::3], records[1::3], records[2::3]])


FEW_VALUES = {
    "a card's number": ["4111111111111111"],
    "a name": ["Maria Santos"],
    "a number with a check digit": ["44051401359"],
    "two cards": ["378282246310005", "5105105105105100"],
    "two numbers with a check digit": ["44051401359", "86095742719"],
    "an address": ["ab@example.com"],
    "an account": ["DE89370400440532013000"],
}


@pytest.mark.parametrize("values", FEW_VALUES.values(), ids=FEW_VALUES)
@pytest.mark.parametrize("field", ["c1", "number", "ref"])
def test_a_value_that_repeats_in_many_batches_counts_as_one(field, values):
    records = [RawRecord(None, json.dumps({field: values[i % len(values)]}).encode(), [], 0, i, 1) for i in range(120)]

    def verdicts(size):
        profiler = TopicProfiler("t", Schemas(), "salt", detector(*REGIONS))
        for at in range(0, len(records), size):
            profiler.add(records[at : at + size])
        return [(each.entity, each.score) for each in classify(sealed("t", [profiler.sketch]))[0]]

    whole = verdicts(len(records))
    assert verdicts(10) == whole and verdicts(1) == whole


def digit_string(rng, n):
    return digits(rng, "#" * n)


WORLD = {
    "e-mail with an umlaut": (
        "kontakt",
        lambda r: f"u{r.randrange(9999)}@bäcker-{r.randrange(99)}.de",
        "EMAIL_ADDRESS",
    ),
    "e-mail beside Chinese words": ("say", lambda r: f"请联系u{r.randrange(9999)}@qq.com谢谢", "EMAIL_ADDRESS"),
    "e-mail in Cyrillic": ("at", lambda r: f"почта{r.randrange(999)}@пример{r.randrange(9)}.рф", "EMAIL_ADDRESS"),
    "names in French": ("prénom", lambda r: r.choice(["Zoé", "Gaël", "Inès", "Loïc", "Maël"]), "PERSON"),
    "surnames in Polish": ("nazwisko", lambda r: r.choice(["Dąbrowska", "Wrona", "Gołąb", "Żak"]), "PERSON"),
    "names in Japanese": (
        "full_name",
        lambda r: r.choice("山川田村") + r.choice("本上中") + r.choice(["葵", "蓮", "陽菜"]),
        "PERSON",
    ),
    "names in Hindi": (
        "first_name",
        lambda r: r.choice(["विजय", "कविता", "दीपिका", "मोहित", "सुनीता", "अनिल"]),
        "PERSON",
    ),
    "born, in Spanish": (
        "fecha_nacimiento",
        lambda r: f"{r.randrange(1, 28):02}/{r.randrange(1, 13):02}/19{r.randrange(40, 99)}",
        "DATE_OF_BIRTH",
    ),
    "born, two digits of a year": (
        "dob",
        lambda r: f"{r.randrange(1, 13)}/{r.randrange(1, 28)}/{r.randrange(40, 99)}",
        "DATE_OF_BIRTH",
    ),
    "born, year and month": (
        "birthDate",
        lambda r: f"19{r.randrange(40, 99)}-{r.randrange(1, 13):02}",
        "DATE_OF_BIRTH",
    ),
    "born, as Debezium writes days": ("patient_birth_date", lambda r: r.randrange(-9000, 12000), "DATE_OF_BIRTH"),
    "born, milliseconds": ("dateOfBirth", lambda r: r.randrange(-8 * 10**11, 10**12), "DATE_OF_BIRTH"),
    "address in Dutch": (
        "adres",
        lambda r: f"{r.choice(['Lindegracht', 'Zeedijk'])} {r.randrange(1, 99)}, 10{digit_string(r, 2)} XA Amsterdam",
        "LOCATION",
    ),
    "address in Russian": ("адрес", lambda r: f"г. Тверь, ул. Садовая, д. {r.randrange(1, 99)}", "LOCATION"),
    "address in Chinese": ("地址", lambda r: f"上海市静安区南京西路{r.randrange(1, 999)}号", "LOCATION"),
    "phone in German": ("rufnummer", lambda r: f"0171 {digit_string(r, 7)}", "PHONE_NUMBER"),
    "MAC without separators": (
        "mac",
        lambda r: "".join(r.choice("0123456789abcdef") for _ in range(11)) + "a",
        "MAC_ADDRESS",
    ),
    "passports": ("passport_number", lambda r: "C" + digit_string(r, 8), "PASSPORT"),
    "driving licences": ("drivers_license", lambda r: "D" + digit_string(r, 7), "DRIVER_LICENSE"),
    "subscribers": ("imsi", lambda r: "26201" + digit_string(r, 10), "DEVICE_ID"),
}


@pytest.mark.parametrize(("name", "make", "entity"), WORLD.values(), ids=WORLD)
def test_people_of_the_whole_world(name, make, entity):
    rng = draw()
    assert {e for _, e in entities([make(rng) for _ in range(N)], name)} == {entity}


@pytest.mark.parametrize(("last", "first"), [("family", "given"), ("last", "first")])
def test_first_and_last_names_in_an_object_of_names(last, first):
    rng = draw()
    scan_result = scan(
        range(N), value=lambda _: {"name": [{last: rng.choice(["Oyelaran", "Quispe", "Tran"]), first: "Ife"}]}
    )
    assert {(c.path, c.entity) for c in scan_result[0]} == {(f"value.name[].{n}", "PERSON") for n in (last, first)}


THINGS = {
    "versions that end high": (
        "unit",
        lambda r: f"{r.randrange(1, 4)}.{r.randrange(9)}.{r.randrange(255)}.{r.randrange(255)}",
    ),
    "networks": ("route", lambda r: f"10.{r.randrange(250)}.{r.randrange(250)}.0/24"),
    "addresses of nodes": ("node_ip", lambda r: f"10.0.{r.randrange(250)}.{r.randrange(250)}"),
    "postcodes of stores": ("store_zip", lambda r: digit_string(r, 5)),
    "dates of orders in days": ("order_date", lambda r: r.randrange(18000, 20000)),
    "a date in days": ("date", lambda r: r.randrange(18000, 20000)),
    "weights at birth": ("birth_weight", lambda r: r.randrange(2000, 4500)),
    "when a password changed": ("password_changed_at", lambda r: f"2026-01-{r.randrange(1, 29):02}T00:00:00Z"),
    "how strong it is": ("password_strength", lambda r: r.choice(["weak", "strong"])),
    "masts": ("cell_tower", lambda r: f"262-01-{digit_string(r, 5)}-{digit_string(r, 5)}"),
    "products in Italian": ("nome_prodotto", lambda r: r.choice(["Sedia Rossa", "Tavolo Nero", "Lampada Blu"])),
    "cities in Japanese": ("city", lambda r: r.choice(["東京", "大阪", "名古屋"])),
    "twelve hexadecimal digits": ("container_id", lambda r: "".join(r.choice("0123456789abcdef") for _ in range(12))),
    "where passports are from": ("passport_country", lambda r: r.choice(["DEU", "FRA", "POL"])),
    "classes of licences": ("driver_license_class", lambda r: r.choice(["B1", "C1E"])),
}


@pytest.mark.parametrize(("name", "make"), THINGS.values(), ids=THINGS)
def test_what_is_nobodys_in_the_whole_world(name, make):
    rng = draw()
    assert entities([make(rng) for _ in range(N)], name) == set()


def test_what_could_not_be_read_at_all_is_not_clean():
    profiler = TopicProfiler("t", Schemas(), "salt", detector(*REGIONS))
    profiler.add([RawRecord(b"k", b'{"email":"a@gmx.n', [], 0, i, 1) for i in range(20)])
    assert classify(sealed("t", [profiler.sketch])) == ((), ("value",))
