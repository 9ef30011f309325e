"""Forms of national identity, tax, social and health numbers, and which validator knows their check digits.

`chance` is how often a random text of the same pattern passes the validator: what a column's share has to beat before it
can be more than an accident.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NationalId:
    """`module` of python-stdnum, empty for a check of our own (`national_checks`); `regex` of a candidate, empty where no text
    shows it without a name; `bare` when a candidate may be digits only; `words` of field names.

    `called` is the form of a whole text, without its separators, that counts where the field's name points to it; `own_check`:
    no other numbers have this check digit, as so many have Luhn's; `year`: where two digits of a year of birth are.
    """

    entity: str
    module: str
    regex: str
    bare: bool
    chance: float
    words: tuple[str, ...]
    called: str = ""
    own_check: bool = False
    year: int = -1


_FIRST = (
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
    NationalId("NL_BSN", "nl.bsn", r"\d{4}\.\d{2}\.\d{3}|\d{8,9}", True, 0.09, ("bsn", "burgerservicenummer", "sofi"),
               own_check=True),
    NationalId("BE_NN", "be.nn", r"\d{2}\.?\d{2}\.?\d{2}-?\d{3}\.?\d{2}", True, 0.01,
               ("rijksregister", "registre_national", "nn", "niss", "insz")),
    NationalId("PT_NIF", "pt.nif", r"[1-35689]\d{8}", True, 0.1, ("nif", "contribuinte"), own_check=True),
    NationalId("PL_PESEL", "pl.pesel", r"\d{11}", True, 0.03, ("pesel",)),
    NationalId("SE_PERSONNUMMER", "se.personnummer", r"(?:19|20)?\d{6}[-+]\d{4}|(?:19|20)\d{10}", True, 0.04,
               ("personnummer", "ssn")),
    NationalId("DK_CPR", "", r"\d{6}-?\d{4}", True, 0.3, ("cpr", "cprnr", "personnummer"), year=4),
    NationalId("NO_FODSELSNUMMER", "no.fodselsnummer", r"\d{6} ?\d{5}", True, 0.004,
               ("fodselsnummer", "fnr", "personnummer")),
    NationalId("FI_PERSONAL_IDENTITY_CODE", "fi.hetu", r"\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]", False, 0.02,
               ("hetu", "henkilotunnus")),
    NationalId("CH_AHV", "ch.ssn", r"756\.?\d{4}\.?\d{4}\.?\d{2}", True, 0.1, ("ahv", "avs", "ssn")),
    NationalId("AT_SVNR", "at.vnr", r"\d{4} ?\d{6}", True, 0.05, ("svnr", "sozialversicherung", "vnr")),
    NationalId("CZ_RC", "cz.rc", r"\d{6}/\d{3,4}", False, 0.05, ("rodne_cislo", "rodnecislo", "rc"), r"\d{9,10}"),
    NationalId("RO_CNP", "ro.cnp", r"[1-9]\d{12}", True, 0.03, ("cnp",)),
    NationalId("BG_EGN", "bg.egn", r"\d{10}", True, 0.04, ("egn",)),
    NationalId("HR_OIB", "hr.oib", r"\d{11}", True, 0.1, ("oib",), own_check=True),
    NationalId("IE_PPS", "ie.pps", r"\d{7}[A-W][A-IW]?", False, 0.045, ("pps", "ppsn")),
    NationalId("GR_AMKA", "gr.amka", r"\d{11}", True, 0.03, ("amka",)),
    NationalId("EE_IK", "ee.ik", r"[1-8]\d{10}", True, 0.03, ("isikukood",)),
    NationalId("CA_SIN", "ca.sin", r"\d{3}[ -]\d{3}[ -]\d{3}|\d{9}", True, 0.1, ("sin", "social_insurance")),
    NationalId("BR_CPF", "br.cpf", r"\d{3}\.\d{3}\.\d{3}-\d{2}|\d{11}", True, 0.01, ("cpf",)),
    NationalId("MX_CURP", "mx.curp", r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[0-9A-Z]\d", False, 0.01, ("curp",)),
    NationalId("MX_RFC", "mx.rfc", r"[A-Z&Ñ]{4}\d{6}[0-9A-Z]{3}", False, 0.3, ("rfc",)),
    NationalId("AR_DNI", "ar.dni", r"\d{2}\.\d{3}\.\d{3}", False, 1.0, ("dni", "documento"), r"\d{7,8}"),
    NationalId("AR_CUIT", "ar.cuit", r"\d{2}-\d{8}-\d|\d{11}", True, 0.05, ("cuit", "cuil")),
    NationalId("CL_RUT", "cl.rut", r"\d{1,2}\.?\d{3}\.?\d{3}-[0-9Kk]", False, 0.1, ("rut", "run")),
    NationalId("IN_PAN", "in_.pan", r"[A-Z]{3}[ABCFGHLJPTK][A-Z]\d{4}[A-Z]", False, 0.9, ("pan",)),
    NationalId("IN_AADHAAR", "in_.aadhaar", r"[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}", True, 0.1,
               ("aadhaar", "aadhar", "uidai")),
    NationalId("AU_TFN", "au.tfn", r"\d{3} \d{3} \d{3}|\d{8,9}", True, 0.09, ("tfn", "tax_file"), own_check=True),
    NationalId("AU_ABN", "au.abn", r"\d{2} \d{3} \d{3} \d{3}|\d{11}", True, 0.01, ("abn",)),
    NationalId("JP_MY_NUMBER", "jp.in_", r"\d{4}[ -]?\d{4}[ -]?\d{4}", True, 0.1, ("my_number", "mynumber", "kojin")),
    NationalId("KR_RRN", "kr.rrn", r"\d{6}-[1-8]\d{6}", False, 0.05, ("rrn", "jumin")),
    NationalId("CN_RIC", "cn.ric", r"[1-9]\d{16}[0-9Xx]", True, 0.02,
               ("ric", "shenfenzheng", "identity_card", "id_card")),
    NationalId("SG_NRIC_FIN", "", r"[STFGM]\d{7}[A-Z]", False, 0.05, ("nric", "fin")),
    NationalId("TH_TNIN", "th.pin", r"\d-\d{4}-\d{5}-\d{2}-\d|\d{13}", True, 0.1, ("tnin", "thai_id", "national_id"),
               own_check=True),
    NationalId("TR_TCKN", "tr.tckimlik", r"[1-9]\d{10}", True, 0.01, ("tckn", "tckimlik", "tc_kimlik")),
    NationalId("IL_ID", "il.idnr", r"\d{9}", True, 0.1, ("teudat_zehut", "tehudat_zehut", "mispar_zehut", "israeli_id")),
    NationalId("ZA_ID", "za.idnr", r"\d{13}", True, 0.02, ("za_id", "id_number", "sa_id", "rsa_id")),
    NationalId("RU_SNILS", "", r"\d{3}-\d{3}-\d{3} \d{2}", False, 0.01, ("snils", "снилс"), r"\d{11}"),
)  # fmt: skip

_SECOND = (
    NationalId("LT_ASMENS_KODAS", "lt.asmens", "", True, 0.03, ("asmens_kodas", "asmenskodas"), r"[1-6]\d{10}"),
    NationalId("LV_PERSONAS_KODS", "", r"\d{6}-\d{5}", False, 0.05, ("personas_kods", "personaskods"), r"\d{11}"),
    NationalId("IS_KENNITALA", "is_.kennitala", r"\d{6}-\d{4}", False, 0.01, ("kennitala",), r"\d{10}"),
    NationalId("SI_EMSO", "si.emso", r"\d{13}", True, 0.003, ("emso", "jmbg", "jmb", "embg", "матични_број")),
    NationalId("HU_TAJ", "", "", True, 0.1, ("taj", "tajszam", "taj_szam"), r"\d{9}"),
    NationalId("HU_TAX_ID", "", "", True, 0.01, ("adoazonosito", "adoazonosito_jel"), r"8\d{9}"),
    NationalId("DE_SOCIAL_SECURITY", "", r"\d{2}[0-3]\d[01]\d{3}[A-Z]\d{3}", False, 0.02,
               ("rvnr", "rentenversicherungsnummer", "sozialversicherungsnummer", "svnr", "sv_nummer")),
    NationalId("LU_NIN", "", r"(?:19|20)\d{11}", True, 0.001, ("matricule", "matricule_nationale")),
    NationalId("PT_CC", "pt.cc", "", True, 0.1, ("cartao_cidadao", "cartao_de_cidadao", "numero_cc"), r"\d{9}[0-9A-Z]{2}\d"),
    NationalId("AL_NID", "", "", False, 0.1, ("numri_personal", "numri_i_identitetit"), r"[A-T]\d{8}[A-W]"),
    NationalId("RU_INN", "", r"\d{12}", True, 0.01, ("inn", "инн")),
    NationalId("UA_RNOKPP", "ua.rntrc", r"\d{10}", True, 0.1, ("rnokpp", "ipn", "drfo", "рнокпп", "іпн"), own_check=True),
    NationalId("KZ_IIN", "", r"\d{12}", True, 0.01, ("iin", "иин", "жсн")),
    NationalId("BY_ID", "", r"[1-6]\d{6}[ABCEHKM]\d{3}(?:PB|BA|BI)\d", False, 0.1, ("lichnyy_nomer", "identifikatsionnyy_nomer")),
    NationalId("MD_IDNP", "", "", True, 0.1, ("idnp",), r"\d{13}"),
    NationalId("UZ_PINFL", "", "", True, 0.01, ("pinfl", "jshshir"), r"[3-6]\d{13}"),
    NationalId("TW_NATIONAL_ID", "", r"[A-Z][1289]\d{8}", False, 0.1, ("tw_id", "roc_id", "身分證字號", "身份證字號")),
    NationalId("HK_HKID", "", r"[A-Z]{1,2}\d{6}\([0-9A]\)?", False, 0.09, ("hkid", "hkic", "身份證號碼"), r"[A-Z]{1,2}\d{6}[0-9A]"),
    NationalId("MY_NRIC", "my.nric", r"\d{6}-\d{2}-\d{4}", False, 0.3,
               ("mykad", "nric", "ic_no", "ic_number", "no_kp", "kad_pengenalan"), r"\d{12}", year=0),
    NationalId("ID_NIK", "id.nik", "", True, 0.05, ("nik", "no_ktp", "ktp", "nomor_induk_kependudukan"), r"\d{16}"),
    NationalId("PK_CNIC", "pk.cnic", r"\d{5}-\d{7}-\d", False, 0.6, ("cnic", "nicop"), r"\d{13}"),
    NationalId("LK_NIC", "", r"\d{9}[VX]", False, 0.7, ("nic", "nic_no", "nic_number"), r"(?:19|20)\d{10}"),
    NationalId("VN_CCCD", "", "", True, 0.2, ("cccd", "so_cccd", "can_cuoc", "can_cuoc_cong_dan", "cmnd"), r"0\d{11}"),
    NationalId("EG_NATIONAL_ID", "", r"[23]\d{13}", True, 0.02, ("raqam_qawmi", "الرقم_القومي")),
    NationalId("SA_ID", "", "", True, 0.1, ("iqama", "iqama_number", "saudi_id", "رقم_الهوية"), r"[12]\d{9}"),
    NationalId("AE_EMIRATES_ID", "", r"784-?\d{4}-?\d{7}-?\d", True, 0.1, ("emirates_id", "eid")),
    NationalId("KW_CIVIL_ID", "", "", True, 0.02, ("civil_id",), r"[23]\d{11}"),
    NationalId("IR_MELLI", "", "", True, 0.1, ("melli_code", "code_melli", "codemelli", "کد_ملی"), r"\d{10}"),
    NationalId("NG_NIN", "", "", True, 0.9, ("nin", "bvn", "nimc"), r"[1-9]\d{10}"),
    NationalId("EC_CEDULA", "ec.ci", r"\d{10}", True, 0.015, ("cedula", "cedula_identidad", "cedula_de_identidad")),
    NationalId("DO_CEDULA", "do.cedula", r"\d{3}-\d{7}-\d", False, 0.1, ("cedula",), r"\d{11}"),
    NationalId("UY_CI", "", r"\d\.\d{3}\.\d{3}-\d", False, 0.1, ("cedula", "cedula_identidad", "cedula_de_identidad"),
               r"\d{7,8}"),
    NationalId("CR_CEDULA", "cr.cpf", "", True, 0.5, ("cedula",), r"0?\d{9}"),
    NationalId("VE_CI", "", r"[VE]-\d{6,8}", False, 0.95, ("cedula", "cedula_identidad")),
    NationalId("SV_DUI", "", r"\d{8}-\d", False, 0.1, ("dui",)),
    NationalId("AU_MEDICARE", "", "", True, 0.05, ("medicare", "medicare_number", "medicare_no"), r"[2-6]\d{9,10}"),
    NationalId("NZ_IRD", "nz.ird", "", True, 0.1, ("ird", "ird_number", "ird_no"), r"\d{8,9}"),
)  # fmt: skip
"""Countries whose numbers show themselves seldom without a name: digits alone, of which one in ten passes by accident."""

IDS = (*_FIRST, *_SECOND)

COMMON_WORDS = frozenset(
    """
    national_id national_id_no national_id_number national_identity_number nationalid identity_number identification_number
    id_number personal_id personal_number personal_code personal_identification_number citizen_id id_card id_card_no
    id_card_number identity_card government_id tax_id tax_number tax_identification_number taxpayer_id tin taxid taxvat perid
    prvt_id social_security social_security_number ssn nin identity_document documento_identidad numero_identificacion
    identificacion personalausweis ausweisnummer numero_identita
    """.split()  # noqa: SIM905 - a list of words
)
"""What a national number is called in any country: points to those whose validator is not easily pleased."""


def words(spec: NationalId) -> frozenset[str]:
    """Names of fields that point to a number."""
    return frozenset(spec.words) | (COMMON_WORDS if spec.chance <= 0.1 else frozenset())
