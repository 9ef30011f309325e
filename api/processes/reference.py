"""The pages of docs/reference that are written from the code: settings, routes, who may call what, kinds, functions.

`api.cli.reference` writes them too, and the page of commands.
Write them by `python -m api.processes.reference`. A test holds them to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from api.app import access_by_route
from api.config.settings import documented
from api.edge.errors import HTTP_CODES, STATUS
from api.processes.reference_functions import functions_markdown
from api.processes.reference_kinds import kinds_markdown
from api.processes.reference_masks import with_masks
from policies.declared.builtin import BUILT_IN_ROLES

DOCS = Path(__file__).resolve().parents[2] / "docs"


def settings_markdown() -> str:
    """Every setting with its default and meaning."""
    lines = [
        "# Settings",
        "",
        "Set a variable, or write the same names nested into `weir.yaml` in `WEIR_HOME` (or the file `WEIR_CONFIG` names):",
        "`WEIR_API__PORT=9000` is `api: {port: 9000}`. A name nobody knows is an error.",
        "`weir server settings` prints a file to start from.",
        "",
        "Besides: `WEIR_HOME` (folder of the instance: `.weir` beside the launcher, `~/.weir` of a wheel),",
        "`WEIR_CACHE` (downloaded servers),",
        "`WEIR_URL` and `WEIR_TOKEN` (which Weir the command line talks to), `WEIR_CA`, `WEIR_CLIENT_CERTIFICATE` and",
        "`WEIR_CLIENT_KEY` (see [TLS](../how-to/tls.md)), and `WEIR_STACK__*` for the local servers,",
        "see [Run Weir](../how-to/run.md).",
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
        "Routes are listed by subject, then come the [answers](#answers) and the [errors](#errors).",
    ]
    document = app.openapi()
    answered: set[str] = set()
    by_tag: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            what = " ".join(operation.get("description", "").split())
            row = f"| `{method.upper()} {path}` | {what} | {_answer(operation, answered)} |"
            by_tag.setdefault(operation["tags"][0], []).append(row)
    for tag, rows in sorted(by_tag.items()):
        lines += ["", f"## {tag[0].upper()}{tag[1:]}", "", "| route | what it does | answer |", "|---|---|---|", *rows]
    lines += [
        "",
        "## Answers",
        "",
        "A key with `?` may be missing, one with `|null` may be null; `[Name]` is a list, `{Name}` an object with keys of its own.",
        "",
        "| answer | keys |",
        "|---|---|",
        *_models(document["components"]["schemas"], answered),
        "",
        "## Errors",
        "",
        'Every failure has one body, `{"error": {"code", "message", "details"}}`. The message is one sentence with the fix.',
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


def rights_markdown() -> str:
    """Every route with who may call it: the built-in roles, and the scope that a limited token needs."""
    lines = [
        "# Who may call what",
        "",
        "Every route and every built-in role. A test calls each route as each role, and as a holder of each single permission, and",
        "fails where an answer differs from this page, or where a route is missing here.",
        "",
        "- **yes**: the role is enough. **no**: 403, or 404 where the caller may not know of the thing. Without a token: 401.",
        "- **Who** names the [permission](policies.md#role), and who may call without one: owners, requesters, holders.",
        "- **Scope** is what a [limited token](../how-to/service-accounts.md#scopes) needs besides.",
        "- **Agent**: whether the token of an [agent](../how-to/agent-tokens.md) opens it, within its limits.",
        "- Where owners of a dataset count, [admins and stewards of its domain](../how-to/domains.md) count for what they may do.",
        "- A role of your own may do what its permissions name in column *who*.",
        "- A line with `?all=true` or `(user: another)` is a case of the route above it that needs more.",
        "",
        f"| route | who | {' | '.join(BUILT_IN_ROLES)} | scope | agent | limits |",
        f"|---|---|{'---|' * len(BUILT_IN_ROLES)}---|---|---|",
    ]
    for route, access in sorted(
        access_by_route().items(), key=lambda each: (each[0].path, each[0].method, each[0].case)
    ):
        cells = ["yes" if access.includes(role.permissions) else "no" for role in BUILT_IN_ROLES.values()]
        scope = access.scope_for(route.method)
        shown = f"`{scope}`" if scope else ""
        agent = "" if not access.signed_in else "yes" if access.opens_to_agents else "no"
        lines.append(f"| `{route}` | {access.who} | {' | '.join(cells)} | {shown} | {agent} | {access.limits} |")
    return "\n".join(lines) + "\n"


def _answer(operation: Mapping[str, Any], answered: set[str]) -> str:
    """The model, or the media types, of what a route answers; adds the models to `answered`."""
    content = {
        media: kind.get("schema", {})
        for status, response in operation["responses"].items()
        if status.startswith("2")
        for media, kind in response.get("content", {}).items()
    }
    answered |= _named(content.get("application/json", {}))
    return ", ".join(f"`{_shape(shape) if media == 'application/json' else media}`" for media, shape in content.items())


def _models(schemas: Mapping[str, Any], answered: Collection[str]) -> Iterator[str]:
    """A row for each model of answers, and for those inside them."""
    waiting, known = [*answered, "Error"], {*answered, "Error"}
    while waiting:
        fresh = _named(schemas[waiting.pop()]) - known
        known |= fresh
        waiting += fresh
    for name in sorted(known):
        if "properties" in schemas[name]:
            required = schemas[name].get("required", ())
            keys = (
                f"`{key}{'' if key in required else '?'}{_suffix(shape)}`"
                for key, shape in schemas[name]["properties"].items()
            )
            yield f"| `{name}` | {', '.join(keys)} |"


def _named(value: Any) -> set[str]:
    """The models that a part of the document names."""
    if isinstance(value, Mapping):
        own = {value["$ref"].rsplit("/", 1)[-1]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(_named, value.values()))
    return set().union(*map(_named, value)) if isinstance(value, list) else set()


def _shape(shape: Mapping[str, Any]) -> str:
    """`Name`, `[Name]`, `{Name}`, `One or Other`; empty for what is not a model."""
    if "$ref" in shape:
        return str(shape["$ref"].rsplit("/", 1)[-1])
    inner = shape.get("items") or shape.get("additionalProperties")
    if isinstance(inner, Mapping) and (named := _shape(inner)):
        return f"[{named}]" if "items" in shape else f"{{{named}}}"
    return " or ".join(filter(None, map(_shape, shape.get("anyOf") or shape.get("oneOf") or ())))


def _suffix(shape: Mapping[str, Any]) -> str:
    """What follows a key: the model of its value, and whether it may be null."""
    shape_name = _shape(shape)
    null = "\\|null" if {"type": "null"} in shape.get("anyOf", ()) else ""
    return f": {shape_name}{null}" if shape_name else null


def main() -> None:
    """Write the pages."""
    from api.app import create_app
    from api.bootstrap import offline

    pages = {
        "settings": settings_markdown(),
        "api": routes_markdown(create_app(offline())),
        "who-may-call": rights_markdown(),
        "kinds": kinds_markdown(),
        "functions": functions_markdown(),
    }
    for name, text in pages.items():
        (DOCS / f"reference/{name}.md").write_text(text)
    masks = DOCS / "reference/masks.md"
    masks.write_text(with_masks(masks.read_text()))


if __name__ == "__main__":
    main()
