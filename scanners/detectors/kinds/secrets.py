"""Credentials that a record should not carry: keys and tokens with a known form, and texts drawn at random."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from scanners.detectors.core.base import LOOKED, STOPPED, Pattern, Verdict, only
from scanners.detectors.core.plain_texts import drawn_at_random
from scanners.detectors.core.tally import MOST, sampled, whole
from scanners.detectors.names.fields import speaks

_KEY = re.compile(
    r"(?<![A-Za-z0-9_])(?P<v>(?:AKIA|ASIA)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}"
    r"|gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,}|xox[abeprs]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{20,}"
    r"|[srp]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,}|AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{8,}|SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}"
    r"|sk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{32,}|hf_[A-Za-z0-9]{30,}|npm_[A-Za-z0-9]{36}|pypi-AgE[A-Za-z0-9_-]{40,}"
    r"|do[opr]_v1_[0-9a-f]{64}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|dckr_pat_[A-Za-z0-9_-]{20,}"
    r"|(?i:bearer) [A-Za-z0-9._~+/-]{20,}={0,2}|(?i:basic) [A-Za-z0-9+/]{12,}={0,2}|AccountKey=[A-Za-z0-9+/]{40,}={0,2}"
    r"|https://hooks\.slack\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]{20,}|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----"
    r"|[a-z][a-z0-9+]{2,15}://[^\s:/@'\"]{1,64}:(?P<w>[^\s:/@'\"]{3,64})@[A-Za-z0-9.-]+)"
)
_NO_SECRET = frozenset(
    {"password", "passwd", "pass", "secret", "***", "xxx", "xxxx", "****", "redacted", "token", "x-oauth-basic"}
)


_FREE_FORMS = ("sk-", "hf_", "npm_", "glpat-", "gldt-", "glrt-", "glptt-", "SG.", "dckr_pat_", "github_pat_", "ya29.")
"""Beginnings of keys whose characters are free, so that the name of a file may begin so."""


def check_key(candidate: str, _text: str) -> Verdict:
    if candidate.startswith(_FREE_FORMS):
        return drawn_at_random(candidate), ()
    if candidate.startswith("eyJ"):
        return _web_token(candidate), ("jwt",)
    if candidate[:6].lower() == "basic ":
        return _basic(candidate[6:]), ()
    if "://" in candidate and "hooks.slack" not in candidate:
        # An address with user and password; a placeholder in documentation is none.
        word = candidate.rpartition("@")[0].rpartition(":")[2]
        return word.lower() not in _NO_SECRET and not word.startswith(("$", "{", "<", "%")), ("url",)
    return True, ()


def _web_token(text: str) -> bool:
    """A JSON Web Token's header names its algorithm (RFC 7515)."""
    head = text.partition(".")[0]
    try:
        return "alg" in json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, binascii.Error, TypeError):
        return False


def _basic(text: str) -> bool:
    try:
        return b":" in base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return False


API_KEY = Pattern(
    "API_KEY",
    "api_key",
    rb"A[KS]IA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_|gl(?:pat|dt|rt|ptt)-|xox[abeprs]-|xapp-|[srp]k_(?:live|test)_|whsec_"
    rb"|AIza[0-9A-Za-z_-]{35}|ya29\.|eyJ[A-Za-z0-9_-]{8}|SG\.[A-Za-z0-9_-]{20}|sk-[A-Za-z0-9_-]{32}|hf_[A-Za-z0-9]{30}|npm_[A-Za-z0-9]{36}"
    rb"|pypi-AgE|do[opr]_v1_|shp(?:at|ca|pa|ss)_|glsa_|dckr_pat_|[Bb][Ee][Aa][Rr][Ee][Rr] "
    rb"|[Bb][Aa][Ss][Ii][Cc] [A-Za-z0-9+/]{12}|AccountKey="
    rb"|hooks\.slack\.com|-----BEGIN|://[^ :/@]{1,64}:[^ :/@]{3,64}@",
    _KEY,
    check_key,
)

_SESSION = (
    r"(?:[A-Za-z0-9_.-]*sess(?:ion)?(?:_?id)?|jsessionid|phpsessid|asp\.net_sessionid|aspsessionid[a-z]{8}|connect\.sid|sid|laravel_session"
    r"|xsrf-token|csrftoken|remember_(?:me|token|user_token)|auth(?:_?token)?|access_token|refresh_token|id_token|wordpress_logged_in_[0-9a-f]+"
    r"|cfduid|__secure-[a-z0-9_-]+|__host-[a-z0-9_-]+)"
)
_COOKIE = re.compile(rf"(?:\A|[;,\s\"'])(?:{_SESSION})=(?P<v>[A-Za-z0-9%._~+/=:-]{{16,}})", re.I)
"""A session's cookie by the names that frameworks give it, with its value (RFC 6265)."""


def check_cookie(candidate: str, _text: str) -> Verdict:
    return only(_bits(candidate) >= _BITS and any(map(str.isdigit, candidate)))


COOKIE = Pattern(
    "API_KEY",
    "session_cookie",
    rb"=[A-Za-z0-9%._~+/=:-]{16}",
    _COOKIE,
    check_cookie,
)

_RANDOM = re.compile(r"[A-Za-z0-9+/=_.~-]{20,512}\Z")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\Z")
_BITS = 3.0
"""Shannon bits a character, of the text itself: English words have 2.5 to 3 in twenty characters, hexadecimal of 32 drawn
at random about 3.5, base64 more."""


def look(names: tuple[str, ...], every: Mapping[str, int]) -> dict[str, Counter[str]]:
    """Texts that look drawn at random in a field called as a secret is."""
    if not names or not _announced(names[-1]):
        return {}
    counts = sampled(every, MOST)
    counter = whole(counts, _drawn)
    counter[STOPPED], counter[LOOKED] = sum(every.values()), sum(counts.values())
    return {"API_KEY|entropy": counter} if counter["valid"] else {}


@lru_cache(maxsize=16384)
def _announced(name: str) -> bool:
    return speaks("API_KEY", (name,)) > 0


def _drawn(text: str) -> bool:
    if (
        not _RANDOM.match(text)
        or _UUID.match(text)
        or not any(map(str.isdigit, text))
        or not any(map(str.isalpha, text))
    ):
        return False
    return _bits(text) >= _BITS


def _bits(text: str) -> float:
    """Shannon bits a character of a text that is not empty."""
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values())
