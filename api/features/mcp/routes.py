"""`/mcp`: the server for agents, and where its clients find the identity provider."""

from __future__ import annotations

from fastapi import Request, Response
from starlette.exceptions import HTTPException as StarletteHTTPException

from api.features.mcp import answers
from api.features.mcp.guard import AGENT, METADATA, PATH, resource
from api.features.mcp.response import ProtocolResponse
from api.guard.guards import everybody
from api.guard.router import FeatureRouter
from api.guard.services import From
from policies.access.sign_in import SignIn

router = FeatureRouter(base="", tags=["agents"], tolerant=True)


_NO_MESSAGE: dict[int | str, dict[str, object]] = {
    status: {"model": answers.ProtocolRefusal, "description": "What was sent is not a message of the protocol."}
    for status in (400, 406)
}


@router.post(PATH, dependencies=[AGENT], response_class=Response, responses=_NO_MESSAGE)
async def serve() -> Response:
    """One message of the Model Context Protocol (streamable HTTP, without sessions). Each carries its own token."""
    return ProtocolResponse()


@router.get(PATH, dependencies=[everybody(listed=False)], include_in_schema=False, response_class=Response)
def listen() -> Response:
    """Clients of earlier versions ask for a stream of the server's own messages; 405 refuses it."""
    raise StarletteHTTPException(405, headers={"Allow": "POST"})


@router.get(METADATA, dependencies=[everybody()])
@router.get(METADATA + PATH, dependencies=[everybody()], name="protected_resource_of_mcp")
def protected_resource(request: Request, sign_in: From[SignIn]) -> answers.ProtectedResource:
    """Where a client gets a token for `/mcp` (RFC 9728)."""
    return answers.ProtectedResource(
        resource=resource(request),
        resource_name="Weir",
        authorization_servers=sorted({spec.issuer for spec in sign_in.providers().values()}),
        bearer_methods_supported=["header"],
    )
