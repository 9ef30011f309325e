"""Signs in those that cannot, such as judges that are programs."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send


class SignedIn:
    """Middleware that adds a token to requests that have none."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._header = app, (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not any(name == b"authorization" for name, _ in scope["headers"]):
            scope = {**scope, "headers": [*scope["headers"], self._header]}
        await self._app(scope, receive, send)
