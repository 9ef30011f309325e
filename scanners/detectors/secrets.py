"""Credentials that a record should not carry: keys and tokens with a known form."""

from __future__ import annotations

import re

from scanners.detectors.base import Pattern, Verdict

_KEY = re.compile(
    r"(?<![A-Za-z0-9_])(?P<v>(?:AKIA|ASIA)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}"
    r"|glpat-[A-Za-z0-9_-]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|AIza[0-9A-Za-z_-]{35}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}|SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}"
    r"|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----)"
)


def check_key(_candidate: str, _text: str) -> Verdict:
    return True, ()


API_KEY = Pattern(
    "API_KEY",
    "api_key",
    rb"A[KS]IA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_|glpat-|xox[abprs]-|[sr]k_(?:live|test)_|AIza[0-9A-Za-z_-]{35}"
    rb"|eyJ[A-Za-z0-9_-]{8}|SG\.[A-Za-z0-9_-]{20}|-----BEGIN",
    _KEY,
    check_key,
)
