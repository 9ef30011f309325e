"""The two judged catalogs, and how answers are read. `first`: the demo and GitHub; `second`: the generated one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from catalog.ports import CatalogStore
from tests.search_set import generated
from tests.search_set.demo import WEBHOOKS, demo_datasets, glossary, webhook_datasets
from tests.search_set.judged import Catalog, Place, Query, load
from tests.search_set.planned import record

SHOWN = 10
SHARED_DATA = Path(os.environ.get("WEIR_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


@dataclass(frozen=True, slots=True)
class Judged:
    """A catalog with its queries. `skipped`: the reason why a part is missing, else empty."""

    name: str
    cluster: str
    catalog: Catalog
    queries: Sequence[Query]
    terms: Mapping[str, Mapping[str, Any]]
    skipped: str = ""

    def write(self, store: CatalogStore) -> int:
        """Into a record store; gives how many datasets."""
        return record(store, self.cluster, self.catalog.datasets, self.terms)


def first(data: Path = SHARED_DATA) -> Judged:
    """The demo's topics, and GitHub's where `data` holds the recorded webhooks."""
    hooks = webhook_datasets(data) if (data / WEBHOOKS).exists() else ()
    catalog = Catalog([*demo_datasets(), *hooks])
    queries = load("demo", catalog) + (load("github", catalog) if hooks else [])
    reason = "" if hooks else f"GitHub's webhooks are not judged: there is no {WEBHOOKS} in {data} (WEIR_SHARED_DATA)."
    return Judged("demo and GitHub", "prod", catalog, queries, glossary(), reason)


def second(count: int = generated.QUICK) -> Judged:
    """The generated catalog of so many datasets."""
    catalog = Catalog(generated.datasets(count))
    return Judged("generated", "corp", catalog, load("generated", catalog), generated.vocabulary().glossary())


def paraphrased(judged: Judged) -> list[Query]:
    """Questions over a judged catalog in words that their answers do not have, of no half; none where a part is missing."""
    part = "paraphrased_first" if judged.cluster == "prod" else "paraphrased_second"
    return [] if judged.skipped else [replace(query, half="") for query in load(part, judged.catalog)]


def places(answer: Mapping[str, Any]) -> list[Place]:
    """The hits of an answer of `/api/v1/search`."""
    return [(hit["name"], hit.get("path") if hit["kind"] == "field" else None) for hit in answer["hits"]]
