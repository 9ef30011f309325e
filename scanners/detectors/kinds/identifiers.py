"""What points at a person without naming one: ids of devices and advertising, addresses with personal parameters, places.

An id of a device looks like any other UUID, so the field's name has to announce it; a name
without the form counts for nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from scanners.detectors.core.base import LOOKED, STOPPED
from scanners.detectors.core.luhn import luhn
from scanners.detectors.core.tally import MOST, sampled, whole
from scanners.detectors.names.fields import speaks, words

_UUID = re.compile(r"\{?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?\Z")
_DEVICE = re.compile(r"[0-9a-f]{16}\Z|[0-9a-fA-F]{40}\Z|[0-9A-F]{8}-[0-9A-F]{16}\Z")
"""Android's id (64 bits), Apple's old and new UDID."""
_SUBSCRIBER = re.compile(r"[2-79]\d{13,14}\Z|89\d{17,18}\Z")
"""A subscriber's number (3GPP TS 23.003: a mobile country code first) or that of their card (ITU-T E.118)."""
_PLAIN_MAC = re.compile(r"(?=\d*[A-Fa-f])[0-9A-Fa-f]{12}\Z")
_OWN_NAMES = frozenset({"imsi", "iccid", "imei", "udid", "android_id", "idfv", "device_fingerprint", "fingerprint_id"})
_EMPTY = "00000000-0000-0000-0000-000000000000"
"""What systems report when tracking is refused: an id of nobody."""


_PAIR = re.compile(
    r"\(?\s*(?P<a>[-+]?\d{1,2}\.\d{3,})\s*[,; ]\s*(?P<b>[-+]?1?\d{1,2}\.\d{3,})\s*\)?\Z|geo:(?P<c>-?\d{1,2}\.\d+),"
)


LATITUDE = frozenset({"lat", "latitude", "breitengrad", "latitud"})
LONGITUDE = frozenset({"lon", "lng", "long", "longitude", "laengengrad", "longitud"})


class _Said(NamedTuple):
    """What the names on a path announce."""

    advertising: bool
    device: bool
    own: bool
    mac: bool


@lru_cache(maxsize=16384)
def _said(names: tuple[str, ...]) -> _Said | None:
    """None when nothing is announced, as mostly."""
    device = speaks("DEVICE_ID", names) > 0
    announced = _Said(
        speaks("ADVERTISING_ID", names) > 0,
        device,
        device and "_".join(words(names[-1])) in _OWN_NAMES,
        speaks("MAC_ADDRESS", names[-1:]) > 0,
    )
    return announced if any(announced) else None


def look(names: tuple[str, ...], every: Mapping[str, int]) -> dict[str, Counter[str]]:
    """Counters by "ENTITY|recognizer" for one column; only where the name announces one, or a text is a pair of coordinates."""
    announced = _said(names)
    first = next(iter(every), "")
    pair = first[:1] in "(+-0123456789g" and _PAIR.match(first) is not None
    if announced is None and not pair:
        return {}
    counts = sampled(every, MOST)
    counters = _announced(announced, counts) if announced is not None else {}
    if pair:
        counters["GEO_COORDINATES|pair"] = whole(counts, lambda t: bool(_PAIR.match(t)))
    for counter in counters.values():
        counter[STOPPED], counter[LOOKED] = sum(every.values()), sum(counts.values())
    return {key: counter for key, counter in counters.items() if counter["valid"]}


def _announced(announced: _Said, counts: Mapping[str, int]) -> dict[str, Counter[str]]:
    counters: dict[str, Counter[str]] = {}
    if announced.advertising:
        counters["ADVERTISING_ID|uuid"] = whole(counts, lambda t: bool(_UUID.match(t)) and t != _EMPTY)
    if announced.device:
        counters["DEVICE_ID|device_form"] = whole(
            counts,
            lambda t: bool(_UUID.match(t) or _DEVICE.match(t)) and t != _EMPTY,
            ("own_name",) if announced.own else (),
        )
    if announced.own:
        counters["DEVICE_ID|imei"] = whole(counts, _imei)
        counters["DEVICE_ID|imsi"] = whole(counts, lambda t: bool(_SUBSCRIBER.match(t)), ("own_name",))
    if announced.mac:
        counters["MAC_ADDRESS|mac_plain"] = whole(counts, lambda t: bool(_PLAIN_MAC.match(t)), ("letters",))
    return counters


def _imei(text: str) -> bool:
    """Fifteen digits with a Luhn check digit (3GPP TS 23.003), spaces and dashes aside."""
    plain = re.sub(r"[ -]", "", text)
    return len(plain) == 15 and plain.isdigit() and luhn(plain)
