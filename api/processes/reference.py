"""docs/settings.md and docs/api.md, written from the code: `python -m api.processes.reference`. A test holds them to it."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI

from api.config.settings import documented
from api.http.edge.errors import HTTP_CODES, STATUS

DOCS = Path(__file__).resolve().parents[2] / "docs"


def settings_markdown() -> str:
    """Every setting with its default and meaning."""
    lines = [
        "# Settings",
        "",
        "Set a variable, or write the same names nested into `weir.yaml` in `WEIR_HOME` (or the file `WEIR_CONFIG` names):",
        "`WEIR_API__PORT=9000` is `api: {port: 9000}`. A name nobody knows is an error. `weir init` prints a file to start from.",
        "",
        "Besides: `WEIR_HOME` (folder of the instance, `.weir` beside the program), `WEIR_CACHE` (downloaded servers),",
        "`WEIR_URL` and `WEIR_TOKEN` (which Weir the command line talks to), and `WEIR_STACK__*` for the local servers,",
        "see [running.md](running.md).",
    ]
    section = ""
    for variable, default, meaning in documented():
        room = variable.removeprefix("WEIR_").split("__")[0].lower()
        if room != section:
            section = room
            lines += ["", f"## {room}", "", "| variable | default | meaning |", "|---|---|---|"]
        shown = f"`{default}`" if default not in ("", None) else ""
        lines.append(f"| `{variable}` | {shown} | {meaning} |".replace("\n", " "))
    return "\n".join(lines) + "\n"


def routes_markdown(app: FastAPI) -> str:
    """Every route with what it does, and the error body with every code's status."""
    lines = [
        "# HTTP API",
        "",
        "`/docs` of a running Weir lets you try each of these in the browser; `/openapi.json` describes them to machines.",
        "Send `Authorization: Bearer TOKEN`. Parts of a path are percent-encoded whole: the namespace",
        "`kafka://localhost:9092` is `kafka%3A%2F%2Flocalhost%3A9092`, and a cluster's name (`prod`) does as well.",
        "",
        "| route | what it does |",
        "|---|---|",
    ]
    for path, methods in app.openapi()["paths"].items():
        for method, operation in methods.items():
            lines.append(f"| `{method.upper()} {path}` | {' '.join(operation.get('description', '').split())} |")
    lines += [
        "",
        "## Errors",
        "",
        'Every failure has one body, `{"error": {"code", "message", "details"}}`. The message is one sentence with the mend.',
        "",
        "| status | codes |",
        "|---|---|",
    ]
    codes: dict[int, list[str]] = {}
    for kind, status in STATUS.items():
        codes.setdefault(status, []).append(f"`{kind.code}`")
    for status, code in [*HTTP_CODES.items(), (500, "internal")]:
        if f"`{code}`" not in codes.setdefault(status, []):
            codes[status].append(f"`{code}`")
    lines += [f"| {status} | {', '.join(names)} |" for status, names in sorted(codes.items())]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write both pages."""
    from api.http.app import create_app
    from api.wiring.bootstrap import offline

    (DOCS / "settings.md").write_text(settings_markdown())
    (DOCS / "api.md").write_text(routes_markdown(create_app(offline())))


if __name__ == "__main__":
    main()
