"""What `/.well-known/oauth-protected-resource` answers."""

from __future__ import annotations

from api.edge.answer import Answer, about


class ProtectedResource(Answer):
    """RFC 9728: where a client of the server for agents gets a token. Names are the standard's."""

    resource: str = about("Address of the server for agents.")
    resource_name: str = about("Weir.", alias="resource_name")
    authorization_servers: list[str] = about(
        "Issuers of the declared identity providers; empty: only Weir's own tokens.", alias="authorization_servers"
    )
    bearer_methods_supported: list[str] = about("How a token is sent.", alias="bearer_methods_supported")
