"""The mail address of a person: as declared, else as the directory keeps it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from policies.declared.view import View

_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9-]{1,63}\.)*[A-Za-z0-9-]{1,63}")


def address_of(view: View, user: str) -> str | None:
    """None where no address is known, or the one that is known cannot be used in mail.

    A declared address goes before the directory's; of several there, the primary one.
    """
    spec = view.users.get(user)
    if spec is not None and spec.email:
        return usable(spec.email)
    document = view.directory.user(user)
    resource = ((document.spec or {}).get("resource") or {}) if document is not None else {}
    return _of_directory(resource.get("emails"))


def usable(text: str) -> str | None:
    """An address as it can be written in mail: letters of ASCII, the domain in its encoded form."""
    local, at, domain = text.strip().rpartition("@")
    if not at:
        return None
    try:
        address = f"{local}@{domain.encode('idna').decode()}"
    except UnicodeError:
        return None
    return address if len(address) <= 254 and _ADDRESS.fullmatch(address) else None


def _of_directory(emails: Any) -> str | None:
    if not isinstance(emails, Sequence) or isinstance(emails, str):
        return None
    listed = [each for each in emails if isinstance(each, Mapping) and isinstance(each.get("value"), str)]
    listed.sort(key=lambda each: (not each.get("primary"), each.get("type") != "work"))
    return next((matches for each in listed if (matches := usable(each["value"])) is not None), None)
