"""National identity, tax, social and health numbers: a pattern each, and python-stdnum's validator.

`chance` is how often a random text of the same pattern passes the validator: what a column's share has to beat before it
can be more than an accident.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module

from scanners.detectors.base import Pattern, Verdict
from scanners.detectors.phones import spread

_LEFT, _RIGHT = r"(?<![\w.+-])(?P<v>", r")(?![\w-]|\.\d)"


@dataclass(frozen=True, slots=True)
class NationalId:
    """`module` of python-stdnum, `regex` of a candidate, `bare` when it may be digits only, `words` of field names."""

    entity: str
    module: str
    regex: str
    bare: bool
    chance: float
    words: tuple[str, ...]


IDS = (
    NationalId("US_SSN", "us.ssn", r"\d{3}-\d{2}-\d{4}|\d{3} \d{2} \d{4}|\d{9}", True, 0.88, ("ssn", "social_security")),
    NationalId("US_ITIN", "us.itin", r"9\d{2}-[5-9]\d-\d{4}", False, 0.5, ("itin",)),
    NationalId("UK_NHS", "gb.nhs", r"\d{3}[ -]\d{3}[ -]\d{4}|\d{10}", True, 0.09, ("nhs",)),
    NationalId("UK_NINO", "", r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]", False, 0.3,
               ("nino", "national_insurance", "ni_number")),
    NationalId("ES_NIF", "es.dni", r"\d{8}-?[A-HJ-NP-TV-Z]", False, 0.045, ("nif", "dni")),
    NationalId("ES_NIE", "es.nie", r"[XYZ]-?\d{7}-?[A-HJ-NP-TV-Z]", False, 0.045, ("nie",)),
    NationalId("IT_FISCAL_CODE", "it.codicefiscale", r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", False, 0.03,
               ("codice_fiscale", "fiscal", "cf")),
    NationalId("DE_TAX_ID", "de.idnr", r"\d{2} ?\d{3} ?\d{3} ?\d{3}", True, 0.03,
               ("steuer", "idnr", "tax_id", "tin", "steuerid")),
    NationalId("FR_NIR", "fr.nir", r"[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?\d[0-9AB] ?\d{3} ?\d{3} ?\d{2}", True, 0.01,
               ("nir", "insee", "secu", "securite_sociale")),
    NationalId("NL_BSN", "nl.bsn", r"\d{4}\.\d{2}\.\d{3}|\d{8,9}", True, 0.09, ("bsn", "burgerservicenummer", "sofi")),
    NationalId("BE_NN", "be.nn", r"\d{2}\.?\d{2}\.?\d{2}-?\d{3}\.?\d{2}", True, 0.01,
               ("rijksregister", "registre_national", "nn", "niss", "insz")),
    NationalId("PT_NIF", "pt.nif", r"[1-35689]\d{8}", True, 0.1, ("nif", "contribuinte")),
    NationalId("PL_PESEL", "pl.pesel", r"\d{11}", True, 0.03, ("pesel",)),
    NationalId("SE_PERSONNUMMER", "se.personnummer", r"(?:19|20)?\d{6}[-+]\d{4}|(?:19|20)\d{10}", True, 0.04,
               ("personnummer", "ssn")),
    NationalId("DK_CPR", "dk.cpr", r"\d{6}-?\d{4}", True, 0.3, ("cpr", "personnummer")),
    NationalId("NO_FODSELSNUMMER", "no.fodselsnummer", r"\d{6} ?\d{5}", True, 0.004,
               ("fodselsnummer", "fnr", "personnummer")),
    NationalId("FI_PERSONAL_IDENTITY_CODE", "fi.hetu", r"\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]", False, 0.02,
               ("hetu", "henkilotunnus")),
    NationalId("CH_AHV", "ch.ssn", r"756\.?\d{4}\.?\d{4}\.?\d{2}", True, 0.1, ("ahv", "avs", "ssn")),
    NationalId("AT_SVNR", "at.vnr", r"\d{4} ?\d{6}", True, 0.05, ("svnr", "sozialversicherung", "vnr")),
    NationalId("CZ_RC", "cz.rc", r"\d{6}/\d{3,4}", False, 0.05, ("rodne_cislo", "rc")),
    NationalId("RO_CNP", "ro.cnp", r"[1-9]\d{12}", True, 0.03, ("cnp",)),
    NationalId("BG_EGN", "bg.egn", r"\d{10}", True, 0.04, ("egn",)),
    NationalId("HR_OIB", "hr.oib", r"\d{11}", True, 0.1, ("oib",)),
    NationalId("IE_PPS", "ie.pps", r"\d{7}[A-W][A-IW]?", False, 0.045, ("pps", "ppsn")),
    NationalId("GR_AMKA", "gr.amka", r"\d{11}", True, 0.03, ("amka",)),
    NationalId("EE_IK", "ee.ik", r"[1-8]\d{10}", True, 0.03, ("isikukood",)),
    NationalId("CA_SIN", "ca.sin", r"\d{3}[ -]\d{3}[ -]\d{3}|\d{9}", True, 0.1, ("sin", "social_insurance")),
    NationalId("BR_CPF", "br.cpf", r"\d{3}\.\d{3}\.\d{3}-\d{2}|\d{11}", True, 0.01, ("cpf",)),
    NationalId("MX_CURP", "mx.curp", r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[0-9A-Z]\d", False, 0.01, ("curp",)),
    NationalId("MX_RFC", "mx.rfc", r"[A-Z&Ñ]{4}\d{6}[0-9A-Z]{3}", False, 0.3, ("rfc",)),
    NationalId("AR_DNI", "ar.dni", r"\d{2}\.\d{3}\.\d{3}", False, 1.0, ("dni", "documento")),
    NationalId("AR_CUIT", "ar.cuit", r"\d{2}-\d{8}-\d|\d{11}", True, 0.05, ("cuit", "cuil")),
    NationalId("CL_RUT", "cl.rut", r"\d{1,2}\.?\d{3}\.?\d{3}-[0-9Kk]", False, 0.1, ("rut", "run")),
    NationalId("IN_PAN", "in_.pan", r"[A-Z]{3}[ABCFGHLJPTK][A-Z]\d{4}[A-Z]", False, 0.9, ("pan",)),
    NationalId("IN_AADHAAR", "in_.aadhaar", r"[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}", True, 0.1,
               ("aadhaar", "aadhar", "uidai")),
    NationalId("AU_TFN", "au.tfn", r"\d{3} \d{3} \d{3}|\d{8,9}", True, 0.09, ("tfn", "tax_file")),
    NationalId("AU_ABN", "au.abn", r"\d{2} \d{3} \d{3} \d{3}|\d{11}", True, 0.01, ("abn",)),
    NationalId("JP_MY_NUMBER", "jp.in_", r"\d{4}[ -]?\d{4}[ -]?\d{4}", True, 0.1, ("my_number", "mynumber", "kojin")),
    NationalId("KR_RRN", "kr.rrn", r"\d{6}-[1-8]\d{6}", False, 0.05, ("rrn", "jumin")),
    NationalId("CN_RIC", "cn.ric", r"[1-9]\d{16}[0-9Xx]", True, 0.02,
               ("ric", "shenfenzheng", "identity_card", "id_card")),
    NationalId("SG_NRIC_FIN", "", r"[STFGM]\d{7}[A-Z]", False, 0.05, ("nric", "fin")),
    NationalId("TH_TNIN", "th.pin", r"\d-\d{4}-\d{5}-\d{2}-\d|\d{13}", True, 0.1, ("tnin", "thai_id", "national_id")),
    NationalId("TR_TCKN", "tr.tckimlik", r"[1-9]\d{10}", True, 0.01, ("tckn", "tckimlik", "tc_kimlik")),
    NationalId("IL_ID", "il.idnr", r"\d{9}", True, 0.1, ("teudat_zehut", "israeli_id")),
    NationalId("ZA_ID", "za.idnr", r"\d{13}", True, 0.02, ("za_id", "id_number", "sa_id", "rsa_id")),
    NationalId("RU_SNILS", "", r"\d{3}-\d{3}-\d{3} \d{2}", False, 0.01, ("snils",)),
)  # fmt: skip


def _nric(text: str) -> bool:
    """Singapore's check letter: weights 2 7 6 5 4 3 2; T and G start at 4, M at 3."""
    total = sum(int(d) * w for d, w in zip(text[1:8], (2, 7, 6, 5, 4, 3, 2), strict=True))
    total += {"T": 4, "G": 4, "M": 3}.get(text[0], 0)
    table = "JZIHGFEDCBA" if text[0] in "ST" else "XWUTRQPNMLK" if text[0] in "FG" else "KLJNPQRTUWX"
    index = total % 11
    return text[8] == (table[10 - index] if text[0] == "M" else table[index])


def _snils(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    total = sum(int(d) * (9 - i) for i, d in enumerate(digits[:9])) % 101 % 100
    return total == int(digits[9:])


def _nino(text: str) -> bool:
    return text[:2].upper() not in ("BG", "GB", "KN", "NK", "NT", "TN", "ZZ")


def _ric(text: str) -> bool:
    """GB 11643: province 11 to 82, a day, ISO 7064 MOD 11-2. stdnum also asks for a county of its list, which changes."""
    from stdnum.cn import ric

    return 11 <= int(text[:2]) <= 82 and bool(ric.get_birth_date(text)) and bool(ric.calc_check_digit(text) == text[-1])


_OWN: dict[str, Callable[[str], bool]] = {"CN_RIC": _ric, "SG_NRIC_FIN": _nric, "RU_SNILS": _snils, "UK_NINO": _nino}


def _module(spec: NationalId) -> Callable[[str], bool]:
    own = _OWN.get(spec.entity)
    if own is not None:
        return lambda text: own(text.upper())
    is_valid = import_module(f"stdnum.{spec.module}").is_valid
    return lambda text: bool(is_valid(text))


def _validator(spec: NationalId) -> Callable[[str, str], Verdict]:
    accepts: list[Callable[[str], bool]] = []

    @lru_cache(maxsize=4096)
    def verdict(candidate: str) -> Verdict:
        if not accepts:
            accepts.append(_module(spec))
        digits = candidate.isdigit()
        if digits and not spec.bare:
            return None
        try:
            good = len(set(candidate)) > 2 and accepts[0](candidate)
        except Exception:
            good = False
        if not good:
            return False, ("bare",) if digits else ()
        marks = ("bare", "bare_valid") if digits else ("formatted_valid",)
        # A validator without a check digit accepts ids that are counted up; their first digits give them away.
        return True, (*marks, *spread(re.sub(r"\D", "", candidate))) if spec.chance > 0.3 else marks

    def check(candidate: str, _text: str) -> Verdict:
        return verdict(candidate)

    return check


def patterns() -> list[Pattern]:
    """A Pattern for each; their quick patterns are the regexes themselves, none of which looks around."""
    return [
        Pattern(
            spec.entity,
            "national_id",
            rb"\b(?:" + spec.regex.encode() + rb")\b",
            re.compile(_LEFT + spec.regex + _RIGHT),
            _validator(spec),
        )
        for spec in IDS
    ]
