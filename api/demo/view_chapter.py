"""The chapter of the stream views: each is read by REST and by SQL, by somebody who may and by somebody who may not."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from rich.console import Console
from rich.markup import escape

from api.demo import views
from api.demo.client import ApiRefusal, Person, awaited
from api.demo.errors import DemoFailed
from api.demo.expect import known_addresses

NAMES = ("shop.orders", "shop.revenue_5m", "fleet.positions")
REVENUE = (
    "SELECT region, sum(orders) AS orders, sum(total) AS total FROM shop.revenue_5m GROUP BY region ORDER BY region"
)
_WAIT_S = 600.0


class ViewChapter:
    """Waits for the three views, and reads them."""

    def __init__(self, say: Callable[[str], None], console: Console, admin: Person, ana: Person, petra: Person) -> None:
        self._say, self._console, self._admin, self._ana, self._petra = say, console, admin, ana, petra

    def tell(self) -> None:
        """Raises DemoFailed where a view holds what it should not, or lacks what it should hold."""
        shown = views.table("view", "state", "sources", "rows", right=("rows",))
        for name in NAMES:
            view = awaited(f"The view {name}", lambda name=name: self._ready(name), _WAIT_S)  # type: ignore[misc]
            shown.add_row(name, view["state"], ", ".join(view["sources"]), f"{view['rows']:,}")
        self._console.print(shown)
        self._masked_copy()
        self._revenue()
        self._positions()

    def _ready(self, name: str) -> Any:
        view = self._admin.get(f"/api/v1/views/{name}")
        if view["state"] == "failed":
            raise DemoFailed(f"The view {name} failed: {view['error']['message']}")
        return view if view["state"] == "running" and view["lag"]["records"] == 0 else None

    def _masked_copy(self) -> None:
        """Nobody has changed the view's decision, so it is masked even for those who see the source unmasked."""
        for person in (self._ana, self._petra):
            rows = person.get("/api/v1/views/shop.orders/rows", limit=500)["rows"]
            seen = {str(row[1]["email"]) for row in rows} & known_addresses()
            if seen or not rows:
                raise DemoFailed(
                    f"{person.name} saw {len(seen)} e-mail addresses in {len(rows)} rows of a masked copy."
                )
        self._say(
            "The topic shop.orders-for-analysts holds the orders with e-mail, phone and name masked, for everybody."
        )

    def _revenue(self) -> None:
        self._say(f"[cyan]{escape(REVENUE)}[/]")
        answer = self._ana.post("/api/v1/query", {"sql": REVENUE})
        self._console.print(views.rows_table(answer))
        direct = "SELECT count(*) AS orders, sum(amount) AS total FROM prod.orders"
        (orders, total) = self._ana.post("/api/v1/query", {"sql": direct})["rows"][0]
        sums = [(int(row[1]), Decimal(str(row[2]))) for row in answer["rows"]]
        if (sum(n for n, _ in sums), sum(t for _, t in sums)) != (int(orders), Decimal(str(total))):
            raise DemoFailed(f"The view has other sums than the {orders} orders it was made of.")

    def _positions(self) -> None:
        page = self._petra.get("/api/v1/views/fleet.positions/rows")
        if len(page["rows"]) != 5:
            raise DemoFailed(f"Five vans send their position, and the view has {len(page['rows'])}.")
        van = str(page["rows"][0][0])
        row = self._petra.get("/api/v1/views/fleet.positions/rows", key=van)["rows"][0]
        self._say(f"petra reads one van by key: {escape(', '.join(map(str, row)))}")
        try:
            self._ana.get("/api/v1/views/fleet.positions/rows", key=van)
        except ApiRefusal as refused:
            self._say(f"[dim]ana tries, too: {escape(str(refused))}[/]")
        else:
            raise DemoFailed("ana read the position of a van, and may read neither the view nor its source.")
