"""The search index in Elasticsearch.

Uses only what every installation has: no scripts, no delete or update by query, no reindex, no token filters. Words
come split from `catalog.tokens`, so every text field is plain words between blanks. Documents carry the revision of
their dataset as external version: a late writer cannot put an older state over a newer one.
"""

from __future__ import annotations

import ssl
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from elastic_transport import ConnectionError as TransportConnectionError
from elastic_transport import ConnectionTimeout, TransportError
from elasticsearch import ApiError, BadRequestError, Elasticsearch, NotFoundError
from elasticsearch.helpers import streaming_bulk
from elasticsearch.serializer import OrjsonSerializer

from catalog.adapters.elastic.documents import MAPPINGS, hit_of, index_action
from catalog.adapters.elastic.query import counts, everything, held, hits, seen
from catalog.errors import InvalidInput, Unavailable
from catalog.search_model import FACETS, Entry, IndexPage, SearchQuery, Unseen

SETTINGS = {"number_of_shards": 1, "number_of_replicas": 0, "max_result_window": 10_000}
_BUSY = 429  # a queue or the heap is full
_STALE = timedelta(hours=6)  # a fresh index that was never swapped in; its builder has died by then


class ElasticSearchIndex:
    """See `catalog.ports.SearchIndex`. `alias` is what searches read; indexes are named `ALIAS-...`."""

    def __init__(
        self,
        url: str,
        alias: str = "weir-catalog",
        *,
        api_key: str | None = None,
        basic_auth: tuple[str, str] | None = None,
        ca: Path | None = None,
        timeout_s: float = 5.0,
    ) -> None:
        self._url = url
        self._alias = alias
        self._current = False
        self._client = Elasticsearch(
            url,
            api_key=api_key,
            basic_auth=basic_auth,
            request_timeout=timeout_s,
            retry_on_timeout=False,
            max_retries=1,
            serializers={"application/json": OrjsonSerializer()},  # reads answers in a third of the time
            ssl_context=ssl.create_default_context(cafile=str(ca)) if ca else None,
        )

    def close(self) -> None:
        self._client.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (TransportConnectionError, ConnectionTimeout, TransportError) as error:
            raise self._unavailable(type(error).__name__) from error
        except BadRequestError as error:
            raise InvalidInput("The search server does not understand this search; write it differently.") from error
        except ApiError as error:
            raise self._refused(error.status_code, f"status {error.status_code}") from error

    def _unavailable(self, cause: str) -> Unavailable:
        return Unavailable(
            f"The search server {self._url} does not answer ({cause}); check WEIR_ELASTICSEARCH__URL and that it runs."
            " The record itself is not touched.",
            details={"server": self._url},
        )

    def _refused(self, status: int | None, cause: str) -> Unavailable:
        if status != _BUSY:
            return self._unavailable(cause)
        return Unavailable(
            f"The search server {self._url} has too little memory or too much to do (status {_BUSY}); ask again, and if it"
            " stays so give it a larger heap (WEIR_STACK__ELASTICSEARCH_MEMORY for the one of `weir up`). The record itself"
            " is not touched.",
            details={"server": self._url},
        )

    def ping(self) -> None:
        with self._translated():
            self._client.cluster.health(timeout="2s")

    def ensure(self) -> bool:
        with self._translated():
            if self._client.indices.exists_alias(name=self._alias):
                if not self._current:  # an index of an older Weir lacks words that are sought by now
                    mappings = self._client.indices.get_mapping(index=self._alias)
                    self._current = all(
                        index["mappings"].get("_meta") == MAPPINGS["_meta"] for index in mappings.values()
                    )
                return not self._current
            # One name for all who find none: the second to make it is refused, and there is only one.
            try:
                self._create(f"{self._alias}-000001", aliases={self._alias: {}})
            except BadRequestError as error:
                if "already_exists" not in str(error.error):
                    raise
                if not self._client.indices.exists_alias(name=self._alias):
                    self._client.indices.put_alias(index=f"{self._alias}-000001", name=self._alias)
                return False
            return True

    def _create(self, index: str, aliases: Mapping[str, Any] | None = None) -> None:
        self._client.indices.create(index=index, mappings=MAPPINGS, settings=SETTINGS, aliases=aliases)

    def write(self, entries: Sequence[Entry], gone: Sequence[tuple[str, int]]) -> None:
        actions = [index_action(entry) for entry in entries]
        actions += [
            {"_op_type": "delete", "_id": key, "version": version, "version_type": "external_gte"}
            for key, version in gone
        ]
        with self._translated():
            try:
                self._bulk(self._alias, actions, require_alias=True)
            except NotFoundError:
                self.ensure()
                self._bulk(self._alias, actions, require_alias=True)

    def _bulk(self, index: str, actions: Sequence[dict[str, object]], require_alias: bool = False) -> None:
        for ok, answer in streaming_bulk(
            self._client,
            actions,
            index=index,
            chunk_size=500,
            raise_on_error=False,
            raise_on_exception=True,
            max_retries=4,
            initial_backoff=0.5,
            require_alias=require_alias or None,
        ):
            if ok:
                continue
            kind, item = next(iter(answer.items()))
            # Newer there already, or gone already: both are what was wanted.
            if item["status"] == 409 or (kind == "delete" and item.get("result") == "not_found"):
                continue
            if item["status"] == 404:
                raise _missing(item)
            status = item["status"]
            raise self._refused(status, f"{kind} refused with status {status}, {item.get('error', {}).get('type')}")

    def forget(self, key: str) -> None:
        with self._translated():
            self._client.indices.refresh(index=self._alias, ignore_unavailable=True)
            while True:
                hits = self._client.search(
                    index=self._alias,
                    query={"term": {"key": key}},
                    size=1000,
                    source=False,
                    ignore_unavailable=True,
                    allow_no_indices=True,
                )["hits"]["hits"]
                if not hits:
                    return
                self._bulk(self._alias, [{"_op_type": "delete", "_id": hit["_id"]} for hit in hits])
                self._client.indices.refresh(index=self._alias)

    def search(self, query: SearchQuery) -> IndexPage:
        return self.ask([query])[0]

    def ask(self, queries: Sequence[SearchQuery]) -> list[IndexPage]:
        plans = [_Plan(query) for query in queries]
        header = {"index": self._alias, "ignore_unavailable": True, "allow_no_indices": True}
        with self._translated():
            answers = iter(
                self._client.msearch(
                    searches=[part for plan in plans for one in plan.bodies for part in (header, one)]
                )["responses"]
            )
            return [plan.page([self._answered(next(answers)) for _ in plan.bodies]) for plan in plans]

    def _answered(self, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        if "error" not in answer:
            return answer
        status, kind = answer.get("status"), answer["error"].get("type")
        if status == 400:
            raise InvalidInput("The search server does not understand this search; write it differently.")
        raise self._refused(status, f"status {status}, {kind}")

    def stamp(self) -> str:
        with self._translated():
            stats = self._client.options(ignore_status=404).indices.stats(
                index=self._alias, metric="indexing", filter_path="indices.*.primaries"
            )
        counts = {name: each["primaries"]["indexing"] for name, each in (stats.get("indices") or {}).items()}
        return repr(sorted((name, each["index_total"], each["delete_total"]) for name, each in counts.items()))

    def labels(self, most: int, unseen: Unseen | None = None) -> list[tuple[str, int]]:
        with self._translated():
            answer = self._client.search(
                index=self._alias,
                query={"bool": {"filter": seen(unseen)}} if unseen is not None else None,
                size=0,
                ignore_unavailable=True,
                allow_no_indices=True,
                track_total_hits=False,
                aggs={"labels": {"terms": {"field": "label", "size": most, "exclude": [""]}}},
            )
        labels = (answer.get("aggregations") or {"labels": {"buckets": []}})["labels"]
        return [(bucket["key"], int(bucket["doc_count"])) for bucket in labels["buckets"]]

    def refresh(self) -> None:
        with self._translated():
            self._client.indices.refresh(index=self._alias, ignore_unavailable=True)

    def rebuild(self) -> ElasticRebuild:
        with self._translated():
            self._remove_abandoned()
            name = f"{self._alias}-{datetime.now(UTC):%Y%m%d%H%M%S}-{uuid.uuid4().hex[:8]}"
            self._create(name)
        return ElasticRebuild(self, name)

    def _remove_abandoned(self) -> None:
        for name, facts in self._client.indices.get_alias(index=f"{self._alias}-*", allow_no_indices=True).items():
            stamp = name.removeprefix(f"{self._alias}-").split("-")[0]
            if facts.get("aliases") or len(stamp) != 14 or not stamp.isdigit():
                continue
            if datetime.strptime(stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC) < datetime.now(UTC) - _STALE:
                self._client.indices.delete(index=name, ignore_unavailable=True)


class ElasticRebuild:
    """See `catalog.ports.IndexRebuild`."""

    def __init__(self, index: ElasticSearchIndex, name: str) -> None:
        self._index = index
        self._name = name

    def add(self, entries: Sequence[Entry]) -> None:
        with self._index._translated():
            self._index._bulk(self._name, [index_action(entry) for entry in entries])

    def swap(self) -> None:
        alias, client = self._index._alias, self._index._client
        with self._index._translated():
            client.indices.refresh(index=self._name)
            old = list(client.indices.get_alias(name=alias)) if client.indices.exists_alias(name=alias) else []
            self._index._current = True
            client.indices.update_aliases(
                actions=[
                    *({"remove_index": {"index": name}} for name in old),
                    {"add": {"index": self._name, "alias": alias}},
                ]
            )

    def abandon(self) -> None:
        with self._index._translated():
            self._index._client.indices.delete(index=self._name, ignore_unavailable=True)


class _Plan:
    """What is asked of the server for one query, and how its answers are read."""

    def __init__(self, query: SearchQuery) -> None:
        self._query = query
        self._weighed = query.counted and len(query.needles) > 1
        self._counts = counts(query) if query.counted else []
        self.bodies = [hits(query), *self._counts]
        if self._weighed:
            self.bodies += [everything(query.unseen), *(held(needle, query.unseen) for needle in query.needles)]

    def page(self, answers: Sequence[Mapping[str, Any]]) -> IndexPage:
        hits = tuple(hit_of(hit) for hit in answers[0]["hits"]["hits"])
        if not self._query.counted:
            return IndexPage(len(hits), hits, dict.fromkeys(FACETS, ()))
        # Without an index there is an answer without counts: nothing was indexed yet.
        behind = 1 + len(self._counts)
        counted: dict[str, Mapping[str, Any]] = {}
        for answer in answers[1:behind]:
            counted |= answer.get("aggregations") or {}
        facets = {name: _values(counted.get(name, {})) for name in FACETS}
        size, *holding = [_total(answer) for answer in answers[behind:]] or [0]
        datasets = int(counted["datasets"]["value"]) if "datasets" in counted else 0
        return IndexPage(
            total=_total(answers[1]), hits=hits, facets=facets, held=tuple(holding), size=size, datasets=datasets
        )


def _total(answer: Mapping[str, Any]) -> int:
    return int((answer["hits"].get("total") or {"value": 0})["value"])


def _values(counted: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    return tuple((str(bucket["key"]), int(bucket["doc_count"])) for bucket in counted.get("buckets", ()))


def _missing(item: Mapping[str, Any]) -> NotFoundError:
    from elastic_transport import ApiResponseMeta, HttpHeaders, NodeConfig

    meta = ApiResponseMeta(404, "1.1", HttpHeaders(), 0.0, NodeConfig("http", "localhost", 9200))
    return NotFoundError("index_not_found_exception", meta, dict(item))
