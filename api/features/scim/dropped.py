"""Attributes of the standard that are not kept: left out before a body is read, whatever their form."""

from __future__ import annotations

from typing import Any

from scim2_models import EnterpriseUser, User

from api.features.scim.models import KEPT_OF_USERS

_EXTENSION = str(EnterpriseUser.__schema__).casefold()
_CORE = str(User.__schema__).casefold() + ":"
_STANDARD = {field.serialization_alias or name for name, field in User.model_fields.items()}
_USED = {each.casefold() for each in KEPT_OF_USERS} | {"username", "active", "schemas", "id", "meta", "groups"}
_READ_ONLY = {"id", "meta", "schemas"}
"""Okta repeats them in a `replace` without a path; they are the service's own."""
_DROPPED = {each.casefold() for each in _STANDARD} - _USED


def without_dropped(body: Any) -> Any:
    """A user as it was sent, without what is not kept."""
    if not isinstance(body, dict):
        return body
    schemas = body.get("schemas")
    kept = {name: value for name, value in body.items() if not _is_dropped(name)}
    if isinstance(schemas, list):
        kept["schemas"] = [each for each in schemas if str(each).casefold() != _EXTENSION]
    return kept


def relevant(body: Any) -> Any:
    """A PATCH without operations on what is not kept; None when none is left."""
    operations = body.get("Operations") if isinstance(body, dict) else None
    if not isinstance(operations, list) or not operations:
        return body
    kept = []
    for each in operations:
        if isinstance(each, dict):
            if isinstance(path := each.get("path"), str) and _is_dropped(path):
                continue
            if not each.get("path") and isinstance(value := each.get("value"), dict) and value:
                left = {n: inner for n, inner in value.items() if not (_is_dropped(n) or n.casefold() in _READ_ONLY)}
                if not left:
                    continue
                each = {**each, "value": left}
        kept.append(each)
    return {**body, "Operations": kept} if kept else None


def _is_dropped(path: str) -> bool:
    plain = path.strip().casefold()
    if plain == _EXTENSION or plain.startswith(_EXTENSION + ":"):
        return True
    root = plain.removeprefix(_CORE).partition(".")[0].partition("[")[0]
    return root in _DROPPED
