"""E-mail addresses."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from scanners.detectors.core.base import VALID_TEXTS, Pattern, Verdict
from scanners.detectors.core.checked_kind import CheckedKind, ColumnEvidence

# Letters of Europe beside ASCII. Not those of scripts that put no blank between an address and the words around it.
_L = "A-Za-z0-9\u00c0-\u024f\u0370-\u052f"
_EMAIL = re.compile(
    rf"(?<![{_L}._%+/@-])(?P<v>[{_L}_%+'-][{_L}._%+'-]{{0,63}}@(?:[{_L}](?:[{_L}-]{{0,62}}[{_L}])?\.)+"
    rf"(?:[A-Za-z][A-Za-z0-9-]{{0,61}}[A-Za-z0-9]|[\u0370-\u052f]{{2,20}}))(?![{_L}@-]|:[A-Za-z~/])"
)
_ROLES = frozenset(
    {
        "abuse",
        "admin",
        "billing",
        "contact",
        "do-not-reply",
        "donotreply",
        "git",
        "hello",
        "help",
        "info",
        "mailer-daemon",
        "no-reply",
        "noreply",
        "notifications",
        "office",
        "postmaster",
        "root",
        "sales",
        "security",
        "service",
        "support",
        "team",
        "webmaster",
    }
)
_FILE_TAILS = frozenset(
    {"png", "jpg", "jpeg", "gif", "svg", "js", "css", "html", "json", "yaml", "yml", "txt", "pdf", "zip"}
)


_MACHINE = re.compile(r"(?=.{16})(?:[0-9a-fA-F]+[.\-_$]?){1,6}|[A-Za-z0-9+=_.$%-]{36,}")
"""Local parts nobody has: hexadecimal or very long ones, as in the ids of messages."""


@lru_cache(maxsize=1)
def _suffixes() -> Any:
    import tldextract

    # The list that came with the package: a scan makes no call to the outside.
    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, fallback_to_snapshot=True)


@lru_cache(maxsize=4096)
def _real_domain(domain: str) -> bool:
    parts = _suffixes()(domain)
    # RFC 2606 reserves these; test data and documentation use them for addresses of people.
    return bool(parts.suffix and parts.domain) or domain.rpartition(".")[2] in ("example", "test", "invalid")


_AUTHORITY = re.compile(r"://[^\s/@]*\Z")
"""The text before an @ in the address of a server: a user and a password, not a mailbox."""


def check_email(candidate: str, text: str) -> Verdict:
    if "://" in text and _AUTHORITY.search(text[: text.find(candidate)]):
        return None
    local, _, domain = candidate.rpartition("@")
    domain = domain.lower()
    if ".." in local or local.endswith(".") or domain.rpartition(".")[2] in _FILE_TAILS or not _real_domain(domain):
        return False, ()
    if local.lower() in _ROLES:
        return True, ("role",)
    return True, ("machine",) if _MACHINE.fullmatch(local) and sum(map(str.isdigit, local)) * 5 >= len(local) else ()


def _score(e: ColumnEvidence) -> float:
    if not e.valid or e.precision < 0.5 or (e.by_name < 0 and e.share < 0.5):
        return 0.0
    if e.by_name < 0 and e.c.get("role", 0) >= e.c.get(VALID_TEXTS, 0):
        return 0.0
    if e.by_name <= 0 and e.of("machine", VALID_TEXTS) >= 0.5:
        return 0.0
    few = e.matched < 2 and e.share < 0.01 and e.by_name <= 0
    return 0.6 if few else 0.98 if e.share >= 0.5 else 0.85


KIND = CheckedKind(
    entity="EMAIL_ADDRESS",
    patterns=(
        Pattern("EMAIL_ADDRESS", "email", rb"[A-Za-z0-9_%+'\x80-\xff-]@[A-Za-z0-9\x80-\xff]", _EMAIL, check_email),
    ),
    score=_score,
    names=frozenset({"email", "mail", "e_mail", "emails", "correo", "courriel"}),
    other_names=frozenset({
        "message_id", "msgid", "package", "image", "asset", "repo", "repository", "clone", "ssh", "git",
    }),
    validated_by="syntax, public suffix list of the package; ids of messages and addresses of servers ruled out",
    examples=("ana@example.org", "Write to josé.núñez@example.com, please"),
)  # fmt: skip
