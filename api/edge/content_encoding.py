"""Bodies that clients sent compressed: OpenLineage's clients do where `compression: gzip` is set."""

from __future__ import annotations

import zlib

from catalog.errors import InvalidInput

_WINDOW = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}

_FIRST_PIECE, _LARGEST_PIECE = 512, 64 * 1024
"""Bytes of a member handed to its decoder at once, twice as many each time. What a member leaves unread of its last
piece is copied for the next member, so each costs about its own length and never that of the whole body."""
_MOST_MEMBERS = 100_000
_MOST_ENCODINGS = 2


class ExpandedTooLargeError(InvalidInput):
    """The body is within the limit as it was sent, and beyond it when it is expanded."""

    code = "too_large"


def decoded(body: bytes, encoding: str | None, limit: int) -> bytes:
    """The body as it was before `encoding` (the Content-Encoding header).

    Takes time in proportion to the body and to what it expands to, which ends just above `limit` bytes.
    Raises InvalidInput for an encoding that is not known and for bytes that are not in it, ExpandedTooLargeError for
    more than `limit` bytes.
    """
    names = [part.strip().lower() for part in (encoding or "").split(",")]
    names = [name for name in names if name not in ("", "identity")]
    if len(names) > _MOST_ENCODINGS:
        raise InvalidInput(
            f"The body was encoded {len(names)} times by its Content-Encoding; once is enough.",
            details={"contentEncoding": encoding},
        )
    for name in reversed(names):
        body = _expanded(body, name, limit)
    return body


def _expanded(body: bytes, name: str, limit: int) -> bytes:
    if name not in _WINDOW:
        raise InvalidInput(
            f"Content-Encoding {name!r} is not read here: send the body as it is, or compressed by gzip.",
            details={"contentEncoding": name},
        )
    try:
        return _members(body, name, limit)
    except zlib.error:
        raise InvalidInput(
            f"The body is not {name}, which its Content-Encoding names.", details={"contentEncoding": name}
        ) from None


def _members(body: bytes, name: str, limit: int) -> bytes:
    """What the members of a compressed file hold, one after the other; gzip may have several."""
    content, read, end = bytearray(), memoryview(body), 0
    for _ in range(_MOST_MEMBERS):
        reader, piece = zlib.decompressobj(_WINDOW[name]), _FIRST_PIECE
        while not reader.eof:
            if end >= len(body):
                raise zlib.error("cut off")
            content += reader.decompress(read[end : end + piece], limit + 1 - len(content))
            if len(content) > limit:
                raise ExpandedTooLargeError(
                    f"The body is larger than {limit} bytes when it is expanded; send fewer events at once.",
                    details={"limit": limit},
                )
            end, piece = min(end + piece, len(body)), min(2 * piece, _LARGEST_PIECE)
        end -= len(reader.unused_data)
        if end == len(body):
            return bytes(content)
    raise InvalidInput(
        f"The body has more than {_MOST_MEMBERS} {name} members; compress it as one.", details={"limit": _MOST_MEMBERS}
    )
