"""Secrets in plain text: by the name of a key, and inside a value. In doubt a text is one: it can be named instead."""

from __future__ import annotations

import re

_PROVIDED = r"\$\{[A-Za-z0-9_.-]+:[^{}]*\}"
_REFERENCE = re.compile(rf"{_PROVIDED}\Z")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BETWEEN = re.compile(r"[^A-Za-z0-9]+")
_ALONE = frozenset({"pass", "jaas", "credential", "credentials", "creds", "dbpass", "userpass"})
_ENDS = (
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "accountkey",
    "sharedkey",
    "masterkey",
    "encryptionkey",
    "connectionstring",
)
_PAIRS = frozenset(
    {
        (first, "key")
        for first in (
            "api",
            "access",
            "private",
            "secret",
            "account",
            "shared",
            "encryption",
            "master",
            "keystore",
            "signing",
            "sas",
            "auth",
        )
    }
    | {("user", "info"), ("secret", "id"), ("connection", "string"), ("sas", "signature")}
)
_AFTER = frozenset({"json", "value", "base64", "pem", "config", "string"})
"""Words that may follow: `sasl.jaas.config`, `gcp.credentials.json`."""
_IN_ADDRESS = re.compile(
    r"://[^\s/:@]*:(?P<first>[^@\s]+)@"
    r"|(?:passw(?:or)?d|passphrase|pwd|secret|token|(?<![a-z])pass|(?<![a-z])sig"
    r"|(?:account|access|shared|api|private|secret|master)[._-]?key)(?:[\"']?\s*=\s*|[\"']\s*:\s*(?=[\"']))(?P<second>\"[^\"]+\"|'[^']+'|[^&;,\s\"'][^&;,\s]*)",
    re.IGNORECASE,
)

_SALTED = re.compile(r"column\.mask\.hash\.(?:v2\.)?[^.]+\.with\.salt\.(?P<salt>.*)", re.S)
"""A setting of Debezium whose name has a secret in it."""
_SALT_REFERENCE = re.compile(r"\$\{(?P<name>[A-Z][A-Z0-9_]*)\}\Z")


def salt_of(key: str) -> str | None:
    """The salt in the name of a setting; None where it has none."""
    match = _SALTED.fullmatch(key)
    return match["salt"] if match is not None else None


def salt_reference(key: str) -> str | None:
    """The name of the secret that the salt of a setting is written as: `${WEIR_SECRET_NAME}`."""
    match = _SALT_REFERENCE.match(salt_of(key) or "")
    return match["name"] if match is not None else None


def shown_key(key: str) -> str:
    """The name of a setting without the salt that is a part of it."""
    salt = salt_of(key)
    return key if salt is None or salt_reference(key) else f"{key.removesuffix(salt)}(not shown)"


def is_secret_name(key: str) -> bool:
    """Whether a key is a secret by its name: `database.password`, `aws.secret.access.key`, `connectionPassword`."""
    words = [word.lower() for word in _BETWEEN.split(_HUMP.sub(".", key)) if word]
    if _is_secret(words):
        return True
    while words and words[-1] in _AFTER:
        words.pop()
        if _is_secret(words):
            return True
    return False


def _is_secret(words: list[str]) -> bool:
    return bool(words) and (words[-1] in _ALONE or words[-1].endswith(_ENDS) or tuple(words[-2:]) in _PAIRS)


def is_reference(value: str) -> bool:
    """Whether the whole value is a reference that the worker resolves: `${file:/run/secrets/db:password}`."""
    return bool(_REFERENCE.match(value))


def has_reference(value: str) -> bool:
    """Whether the worker may put something in the place of a part of the value."""
    return "${" in value


def holds_password(value: str) -> bool:
    """Whether a value has a password in it, as in an address or a connection string."""
    return any(
        not is_reference((match["first"] or match["second"] or "").strip("\"'"))
        for match in _IN_ADDRESS.finditer(value)
    )
