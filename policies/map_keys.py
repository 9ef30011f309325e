"""Which spellings of a map key or a header name are one name. Pure.

Producers choose these names, so a rule on `phone` holds for `Phone`, `ＰＨＯＮＥ`, `pho\u00adne` and for `phоne` with a
Cyrillic o. `key_form` gives the form that two spellings share: compatibility decomposition (NFKD), full case folding, no
accents or invisible characters, and one letter for those that look alike. It works on each character alone, so that
`Folding` can do the same in SQL by tables of the characters that matter for some names.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from catalog.paths import FieldPath, Step, StepKind

_LOOKALIKES = dict(
    zip(
        "ıɩɡɑɪʏαβγεζηικμνορτυχωаветкмнопрсухѕіјһԁԛԝьցհոսօӏǀ",
        "iigaiyabyeznikuvoptuxwabetkmhonpcyxsijhdqwbghnuoll",
        strict=True,
    )
) | {"ø": "o", "đ": "d", "ħ": "h", "ł": "l", "ŧ": "t"}
"""Small letters that are read as a Latin one. Not complete: digits and pairs such as `rn` are left alone."""

_INVISIBLE = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800")
_LEFT_OUT = ("Mn", "Me", "Cf")
_HANGUL = range(0xAC00, 0xD7A4)
_JAMO = range(0x1100, 0x1200)
# Blocks with characters that have another form; the others (CJK, private use) map to themselves.
_BLOCKS = (
    range(0x80, 0x3400), range(0xA000, 0xAC00), range(0xD7B0, 0xD800), range(0xF900, 0x17000), range(0x1A000, 0x20000),
    range(0x2F800, 0x2FA20), range(0xE0000, 0xE0200),
)  # fmt: skip


@lru_cache(maxsize=65536)
def key_form(name: str) -> str:
    """The form that all spellings of a name share. Idempotent."""
    return name.lower() if name.isascii() else "".join(map(_form, name))


@lru_cache(maxsize=65536)
def _form(character: str) -> str:
    """The form of one character; nothing where it is left out."""
    text = character
    while True:
        decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
        kept = "".join(
            _LOOKALIKES.get(c, c)
            for c in decomposed
            if unicodedata.category(c) not in _LEFT_OUT and c not in _INVISIBLE
        )
        if kept == text:
            return kept
        text = kept


@lru_cache(maxsize=65536)
def with_key_forms(path: FieldPath) -> FieldPath:
    """The path with the names of map keys and headers, which producers choose, in their forms."""
    if not any(map(_by_producers, _places(path))):
        return path
    return FieldPath(
        path.root,
        tuple(
            Step(step.kind, key_form(step.name or "")) if _by_producers((root, n, step)) else step
            for root, n, step in _places(path)
        ),
    )


def _places(path: FieldPath) -> Iterator[tuple[str, int, Step]]:
    return ((path.root, n, step) for n, step in enumerate(path.steps))


def _by_producers(place: tuple[str, int, Step]) -> bool:
    root, number, step = place
    return step.kind is StepKind.MAP_KEY or (root == "headers" and number == 0 and step.kind is StepKind.FIELD)


@dataclass(frozen=True, slots=True)
class Folding:
    """What makes forms of texts, exact for some forms: a text has one of them afterwards if, and only if, it is that
    form's spelling.

    left_out    ranges of characters to take out, first and last
    longer      characters -> their form, of several characters
    single      characters -> their form, of one character
    """

    left_out: tuple[tuple[str, str], ...]
    longer: tuple[tuple[str, str], ...]
    single: tuple[tuple[str, str], ...]

    def sql(self, text: str, literal: Callable[[str], str]) -> str:
        """Spark SQL of the form of a STRING expression. `literal` writes a text as SQL."""
        inside = "".join(first if first == last else f"{first}-{last}" for first, last in self.left_out)
        folded = f"regexp_replace({text}, {literal(f'[{inside}]')}, '')"
        for character, form in self.longer:
            folded = f"replace({folded}, {literal(character)}, {literal(form)})"
        old, new = ("".join(each) for each in zip(*self.single, strict=True))
        folded = f"translate({folded}, {literal(old)}, {literal(new)})"
        # Most keys are ASCII.
        return f"CASE WHEN length({text}) = octet_length({text}) THEN lower({text}) ELSE {folded} END"


@lru_cache(maxsize=1024)
def folding(forms: tuple[str, ...]) -> Folding:
    """What recognises the spellings of these forms."""
    longer: list[tuple[str, str]] = []
    single = [(chr(n), chr(n).lower()) for n in range(ord("A"), ord("Z") + 1)]
    for character, form in (*_other_forms().items(), *_hangul(forms)):
        if form and any(form in each for each in forms):
            (single if len(form) == 1 else longer).append((character, form))
    return Folding(_ranges(c for c, form in _other_forms().items() if not form), tuple(longer), tuple(single))


@lru_cache(maxsize=1)
def _other_forms() -> dict[str, str]:
    """Every character beyond ASCII, but for Hangul, that is not its own form."""
    characters = (chr(n) for block in _BLOCKS for n in block)
    return {c: form for c in characters if unicodedata.category(c) != "Cn" and (form := _form(c)) != c}


def _hangul(forms: Iterable[str]) -> Iterator[tuple[str, str]]:
    if any(ord(c) in _JAMO for form in forms for c in form):
        yield from ((chr(n), _form(chr(n))) for n in _HANGUL)


def _ranges(characters: Iterable[str]) -> tuple[tuple[str, str], ...]:
    ranges: list[tuple[str, str]] = []
    for character in sorted(characters):
        if ranges and ord(ranges[-1][1]) + 1 == ord(character):
            ranges[-1] = (ranges[-1][0], character)
        else:
            ranges.append((character, character))
    return tuple(ranges)
