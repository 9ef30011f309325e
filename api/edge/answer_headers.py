"""Headers of every answer: what browsers may do with it, and that nobody keeps it.

Answers of the API hold what one person may see, so no cache keeps them. A page may run and load only what comes with
Weir: a text of a topic that slips into one does nothing.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable

Header = tuple[bytes, bytes]

_ALWAYS: list[Header] = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
]
_NO_STORE: Header = (b"cache-control", b"no-store")
_PRIVATE = ("/api/", "/metrics", "/scim/")
_CLOSED = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
PAGE_POLICY = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; {_CLOSED}"
"""Of a page that is only read: reports, and any HTML that names no policy of its own."""


def added(path: str, headers: Iterable[Header]) -> list[Header]:
    """What an answer to `path` gets beside the `headers` it has; one that it has stays."""
    present = {name.lower(): value for name, value in headers}
    more = [header for header in _ALWAYS if header[0] not in present]
    if b"cache-control" not in present and path.startswith(_PRIVATE):
        more.append(_NO_STORE)
    is_page = present.get(b"content-type", b"").startswith(b"text/html")
    if is_page and b"content-security-policy" not in present:
        more.append((b"content-security-policy", PAGE_POLICY.encode()))
    return more


def script_policy(html: str) -> str:
    """A policy for a page with scripts of its own: those of this server, and those written in the page as it is now."""
    scripts = re.findall(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", html, re.S | re.I)
    digests = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in scripts]
    allowed = " ".join(["'self'", *(f"'sha256-{digest}'" for digest in digests)])
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
        f" font-src 'self'; connect-src 'self'; {_CLOSED}"
    )
