"""What a body is wrapped in before any format shows: compression, or text in another encoding than UTF-8.

Whatever is unwrapped is bounded, and what turns out to be none is left as it was. Runs in Spark's workers.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable

from scanners.containers.packed import MAX_UNPACKED, PackedRefusal

_BOM = b"\xef\xbb\xbf"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_LEAST_ASCII = 0.6
"""Share of plain ASCII in text of western Europe; of bytes drawn at random less than half are."""

LATIN = "latin-1"
PACKED = "packed_"
"""Problems begin with it where a record is packed and most others are not; what it is packed in follows."""


def unwrapped(body: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The body without compression, as UTF-8 without a byte order mark; and what it was wrapped in, outermost first.

    Raises Refused when it would become too large.
    """
    names: tuple[str, ...] = ()
    while len(names) < _MOST and (opener := _OPENERS.get(body[:2]) or _plain_utf16(body)) is not None:
        inner = opener[1](body)
        if inner is None:
            break
        body, names = inner, (*names, opener[0])
    return (body[len(_BOM) :] if body[:3] == _BOM else body), names


_MOST = 3


def latin_text(body: bytes) -> str | None:
    """Text in ISO 8859-1, or None when it is not likely to be some."""
    text = body.decode(LATIN)
    plain = sum(byte < 0x80 for byte in body[:4000])
    return None if plain < _LEAST_ASCII * min(len(body), 4000) or _CONTROL.search(text) else text


def _most_of(body: bytes) -> int:
    """Bytes that a body may become: a topic of bombs must not hold up a scan, and no record is a hundred times as long as
    what it packs into, but for short ones."""
    return min(MAX_UNPACKED, (1 << 20) + 100 * len(body))


def _zlib(window: int) -> Callable[[bytes], bytes | None]:
    def unpack(body: bytes) -> bytes | None:
        inflate = zlib.decompressobj(window)
        try:
            plain = inflate.decompress(body, _most_of(body))
        except zlib.error:
            return None
        if inflate.unconsumed_tail:
            raise PackedRefusal("unpacks_too_large")
        return plain if inflate.eof and not inflate.unused_data else None

    return unpack


def _zstd(body: bytes) -> bytes | None:
    import zstandard

    try:
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(body)) as reader:
            plain = reader.read(_most_of(body) + 1)
    except zstandard.ZstdError:
        return None
    if len(plain) > _most_of(body):
        raise PackedRefusal("unpacks_too_large")
    return plain


def _plain_utf16(body: bytes) -> tuple[str, Callable[[bytes], bytes | None]] | None:
    """UTF-16 without a byte order mark: every other byte is zero in most of the text, and none of the bytes between."""
    if 0 not in body[:2] or body[:2] == b"\0\0" or len(body) < _SHORTEST or len(body) % 2:
        return None
    start = body[:_LOOKED_AT]
    high, low = (start[::2], start[1::2]) if body[0] == 0 else (start[1::2], start[::2])
    return ("utf-16", _utf16) if not low.count(0) and high.count(0) >= _ZEROS * len(high) else None


_SHORTEST, _LOOKED_AT, _ZEROS = 8, 400, 0.8


def _utf16(body: bytes) -> bytes | None:
    """Text in UTF-16, or None when it is none."""
    encoding = "utf-16" if body[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-16-be" if body[0] == 0 else "utf-16-le"
    if encoding != "utf-16" and body[2:4].count(0) != 1 and _plain_utf16(body) is None:
        return None
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError:
        return None
    # An XML declaration names the encoding that the text no longer has.
    return None if not text or _CONTROL.search(text) else _DECLARATION.sub("", text, count=1).encode()


_OPENERS: dict[bytes, tuple[str, Callable[[bytes], bytes | None]]] = {
    b"\x1f\x8b": ("gzip", _zlib(31)),
    b"\x28\xb5": ("zstd", _zstd),
    **{head: ("zlib", _zlib(15)) for head in (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")},
    **dict.fromkeys(
        (b"\xff\xfe", b"\xfe\xff", b"{\x00", b"[\x00", b"<\x00", b"\x00{", b"\x00[", b"\x00<"), ("utf-16", _utf16)
    ),
}
"""First two bytes -> (name, what opens it); None from that means that it is none."""
