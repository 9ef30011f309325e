"""Every command that prints a table, at 100 and 80 columns of a terminal and in a pipe, with long names and values."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from api import cli
from api.features.queries import commands as queries
from api.features.views import commands as views
from tests.answer_check import CheckedClient
from tests.api_world import ApiWorld, record, world

TOPIC = "shop.customers.loyalty-programme.transactions-by-region-v2.eu"
MAIL = "maximiliane.hohenstein@subsidiary.department.example.com"
DECLARED = f"""
apiVersion: weir/v1
kind: Cluster
metadata: {{name: prod}}
spec: {{bootstrapServers: "localhost:9092"}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {{cluster: prod, name: {TOPIC}}}
spec:
  owners: [{{user: {MAIL}}}]
  description: Every transaction of the loyalty programme, with the customer and what was bought, 東京 too.
  fields: [{{path: value.customer.email, tags: [EMAIL_ADDRESS, marketing-and-communication]}}]
---
apiVersion: weir/v1
kind: Role
metadata: {{name: reader-of-all-loyalty-programmes}}
spec: {{read: [{{dataset: "prod/*"}}]}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: {MAIL}}}
spec: {{email: {MAIL}, roles: [reader-of-all-loyalty-programmes]}}
---
apiVersion: weir/v1
kind: Policy
metadata: {{name: mask-addresses-of-customers}}
spec: {{type: mask, match: {{tags: [EMAIL_ADDRESS]}}, mask: {{type: EMAIL_DOMAIN}}}}
---
apiVersion: weir/v1
kind: Purpose
metadata: {{name: fraud-investigation-of-loyalty}}
spec: {{title: Investigations of fraud with points of the loyalty programme, legalBasis: legitimate-interests}}
---
apiVersion: weir/v1
kind: AccessReview
metadata: {{name: loyalty-programme-every-quarter}}
spec: {{scope: {{datasets: ["prod/*"]}}, reviewers: {{owners: true}}, due: 14d, onNoAnswer: keep}}
"""
AT = f"prod/{TOPIC}"
COMMANDS = f"""
search; search --datasets; search email --explain; dataset related {AT}; where-is --entity EMAIL_ADDRESS
where-is --field email; personal-data review; personal-data review --entity EMAIL_ADDRESS --confirm --reason seen
dataset list; dataset show {AT}; cluster list; dataset schema {AT}; dataset personal-data {AT}; get Policy; get User
get AccessReview; get Dataset; lineage {AT}; lineage impact {AT}; lineage reach {AT}; request list
request create {AT} --purpose fraud-investigation-of-loyalty --reason why; grant list; request delegate {MAIL}
request templates; request purposes; policy decide {AT} --user {MAIL}
policy simulate --remove Policy/mask-addresses-of-customers; policy mask-preview EMAIL_DOMAIN {MAIL}; access dataset {AT}
access person {MAIL}; access unused --days 1; access compare {AT} {MAIL} admin; access-review list; audit list
audit segments; audit verify; token list; whoami; user sessions; notify show; notify list; notify status; events
events --deliveries; dataset diff {AT}; dataset diff {AT} --versions; dataset readers {AT}; dataset partitions {AT}
dataset config {AT} --all; dataset groups {AT}; dataset acls {AT}; dataset rate {AT}; dataset subjects {AT}; view list
connector list; server settings -o table; query list; query saved list; query explain 'SELECT * FROM prod."{TOPIC}"'
"""
LINES = [line.strip() for line in COMMANDS.replace("\n", ";").split(";") if line.strip()]
WORDS = (TOPIC, MAIL, "mask-addresses-of-customers", "fraud-investigation-of-loyalty", "marketing-and-communication")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ApiWorld, Path]]:
    home = tmp_path_factory.mktemp("home")
    value = {
        "order_id": "O-1",
        "customer": {"name": "A B", "email": MAIL},
        "items": [{"sku": "1", "count": 2}],
        "region": "EU",
    }
    with world(home, {TOPIC: [record(value, key=f"k{n}", offset=n) for n in range(40)]}) as weir:
        weir.apply(DECLARED)
        weir.scan(cluster="prod", topics=["*"])
        assert weir.admin.post("/api/v1/access-reviews", json={"review": "loyalty-programme-every-quarter"}).is_success
        yield weir, home


class Run:
    """Commands as they are typed, with a terminal of a width or a pipe."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch

    def __call__(self, line: str, width: int | None) -> tuple[int, str, str]:
        import shlex

        out, err = (Terminal(), Terminal()) if width else (io.StringIO(), io.StringIO())
        self._patch.setenv("COLUMNS", str(width or 80))
        self._patch.setenv("TERM", "xterm")
        for name, stream in (("stdout", out), ("stderr", err)):
            self._patch.setattr(f"sys.{name}", stream)
        self._patch.setattr("sys.argv", ["weir", *shlex.split(line)])
        try:
            cli.main()
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
        return code, out.getvalue(), err.getvalue()


@pytest.fixture
def run(served: tuple[ApiWorld, Path], monkeypatch: pytest.MonkeyPatch) -> Run:
    weir, home = served

    def client(*, headers: dict[str, str], **_: object) -> CheckedClient:
        return CheckedClient(weir.app, raise_server_exceptions=False, headers=headers)

    monkeypatch.setattr("api.terminal.http.Client", client)
    monkeypatch.setenv("WEIR_HOME", str(home))
    for name in ("WEIR_URL", "WEIR_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return Run(monkeypatch)


def bare(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.sampled(20)
@pytest.mark.parametrize("line", LINES)
def test_a_command_keeps_to_the_terminal_and_cuts_no_word(run: Run, line: str) -> None:
    shown = run(line, None)[1]
    for width in (100, 80):
        code, out, err = run(line, width)
        text = bare(out)
        assert code == 0, (line, text, err)
        assert [each for each in text.splitlines() if cell_len(each) > width] == [], text
        assert '{"' not in text and "…" not in text
        for word in WORDS:
            if word in shown and "in a wider window" not in text:
                assert word in text, (word, text)
    assert '{"' not in shown


def test_a_pipe_is_not_wrapped(run: Run) -> None:
    lines = run("dataset list", None)[1].splitlines()
    assert len(lines) == 2 and lines[1].startswith(AT) and "東京 too." in lines[1] and MAIL in lines[1]
    lines = run("get Policy", None)[1].splitlines()
    assert len(lines) == 2 and "type=mask" in lines[1]


ANSWER: dict[str, Any] = {
    "columns": [{"name": f"column_{n}", "decision": None} for n in range(12)],
    "rows": [
        [f"value-{n}-{'x' * 12}" for n in range(11)] + [{"city": "Bonn", "tags": ["a", None]}],
        [None] * 11 + [1234.5678],
    ],
    "window": {"tables": []},
    "partial": None,
    "leftOut": [],
    "unreadableText": None,
}


class Fixed:
    def post(self, *_: Any, **__: Any) -> Any:
        return ANSWER

    def get(self, *_: Any, **__: Any) -> Any:
        columns = [{**c, "decision": {"effect": "clear", "text": ""}} for c in ANSWER["columns"]]
        return {**ANSWER, "columns": columns, "freshness": {"records": 0}, "next": None}


@pytest.mark.parametrize("line", ["query 'SELECT * FROM t'", "view rows v"])
def test_a_wide_answer_stays_a_table(run: Run, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setattr(queries, "api", lambda _: Fixed())
    monkeypatch.setattr(views, "api", lambda _: Fixed())
    for width in (80, 100):
        out = bare(run(line, width)[1])
        lines = out.splitlines()
        assert max(map(cell_len, lines)) <= width
        assert lines[0].split() == [f"column_{n}" for n in range(len(lines[0].split()))]
        assert lines[1].startswith("value-0-") and lines[2].startswith("null")
        assert "column_11: in a wider window, or by -o yaml." in " ".join(out.split())
    piped = run(line, None)[1].splitlines()
    assert len(piped) == 4 and piped[0].split() == [f"column_{n}" for n in range(12)] and "city=Bonn" in piped[1]
