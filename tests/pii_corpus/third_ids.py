"""National numbers of the third corpus: twenty countries that the other two have none of, each with its own check digit.

Written from the descriptions of the issuing authorities, not from a library that the detector uses.
"""

from __future__ import annotations

import random

from tests.pii_corpus.columns import Make


def digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choices("0123456789", k=count))


def weighted(body: str, weights: tuple[int, ...]) -> int:
    return sum(int(d) * w for d, w in zip(body, weights, strict=True))


def day(rng: random.Random) -> tuple[str, str, str]:
    """(year, month, day) of two digits each."""
    return f"{rng.randrange(40, 99)}", f"{rng.randrange(1, 13):02d}", f"{rng.randrange(1, 29):02d}"


def luhn(body: str) -> str:
    doubled = [int(d) * (2 if i % 2 == 0 else 1) for i, d in enumerate(reversed(body))]
    return body + str(-sum(d // 10 + d % 10 for d in doubled) % 10)


def cz_rc(rng: random.Random) -> str:
    y, m, d = day(rng)
    month = int(m) + rng.choice([0, 50])
    while True:
        number = f"{y}{month:02d}{d}{digits(rng, 4)}"
        if int(number) % 11 == 0:
            return f"{number[:6]}/{number[6:]}"


def dk_cpr(rng: random.Random) -> str:
    y, m, d = day(rng)
    return f"{d}{m}{y}-{digits(rng, 4)}"


def hr_oib(rng: random.Random) -> str:
    body, rest = digits(rng, 10), 10
    for d in body:
        rest = ((int(d) + rest) % 10 or 10) * 2 % 11
    return body + str((11 - rest) % 10)


def gr_amka(rng: random.Random) -> str:
    y, m, d = day(rng)
    return luhn(f"{d}{m}{y}{digits(rng, 4)}")


def il_id(rng: random.Random) -> str:
    return luhn(f"{rng.choice('0235')}{digits(rng, 7)}")


def za_id(rng: random.Random) -> str:
    return luhn("".join(day(rng)) + digits(rng, 4) + "08")


def sg_nric(rng: random.Random) -> str:
    head, body = rng.choice("STFG"), digits(rng, 7)
    rest = (weighted(body, (2, 7, 6, 5, 4, 3, 2)) + (4 if head in "TG" else 0)) % 11
    return head + body + ("JZIHGFEDCBA" if head in "ST" else "XWUTRQPNMLK")[rest]


def th_pin(rng: random.Random) -> str:
    body = f"{rng.randrange(1, 9)}{digits(rng, 11)}"
    full = body + str((11 - weighted(body, tuple(range(13, 1, -1))) % 11) % 10)
    return rng.choice([full, f"{full[0]}-{full[1:5]}-{full[5:10]}-{full[10:12]}-{full[12]}"])


def ar_cuit(rng: random.Random) -> str:
    while True:
        body = rng.choice(["20", "27", "23"]) + digits(rng, 8)
        check = 11 - weighted(body, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
        if check != 10:
            return f"{body[:2]}-{body[2:]}-{check % 11}"


def ru_snils(rng: random.Random) -> str:
    body = digits(rng, 9)
    check = weighted(body, (9, 8, 7, 6, 5, 4, 3, 2, 1)) % 101 % 100
    return f"{body[:3]}-{body[3:6]}-{body[6:]} {check:02d}"


def lt_code(rng: random.Random) -> str:
    body = f"{rng.choice('34')}{''.join(day(rng))}{digits(rng, 3)}"
    check = weighted(body, (1, 2, 3, 4, 5, 6, 7, 8, 9, 1)) % 11
    if check == 10:
        check = weighted(body, (3, 4, 5, 6, 7, 8, 9, 1, 2, 3)) % 11 % 10
    return body + str(check)


def lv_code(rng: random.Random) -> str:
    while True:
        y, m, d = day(rng)
        body = f"{d}{m}{y}1{digits(rng, 3)}"
        check = (1101 - weighted(body, (1, 6, 3, 7, 9, 10, 5, 8, 4, 2))) % 11
        if check < 10:
            return f"{body[:6]}-{body[6:]}{check}"


def is_kennitala(rng: random.Random) -> str:
    while True:
        y, m, d = day(rng)
        body = f"{d}{m}{y}{rng.randrange(20, 100)}"
        check = -weighted(body, (3, 2, 7, 6, 5, 4, 3, 2)) % 11
        if check < 10:
            return rng.choice([f"{body[:6]}-{body[6:]}{check}9", f"{body}{check}9"])


def ec_cedula(rng: random.Random) -> str:
    return luhn(f"{rng.randrange(1, 25):02d}{rng.randrange(6)}{digits(rng, 6)}")


def ua_rnokpp(rng: random.Random) -> str:
    body = f"{rng.randrange(15000, 38000)}{digits(rng, 4)}"
    return body + str(weighted(body, (-1, 5, 7, 9, 4, 6, 10, 5, 7)) % 11 % 10)


def kz_iin(rng: random.Random) -> str:
    while True:
        body = "".join(day(rng)) + rng.choice("34") + digits(rng, 4)
        check = weighted(body, tuple(range(1, 12))) % 11
        if check == 10:
            check = weighted(body, (3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2)) % 11
        if check < 10:
            return body + str(check)


def tw_id(rng: random.Random) -> str:
    codes = {letter: 10 + i for i, letter in enumerate("ABCDEFGHJKLMNPQRSTUVXYWZIO")}
    letter = rng.choice("ABCDEFGHJKMNPQTUV")
    body = rng.choice("12") + digits(rng, 7)
    total = codes[letter] // 10 + codes[letter] % 10 * 9 + weighted(body, (8, 7, 6, 5, 4, 3, 2, 1))
    return f"{letter}{body}{-total % 10}"


def hk_id(rng: random.Random) -> str:
    letter, body = rng.choice("ACDEGHKPRVYZ"), digits(rng, 6)
    total = 36 * 9 + (ord(letter) - 55) * 8 + weighted(body, (7, 6, 5, 4, 3, 2))
    return f"{letter}{body}({'0123456789A'[-total % 11]})"


def my_nric(rng: random.Random) -> str:
    place = rng.choice(["01", "03", "07", "08", "10", "12", "14", "21"])
    return f"{''.join(day(rng))}-{place}-{digits(rng, 4)}"


def uy_ci(rng: random.Random) -> str:
    body = str(rng.randrange(1_000_000, 6_000_000))
    check = -weighted(body, (2, 9, 8, 7, 6, 3, 4)) % 10
    return f"{body[0]}.{body[1:4]}.{body[4:]}-{check}"


IDS: dict[str, tuple[tuple[str, ...], Make]] = {
    "CZ_RC": (("osoba", "rodneCislo"), cz_rc),
    "DK_CPR": (("borger", "cprnr"), dk_cpr),
    "HR_OIB": (("osiguranik", "OIB"), hr_oib),
    "GR_AMKA": (("asthenis", "amka"), gr_amka),
    "IL_ID": (("insured", "teudatZehut"), il_id),
    "ZA_ID": (("applicant", "saIdNumber"), za_id),
    "SG_NRIC_FIN": (("myinfo", "uinfin"), sg_nric),
    "TH_TNIN": (("customer", "thaiNationalId"), th_pin),
    "AR_CUIT": (("empleado", "cuil"), ar_cuit),
    "RU_SNILS": (("pacient", "SNILS"), ru_snils),
    "LT_ASMENS_KODAS": (("asmuo", "asmensKodas"), lt_code),
    "LV_PERSONAS_KODS": (("persona", "personas_kods"), lv_code),
    "IS_KENNITALA": (("einstaklingur", "kennitala"), is_kennitala),
    "EC_CEDULA": (("contribuyente", "cedula"), ec_cedula),
    "UA_RNOKPP": (("platnyk", "rnokpp"), ua_rnokpp),
    "KZ_IIN": (("grazhdanin", "iin"), kz_iin),
    "TW_NATIONAL_ID": (("applicant", "nationalIdNo"), tw_id),
    "HK_HKID": (("holder", "hkid"), hk_id),
    "MY_NRIC": (("pesakit", "mykad"), my_nric),
    "UY_CI": (("afiliado", "cedulaIdentidad"), uy_ci),
}
"""Entity -> the names on the way to it, and what draws one."""
