"""Headers that change what a request means and that no route below `/api/v1` reads: left out, something else would be done."""

from __future__ import annotations

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from api.edge.errors import body

_CONDITIONS = ("if-match", "if-unmodified-since")
_CHANGES = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class UnreadHeaders:
    """Refuses (400) a change under a condition that is never looked at, and a compressed body where none is expanded."""

    def __init__(self, app: ASGIApp, expanded: frozenset[str] = frozenset()) -> None:
        """`expanded`: paths whose routes read compressed bodies."""
        self.app = app
        self.expanded = expanded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = self._problem(scope) if scope["type"] == "http" and scope["method"] in _CHANGES else None
        if problem is None:
            await self.app(scope, receive, send)
            return
        header, text = problem
        answer = JSONResponse(body("invalid_input", text, {"header": header}), 400, headers={"Connection": "close"})
        await answer(scope, receive, send)

    def _problem(self, scope: Scope) -> tuple[str, str] | None:
        if not scope["path"].startswith("/api/v1/"):
            return None
        headers = {name.decode("latin-1"): value.decode("latin-1").strip() for name, value in scope["headers"]}
        for name in _CONDITIONS:
            if headers.get(name, "*") != "*":
                shown = name.title()
                return shown, f"{shown} is not looked at here, as answers have no ETag; send the request without it."
        encoding = headers.get("content-encoding", "").lower()
        if encoding not in ("", "identity") and scope["path"] not in self.expanded:
            return (
                "Content-Encoding",
                f"A body with Content-Encoding {encoding[:40]!r} is read for lineage events alone; send it as it is.",
            )
        return None
