"""Users and Groups of SCIM: read, filtered, created, replaced, patched, removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scim2_models import Context, ListResponse, PatchOp, SearchRequest

from api.features.scim.dropped import relevant, without_dropped
from api.features.scim.models import (
    KEPT_OF_EMAILS,
    KEPT_OF_NAMES,
    KEPT_OF_USERS,
    MOST,
    PROVIDER,
    Group,
    TakenGroup,
    TakenUser,
    User,
)
from api.features.scim.narrow import narrowed
from catalog.errors import InvalidInput
from catalog.records import rfc3339
from catalog.unseen import has_unseen
from policies.access.directory import DirectoryPeople
from policies.declared.directory import USER, Directory
from policies.model import Subject
from policies.ports import Document
from policies.spellings import plain

Json = dict[str, object]
_DEFAULT_PAGE = 100


def version_of(document: Document) -> str:
    """The ETag of a thing."""
    return f'W/"{document.version}"'


class ScimService:
    """`base` is the address that begins the locations of resources. Bodies are JSON as it came.

    Methods raise what scim2_models and pydantic raise for what is not SCIM, and what DirectoryPeople raises.
    """

    def __init__(self, people: DirectoryPeople) -> None:
        self._people = people

    # --- reading ---------------------------------------------------------------------------------------------------

    def users(self, base: str, query: Mapping[str, str]) -> Json:
        """A page of users: `filter`, `startIndex`, `count`, `sortBy`, `sortOrder`, `attributes`, `excludedAttributes`."""
        directory = self._people.directory()
        parameters = _asked(User, query)
        matches = narrowed(parameters.filter, directory.users.values(), "userName", directory)
        return _page(User, parameters, matches, lambda each: self._user(base, each, directory))

    def groups(self, base: str, query: Mapping[str, str]) -> Json:
        """A page of groups, as `users`."""
        directory = self._people.directory()
        asked = _asked(Group, query)
        matches = narrowed(asked.filter, directory.groups.values(), "displayName", directory)
        bare = _leaves_out_members(asked)
        return _page(Group, asked, matches, lambda each: self._group(base, each, directory, bare))

    def search(self, base: str, kind: str | None, body: Mapping[str, Any]) -> Json:
        """The same by a body (`/.search`); `kind`: User, Group, or None for both."""
        directory = self._people.directory()
        model = {"User": User, "Group": Group}.get(kind or "", User | Group)
        asked = _asked(model, {name: value for name, value in body.items() if value is not None})
        matches: list[Document] = []
        if kind != "Group":
            matches += narrowed(asked.filter, directory.users.values(), "userName", directory)
        if kind != "User":
            matches += narrowed(asked.filter, directory.groups.values(), "displayName", directory)

        def resource(each: Document) -> Any:
            return self._user(base, each, directory) if each.kind == USER else self._group(base, each, directory)

        return _page(model, asked, matches, resource)

    def user(self, base: str, identifier: str, query: Mapping[str, str]) -> tuple[Json, str]:
        """(the user, its ETag). Raises NotFound."""
        matches = self._people.user(identifier)
        return _shown(User, self._user(base, matches, self._people.directory()), query), version_of(matches)

    def group(self, base: str, identifier: str, query: Mapping[str, str]) -> tuple[Json, str]:
        """(the group, its ETag). Raises NotFound."""
        matches = self._people.group(identifier)
        return _shown(Group, self._group(base, matches, self._people.directory()), query), version_of(matches)

    # --- people ----------------------------------------------------------------------------------------------------

    def create_user(self, base: str, by: Subject, body: Any) -> tuple[Json, str]:
        """(the user, its ETag)"""
        with PROVIDER:
            user = TakenUser.model_validate(without_dropped(body), scim_ctx=Context.RESOURCE_CREATION_REQUEST)
        created = self._people.create_user(by, *_kept_user(user))
        return self.user(base, created.name, {})

    def replace_user(self, base: str, by: Subject, identifier: str, expect: int | None, body: Any) -> tuple[Json, str]:
        """PUT: what is left out is gone. A user without `active` stays as active as before."""
        with PROVIDER:
            taken = TakenUser.model_validate(without_dropped(body), scim_ctx=Context.RESOURCE_REPLACEMENT_REQUEST)

        def change(present: Document) -> tuple[str, bool, Json]:
            user, active, resource = _kept_user(taken)
            before = bool((present.spec or {})["active"])
            return user, before if taken.active is None else active, resource

        return self.user(base, self._people.change_user(by, identifier, expect, change).name, {})

    def patch_user(self, base: str, by: Subject, identifier: str, expect: int | None, body: Any) -> tuple[Json, str]:
        """PATCH, all operations or none."""
        with PROVIDER:
            kept = relevant(body)
            if kept is None:
                return self.user(base, identifier, {})
            patch = PatchOp[TakenUser].model_validate(kept, scim_ctx=Context.RESOURCE_PATCH_REQUEST)

        def change(present: Document) -> tuple[str, bool, Json]:
            spec = present.spec or {}
            with PROVIDER:
                now = TakenUser.model_validate(
                    {
                        "schemas": [TakenUser.__schema__],
                        **spec["resource"],
                        "userName": spec["user"],
                        "active": spec["active"],
                    }
                )
                patch.patch(now)
            if now.active is None:  # a `remove` would otherwise let a deactivated person in again
                raise InvalidInput("active cannot be removed; send true or false.", details={"field": "active"})
            return _kept_user(now)

        return self.user(base, self._people.change_user(by, identifier, expect, change).name, {})

    def remove_user(self, by: Subject, identifier: str, expect: int | None) -> None:
        self._people.remove_user(by, identifier, expect)

    # --- groups ----------------------------------------------------------------------------------------------------

    def create_group(self, base: str, by: Subject, body: Any) -> tuple[Json, str]:
        """(the group, its ETag)"""
        with PROVIDER:
            group = TakenGroup.model_validate(body, scim_ctx=Context.RESOURCE_CREATION_REQUEST)
        created = self._people.create_group(by, *_kept_group(group))
        return self.group(base, created.name, {})

    def replace_group(self, base: str, by: Subject, identifier: str, expect: int | None, body: Any) -> tuple[Json, str]:
        """PUT: members that are left out are members no more."""
        with PROVIDER:
            group = TakenGroup.model_validate(body, scim_ctx=Context.RESOURCE_REPLACEMENT_REQUEST)
        changed = self._people.change_group(by, identifier, expect, lambda *_: _kept_group(group))
        return self.group(base, changed.name, {})

    def patch_group(self, base: str, by: Subject, identifier: str, expect: int | None, body: Any) -> tuple[Json, str]:
        """PATCH, all operations or none."""
        with PROVIDER:
            kept = relevant(body)
            if kept is None:
                return self.group(base, identifier, {})
            patch = PatchOp[TakenGroup].model_validate(kept, scim_ctx=Context.RESOURCE_PATCH_REQUEST)

        def change(present: Document, members: frozenset[str]) -> tuple[str, Json, list[str]]:
            spec = present.spec or {}
            with PROVIDER:
                now = TakenGroup.model_validate(
                    {
                        "schemas": [TakenGroup.__schema__],
                        **spec["resource"],
                        "displayName": spec["name"],
                        "members": [{"value": each} for each in sorted(members)],
                    }
                )
                patch.patch(now)
            return _kept_group(now)

        return self.group(base, self._people.change_group(by, identifier, expect, change).name, {})

    def remove_group(self, by: Subject, identifier: str, expect: int | None) -> None:
        self._people.remove_group(by, identifier, expect)

    # --- inside ----------------------------------------------------------------------------------------------------

    def _user(self, base: str, document: Document, directory: Directory) -> Any:
        spec = document.spec or {}
        groups = [
            directory.groups[each]
            for each in sorted(directory.groups_of.get(document.name, ()))
            if each in directory.groups
        ]
        return User.model_validate(
            {
                "schemas": [User.__schema__],
                **spec["resource"],
                "id": document.name,
                "userName": spec["user"],
                "active": spec["active"],
                "meta": _meta(base, document, "User"),
                "groups": [{"value": g.name, "display": (g.spec or {})["name"], "type": "direct"} for g in groups]
                or None,
            }
        )

    def _group(self, base: str, document: Document, directory: Directory, bare: bool = False) -> Any:
        spec = document.spec or {}
        members = [] if bare else sorted(directory.members.get(document.name, ()))
        return Group.model_validate(
            {
                "schemas": [Group.__schema__],
                **spec["resource"],
                "id": document.name,
                "displayName": spec["name"],
                "meta": _meta(base, document, "Group"),
                "members": [_member(base, each) for each in members if each in directory.users] or None,
            }
        )


def _member(base: str, identifier: str) -> Json:
    return {"value": identifier, "$ref": f"{base}/Users/{identifier}", "type": "User"}


def _meta(base: str, document: Document, kind: str) -> Json:
    return {
        "resourceType": kind,
        "created": (document.spec or {})["created"],
        "lastModified": rfc3339(document.at),
        "location": f"{base}/{kind}s/{document.name}",
        "version": version_of(document),
    }


def _kept_user(user: Any) -> tuple[str, bool, Json]:
    """(name, active, what else is kept) of a user as a client sent it."""
    sent = user.model_dump()
    kept = {name: value for name, value in sent.items() if name in KEPT_OF_USERS}
    if "name" in kept:
        kept["name"] = {name: value for name, value in kept["name"].items() if name in KEPT_OF_NAMES}
    if "emails" in kept:
        kept["emails"] = [{n: v for n, v in each.items() if n in KEPT_OF_EMAILS} for each in kept["emails"]]
    return str(sent.get("userName") or ""), sent.get("active", True) is not False, kept


def _kept_group(group: Any) -> tuple[str, Json, list[str]]:
    """(name, what else is kept, ids of members) of a group as a client sent it."""
    sent = group.model_dump()
    name = str(sent.get("displayName") or "")
    if not name.strip() or len(name) > 253:
        raise InvalidInput("displayName must be 1 to 253 characters.", details={"field": "displayName"})
    if has_unseen(name):
        raise InvalidInput(
            "displayName has a character that nobody sees, such as a line end; send it without.",
            details={"field": "displayName"},
        )
    members = [str(each.get("value")) for each in sent.get("members") or []]
    return name, {n: v for n, v in sent.items() if n == "externalId"}, members


def _asked(model: Any, query: Mapping[str, Any]) -> Any:
    """The search of a request's parameters; others than SCIM's are not looked at, as RFC 7644 has it."""
    names = {"filter", "sortBy", "sortOrder", "startIndex", "count", "attributes", "excludedAttributes"}
    parameters: dict[str, Any] = {name: value for name, value in query.items() if name in names}
    for name in ("startIndex", "count"):
        if name in parameters:
            try:
                parameters[name] = int(parameters[name])
            except (TypeError, ValueError):
                raise InvalidInput(f"{name} must be a whole number.", details={"field": name}) from None
    if isinstance(parameters.get("filter"), str):
        parameters["filter"] = plain(parameters["filter"])  # names are kept in composed letters
    with PROVIDER:
        return SearchRequest[model].model_validate(parameters)


def _page(model: Any, asked: Any, documents: Sequence[Document], resource: Callable[[Document], Any]) -> Json:
    """Resources are created for the page alone where nothing has to be compared."""
    start = max(1, asked.start_index or 1)
    count = min(MOST, _DEFAULT_PAGE if asked.count is None else max(0, asked.count))
    with PROVIDER:
        if asked.filter is None and asked.sort_by is None:
            total, page = len(documents), [resource(each) for each in documents[start - 1 : start - 1 + count]]
        else:
            every = [resource(each) for each in documents]
            matching = [each for each in every if asked.filter is None or asked.filter.match(each)]
            ordered = asked.sort(matching) if asked.sort_by is not None else matching
            total, page = len(ordered), ordered[start - 1 : start - 1 + count]
        answer = ListResponse[model](total_results=total, start_index=start, items_per_page=len(page), resources=page)
        created: Json = answer.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE, response_parameters=asked)
    created.setdefault("Resources", [])
    return created


def _shown(model: Any, resource: Any, query: Mapping[str, str]) -> Json:
    asked = _asked(
        model, {name: value for name, value in query.items() if name in ("attributes", "excludedAttributes")}
    )
    with PROVIDER:
        created: Json = resource.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE, response_parameters=asked)
    return created


def _leaves_out_members(asked: Any) -> bool:
    """Whether members are neither shown nor filtered by: a directory's client asks for lists of groups without them."""
    if asked.filter is not None and "members" in str(asked.filter).casefold():
        return False
    if asked.attributes:
        return not any("members" in str(each).casefold() for each in asked.attributes)
    return any(str(each).casefold().endswith("members") for each in asked.excluded_attributes or ())
