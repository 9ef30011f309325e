"""Marquez's search, over the datasets and jobs of lineage."""

from __future__ import annotations

import re

from api.features.marquez import shapes
from api.features.marquez.answers import MarquezFoundPage
from api.visibility.readers import Reader

_MOST = 1000


def search(
    reader: Reader, text: str, kind: str | None, namespace: str | None, limit: int, by_time: bool
) -> MarquezFoundPage:
    """Datasets and jobs whose names have a text in them, as Marquez finds them. `%` matches any text, as there."""
    kinds = [kind] if kind else ["dataset", "job"]
    parts = [part.lower() for part in text.strip().split("%") if part]
    holding = max(parts, key=len, default="")
    fits = re.compile(".*".join(re.escape(part) for part in parts), re.DOTALL)
    nodes = [
        node
        for each in kinds
        for node in reader.lineage.named_in(each, namespace, _MOST, holding=holding)
        if fits.search(node.name.lower())
    ]
    nodes.sort(key=lambda node: (node.name.lower(), node.id))
    if by_time:
        nodes.sort(key=lambda node: str(node.info.get("lastSeen") or ""), reverse=True)
    return MarquezFoundPage(totalCount=len(nodes), results=[shapes.search_result(node) for node in nodes[:limit]])
