"""The body of a request that holds declared documents, YAML or the same as JSON, and the parameters of where they are from."""

from __future__ import annotations

import json
import re
from typing import Annotated

from fastapi import Query, Request

from api.edge.parameters import Text
from api.features.declared.checkout import without_credentials
from catalog.document_origins import Checkout
from catalog.errors import InvalidInput
from catalog.unseen import has_unseen

_YAML, _JSON = "application/yaml", "application/json"
_OTHER = re.compile(r"[^\x20-\x7e]")
_WANTED = 'send {"documents": [...]} as application/json, or YAML documents as application/yaml'


def checkout_of(
    commit: Annotated[
        Text | None,
        Query(pattern=r"^[0-9a-f]{7,64}$", description="Of a git checkout: the commit that the files are from."),
    ] = None,
    repository: Annotated[
        Text | None, Query(description="With commit: which repository, without credentials.", max_length=500)
    ] = None,
    files: Annotated[
        Text | None, Query(description="With commit: what is applied, from its root.", max_length=1000)
    ] = None,
    dirty: Annotated[bool, Query(description="With commit: something of it differs from the commit.")] = False,
) -> Checkout | None:
    """Raises InvalidInput where only a part is given."""
    if commit is None:
        if repository is not None or files is not None or dirty:
            raise InvalidInput("Name the commit beside repository, files and dirty.", details={"field": "commit"})
        return None
    if any(has_unseen(each) for each in (repository or "", files or "")):
        raise InvalidInput("The repository or files have characters that cannot be seen; take them out.")
    return Checkout(without_credentials(repository or ""), commit, files or "", dirty)


def takes_documents(required: bool = True) -> dict[str, object]:
    """`openapi_extra` of a route that reads such a body."""
    document = {"type": "object", "additionalProperties": True, "required": ["apiVersion", "kind", "metadata"]}
    schema = {
        "type": "object",
        "required": ["documents"],
        "properties": {"documents": {"type": "array", "items": document, "description": "As in YAML."}},
    }
    content = {_JSON: {"schema": schema}, _YAML: {"schema": {"type": "string"}}}
    return {"requestBody": {"required": required, "content": content}}


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
    return "".join(f"---\n{_ascii(json.dumps(each, ensure_ascii=False))}\n" for each in documents)


def _ascii(text: str) -> str:
    """JSON with escapes as YAML reads them: JSON writes a character beyond 16 bits as two, which YAML takes for none."""
    return _OTHER.sub(lambda match: f"\\U{ord(match[0]):08x}", text)
