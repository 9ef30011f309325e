"""Draws by a provider of mimesis, the same for the same random numbers."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from mimesis import Locale

from tests.pii_corpus.columns import Make


@lru_cache(maxsize=128)
def _provider(kind: type, locale: str | None) -> Any:
    return kind(Locale(locale)) if locale else kind()


def by(kind: type, ask: Callable[[Any], Any], locale: str | None = None) -> Make:
    """What `ask` gets from a provider of this kind, seeded for each value."""

    def make(rng: random.Random) -> Any:
        provider = _provider(kind, locale)
        provider.reseed(rng.getrandbits(48))
        return ask(provider)

    return make
