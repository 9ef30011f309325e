"""E-mail addresses, IP and MAC addresses. For phone numbers see `phones`."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import Any

from scanners.detectors.core.base import Pattern, Verdict

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


EMAIL = Pattern("EMAIL_ADDRESS", "email", rb"[A-Za-z0-9_%+'\x80-\xff-]@[A-Za-z0-9\x80-\xff]", _EMAIL, check_email)


# --- network addresses ------------------------------------------------------------------------------------------------

_IPV4 = re.compile(r"(?<![\w.+-])(?P<v>\d{1,3}(?:\.\d{1,3}){3})(?:/\d{1,2})?(?![\w-]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?P<v>(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?:%\w+)?)(?![\w:])")


_PAIRS = re.compile(r"(?:[0-9A-Fa-f]{2}:){7}[0-9A-Fa-f]{2}")
"""A worldwide name of a storage device or part of a fingerprint: addresses leave zeros in front out, or write four digits."""


_PREFIX = re.compile(r"/(\d{1,3})(?!\d)")


def _is_network(address: ipaddress.IPv4Address | ipaddress.IPv6Address, rest: str) -> bool:
    """Whether a prefix length follows that makes it the address of a network, which nobody has."""
    prefix = _PREFIX.match(rest)
    free = address.max_prefixlen - int(prefix[1]) if prefix else 0
    return free > 0 and int(address) % (1 << free) == 0


def check_ip(candidate: str, text: str) -> Verdict:
    try:
        address = ipaddress.ip_address(candidate.partition("%")[0])
    except ValueError:
        return False, ()
    if _is_network(address, text[text.find(candidate) + len(candidate) :]):
        return None
    marks = ["private" if address.is_private else "public"]
    if address.is_unspecified or address.is_loopback or address.is_multicast or candidate.startswith(("255.", "0.")):
        marks.append("special")
    if address.version == 4:
        octets = [int(o) for o in candidate.split(".")]
        # Versions and object identifiers count up from zero; addresses use the whole byte.
        if max(octets) >= 64:
            marks.append("large_octet")
        if octets[0] < 10:
            marks.append("low_head")
        if max(octets[2:]) >= 64:
            marks.append("large_tail")
        before = text[max(0, text.find(candidate) - 12) : text.find(candidate)].lower()
        if re.search(r"(?:ver|rev|release|build|oid|firmware|v)[a-z]*[ .:=]*\Z", before):
            return None
    elif candidate.count(":") < 3 or candidate in ("::", "::1"):
        return False, ()
    elif _PAIRS.fullmatch(candidate):
        return None
    else:
        marks.append("v6")
    return True, tuple(marks)


IPV4 = Pattern("IP_ADDRESS", "ip", rb"\d\.\d{1,3}\.\d{1,3}\.\d", _IPV4, check_ip)
IPV6 = Pattern(
    "IP_ADDRESS", "ip6", rb"[0-9A-Fa-f]{0,4}:[0-9A-Fa-f]{0,4}:[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]", _IPV6, check_ip
)

_MAC = re.compile(
    r"(?<![\w:.-])(?P<v>[0-9A-Fa-f]{2}(?P<s>[:-])[0-9A-Fa-f]{2}(?:(?P=s)[0-9A-Fa-f]{2}){4}"
    r"|[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4}){2})(?![\w:-]|\.[0-9A-Fa-f])"
)


def check_mac(candidate: str, _text: str) -> Verdict:
    plain = re.sub(r"[:.-]", "", candidate).lower()
    if len(set(plain)) == 1 or (candidate.count(".") == 2 and plain.isdigit()):
        return False, ()
    return True, () if plain.isdigit() else ("letters",)


MAC = Pattern(
    "MAC_ADDRESS",
    "mac",
    rb"[0-9A-Fa-f]{2}[:-][0-9A-Fa-f]{2}[:-][0-9A-Fa-f]{2}[:-]|[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}",
    _MAC,
    check_mac,
)
