"""Secrets out of events, before anything of them is stored.

Producers put their whole configuration into custom facets: `database.password=...` in a list of strings, environment
variables, JDBC addresses with user and password. What a secret is called and what it looks like decides; the shape of
the event stays as it was, so that nothing else about it changes. Columns that are merely *named* `password` stay: in
facets that describe data, names are data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

import orjson

from lineage.ingest.sql_dialect import dialect_of
from lineage.sql.redacted_text import without_values

REDACTED = "[redacted]"

# Facets whose object keys and `name`s are column or dataset names. Their texts are still searched for credentials.
_DESCRIBES_DATA = frozenset(
    {"schema", "columnLineage", "lineage", "symlinks", "dataQualityMetrics", "dataQualityAssertions", "hierarchy"}
)

_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SECRET_WORDS = frozenset({
    "password", "passwd", "passwort", "pwd", "pass", "passphrase", "secret", "secrets", "token", "credential",
    "credentials", "apikey", "accesskey", "secretkey", "privatekey", "accountkey", "authorization", "jaas", "cookie",
    "signature", "sig", "sas", "pat", "bearer",
})  # fmt: skip
_SECRET_PAIRS = frozenset({
    ("api", "key"), ("access", "key"), ("secret", "key"), ("private", "key"), ("account", "key"), ("shared", "key"),
    ("encryption", "key"), ("signing", "key"), ("auth", "key"), ("connection", "string"), ("basic", "auth"),
    ("user", "info"), ("master", "key"),
})  # fmt: skip

_NAME = r"""(?P<name>[A-Za-z_][\w.\-]*)"""
_ASSIGNMENT = re.compile(
    rf"""(?<![\w.\-$\{{]){_NAME}(?P<sep>\\?["']?\s*(?:=>|=|:(?!//))\s*)"""
    r"""(?P<value>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.|'')*'|\\"[^"\\]*\\"|\{[^}]*\}|[^\s;&,"'(){}\[\]]+)""",
    re.S,
)
_SQL_SECRET = re.compile(
    r"""(?i)\b((?:identified\s+by|password|secret|token)(?:\s+|\s*\(\s*))('(?:[^']|'')*'|"[^"]*")"""
)
_SQL_TEXT = re.compile(r"'(?:[^'\n]|'')*'")
_URL_USER = re.compile(r"(?<=://)([^\s/@:?#'\"]*):([^\s/@'\"]+)@")
_ORACLE_USER = re.compile(r"(?i)(jdbc:oracle:\w+:)([^\s/@:]+)/([^\s@]+)@")
_OPTION = re.compile(
    r"""(?i)(--?(?:password|passwd|token|secret|api-?key|access-?key|secret-?key)[= ]+)("[^"]*"|'[^']*'|\S+)"""
)
_SHAPES = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S),
    re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}\b|\bgithub_pat_\w{20,}\b|\bglpat-[\w-]{16,}\b|\bxox[abprs]-[\w-]{10,}\b"),
    re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b|\bsk_live_\w{16,}\b|\bdapi[0-9a-f]{32}\b"),
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}")
# What must stand somewhere in a text (in lower case) for any of the above to find something: looked for first, because
# most texts are long and innocent.
_HINTS = (
    "pass", "pwd", "secret", "token", "credential", "key", "auth", "jaas", "cookie", "sig", "sas", "bearer", "basic",
    "identified", "://", "jdbc:", "eyj", "akia", "asia", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat", "glpat",
    "xox", "aiza", "sk_live", "dapi", "user", "connection", "pat",
)  # fmt: skip


# The same, as they are, for all the texts of a facet that describes data at once: names there are no hints. The last
# two are keys whose texts are SQL.
_HINTS_IN_NAMES = (
    b"@", b"-----BEGIN", b"AKIA", b"ASIA", b"eyJ", b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_", b"github_pat", b"glpat-",
    b"xox", b"AIza", b"sk_live_", b"dapi", b'"query"', b'"sql"',
)  # fmt: skip


def _innocent(facet: Any) -> bool:
    """Whether nothing in a facet that describes data can be a secret: it is large, and walking it is slow."""
    try:
        text = orjson.dumps(facet)
    except (TypeError, RecursionError):
        return False
    return not any(hint in text for hint in _HINTS_IN_NAMES)


def _suspect(text: str) -> bool:
    lower = text.lower()
    return any(hint in lower for hint in _HINTS)


def redact(raw: Any) -> Any:
    """A copy of the event in which secrets read `[redacted]`. Raises nothing for any JSON value."""
    return _value(raw, structural=False, dialect=dialect_of(raw))


@lru_cache(maxsize=16384)
def is_secret_name(name: str) -> bool:
    """Whether a setting of this name holds a secret: `database.password`, `AWS_SECRET_ACCESS_KEY`, `apiKey`."""
    words = [word.lower() for word in _WORDS.findall(name)]
    if any(word in _SECRET_WORDS for word in words):
        return True
    return any(pair in _SECRET_PAIRS for pair in pairwise(words))


def _value(raw: Any, *, structural: bool, dialect: str = "") -> Any:
    if isinstance(raw, str):
        return _text(raw, structural=structural)
    if isinstance(raw, Mapping):
        return _object(raw, structural=structural, dialect=dialect)
    if isinstance(raw, list):
        return [_value(item, structural=structural, dialect=dialect) for item in raw]
    return raw


def _object(raw: Mapping[Any, Any], *, structural: bool, dialect: str) -> dict[Any, Any]:
    done: dict[Any, Any] = {}
    label = raw.get("name", raw.get("key"))
    named_secret = not structural and isinstance(label, str) and is_secret_name(label)
    for key, value in raw.items():
        if not isinstance(key, str):
            done[key] = value
        elif key in _DESCRIBES_DATA:
            done[key] = value if _innocent(value) else _value(value, structural=True, dialect=dialect)
        elif not structural and (is_secret_name(key) or (named_secret and key == "value")):
            done[key] = _hide(value)
        elif key in ("query", "sql") and isinstance(value, str):
            named = raw.get("dialect")
            clean = _text(value, structural=structural, sql=True)
            is_sql = not structural and " " in clean.strip()
            done[key] = (
                without_values(clean, named if isinstance(named, str) and named else dialect) if is_sql else clean
            )
        else:
            done[key] = _value(value, structural=structural, dialect=dialect)
    return done


def _hide(raw: Any) -> Any:
    """Everything under a secret's name, keeping the shape. Null, true and false hold no secret."""
    if raw is None or isinstance(raw, bool) or raw == "":
        return raw
    if isinstance(raw, Mapping):
        return {key: _hide(value) for key, value in raw.items()}
    if isinstance(raw, list):
        return [_hide(item) for item in raw]
    return REDACTED


def _text(text: str, *, structural: bool, sql: bool = False) -> str:
    if len(text) < 6:
        return text
    if len(text) <= 200:
        return _short_text(text, structural, sql)
    return _clean(text, structural, sql) if _suspect(text) else text


@lru_cache(maxsize=16384)
def _short_text(text: str, structural: bool, sql: bool) -> str:
    # Types, producers, schema addresses: the same few short texts make up most of what is sent.
    return _clean(text, structural, sql) if _suspect(text) else text


def _clean(text: str, structural: bool, sql: bool) -> str:
    text = _URL_USER.sub(rf"\1:{REDACTED}@", text)
    text = _ORACLE_USER.sub(rf"\1\2/{REDACTED}@", text)
    for shape in _SHAPES:
        text = shape.sub(REDACTED, text)
    if structural:
        return text
    text = _OPTION.sub(rf"\1{REDACTED}", text)
    text = _BEARER.sub(rf"\1 {REDACTED}", text)
    text = _SQL_SECRET.sub(rf"\1'{REDACTED}'", text)
    # In a statement `password = x.password` compares columns: only literals can hold a secret there, as their whole or
    # within, as in `dblink('host=h password=...')`.
    if sql:
        text = _SQL_TEXT.sub(lambda match: _ASSIGNMENT.sub(_hide_assignment, match.group()), text)
    return _ASSIGNMENT.sub(_hide_literal if sql else _hide_assignment, text)


def _hide_literal(match: re.Match[str]) -> str:
    return _hide_assignment(match) if match["value"][:1] in "\"'\\" else match.group()


def _hide_assignment(match: re.Match[str]) -> str:
    if not is_secret_name(match["name"]):
        return match.group()
    value = match["value"]
    if value.startswith(REDACTED) or value.strip("\"'\\").startswith(REDACTED):
        return match.group()
    quote = next((mark for mark in ('\\"', '"', "'") if value.startswith(mark)), "")
    return f"{match['name']}{match['sep']}{quote}{REDACTED}{quote}"
