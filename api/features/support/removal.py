"""What is taken out of texts before they leave the machine: secrets, tokens, addresses of people. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, SecretStr

REMOVED = "<removed>"
_SHORTEST_SECRET = 4
"""A shorter secret would take half of the words out."""
_EMAIL = re.compile(r"[^\s@<>\"'=,;:/]+@[^\s@<>\"'=,;:/]+\.[A-Za-z]{2,}")
_USER_OF_URL = re.compile(r"(?<=://)[^\s/@]+@")
_AFTER_WORD = re.compile(
    r"(?i)\b((?:[\w.-]*(?:token|secret|password|passwd|api[_-]?key|authorization|bearer|cookie|session))\s*[=:]?\s*[\"']?)"
    r"[^\s\"',;&]{4,}"
)
_LONG_WORD = re.compile(r"\b(?=[A-Za-z0-9_\-+=]*\d)[A-Za-z0-9_\-+=]{24,}\b")
"""Keys and tokens of any maker: long, and not words alone."""
_JWT = re.compile(r"\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_.-]+")


class Cleaner:
    """Removes the secrets that are known by their text, and what looks like one."""

    def __init__(self, secrets: Collection[str] = ()) -> None:
        known = sorted({each for each in secrets if len(each) >= _SHORTEST_SECRET}, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def text(self, text: str) -> str:
        """A text for a file of the bundle."""
        if self._known is not None:
            text = self._known.sub(REMOVED, text)
        text = _USER_OF_URL.sub(f"{REMOVED}@", text)
        for pattern in (_JWT, _EMAIL, _LONG_WORD):
            text = pattern.sub(REMOVED, text)
        return _AFTER_WORD.sub(rf"\1{REMOVED}", text)

    def value(self, value: Any) -> Any:
        """The same for JSON: every text in it, names of fields included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(name)): self.value(each) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(each) for each in value]
        return value


_OPEN_TEXTS = frozenset(
    {"level", "visibility", "sasl_mechanism", "tls_min_version", "tls_client_certificates", "smtp_security"}
)
"""Settings that are one word of a fixed list, and describe how Weir works."""


def settings_shape(settings: BaseModel) -> dict[str, object]:
    """Every setting with its section: numbers and booleans as they are, of addresses scheme, host and port, of other texts
    whether they are the default, are set or are not."""
    shape: dict[str, object] = {}
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if isinstance(value, BaseModel):
            shape[name] = settings_shape(value)
        else:
            shape[name] = _shape(name, value, field.get_default(call_default_factory=True))
    return shape


def _shape(name: str, value: Any, default: Any) -> Any:
    if isinstance(value, SecretStr):
        return "<secret>" if value.get_secret_value() else None
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple | dict):
        return f"<{len(value)} entries{', the default' if value == default else ''}>"
    text = str(value)
    if value == default or name in _OPEN_TEXTS or not text:
        return text
    return _address(text) if "://" in text else "<set>"


def _address(text: str) -> str:
    try:
        parts = urlsplit(text)
        return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}"
    except ValueError:
        return "<set>"


def settings_secrets(settings: BaseModel) -> set[str]:
    """Every secret text of the settings, passwords in addresses included."""
    secrets = set[str]()
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, BaseModel):
            secrets |= settings_secrets(value)
        elif isinstance(value, SecretStr):
            secrets |= {value.get_secret_value(), *_parts(value.get_secret_value())}
        elif isinstance(value, str) and "://" in value:
            secrets |= _parts(value)
    return secrets - {""}


def _parts(url: str) -> set[str]:
    """Password, and values of parameters, of an address."""
    try:
        parts = urlsplit(url)
        password = parts.password or ""
    except ValueError:
        return set()
    return {password, *re.findall(r"[;?&][^=;&]+=([^;&#]+)", url)} - {""}


_LINE = re.compile(
    r"^(?P<at>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,\dZ+:-]*)\s+\[?(?P<level>[A-Za-z]+)\s*\]?"
    r"\s+(?P<event>[a-z_]+)\b(?P<rest>.*)$"
)
_PAIR = re.compile(r"\b([a-z_]+)=(\S+)")
_PLAIN = re.compile(
    r"^['\"]?(-?\d+(\.\d+)?|True|False|None|[A-Z][A-Za-z]{2,60}(Error|Exception|Unavailable|Timeout))['\"]?$"
)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_NAMES = frozenset({"duty", "server", "how", "code", "kind"})
"""Fields of our own log whose words are our own."""


def log_line(line: str, cleaner: Cleaner) -> str:
    """A line of Weir's log with what is our own: time, level, event, numbers, kinds of errors. Everything else could be a name
    or a value, so only its length stays."""
    line = _COLOURS.sub("", line.rstrip("\n"))
    if line.startswith("{"):
        return _json_line(line)
    match = _LINE.match(line)
    if match is None:
        return f"<a line of {len(line)} characters>"
    fields = [f"{name}={_field(name, value)}" for name, value in _PAIR.findall(match["rest"])]
    return cleaner.text(" ".join([match["at"], match["level"], match["event"], *fields]))


def _json_line(line: str) -> str:
    try:
        entry = json.loads(line)
    except ValueError:
        return f"<a line of {len(line)} characters>"
    if not isinstance(entry, dict) or not re.fullmatch(r"[a-z_]{1,60}", str(entry.get("event"))):
        return f"<a line of {len(line)} characters>"
    head = {name: entry[name] for name in ("timestamp", "level", "event") if name in entry}
    safe = {name: _field(name, str(value)) for name, value in entry.items() if name not in head and name.isidentifier()}
    return json.dumps({name: value if name == "event" else str(value)[:40] for name, value in head.items()} | safe)


def _field(name: str, value: str) -> str:
    if _PLAIN.match(value) or (name in _NAMES and re.fullmatch(r"['\"]?[A-Za-z _-]{1,40}['\"]?", value)):
        return value
    return f"<{len(value)} characters>"


def last_lines(lines: Iterable[str], cleaner: Cleaner) -> str:
    """Lines of a log, each as `log_line`."""
    return "".join(f"{log_line(line, cleaner)}\n" for line in lines)
