"""What `/.well-known/oauth-protected-resource` answers, and how `/mcp` refuses what is not a message."""

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


class ProtocolError(Answer):
    """An error of JSON-RPC 2.0."""

    code: int = about("Its number there, such as -32600.")
    message: str = about("What is wrong, in a sentence.")


class ProtocolRefusal(Answer):
    """The answer to what is not a message of the protocol."""

    jsonrpc: str = about("2.0.")
    id: int | str | None = about("Of the message, where it was read.")
    error: ProtocolError = about("What is wrong.")
