"""`/scim/v2`: SCIM 2.0 (RFC 7643, RFC 7644), by which a company's directory keeps its people and groups here."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from pydantic import ValidationError
from scim2_models import Error, SCIMException

from api.config.settings import Settings
from api.edge.errors import headers_of, status_of
from api.edge.parameters import Name
from api.guard import cookies
from api.guard.directory import DIRECTORY, FIXED
from api.guard.guards import Caller, everybody
from api.guard.services import InstanceOf
from api.joins.scim.models import PROVIDER
from api.joins.scim.service import Json, ScimService, version_of
from api.wiring.instance import Instance
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


router = APIRouter(prefix=PREFIX, route_class=ScimRoute, include_in_schema=False)


@router.get("/ServiceProviderConfig", dependencies=[DIRECTORY])
def config(request: Request, built: InstanceOf) -> Response:
    """What this service supports."""
    assert PROVIDER.config is not None
    return _answer({**PROVIDER.config.model_dump(), "meta": _meta(request, built, "ServiceProviderConfig", "")})


@router.get("/ResourceTypes", dependencies=[DIRECTORY])
@router.get("/Schemas", dependencies=[DIRECTORY])
def descriptions(request: Request, built: InstanceOf) -> Response:
    """The kinds of resources, or their schemas."""
    shown = _descriptions(request, built)
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
def description(request: Request, built: InstanceOf, name: Name) -> Response:
    """One of them by its id."""
    shown = _descriptions(request, built)
    resource = next((each for each in shown if str(each.get("id")).casefold() == name.casefold()), None)
    if resource is None:
        raise NotFound(f"There is nothing named {name[:80]!r} here.")
    return _answer(resource)


def _descriptions(request: Request, built: Instance) -> list[Json]:
    if "filter" in request.query_params:  # RFC 7644, section 4
        raise NotAllowed("Descriptions of this service are not filtered.", details={"reasons": ["filter"]})
    kind = "ResourceType" if "/ResourceTypes" in request.url.path else "Schema"
    shown = PROVIDER.resource_types if kind == "ResourceType" else PROVIDER.schemas
    return [{**each.model_dump(), "meta": _meta(request, built, kind, f"s/{each.id}")} for each in shown]


@router.get("/Users", dependencies=[DIRECTORY])
@router.get("/Groups", dependencies=[DIRECTORY])
def listed(request: Request, built: InstanceOf) -> Response:
    """A page of resources."""
    of = built[ScimService].users if _is_users(request) else built[ScimService].groups
    return _answer(of(_base(request, built), request.query_params))


@router.post("/.search", dependencies=[DIRECTORY])
@router.post("/Users/.search", dependencies=[DIRECTORY])
@router.post("/Groups/.search", dependencies=[DIRECTORY])
async def search(request: Request, built: InstanceOf) -> Response:
    """A page of resources, asked for by a body."""
    body = await _body(request)
    kind = {"Users": "User", "Groups": "Group"}.get(request.url.path.removeprefix(PREFIX).split("/")[1])
    return _answer(await run_in_threadpool(built[ScimService].search, _base(request, built), kind, body))


@router.post("/Users", dependencies=[DIRECTORY], status_code=201)
@router.post("/Groups", dependencies=[DIRECTORY], status_code=201)
async def create(request: Request, built: InstanceOf, subject: Caller) -> Response:
    """A new resource."""
    of = built[ScimService].create_user if _is_users(request) else built[ScimService].create_group
    body = await _body(request)
    answered, version = await run_in_threadpool(of, _base(request, built), subject, body)
    return _answer(answered, 201, version)


@router.get("/Users/{id}", dependencies=[DIRECTORY])
@router.get("/Groups/{id}", dependencies=[DIRECTORY])
def one(request: Request, built: InstanceOf, id: Name) -> Response:
    """One resource."""
    of = built[ScimService].user if _is_users(request) else built[ScimService].group
    resource, version = of(_base(request, built), id, request.query_params)
    if version in _tags(request, "if-none-match"):
        return Response(status_code=304, headers={"ETag": version})
    return _answer(resource, 200, version)


@router.put("/Users/{id}", dependencies=[DIRECTORY])
@router.put("/Groups/{id}", dependencies=[DIRECTORY])
async def replace(request: Request, built: InstanceOf, subject: Caller, id: Name) -> Response:
    """What is sent takes the place of the resource."""
    of = built[ScimService].replace_user if _is_users(request) else built[ScimService].replace_group
    return await _changed(request, built, subject, id, of)


@router.patch("/Users/{id}", dependencies=[DIRECTORY])
@router.patch("/Groups/{id}", dependencies=[DIRECTORY])
async def patch(request: Request, built: InstanceOf, subject: Caller, id: Name) -> Response:
    """Operations on the resource, all or none."""
    of = built[ScimService].patch_user if _is_users(request) else built[ScimService].patch_group
    return await _changed(request, built, subject, id, of)


@router.delete("/Users/{id}", dependencies=[DIRECTORY], status_code=204)
@router.delete("/Groups/{id}", dependencies=[DIRECTORY], status_code=204)
def remove(request: Request, built: InstanceOf, subject: Caller, id: Name) -> Response:
    """Remove the resource. A removed person is out at once."""
    of = built[ScimService].remove_user if _is_users(request) else built[ScimService].remove_group
    of(subject, id, _expected(request, built, id))
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
    request: Request,
    built: Instance,
    subject: Subject,
    id: str,
    of: Callable[[str, Subject, str, int | None, Any], tuple[Json, str]],
) -> Response:
    body = await _body(request)
    base = _base(request, built)

    def change() -> tuple[Json, str]:
        return of(base, subject, id, _expected(request, built, id), body)

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


def _expected(request: Request, built: Instance, id: str) -> int | None:
    """The version that the resource must have; None for any. Raises _Changed, NotFound."""
    tags = _tags(request, "if-match")
    if not tags or "*" in tags:
        return None
    present = built[DirectoryPeople].user(id) if _is_users(request) else built[DirectoryPeople].group(id)
    if version_of(present) not in tags:
        raise _Changed("The resource was changed since; read it again, and repeat.")
    return present.version


def _tags(request: Request, header: str) -> list[str]:
    return [each.strip() for each in request.headers.get(header, "").split(",") if each.strip()]


def _is_users(request: Request) -> bool:
    return request.url.path.removeprefix(PREFIX).split("/")[1] == "Users"


def _base(request: Request, built: Instance) -> str:
    try:
        return cookies.base_url(request, built[Settings].api) + PREFIX
    except Conflict:
        return PREFIX  # only locations rest on it; they are relative then


def _meta(request: Request, built: Instance, kind: str, place: str) -> Json:
    return {"resourceType": kind, "location": f"{_base(request, built)}/{kind}{place}"}


def _answer(body: Json, status: int = 200, version: str | None = None) -> Response:
    headers = {"Cache-Control": "no-store"} | ({"ETag": version} if version else {})
    location = body.get("meta", {}).get("location") if status == 201 else None
    return JSONResponse(body, status, headers | ({"Location": location} if location else {}), media_type=MEDIA)
