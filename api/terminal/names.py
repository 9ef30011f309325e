"""Names that people type: completed by the shell, and refused with the nearest ones before anything is done."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import Any

from api.config.home import Home
from api.terminal.http import Api
from catalog.declared.kind_names import KIND_NAMES
from catalog.errors import InvalidInput, Unavailable, WeirError
from catalog.near_names import did_you_mean

_PATIENCE_S = 1.0
"""As long as a shell that completes waits for Weir."""
_SHOWN = 200


class UnknownName(InvalidInput):
    """What was typed names nothing there is; the command line ends with exit code 2."""

    code = "unknown_name"


def unknown(what: str, name: str, known: Iterable[str], more: str) -> UnknownName:
    """`There is no WHAT 'NAME'; did you mean A or B?`, else where the names are (`more`)."""
    upper = {each.lower(): each for each in known}
    holding = [each for low, each in sorted(upper.items()) if len(name) > 2 and name.lower() in low]
    close = [upper[each] for each in difflib.get_close_matches(name.lower(), upper, 3, 0.6)]
    near = list(dict.fromkeys([*holding, *close]))[:3]
    return UnknownName(f"There is no {what} {name!r}; {did_you_mean(near, more)}", details={"near": near})


def require_kind(text: str) -> None:
    """Raises UnknownName for a word that names no kind of declared documents."""
    plain = _spelled(text)
    for kind in KIND_NAMES:
        low = kind.lower()
        if plain in (low, f"{low}s", low.removesuffix("y") + "ies", low.removesuffix("s")):
            return
    raise unknown("kind", text, KIND_NAMES, f"kinds are {', '.join(KIND_NAMES)}.")


def whole_reference(client: Api, name: str) -> str:
    """`prod/orders` for `orders` where one dataset has that name; what names a cluster stays as it is.

    Raises UnknownName where none has it, or several have.
    """
    if "/" in name:
        return name
    listed = [str(each["reference"]) for each in client.get("/api/v1/datasets", q=name, limit=_SHOWN)["datasets"]]
    matches = [each for each in listed if each.rpartition("/")[2] == name]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UnknownName(f"{name!r} is in several clusters: write {' or '.join(matches)}.", details={"near": matches})
    everything = client.get("/api/v1/datasets", limit=_SHOWN)["datasets"]
    raise unknown(
        "dataset", name, [each["reference"] for each in everything], "weir dataset list has those you may know of."
    )


def entity_of(client: Api, word: str) -> str | None:
    """The kind of personal data that a word names: `phone` is PHONE_NUMBER, `email` EMAIL_ADDRESS. None where no one kind does."""
    plain = _spelled(word)
    known = sorted({*_built_in(), *_entities(client)})
    exact = [each for each in known if _spelled(each) in (plain, plain.removesuffix("s"))]
    parts = [each for each in known if plain in (_spelled(part) for part in each.split("_"))]
    return exact[0] if exact else parts[0] if len(parts) == 1 else None


def require_entity(client: Api, text: str | None) -> None:
    """Raises UnknownName for a kind of personal data that nothing finds, and that no field carries as a tag."""
    if text is None or text in _built_in():
        return
    known = {*_built_in(), *_entities(client)}
    if text in known or _is_tag(client, text):
        return
    raise unknown("kind of personal data", text, known, "weir search --entity PII shows those that fields hold.")


def _built_in() -> set[str]:
    from catalog.model import PERSONAL_DATA_TAG
    from scanners.detectors.rules import RULES  # take a moment that only those who name an entity need

    return {PERSONAL_DATA_TAG, *RULES}


def _entities(client: Api) -> set[str]:
    matches = client.get("/api/v1/classifications", limit=1)["counts"]["entity"]
    own = client.get("/api/v1/declared/Recognizer")["documents"]
    return {*matches, *(str(each["spec"].get("supported_entity") or "") for each in own)} - {""}


def _is_tag(client: Api, text: str) -> bool:
    """Whether a dataset, a field or a term carries it; where search is away, that is left to the report."""
    try:
        return bool(client.get("/api/v1/search", tag=text, limit=1)["total"])
    except WeirError as error:
        if isinstance(error, Unavailable) or error.code == Unavailable.code:
            return True
        raise


def _spelled(text: str) -> str:
    return text.replace("-", "").replace("_", "").lower()


def _completer(names: Callable[[Api, str], Iterable[tuple[str, str]]]) -> Callable[[str], list[tuple[str, str]]]:
    """A completion that is silent and quick, also where no Weir answers."""

    def complete(incomplete: str) -> list[tuple[str, str]]:
        try:
            client = Api(Home.of_environment(), timeout=_PATIENCE_S, connect=_PATIENCE_S)
            matches = sorted(set(names(client, incomplete)))
        except Exception:  # a shell that completes shows no errors
            return []
        return [each for each in matches if each[0].startswith(incomplete)][:_SHOWN]

    return complete


def _rows(path: str, key: str, name: str, about: str = "") -> Callable[[Api, str], Iterable[tuple[str, str]]]:
    def rows(client: Api, incomplete: str) -> Iterable[tuple[str, str]]:
        return [(str(each[name]), _about(each.get(about))) for each in client.get(path)[key]]

    return rows


def _declared(kind: str) -> Callable[[Api, str], Iterable[tuple[str, str]]]:
    def rows(client: Api, incomplete: str) -> Iterable[tuple[str, str]]:
        documents = client.get(f"/api/v1/declared/{kind}")["documents"]
        return [(str(each["metadata"]["name"]), kind) for each in documents]

    return rows


def _about(value: Any) -> str:
    return " ".join(str(value or "").split())[:60]


def _datasets(client: Api, incomplete: str) -> Iterable[tuple[str, str]]:
    prefix = incomplete.partition("/")[2]
    listed = client.get("/api/v1/datasets", q=prefix or None, limit=_SHOWN)["datasets"]
    return [(each["reference"], _about(each["description"])) for each in listed]


def _purposes(client: Api, incomplete: str) -> Iterable[tuple[str, str]]:
    listed = client.get("/api/v1/purposes")["purposes"]
    return [(each["name"], _about(each["title"])) for each in listed if not each["deprecated"]]


def _people(client: Api, incomplete: str) -> Iterable[tuple[str, str]]:
    return _declared("User")(client, incomplete)


def _all_entities(client: Api, incomplete: str) -> Iterable[tuple[str, str]]:
    return [(each, "") for each in {*_built_in(), *_entities(client)}]


def complete_kind(incomplete: str) -> list[str]:
    """Kinds of declared documents."""
    return [each for each in KIND_NAMES if each.lower().startswith(incomplete.lower())]


def complete_entity(incomplete: str) -> list[tuple[str, str]]:
    """Kinds of personal data; the built-in ones where no Weir answers."""
    matches = _completer(_all_entities)(incomplete)
    return matches or [(each, "") for each in sorted(_built_in()) if each.startswith(incomplete)]


complete_dataset = _completer(_datasets)
complete_purpose = _completer(_purposes)
complete_user = _completer(_people)
complete_group = _completer(_declared("Group"))
complete_cluster = _completer(_rows("/api/v1/clusters", "clusters", "name", "namespace"))
complete_view = _completer(_rows("/api/v1/views", "views", "name", "state"))
complete_connector = _completer(_rows("/api/v1/connectors", "connectors", "name", "state"))
complete_campaign = _completer(_rows("/api/v1/access-reviews", "reviews", "id", "state"))
complete_request = _completer(_rows("/api/v1/access-requests", "requests", "id", "dataset"))
complete_grant = _completer(_rows("/api/v1/grants", "grants", "name", "dataset"))
complete_template = _completer(_rows("/api/v1/request-templates", "templates", "name", "description"))
complete_saved_query = _completer(_rows("/api/v1/saved-queries", "queries", "name", "description"))
