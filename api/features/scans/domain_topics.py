"""Which topics admins and stewards of a domain may scan."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from catalog.errors import NotAllowed
from policies.decision.domains import Reach


def require_topics(reach: Reach, user: str, cluster: str | None, topics: Sequence[str], names: Collection[str]) -> None:
    """Raises NotAllowed unless all that these patterns of topics match, now or later, is within reach. By what is written
    alone: the answer is the same whether a topic exists or not. `names`: all that the same cluster is declared by."""
    for each in topics:
        # In names of topics these match single letters, which patterns of domains do not have.
        letters = any(letter in each for letter in "?[]")
        if cluster is None or letters or not all(reach.has_all(f"{name}/{each}") for name in {cluster, *names}):
            pattern = f"{cluster}/{each}" if cluster is not None else each
            raise NotAllowed(
                f"{user} may not scan {pattern}: it may be more than the datasets of {' and '.join(reach.names)}.",
                details={"permission": "scan", "reasons": ["outside of their domains"]},
            )
