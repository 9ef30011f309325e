"""Addresses of pages whose parameters name a person."""

from __future__ import annotations

import re

from scanners.detectors.core.base import Pattern, Verdict
from scanners.detectors.core.checked_kind import CheckedKind, ColumnEvidence

_URL = re.compile(
    r"(?:https?|wss?|ftp)://(?P<v>[^\s?#\"'<>]*\?[^\s\"'<>]*?(?:(?<=[?&;])|(?<=%26))"
    r"(?:e-?mail|mail|user_?name|login|phone|tel|msisdn|mobile|first_?name|last_?name|full_?name|surname|dob|birth(?:date|day)?"
    r"|ssn|national_?id|iban|card(?:number)?|password|passwd|pwd|(?:access_?|auth_?|id_?|refresh_?|reset_?)?token|api_?key"
    r"|session(?:_?id)?|sid|jsessionid|phpsessid|lat|latitude|lon|lng|address|street)=[^&\s\"'<>{}\[\]$]{3,}[^\s\"'<>]*)",
    re.I,
)


def check_url(_candidate: str, _text: str) -> Verdict:
    return True, ()


def _score(e: ColumnEvidence) -> float:
    return 0.7 if e.valid and (e.matched >= 3 or e.share >= 0.01) else 0.0


KIND = CheckedKind(
    entity="URL",
    patterns=(Pattern("URL", "url_parameters", rb"[a-z]://[^ ?]{1,200}\?[^ ]{1,500}=", _URL, check_url),),
    score=_score,
    validated_by="an address whose parameters carry a mail, a name, a token, a session...",
    examples=("https://shop.example/a?email=ana%40example.org",),
)
