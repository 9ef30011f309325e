"""`/scim/v2`: SCIM 2.0 (RFC 7643, RFC 7644), by which a company's directory keeps its people and groups here."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from pydantic import ValidationError
from scim2_models import Error, SCIMException

from api.config.settings import Settings
from api.edge.errors import headers_of, status_of
from api.edge.parameters import Name
from api.features.scim.models import PROVIDER
from api.features.scim.service import Json, ScimService, version_of
from api.guard import cookies
from api.guard.directory import DIRECTORY, FIXED
from api.guard.guards import Caller, everybody
from api.guard.router import FeatureRouter
from api.guard.services import From
from catalog.errors import Conflict, InvalidInput, NotAllowed, NotFound, WeirError
from policies.access.directory import DirectoryPeople
from policies.model import Subject

PREFIX = "/scim/v2"
MEDIA = "application/scim+json"
_CHANGING = ["POST", "PUT", "PATCH", "DELETE"]


class _Changed(WeirError):
    """The resource is not at the version that If-Match names."""


def scim_error(
    status: int, detail: str, kind: str | None = None, headers: dict[str, str] | None = None
) -> JSONResponse:
    """An error as RFC 7644 has it in section 3.12."""
    body = Error(status=status, detail=detail, scim_type=kind).model_dump()
    return JSONResponse(body, status, headers=headers, media_type=MEDIA)


class ScimRoute(APIRoute):
    """Answers every failure in SCIM's form."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except WeirError as error:
                return _failed(error)
            except SCIMException as error:
                return scim_error(error.status, str(error.detail), error.scim_type or None)
            except RequestValidationError:
                return scim_error(400, "The request cannot be read.", "invalidSyntax")
            except ValidationError as error:
                first = Error.from_validation_errors(error)[0]
                return scim_error(first.status or 400, first.detail or "", first.scim_type)

        return handled


def _failed(error: WeirError) -> JSONResponse:
    status, kind = status_of(error), None
    match error:
        case _Changed():
            status = 412
        case Conflict():
            kind = error.details.get("scimType")
            status = 409 if kind else 412
        case InvalidInput():
            kind = "invalidValue"
    return scim_error(status, error.message, kind, headers_of(error))


class ScimCall:
    """A request of a directory, and the services it needs."""

    def __init__(
        self, request: Request, service: From[ScimService], people: From[DirectoryPeople], settings: From[Settings]
    ) -> None:
        self.request, self.service, self.people, self._settings = request, service, people, settings

    @property
    def base(self) -> str:
        """The address below which resources are; relative where Weir does not know its own address."""
        try:
            return cookies.base_url(self.request, self._settings.api) + PREFIX
        except Conflict:
            return PREFIX  # only locations rest on it

    def meta(self, kind: str, place: str) -> Json:
        return {"resourceType": kind, "location": f"{self.base}/{kind}{place}"}

    def expected(self, id: str) -> int | None:
        """The version that the resource must have; None for any. Raises _Changed, NotFound."""
        tags = _tags(self.request, "if-match")
        if not tags or "*" in tags:
            return None
        present = self.people.user(id) if _is_users(self.request) else self.people.group(id)
        if version_of(present) not in tags:
            raise _Changed("The resource was changed since; read it again, and repeat.")
        return present.version


Call = Annotated[ScimCall, Depends()]
router = FeatureRouter(PREFIX, base="", tolerant=True, route_class=ScimRoute, include_in_schema=False)


@router.get("/ServiceProviderConfig", dependencies=[DIRECTORY])
def config(call: Call) -> Response:
    """What this service supports."""
    assert PROVIDER.config is not None
    return _answer({**PROVIDER.config.model_dump(), "meta": call.meta("ServiceProviderConfig", "")})


@router.get("/ResourceTypes", dependencies=[DIRECTORY])
@router.get("/Schemas", dependencies=[DIRECTORY])
def descriptions(call: Call) -> Response:
    """The kinds of resources, or their schemas."""
    shown = _descriptions(call)
    return _answer(
        {
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
            "totalResults": len(shown),
            "startIndex": 1,
            "itemsPerPage": len(shown),
            "Resources": shown,
        }
    )


@router.get("/ResourceTypes/{name}", dependencies=[DIRECTORY])
@router.get("/Schemas/{name}", dependencies=[DIRECTORY])
def description(call: Call, name: Name) -> Response:
    """One of them by its id."""
    shown = _descriptions(call)
    resource = next((each for each in shown if str(each.get("id")).casefold() == name.casefold()), None)
    if resource is None:
        raise NotFound(f"There is nothing named {name[:80]!r} here.")
    return _answer(resource)


def _descriptions(call: ScimCall) -> list[Json]:
    if "filter" in call.request.query_params:  # RFC 7644, section 4
        raise NotAllowed("Descriptions of this service are not filtered.", details={"reasons": ["filter"]})
    kind = "ResourceType" if "/ResourceTypes" in call.request.url.path else "Schema"
    shown = PROVIDER.resource_types if kind == "ResourceType" else PROVIDER.schemas
    return [{**each.model_dump(), "meta": call.meta(kind, f"s/{each.id}")} for each in shown]


@router.get("/Users", dependencies=[DIRECTORY])
@router.get("/Groups", dependencies=[DIRECTORY])
def listed(call: Call) -> Response:
    """A page of resources."""
    of = call.service.users if _is_users(call.request) else call.service.groups
    return _answer(of(call.base, call.request.query_params))


@router.post("/.search", dependencies=[DIRECTORY])
@router.post("/Users/.search", dependencies=[DIRECTORY])
@router.post("/Groups/.search", dependencies=[DIRECTORY])
async def search(call: Call) -> Response:
    """A page of resources, asked for by a body."""
    body = await _body(call.request)
    kind = {"Users": "User", "Groups": "Group"}.get(call.request.url.path.removeprefix(PREFIX).split("/")[1])
    return _answer(await run_in_threadpool(call.service.search, call.base, kind, body))


@router.post("/Users", dependencies=[DIRECTORY], status_code=201)
@router.post("/Groups", dependencies=[DIRECTORY], status_code=201)
async def create(call: Call, subject: Caller) -> Response:
    """A new resource."""
    of = call.service.create_user if _is_users(call.request) else call.service.create_group
    body = await _body(call.request)
    answered, version = await run_in_threadpool(of, call.base, subject, body)
    return _answer(answered, 201, version)


@router.get("/Users/{id}", dependencies=[DIRECTORY])
@router.get("/Groups/{id}", dependencies=[DIRECTORY])
def one(call: Call, id: Name) -> Response:
    """One resource."""
    of = call.service.user if _is_users(call.request) else call.service.group
    resource, version = of(call.base, id, call.request.query_params)
    if version in _tags(call.request, "if-none-match"):
        return Response(status_code=304, headers={"ETag": version})
    return _answer(resource, 200, version)


@router.put("/Users/{id}", dependencies=[DIRECTORY])
@router.put("/Groups/{id}", dependencies=[DIRECTORY])
async def replace(call: Call, subject: Caller, id: Name) -> Response:
    """What is sent takes the place of the resource."""
    of = call.service.replace_user if _is_users(call.request) else call.service.replace_group
    return await _changed(call, subject, id, of)


@router.patch("/Users/{id}", dependencies=[DIRECTORY])
@router.patch("/Groups/{id}", dependencies=[DIRECTORY])
async def patch(call: Call, subject: Caller, id: Name) -> Response:
    """Operations on the resource, all or none."""
    of = call.service.patch_user if _is_users(call.request) else call.service.patch_group
    return await _changed(call, subject, id, of)


@router.delete("/Users/{id}", dependencies=[DIRECTORY], status_code=204)
@router.delete("/Groups/{id}", dependencies=[DIRECTORY], status_code=204)
def remove(call: Call, subject: Caller, id: Name) -> Response:
    """Remove the resource. A removed person is out at once."""
    of = call.service.remove_user if _is_users(call.request) else call.service.remove_group
    of(subject, id, call.expected(id))
    return Response(status_code=204)


@router.api_route("/ServiceProviderConfig", methods=_CHANGING, dependencies=[FIXED])
@router.api_route("/ResourceTypes", methods=_CHANGING, dependencies=[FIXED])
@router.api_route("/ResourceTypes/{name}", methods=_CHANGING, dependencies=[FIXED])
@router.api_route("/Schemas", methods=_CHANGING, dependencies=[FIXED])
@router.api_route("/Schemas/{name}", methods=_CHANGING, dependencies=[FIXED])
def fixed() -> Response:
    """Descriptions are read only."""
    return scim_error(405, "What this service describes is read only.", headers={"Allow": "GET"})


@router.api_route(
    "/{rest:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], dependencies=[everybody(listed=False)]
)
def nothing(request: Request) -> Response:
    """All other addresses: bulk, /Me."""
    return scim_error(404, f"There is nothing at {request.url.path[:80]}; see {PREFIX}/ServiceProviderConfig.")


async def _changed(
    call: ScimCall,
    subject: Subject,
    id: str,
    of: Callable[[str, Subject, str, int | None, Any], tuple[Json, str]],
) -> Response:
    body = await _body(call.request)
    base = call.base

    def change() -> tuple[Json, str]:
        return of(base, subject, id, call.expected(id), body)

    answered, version = await run_in_threadpool(change)
    return _answer(answered, 200, version)


async def _body(request: Request) -> Any:
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind not in (MEDIA, "application/json"):
        raise InvalidInput(f"Send the body as {MEDIA}.", details={"field": "Content-Type"})
    try:
        resource = json.loads(await request.body())
    except (ValueError, RecursionError):
        resource = None
    if not isinstance(resource, dict):
        raise SCIMSyntaxError
    return resource


class SCIMSyntaxError(SCIMException):
    """A body that is not a JSON object."""

    status = 400
    scim_type = "invalidSyntax"
    _default_detail = "The body must be one JSON object."


def _tags(request: Request, header: str) -> list[str]:
    return [each.strip() for each in request.headers.get(header, "").split(",") if each.strip()]


def _is_users(request: Request) -> bool:
    return request.url.path.removeprefix(PREFIX).split("/")[1] == "Users"


def _answer(body: Json, status: int = 200, version: str | None = None) -> Response:
    headers = {"Cache-Control": "no-store"} | ({"ETag": version} if version else {})
    meta = body.get("meta")
    location = meta.get("location") if status == 201 and isinstance(meta, dict) else None
    return JSONResponse(body, status, headers | ({"Location": location} if location else {}), media_type=MEDIA)
