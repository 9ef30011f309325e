"""Addresses of the Internet Protocol, version 4 and 6."""

from __future__ import annotations

import ipaddress
import re

from scanners.detectors.core.base import VALID_TEXTS, Pattern, Verdict
from scanners.detectors.core.checked_kind import CheckedKind, ColumnEvidence

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


def _score(e: ColumnEvidence) -> float:
    if not e.valid or e.by_name < 0:
        return 0.0
    if e.recognizer == "ip6":
        return 0.9 if e.precision >= 0.8 else 0.0
    # A network's own addresses (0.0.0.0, 127.0.0.1, masks) are nobody's.
    if e.c.get("special", 0) * 2 > e.c.get(VALID_TEXTS, 0):
        return 0.0
    if e.by_name > 0:
        return 0.95 if e.precision >= 0.7 and e.of("large_octet", VALID_TEXTS) >= 0.2 else 0.0
    # Few addresses begin below 10, and every version does.
    if e.of("low_head", VALID_TEXTS) >= 0.5:
        return 0.0
    real = e.precision >= 0.9 and e.of("large_octet", VALID_TEXTS) >= 0.5 and e.of("large_tail", VALID_TEXTS) >= 0.4
    return 0.0 if not real else 0.85 if e.distinct >= 3 else 0.55


KIND = CheckedKind(
    entity="IP_ADDRESS",
    patterns=(
        Pattern("IP_ADDRESS", "ip", rb"\d\.\d{1,3}\.\d{1,3}\.\d", _IPV4, check_ip),
        Pattern(
            "IP_ADDRESS", "ip6", rb"[0-9A-Fa-f]{0,4}:[0-9A-Fa-f]{0,4}:[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]", _IPV6, check_ip
        ),
    ),
    score=_score,
    names=frozenset({
        "ip", "ipaddr", "ips", "ipv4", "ipv6", "remote_addr", "client_ip", "addr", "host", "ip_address",
    }),
    other_names=frozenset({
        "version", "ver", "release", "build", "oid", "firmware", "revision", "os", "semver", "section", "node", "pod",
        "broker", "cluster", "server", "gateway", "router", "nameserver", "dns", "listen", "bind", "cidr", "subnet",
        "netmask", "instance", "fw",
    }),
    validated_by="v4 and v6, public and private counted apart; versions, object identifiers, masks, loopback, networks"
    " (`10.1.2.0/24`) and addresses of nodes, brokers and similar servers ruled out",
    examples=("84.112.9.201", "2001:db8:85a3::8a2e:370:7334"),
)  # fmt: skip
