"""Persons of the third corpus: names, addresses and days of birth of twenty countries by mimesis, and what is known of people
beside those: papers, devices, cars, accounts, secrets. The names of fields are those of public schemas (see `third`)."""

from __future__ import annotations

import random
import string
import uuid
from collections.abc import Iterator
from operator import methodcaller
from typing import Any

from mimesis import Address, Code, Person

from tests.pii_corpus.by_mimesis import by
from tests.pii_corpus.columns import Column, Make, draw
from tests.pii_corpus.third_ids import digits

FULL_NAMES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("cs", ("Dbtr", "Nm")), ("da", ("billing_details", "name")), ("fi", ("user", "full_name")), ("sv", ("cn",)),
    ("hu", ("res_partner", "display_name")), ("el", ("Patient", "name", "text")), ("tr", ("shipping_address", "name")),
    ("uk", ("pacient", "PIB")), ("ko", ("recipient", "name")), ("zh", ("Contact", "Name")), ("no", ("passenger", "passengerName")),
    ("sk", ("Cdtr", "Nm")), ("hr", ("osiguranik", "imeIPrezime")), ("et", ("FN",)), ("fa", ("customer", "name")),
    ("is", ("displayName",)), ("nl-be", ("contactPerson", "fullName")), ("en-ca", ("cardholderName",)),
    ("ar-eg", ("guest", "name")), ("kk", ("author", "name")), ("es-mx", ("beneficiary", "beneficiaryName")),
)  # fmt: skip
PARTS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("cs", "first_name", ("PA0002", "VORNA")), ("cs", "last_name", ("PA0002", "NACHN")),
    ("sv", "first_name", ("givenName",)), ("sv", "last_name", ("sn",)),
    ("da", "last_name", ("Patient", "name", "family")), ("da", "first_name", ("Patient", "name", "given")),
    ("en-ca", "first_name", ("FIRST",)), ("en-ca", "last_name", ("LAST",)),
    ("hu", "last_name", ("PersonAccount", "LastName")), ("tr", "first_name", ("customer", "firstname")),
    ("pt", "last_name", ("family_name",)), ("fi", "first_name", ("id_customer", "firstname")),
    ("no", "last_name", ("travelers", "lastName")), ("en-au", "last_name", ("MAIDEN",)),
)  # fmt: skip
STREETS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("cs", ("KNA1", "STRAS")), ("da", ("MailingStreet",)), ("fi", ("shipping", "address", "line1")), ("sv", ("streetAddress",)),
    ("hu", ("res_partner", "street")), ("el", ("default_address", "address1")), ("tr", ("billing_address", "street")),
    ("uk", ("address", "streetAddress")), ("no", ("homePostalAddress",)), ("sk", ("Dbtr", "PstlAdr", "AdrLine")),
    ("hr", ("Patient", "address", "line")), ("et", ("address", "street_address")), ("is", ("ADDRESS",)),
    ("nl-be", ("customer", "address")), ("en-ca", ("PersonMailingStreet",)), ("pt", ("delivery", "address1")),
    ("es-mx", ("shipTo", "addressLine1")), ("de-ch", ("ADRC", "STREET")),
)  # fmt: skip
BORN = (
    (("Patient", "birthDate"), "%Y-%m-%d"), (("PA0002", "GBDAT"), "%Y%m%d"), (("Birthdate",), "%Y-%m-%d"),
    (("DtAndPlcOfBirth", "BirthDt"), "%Y-%m-%d"), (("BIRTHDATE",), "%m/%d/%Y"), (("BDAY",), "%Y%m%d"),
    (("person", "birth_datetime"), "%Y-%m-%dT00:00:00"), (("customer", "dob"), "%Y-%m-%d 00:00:00"),
    (("id_customer", "birthday"), "%d/%m/%Y"), (("pojistenec", "datumNarozeni"), "%d.%m.%Y"),
    (("traveler", "dateOfBirth"), "%d%b%Y"), (("foedselsdato",), "%d.%m.%Y"),
)  # fmt: skip


def _full_name(locale: str, reverse: bool) -> Make:
    return by(Person, lambda p: p.full_name(reverse=reverse), locale)


def _birthday(form: str) -> Make:
    return by(Person, lambda p: _born(p).strftime(form), "en")


def persons(rng: random.Random, count: int) -> Iterator[Column]:
    for locale, names in FULL_NAMES:
        reverse = locale in ("hu", "ko", "zh", "uk", "kk")
        yield Column(
            "PERSON",
            "full",
            names,
            draw(_full_name(locale, reverse), count, rng),
            locale,
        )
    for locale, part, names in PARTS:
        yield Column("PERSON", "part", names, draw(by(Person, methodcaller(part), locale), count, rng), locale)
    for locale, names in STREETS:
        yield Column("LOCATION", "full", names, draw(by(Address, lambda a: a.address(), locale), count, rng), locale)
    long = by(Address, lambda a: f"{a.address()}$ {a.postal_code()} {a.city()}$ Sverige", "sv")
    yield Column("LOCATION", "full", ("inetOrgPerson", "postalAddress"), draw(long, count, rng), "sv, with place")
    full = by(Address, lambda a: f"{a.address()}\n{a.postal_code()} {a.city()}", "cs")
    yield Column("LOCATION", "full", ("address", "formatted"), draw(full, count, rng), "cs, with place")
    for names, form in BORN:
        yield Column(
            "DATE_OF_BIRTH",
            "full",
            names,
            draw(_birthday(form), count, rng),
            form,
        )
    years = [rng.randrange(1938, 2006) for _ in range(count)]
    yield Column("DATE_OF_BIRTH", "number", ("user", "yob"), years, "a year")
    yield Column("DATE_OF_BIRTH", "number", ("person", "year_of_birth"), years, "a year")


def _born(person: Any) -> Any:
    return person.birthdate(min_year=1936, max_year=2007)


def letters(rng: random.Random, count: int) -> str:
    return "".join(rng.choices(string.ascii_uppercase, k=count))


def plate(rng: random.Random) -> str:
    return rng.choice([
        f"{rng.randrange(1, 9)}{letters(rng, 1)}{rng.randrange(10)} {digits(rng, 4)}",  # CZ
        f"{letters(rng, 3)} {rng.randrange(100, 999)}",  # SE, FI
        f"{letters(rng, 2)} {digits(rng, 5)}",  # NO, DK
    ])  # fmt: skip


def imei(rng: random.Random) -> str:
    return str(by(Code, lambda c: c.imei())(rng))


def _uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def token(size: int) -> Make:
    return lambda r: "".join(r.choices(string.ascii_letters + string.digits, k=size))


OTHERS: tuple[tuple[str, str, tuple[str, ...], Make], ...] = (
    ("PASSPORT", "US", ("traveler", "passportNumber"), lambda r: f"{letters(r, 1)}{digits(r, 8)}"),
    ("PASSPORT", "NZ", ("APIS", "passport_no"), lambda r: f"L{letters(r, 1)}{digits(r, 6)}"),
    ("PASSPORT", "ZA", ("PASSPORT",), lambda r: f"A{digits(r, 8)}"),
    ("PASSPORT", "TR", ("doc", "pasaport_no"), lambda r: f"U{digits(r, 8)}"),
    ("DRIVER_LICENSE", "CA-ON", ("driver", "driverLicenseNumber"),
     lambda r: f"{letters(r, 1)}{digits(r, 4)}-{digits(r, 5)}-{digits(r, 5)}"),
    ("DRIVER_LICENSE", "US-CA", ("DRIVERS",), lambda r: f"S{digits(r, 8)}"),
    ("DRIVER_LICENSE", "GB", ("policyholder", "drivingLicenceNo"),
     lambda r: f"{letters(r, 5)}{digits(r, 6)}{letters(r, 2)}{digits(r, 1)}{letters(r, 2)}"),
    ("LICENSE_PLATE", "several", ("vehicle", "registrationNumber"), plate),
    ("LICENSE_PLATE", "LDAP", ("carLicense",), plate),
    ("VIN", "", ("vehicle", "VIN"), lambda r: "TMB" + "".join(r.choices("ABCDEFGHJKLMNPRSTUVWXYZ0123456789", k=8)) + digits(r, 6)),
    ("DEVICE_ID", "IMEI", ("EIR", "IMEI"), imei),
    ("DEVICE_ID", "Android", ("device", "androidId"), lambda r: f"{r.getrandbits(64):016x}"),
    ("ADVERTISING_ID", "OpenRTB", ("device", "ifa"), _uuid),
    ("ADVERTISING_ID", "Segment", ("context", "device", "advertisingId"), _uuid),
    ("API_KEY", "cookie", ("request", "sessionCookie"), lambda r: f"JSESSIONID={letters(r, 8)}{digits(r, 8)}{letters(r, 16)}"),
    ("API_KEY", "set-cookie", ("set-cookie",), lambda r: f"sid={token(40)(r)}; Path=/; HttpOnly; Secure"),
    ("API_KEY", "session", ("auth", "sessionToken"), token(44)),
    ("API_KEY", "refresh", ("refresh_token",), token(64)),
    ("PASSWORD", "", ("customer", "passwd"), by(Person, lambda p: p.password(length=12), "en")),
    ("USERNAME", "", ("user", "preferred_username"), by(Person, lambda p: p.username(mask="l_d"), "en")),
    ("USERNAME", "", ("userIdentity", "userName"), by(Person, lambda p: p.username(mask="l.l"), "en")),
    ("GENDER", "FHIR", ("Patient", "gender"), lambda r: r.choice(["male", "female", "other", "unknown"])),
    ("GENDER", "SAP", ("PA0002", "GESCH"), lambda r: r.choice(["1", "2"])),
    ("RELIGION", "SAP", ("PA0002", "religion"), lambda r: r.choice(["catholic", "lutheran", "none", "orthodox"])),
    ("POLITICAL_OPINION", "", ("profile", "politicalViews"), by(Person, lambda p: p.political_views(), "en")),
    ("HEALTH", "blood", ("donor", "bloodType"), by(Person, lambda p: p.blood_type(), "en")),
    ("HEALTH", "ICD-10", ("Condition", "diagnosisCode"), lambda r: f"{r.choice('EIJKM')}{r.randrange(10, 99)}.{r.randrange(10)}"),
)  # fmt: skip


def others(rng: random.Random, count: int) -> Iterator[Column]:
    for entity, what, names, make in OTHERS:
        yield Column(entity, "about a person", names, draw(make, count, rng), what)
