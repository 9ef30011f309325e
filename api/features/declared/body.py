"""The body of a request that holds declared documents: YAML, or the same documents as JSON."""

from __future__ import annotations

import json
from typing import Any

from fastapi import Request

from api.edge.openapi import takes
from catalog.errors import InvalidInput

_YAML, _JSON = "application/yaml", "application/json"
_WANTED = 'send {"documents": [...]} as application/json, or YAML documents as application/yaml'


def takes_documents(required: bool = True) -> dict[str, Any]:
    """`openapi_extra` of a route that reads such a body."""
    document = {"type": "object", "additionalProperties": True, "required": ["apiVersion", "kind", "metadata"]}
    schema = {
        "type": "object",
        "required": ["documents"],
        "properties": {"documents": {"type": "array", "items": document, "description": "As in YAML."}},
    }
    extra = takes(_JSON, schema=schema, required=required)
    extra["requestBody"]["content"] |= takes(_YAML)["requestBody"]["content"]
    return extra


async def documents_text(request: Request) -> str:
    """The documents as the text of a YAML stream. Raises InvalidInput.

    JSON is an object with `documents`, a list of them, or one document; whatever is not called JSON is YAML.
    """
    try:
        text = (await request.body()).decode()
    except UnicodeDecodeError:
        raise InvalidInput("The body is not UTF-8 text; send YAML documents.") from None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    return _stream(text) if kind == _JSON and text.strip() else text


def _stream(text: str) -> str:
    try:
        body = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"The body is not JSON ({error}); {_WANTED}.") from None
    if isinstance(body, dict) and "documents" in body:
        if extra := sorted(body.keys() - {"documents"}):
            raise InvalidInput(f"The body has {', '.join(extra)} beside documents; {_WANTED}.")
        body = body["documents"]
    documents = [body] if isinstance(body, dict) else body
    if not isinstance(documents, list) or not all(isinstance(each, dict) for each in documents):
        raise InvalidInput(f"The body does not hold documents; {_WANTED}.")
    # JSON of ASCII is YAML; a line each, so that a message names the document by its line.
    return "".join(f"---\n{json.dumps(each)}\n" for each in documents)
