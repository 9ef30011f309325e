"""The web pages' files, where they have been built; the API works without them."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_INDEX = "index.html"
_WITHOUT_PAGES = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Weir</title>
<style>body{font:16px/1.5 system-ui;max-width:42rem;margin:4rem auto;padding:0 1rem}code{background:#eee;padding:.1em .3em}</style>
<h1>Weir is running</h1><p>A catalog and governor for streams. The web pages are not built on this machine; everything
is there by HTTP and on the command line.</p><ul><li><a href="/docs">The HTTP API, to try in the browser</a></li>
<li><a href="/readyz">What is up</a></li><li><code>weir search email --kind field</code></li>
<li><code>weir scan --bootstrap-servers HOST:PORT</code></li></ul></html>"""


def mount(app: FastAPI, built: Path) -> None:
    """Serve the built pages at `/`, every unknown page path as the application itself (deep links)."""
    files = _Files(built)

    @app.get("/{page:path}", include_in_schema=False)
    def page(request: Request, page: str) -> Response:
        headers = {"Content-Security-Policy": CONTENT_SECURITY_POLICY, "Cache-Control": "no-cache"}
        if page.lower().startswith("api/"):  # a page of HTML would tell a client that it was right
            return _nothing(request)
        known = files.known()
        if _INDEX not in known:
            return HTMLResponse(_WITHOUT_PAGES, headers=headers) if page == "" else _nothing(request)
        if page in known:
            if page.startswith("assets/"):  # a new content has a new name
                headers["Cache-Control"] = "public, max-age=31536000, immutable"
            return FileResponse(known[page], headers=headers)
        return _nothing(request) if page.startswith("assets/") else FileResponse(known[_INDEX], headers=headers)


class _Files:
    """The files of a build by their paths within it, read again after another build.

    A caller's path is only looked up here and never reaches the file system, whatever is in it.
    """

    def __init__(self, built: Path) -> None:
        self._built = built
        self._read: tuple[int | None, dict[str, Path]] = (None, {})

    def known(self) -> dict[str, Path]:
        try:
            written = (self._built / _INDEX).stat().st_mtime_ns
        except OSError:
            return {}
        if self._read[0] != written:
            files = {p.relative_to(self._built).as_posix(): p for p in self._built.rglob("*") if p.is_file()}
            self._read = written, files
        return self._read[1]


def _nothing(request: Request) -> Response:
    from fastapi.responses import JSONResponse

    from api.edge.errors import body

    return JSONResponse(body("not_found", f"There is nothing at {request.url.path}."), 404)
