"""The story proper: each chapter asks Weir over HTTP, shows the answer, and fails when the answer is wrong.

The demo knows what it planted, so it can distinguish a masked address from an unmasked one and a complete report from a partial
one. A chapter whose answer contradicts the story ends it with DemoFailed.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from rich.console import Console
from rich.markup import escape

from api.demo import views
from api.demo.client import ApiRefusal, Person, awaited
from api.demo.errors import DemoFailed
from api.demo.expect import known_addresses, missed
from api.demo.generator import DERIVED, PLANTED
from api.demo.story import CLUSTER, Story
from api.demo.view_chapter import ViewChapter

PURPOSE = "order-support"
QUERY = (
    "SELECT order_id, customer.name AS name, customer.email AS email, customer.phone AS phone, amount, region\n"
    "FROM prod.orders WHERE region = 'EU' ORDER BY order_id DESC"
)
ASKED = ("value.customer.name", "value.customer.email", "value.customer.phone")


class Chapters:
    """What happens once everything is scanned and the jobs have run."""

    def __init__(self, story: Story, console: Console, admin: Person, ana: Person, otto: Person, petra: Person) -> None:
        self._story = story
        self._console = console
        self._admin = admin
        self._ana = ana
        self._otto = otto
        self._petra = petra

    def tell(self) -> None:
        """All chapters, in order. Raises DemoFailed."""
        for title, chapter in (
            ("What do we have?", self._catalog),
            ("One topic, five kinds of record: the scan found what distinguishes them", self._shapes),
            ("Where does it go? As the jobs reported it themselves", self._lineage),
            ("ana, an analyst, asks for orders", self._masked),
            ("She requests access; otto and petra approve", self._approve),
            ("The same query again", self._clear),
            ("petra asks: where are e-mail addresses?", self._where_is),
            ("What breaks when orders loses value.customer.email?", self._impact),
            ("Three views that stay: a masked copy, revenue, and where each van is", self._views),
            ("Everything above is in the audit chain", self._audit),
        ):
            with self._story.step(title):
                chapter()

    def _say(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)

    def _catalog(self) -> None:
        listed = views.table(
            "topic", "format", "read", "fields", "shapes", "personal data", right=("read", "fields", "shapes")
        )
        classified: list[dict[str, object]] = []
        names = list(dict.fromkeys([*(p.topic for p in PLANTED), "returns", *(p.topic for p in DERIVED)]))
        for name in sorted(names):
            schema = self._admin.get(f"/api/v1/datasets/{CLUSTER}/{name}/schema")
            tags = self._admin.get(f"/api/v1/datasets/{CLUSTER}/{name}/classifications")
            classified += [{**tag, "name": name} for tag in tags]
            listed.add_row(
                name,
                str((schema.get("format") or {}).get("value") or ""),
                f"{(schema.get('window') or {}).get('records', 0):,}",
                str(len(schema["fields"])),
                str(len(schema["shapes"])),
                views.entities(tags),
            )
        self._console.print(listed)
        lost = missed([*PLANTED, *DERIVED], classified)
        total = len(PLANTED) + len(DERIVED)
        self._say(f"{total - len(lost)} of {total} planted places of personal data were found.")
        if lost:
            self._say("[dim]not found: " + ", ".join(f"{p.topic} {escape(p.path)} ({p.entity})" for p in lost) + "[/]")

        def searched() -> Any:
            answer = self._admin.get("/api/v1/search", q="email", kind="field")
            return answer if answer["total"] else None

        answer = awaited("The search index", searched)
        hits = ", ".join(f"{hit['name']} {hit['path']}" for hit in answer["hits"][:4])
        self._say(f"A search for [bold]email[/] finds {answer['total']} fields: {escape(hits)} ...")

    def _shapes(self) -> None:
        schema = self._admin.get(f"/api/v1/datasets/{CLUSTER}/events/schema")
        # {path: value}; a shape that gathers rare ones has {"others": how many}.
        shapes = [
            shape for shape in schema["shapes"] if any(isinstance(v, str) for v in (shape.get("when") or {}).values())
        ]
        rows = views.table("share", "when", "fields", right=("share",))
        for shape in sorted(shapes, key=lambda shape: -float(shape["share"])):
            text = " and ".join(f"{path.removeprefix('value.')} = {value}" for path, value in shape["when"].items())
            fields = ", ".join(path.removeprefix("value.") for path in shape["paths"] if path.startswith("value."))
            rows.add_row(f"{shape['share']:.0%}", escape(text), escape(fields))
        self._console.print(rows)
        if len(shapes) < 5:
            raise DemoFailed(
                f"The topic events holds five kinds of record, and the scan distinguished only {len(shapes)}."
            )

    def _lineage(self) -> None:
        expected = {
            "orders": {
                ("orders", "revenue-by-region"),
                ("orders", "order-mails"),
                ("order-mails", "newsletter-audience"),
            },
            "clicks": {("clicks", "clicks.clean")},
        }
        for topic, needed in expected.items():

            def arrived(topic: str = topic, needed: set[tuple[str, str]] = needed) -> Any:
                try:
                    answer = self._admin.get(
                        "/api/v1/lineage", nodeId=f"dataset:{CLUSTER}:{topic}", direction="downstream", depth=5
                    )
                except ApiRefusal as refused:
                    if refused.status == 404:  # not in the graph yet
                        return None
                    raise
                there = {(views.name_of(e["source"]), views.name_of(e["target"])) for e in answer["edges"]}
                return answer if needed <= there else None

            answer = awaited(f"The lineage of {topic}", arrived, 30)
            edges = [edge for edge in answer["edges"] if not edge["source"].startswith("job:")]
            root = next(edge["source"] for edge in edges if views.name_of(edge["source"]) == topic)
            self._console.print(views.flow_tree(root, edges))

    def _masked(self) -> None:
        self._start_afresh()
        shown = self._query()
        if seen := shown & known_addresses():
            raise DemoFailed(f"ana saw {len(seen)} e-mail addresses that should have been masked.")

    def _clear(self) -> None:
        if self._query() - known_addresses():
            raise DemoFailed("ana has a grant for the e-mail addresses and still did not see them unmasked.")

    def _start_afresh(self) -> None:
        """Revoke what an earlier run granted, so that the story can run again."""
        for request in self._ana.get("/api/v1/access-requests", state="pending")["requests"]:
            if request.get("requester", "ana") == "ana" and request["dataset"].endswith("orders"):
                self._ana.post(f"/api/v1/access-requests/{request['id']}/cancel")
        for grant in self._admin.get("/api/v1/grants")["grants"]:
            subject = grant.get("subject")
            whose = subject.get("user") if isinstance(subject, dict) else subject
            if whose == "ana" and grant["status"] == "approved" and grant["dataset"].endswith("orders"):
                self._admin.delete(f"/api/v1/grants/{grant['name']}", reason="the demo runs again")
                self._say("[dim]The grant of an earlier run was revoked.[/]")

    def _query(self) -> set[str]:
        """ana's query, shown; what it gave as e-mail addresses."""
        self._say(f"[cyan]{escape(QUERY)}[/]")
        answer = self._ana.post("/api/v1/query", {"sql": QUERY, "purpose": PURPOSE, "limit": 5})
        self._console.print(views.rows_table(answer))
        unmasked = []
        for column in answer["columns"]:
            decision = column.get("decision") or {}
            if decision.get("effect") == "clear":
                unmasked.append(column["name"])
            elif text := decision.get("text"):
                self._say(f"[dim]{escape(column['name'])}: {escape(str(text))}[/]")
        if unmasked:
            self._say(f"[dim]unmasked: {escape(', '.join(unmasked))}[/]")
        at = [column["name"] for column in answer["columns"]].index("email")
        shown = {str(row[at]) for row in answer["rows"]}
        if not shown:
            raise DemoFailed("The query gave no rows, and there are some hundred orders from the EU.")
        return shown

    def _approve(self) -> None:
        now = datetime.now(UTC)
        request = self._ana.post(
            "/api/v1/access-requests",
            {
                "dataset": f"{CLUSTER}/orders",
                "fields": list(ASKED),
                "purpose": PURPOSE,
                "from": now.isoformat(),
                "until": (now + timedelta(days=7)).isoformat(),
                "reason": "A customer called about an order that did not arrive.",
            },
        )
        self._say(
            f"ana asks for {', '.join(ASKED)}, seven days, for {PURPOSE}: {request['state']}, stage {request['stage']}"
        )
        path = f"/api/v1/access-requests/{request['id']}"
        try:
            self._ana.post(f"{path}/approve", {"reason": "to myself"})
        except ApiRefusal as refused:
            self._say(f"[dim]ana tries to approve it herself: {escape(str(refused))}[/]")
        else:
            raise DemoFailed("ana could approve her own request.")
        for person, reason in ((self._otto, "her job this week"), (self._petra, "within the purpose")):
            request = person.post(f"{path}/approve", {"reason": reason})
            stage = f", stage {request['stage']}" if request["state"] == "pending" else ""
            self._say(f"{person.name} approves ({reason}): {request['state']}{stage}")
        if request["state"] != "approved":
            raise DemoFailed(f"Both stages approved the request, and it is {request['state']}.")

    def _where_is(self) -> None:
        answer = self._petra.get("/api/v1/reports/where-is", entity="EMAIL_ADDRESS")
        self._console.print(views.places_table(answer["places"]))
        planted = [p for p in (*PLANTED, *DERIVED) if p.entity == "EMAIL_ADDRESS"]
        lost = missed(planted, answer["places"])
        for gap in answer.get("gaps") or ():
            self._say(f"[yellow]![/] [dim]{escape(str(gap.get('message', gap) if isinstance(gap, dict) else gap))}[/]")
        if lost:
            places = ", ".join(f"{place.topic} {place.path}" for place in lost)
            raise DemoFailed(f"The report lacks {len(lost)} places where the demo put e-mail addresses: {places}.")
        self._say(
            f"All {len(planted)} places where the demo put e-mail addresses are named: in keys, headers and values."
        )

    def _impact(self) -> None:
        answer = self._admin.get(
            "/api/v1/impact", nodeId=f"datasetField:{CLUSTER}:orders:value.customer.email", depth=5
        )
        self._console.print(views.impact_tree(answer))
        raw = {views.name_of(item["id"]): bool(item["raw"]) for item in answer["affected"]}
        for name, expected in (("order-mails  value.to", True), ("newsletter-audience  value.email_hash", False)):
            if raw.get(name) is not expected:
                arrives = "raw" if expected else "only masked"
                raise DemoFailed(
                    f"The e-mail address of orders arrives {arrives} in {name}, and the answer does not show it."
                )

    def _views(self) -> None:
        ViewChapter(self._say, self._console, self._admin, self._ana, self._petra).tell()

    def _audit(self) -> None:
        answer = self._petra.get("/api/v1/audit/verify")
        if not answer["holds"]:
            raise DemoFailed(f"The audit chain does not hold from entry {answer.get('firstBad')} on.")
        head = answer["head"]["hash"][:12]
        self._say(f"[green]✓[/] {answer['entries']:,} entries, every one sealed by the next; the last is {head}")
