"""Forms of the numbers of passports and driver's licences by country, as the issuers describe them, without blanks and dashes."""

from __future__ import annotations

PASSPORTS: dict[str, str] = {
    "AR": r"[A-Z]{3}\d{6}", "AT": r"[A-Z]{1,2}\d{7}", "AU": r"[A-Z]{1,2}\d{7}", "BE": r"[A-Z]{2}\d{6}", "BG": r"\d{9}",
    "BR": r"[A-Z]{2}\d{6}", "CA": r"[A-Z]{2}\d{6}|[A-Z]\d{6}[A-Z]{2}", "CH": r"[A-Z][A-Z0-9]\d{6}",
    "CN": r"[DEGPS]\d{8}|E[A-HJ-NP-Z]\d{7}", "CZ": r"\d{8}", "DE": r"[CFGHJK][CFGHJKLMNPRTVWXYZ\d]{8}\d?", "DK": r"\d{9}",
    "ES": r"[A-Z]{3}\d{6}", "FI": r"[A-Z]{2}\d{7}", "FR": r"\d{2}[A-Z]{2}\d{5}", "GB": r"\d{9}", "GR": r"[A-Z]{2}\d{7}",
    "HK": r"[HK][A-Z]?\d{8}", "HU": r"[A-Z]{2}\d{6,7}", "ID": r"[A-Z]\d{7}", "IE": r"[A-Z]{2}\d{7}|[A-Z]\d{7}",
    "IL": r"\d{7,8}", "IN": r"[A-PR-WY][1-9]\d\s?\d{4}[1-9]", "IT": r"[A-Z]{2}\d{7}", "JP": r"[A-Z]{2}\d{7}",
    "KR": r"[DGMORS]\d{8}|[DGMORS]\d{3}[A-Z]\d{4}", "MX": r"[GN]\d{8}", "MY": r"[AHK]\d{8}",
    "NL": r"[A-NP-Z]{2}[A-NP-Z\d]{6}\d", "NO": r"\d{8}|[A-Z]{3}\d{5}", "NZ": r"[A-Z]{2}\d{6}", "PH": r"[A-Z]\d{7}[A-Z]",
    "PL": r"[A-Z]{2}\d{7}", "PT": r"[A-Z]{1,2}\d{6}", "RO": r"\d{8,9}", "RU": r"\d{2} ?\d{7}",
    "SE": r"\d{8}|[A-Z]{2}\d{6}", "SG": r"[EK]\d{7}[A-Z]", "TH": r"[A-Z]{1,2}\d{6,7}", "TR": r"[A-Z]\d{8}", "TW": r"\d{9}",
    "UA": r"[A-Z]{2}\d{6}", "US": r"\d{9}|[A-Z]\d{8}", "VN": r"[BCEKNP]\d{7,8}", "ZA": r"[ADMT]\d{8}",
}  # fmt: skip
"""Country -> form."""

LICENSES: dict[str, str] = {
    "AT": r"\d{8}", "AU": r"\d{6,10}", "BE": r"\d{10}", "BR": r"\d{11}", "CA-ON": r"[A-Z]\d{14}", "CA-QC": r"[A-Z]\d{12}",
    "CH": r"\d{12}", "CN": r"\d{17}[\dX]", "DE": r"[A-Z\d]{4}\d{5}[A-Z\d]\d|[A-Z\d]\d{2}[A-Z\d]{6}\d[A-Z\d]",
    "ES": r"\d{8}[A-Z]", "FR": r"\d{12}|\d{2}[A-Z]{2}\d{5}",
    "GB": r"[A-Z]{1,5}9{0,4}\d[0156]\d(?:0[1-9]|[12]\d|3[01])\d[A-Z9]{2}[A-Z\d][A-Z]{2}", "IE": r"\d{9}",
    "IN": r"[A-Z]{2}\d{2}(?:19|20)\d{9}", "IT": r"[A-Z]{2}\d{7}[A-Z]|U1[A-Z\d]{7}[A-Z]", "JP": r"\d{12}", "KR": r"\d{12}",
    "MX": r"[A-Z]\d{8,9}", "NL": r"\d{10}", "NZ": r"[A-Z]{2}\d{6}", "PL": r"\d{11}", "PT": r"[A-Z]{1,2}\d{6,7}",
    "SE": r"\d{6,10}", "US-AZ": r"[A-Z]\d{8}", "US-CA": r"[A-Z]\d{7}", "US-FL": r"[A-Z]\d{12}", "US-IL": r"[A-Z]\d{11}",
    "US-MA": r"S[A-Z]?\d{7,8}", "US-MI": r"[A-Z]\d{12}", "US-NJ": r"[A-Z]\d{14}", "US-NY": r"\d{9}",
    "US-OH": r"[A-Z]{2}\d{6}", "US-PA": r"\d{8}", "US-TX": r"\d{8}", "US-VA": r"[A-Z]\d{8}",
    "US-WA": r"WDL[A-Z\d]{9}|[A-Z]{1,7}[A-Z*]{0,6}\d{3}[A-Z\d]{2}", "US-WI": r"[A-Z]\d{13}",
}  # fmt: skip
"""Country, or country and state, -> form."""

STATES_OF_INDIA = frozenset({
    "AN", "AP", "AR", "AS", "BR", "CG", "CH", "DD", "DL", "DN", "GA", "GJ", "HP", "HR", "JH", "JK", "KA", "KL", "LA", "LD",
    "MH", "ML", "MN", "MP", "MZ", "NL", "OD", "OR", "PB", "PY", "RJ", "SK", "TN", "TR", "TS", "UK", "UP", "WB",
})  # fmt: skip
