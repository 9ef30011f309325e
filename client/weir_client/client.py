"""The client."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from weir_client.datasets import Dataset, Hits
from weir_client.errors import InvalidInput
from weir_client.http import Http, part
from weir_client.query import Query


class Weir:
    """A running Weir, as one user. Safe for threads. Usable in `with`, which closes its connections.

    url      WEIR_URL when absent, else http://127.0.0.1:8484
    token    WEIR_TOKEN when absent; `weir token create --user NAME` makes one
    timeout  seconds a call may take; answers of queries may take longer

    For https, files in PEM:

    ca           authorities that sign the server's certificate: WEIR_CA when absent, else those of the machine
    certificate  a client certificate, WEIR_CLIENT_CERTIFICATE when absent; it signs in where there is no token
    key          its key, WEIR_CLIENT_KEY when absent, else in the file of the certificate
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        timeout: float = 120.0,
        *,
        ca: str | None = None,
        certificate: str | None = None,
        key: str | None = None,
        transport: Any = None,
    ) -> None:
        """`transport`: an httpx transport in place of the network, for tests. Raises NotSignedIn without a token and a
        certificate, InvalidInput for files that cannot be used."""
        self._http = Http(url, token, timeout, transport, ca, certificate, key)

    def __enter__(self) -> Weir:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Weir({self._http.url!r})"

    def close(self) -> None:
        self._http.close()

    # --- SQL -------------------------------------------------------------------------------------------------------

    def query(
        self,
        sql: str,
        purpose: str | None = None,
        limit: int | None = None,
        query_id: str | None = None,
        unreadable: str | None = None,
        window: str | None = None,
    ) -> Query:
        """A query over topics; it runs when its answer is asked for: `to_pandas()`, `to_arrow()`, `rows()`, `stream()`.

        `window`: "all" reads every record of a topic, "newest" (the default) as many of the newest as the server's setting
        allows. `stream()` and `batches()` need memory for one batch at a time, however many rows there are.
        `unreadable`: "error" refuses an answer with values that do not fit their column, "report" counts them.
        """
        return Query(self._http, sql, purpose, limit, query_id, unreadable, window)

    def check(self, sql: str, purpose: str | None = None) -> dict[str, Any]:
        """Whether a query could run: its problems with their places, its columns with types and decisions."""
        return self._http.document("POST", "/api/v1/query/check", {"sql": sql, "purpose": purpose})

    def running(self) -> list[dict[str, Any]]:
        """Queries that run just now."""
        return self._http.documents("GET", "/api/v1/queries", "queries")

    def cancel(self, query_id: str) -> None:
        """Stop a running query."""
        self._http.json("DELETE", f"/api/v1/queries/{part(query_id)}")

    # --- the catalog -----------------------------------------------------------------------------------------------

    def search(
        self, text: str = "", *, kind: str | None = None, limit: int = 20, offset: int = 0, **filters: Any
    ) -> Hits:
        """Datasets and fields. `kind`: dataset or field; filters: tag, owner, entity and others of the HTTP API."""
        answer = self._http.json("GET", "/api/v1/search", q=text, kind=kind, limit=limit, offset=offset, **filters)
        return Hits(answer["hits"], answer["total"], answer.get("facets", {}))

    def dataset(self, reference: str) -> Dataset:
        """One dataset, by CLUSTER/TOPIC or the `reference` of a hit. Raises NotFound naming the nearest."""
        if "/" not in reference:
            raise InvalidInput(
                f"{reference!r} is not a dataset; write CLUSTER/TOPIC, as in prod/orders.", "invalid_input"
            )
        return Dataset(self._http, reference)

    def where_is(
        self, *, entity: str | None = None, field: str | None = None, term: str | None = None, **more: Any
    ) -> dict[str, Any]:
        """Every place of a kind of personal data, of a field, or of a glossary term; {asked, places, gaps}."""
        if [entity, field, term].count(None) != 2:
            raise InvalidInput(
                "Give one of entity, field and term, as in where_is(entity='EMAIL_ADDRESS').", "invalid_input"
            )
        return self._http.document("GET", "/api/v1/reports/where-is", entity=entity, field=field, term=term, **more)

    # --- access ----------------------------------------------------------------------------------------------------

    def me(self) -> dict[str, Any]:
        """Who the token is, and what they may do."""
        return self._http.document("GET", "/api/v1/me")

    def request_access(
        self,
        dataset: str,
        fields: str | Sequence[str] = ("*",),
        *,
        purpose: str,
        days: float | None = None,
        reason: str = "",
        rows: str | None = None,
        unmask: str | Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """Request to see fields unmasked, for a purpose and a time; the request as the API gives it.

        `days`: None for the longest that is allowed.
        """
        body = {
            "dataset": dataset,
            "fields": _listed(fields),
            "purpose": purpose,
            "until": _end(days) if days is not None else None,
            "reason": reason,
            "rows": rows,
            "unmask": _listed(unmask) if unmask is not None else None,
        }
        return self._http.document("POST", "/api/v1/access-requests", body)

    def requests(self, **filters: Any) -> list[dict[str, Any]]:
        """Access requests one made or may decide, all pages of them; filters: state, mine, toDecide.

        With `limit` or `offset` it is that one page.
        """
        path, requests = "/api/v1/access-requests", list[dict[str, Any]]()
        if "limit" in filters or "offset" in filters:
            return self._http.documents("GET", path, "requests", **filters)
        while True:
            page = self._http.document("GET", path, offset=len(requests), **filters)
            requests += page["requests"]
            if not page["requests"] or len(requests) >= page["total"]:
                return requests

    def approve(self, request_id: str, reason: str = "") -> dict[str, Any]:
        """Approve the stage of a request that waits."""
        return self._http.document("POST", f"/api/v1/access-requests/{part(request_id)}/approve", {"reason": reason})

    def deny(self, request_id: str, reason: str = "") -> dict[str, Any]:
        """Deny a request."""
        return self._http.document("POST", f"/api/v1/access-requests/{part(request_id)}/deny", {"reason": reason})

    def decide(
        self,
        dataset: str,
        *,
        subject: Any = None,
        purpose: str | None = None,
        fields: str | Sequence[str] = (),
        action: str = "read",
    ) -> dict[str, Any]:
        """What a subject may read of a dataset, column by column; about others it takes the permission `decide`."""
        body = {"dataset": dataset, "purpose": purpose, "fields": _listed(fields), "action": action}
        return self._http.document("POST", "/api/v1/decisions", {**body, **({"subject": subject} if subject else {})})


def _listed(fields: str | Sequence[str]) -> list[str]:
    """Fields as a list; one may be given as a text."""
    return [fields] if isinstance(fields, str) else list(fields)


def _end(days: float) -> str:
    """So many days from now. Raises InvalidInput for a number that no calendar has."""
    try:
        return (datetime.now(timezone.utc) + timedelta(days=days)).isoformat()  # noqa: UP017 (Python 3.10)
    except (OverflowError, ValueError):
        raise InvalidInput(f"days is a number of days from now, not {days}.", "invalid_input") from None
