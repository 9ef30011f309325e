"""Which tags of a whole dataset are about persons. For tags of fields see `catalog.entities`."""

from __future__ import annotations

from functools import cache

from catalog import plugs
from catalog.model import PERSONAL_DATA_TAG

PERSONAL_DATA = frozenset(
    {
        "ADVERTISING_ID", "API_KEY", "CREDIT_CARD", "CRYPTO", "DATE_OF_BIRTH", "DEVICE_ID",
        "DRIVER_LICENSE", "EMAIL_ADDRESS",
        "GEO_COORDINATES", "IBAN_CODE", "IP_ADDRESS", "LOCATION", "MAC_ADDRESS", "MEDICAL_LICENSE", "NRP",
        "PASSPORT", "PASSWORD", "PERSON", "PHONE_NUMBER", "SECRET", "STREET_ADDRESS", "TOKEN", "URL", "US_BANK_NUMBER",
        "US_DRIVER_LICENSE", "US_ITIN", "US_PASSPORT", "US_SSN", "UK_NHS", "UK_NINO", "UK_PASSPORT", "ES_NIF",
        "ES_NIE", "IT_FISCAL_CODE", "IT_DRIVER_LICENSE", "IT_VAT_CODE", "IT_PASSPORT", "IT_IDENTITY_CARD",
        "PL_PESEL", "SG_NRIC_FIN", "AU_MEDICARE", "AU_TFN", "IN_AADHAAR", "IN_PAN", "IN_PASSPORT", "IN_VOTER",
        "IN_VEHICLE_REGISTRATION", "FI_PERSONAL_IDENTITY_CODE", "KR_RRN", "KR_PASSPORT", "KR_DRIVER_LICENSE",
        "SE_PERSONNUMMER", "TH_TNIN", "ZA_ID_NUMBER", "DE_ID_CARD", "DE_PASSPORT", "DE_TAX_ID",
        "LT_ASMENS_KODAS", "LV_PERSONAS_KODS", "IS_KENNITALA", "SI_EMSO", "HU_TAJ", "HU_TAX_ID", "LU_NIN", "PT_CC", "AL_NID",
        "RU_INN", "UA_RNOKPP", "KZ_IIN", "BY_ID", "MD_IDNP", "UZ_PINFL", "TW_NATIONAL_ID", "HK_HKID", "MY_NRIC", "ID_NIK",
        "PK_CNIC", "LK_NIC", "VN_CCCD", "EG_NATIONAL_ID", "SA_ID", "AE_EMIRATES_ID", "KW_CIVIL_ID", "IR_MELLI", "NG_NIN",
        "EC_CEDULA", "DO_CEDULA", "UY_CI", "CR_CEDULA", "VE_CI", "SV_DUI", "NZ_IRD",
        "DE_SOCIAL_SECURITY", "AR_CUIT", "AR_DNI", "AT_SVNR", "BE_NN", "BG_EGN", "BR_CPF", "CA_SIN", "CH_AHV", "CL_RUT",
        "CN_RIC", "CZ_RC", "DK_CPR", "EE_IK", "FR_NIR", "GR_AMKA", "HR_OIB", "IE_PPS", "IL_ID", "JP_MY_NUMBER", "MX_CURP",
        "MX_RFC", "GENDER", "RELIGION", "ETHNICITY", "POLITICAL_OPINION", "SEXUAL_ORIENTATION", "TRADE_UNION_MEMBERSHIP",
        "HEALTH", "BIOMETRIC_ID", "USERNAME", "LICENSE_PLATE", "VIN",
        "NL_BSN", "NO_FODSELSNUMMER", "PT_NIF", "RO_CNP", "RU_SNILS", "TR_TCKN", "ZA_ID",
    }
)  # fmt: skip
"""The commonest entities, by presidio's names."""


def is_personal_dataset(tag: str) -> bool:
    """True for `PII`, `PII.Sensitive`, the entities above and those of other packages' detectors.

    Not for every word in capitals, as it is for a field: GOLD or TIER_1 on a dataset is common, and is not an entity.
    """
    return tag in PERSONAL_DATA or tag.split(".")[0] == PERSONAL_DATA_TAG or tag in _plugged()


@cache
def _plugged() -> frozenset[str]:
    """Entities of detectors that other packages add."""
    return frozenset(str(getattr(plug.value, "entity", "")) for plug in plugs.load("weir.detectors")[0])
