"""How much a run tries: the environment that `weir test` and `weir test --all` give to the tests."""

from __future__ import annotations

import os
import secrets

ALL = {
    "WEIR_TEST_DEPTH": "all",
    "WEIR_TEST_DECISIONS": "10000",
    "WEIR_TEST_FUZZ": "1000",
    "WEIR_TEST_FUZZ_REQUESTS": "1000",
    "WEIR_TEST_KEYCLOAK": "1",
}
QUICK = {
    "WEIR_TEST_DEPTH": "quick",
    "WEIR_TEST_DECISIONS": "2000",
    "WEIR_TEST_FUZZ": "20",
    "WEIR_TEST_FUZZ_REQUESTS": "200",
}
"""A value that the caller's environment sets holds instead."""


def apply(whole: bool) -> str:
    """Put what is not set into this process's environment; a sentence that names the depth and the random seed."""
    for name, value in (ALL if whole else QUICK).items():
        os.environ.setdefault(name, value)
    seed = os.environ.setdefault("WEIR_TEST_SEED", str(secrets.randbelow(10**8)))
    depth = os.environ["WEIR_TEST_DEPTH"]
    return f"random seed {seed} ({depth} examples): WEIR_TEST_SEED={seed} repeats this run's choices"
