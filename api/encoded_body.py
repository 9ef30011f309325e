"""Bodies that clients sent compressed: OpenLineage's clients do where `compression: gzip` is set."""

from __future__ import annotations

import zlib

from catalog.errors import InvalidInput

_WINDOW = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


def decoded(body: bytes, encoding: str | None, limit: int) -> bytes:
    """The body as it was before `encoding` (the Content-Encoding header).

    Raises InvalidInput for an encoding that is not known, for bytes that are not in it, and for more than `limit` bytes.
    """
    for name in reversed([part.strip().lower() for part in (encoding or "").split(",")]):
        if name not in ("", "identity"):
            body = _expanded(body, name, limit)
    return body


def _expanded(body: bytes, name: str, limit: int) -> bytes:
    if name not in _WINDOW:
        raise InvalidInput(
            f"Content-Encoding {name!r} is not read here: send the body as it is, or compressed by gzip.",
            details={"contentEncoding": name},
        )
    found, rest = b"", body
    try:
        while rest:  # a gzip file may be several, one after the other
            reader = zlib.decompressobj(_WINDOW[name])
            found += reader.decompress(rest, limit + 1 - len(found))
            if len(found) > limit:
                raise InvalidInput(
                    f"The body is larger than {limit} bytes when it is expanded; send fewer events at once.",
                    details={"limit": limit},
                )
            if not reader.eof:
                raise zlib.error("cut off")
            rest = reader.unused_data
    except zlib.error:
        raise InvalidInput(
            f"The body is not {name}, which its Content-Encoding says it is.", details={"contentEncoding": name}
        ) from None
    return found
