"""Columns that are nobody's data and look as if they were: what a new recognizer should leave alone.

Made up from forms, a hundred texts each, the same every time. For trials of a user's recognizer, not for tests of ours.
"""

from __future__ import annotations

import random
from collections.abc import Callable

_FORMS = {
    "epoch seconds": "17########",
    "epoch milliseconds": "17###########",
    "order numbers": "ORD-2024-######",
    "nine digits": "#########",
    "ten digits": "##########",
    "sixteen digits": "################",
    "versions": "#.##.#",
    "four-part versions": "#.#.##.#",
    "UUIDs": "xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx",
    "hashes": "x" * 64,
    "stock numbers": "@@-####-@",
    "prices": "##.##",
    "dates": "2024-0#-1#",
    "times": "1#:3#:5#",
    "file names": "report_####.csv",
    "codes": "@@@",
    "ticket numbers": "@@@@-####",
    "coordinates": "52.######, 13.######",
}
_WORDS = (
    "order",
    "shipped",
    "from",
    "the",
    "main",
    "warehouse",
    "after",
    "short",
    "delay",
    "will",
    "arrive",
    "as",
    "planned",
)


def lookalikes(count: int = 100) -> dict[str, list[str]]:
    """What they are -> texts."""
    rng = random.Random(20)  # noqa: S311 - repeatable on purpose
    texts = {name: [_drawn(form, rng) for _ in range(count)] for name, form in _FORMS.items()}
    texts["words"] = [rng.choice(_WORDS) for _ in range(count)]
    texts["sentences"] = [" ".join(rng.choices(_WORDS, k=9)) for _ in range(count)]
    return texts


def _drawn(form: str, rng: random.Random) -> str:
    pools: dict[str, Callable[[], str]] = {
        "#": lambda: rng.choice("0123456789"),
        "@": lambda: rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ"),
        "x": lambda: rng.choice("0123456789abcdef"),
    }
    return "".join(pools[c]() if c in pools else c for c in form)
