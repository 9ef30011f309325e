"""Lineage over HTTP and by the command line, on a whole Weir over memory twins."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from api.cli import app
from api.features.lineage import commands, impact_command
from api.terminal.http import Api
from lineage.questions.queries import Lineage
from tests.api_world import ApiWorld, world
from tests.lineage_door import EMAIL, ask, told
from tests.lineage_samples import KAFKA, at, dataset, node, run


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with told(tmp_path_factory.mktemp("weir")) as weir:
        yield weir


@pytest.fixture
def cli(weir: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> Any:
    def api(user: str | None = None) -> Api:
        client = Api.__new__(Api)
        client.url, client._names = "http://testserver", None
        client._client = weir.admin  # type: ignore[assignment]  # of httpx2, which has the methods of httpx
        return client

    for module in (commands, impact_command):
        monkeypatch.setattr(module, "api", api)

    def call(*arguments: str) -> Any:
        return CliRunner().invoke(app, list(arguments))

    return call


def test_the_graph_before_and_after_a_job_changed_its_output(weir: ApiWorld, cli: Any) -> None:
    def targets(**more: Any) -> set[str]:
        answer = ask(weir, "lineage", nodeId=node("orders"), direction="downstream", **more)
        assert answer["root"] == node("orders")
        return {edge["target"].rsplit(":", 1)[1] for edge in answer["edges"] if edge["kind"] == "feeds"}

    assert targets(asOf=at(50)) == {"clean", "mart"}
    assert targets(asOf=at(200)) == {"clean2"} == targets()
    for moment, there, gone in ((at(50), "mart", "clean2"), (at(200), "clean2", "mart")):
        shown = cli("lineage", node("orders"), "--direction", "downstream", "--as-of", moment, "-o", "csv").stdout
        assert there in shown and gone not in shown
    past = cli("lineage", "impact", node("orders"), "--as-of", at(50), "-o", "json")
    assert "mart" in past.stdout and "clean2" not in past.stdout


def test_a_job_that_reported_no_columns_is_named(weir: ApiWorld, cli: Any) -> None:
    shown = " ".join(cli("lineage", node("mart"), "--level", "column", "--as-of", at(50)).stdout.split())
    assert "jobs:marter reported no columns of" in shown and "`columnLineage` facet" in shown
    assert "No lineage is known" not in shown and "Without --level column the datasets are shown" in shown
    beside = cli("lineage", node("orders"), "--level", "column", "--as-of", at(50)).stdout
    assert "derives" in beside and "jobs:marter reported no columns of" in " ".join(beside.split())
    assert "reported no columns" not in cli("lineage", node("orders"), "--level", "column").stdout
    assert "No lineage is known" in cli("lineage", node("clean2"), "--direction", "downstream").stdout


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(b"[]", mtime=0)),
        (
            "GZIP",
            gzip.compress(b"[", mtime=0) + gzip.compress(b"]", mtime=0),
        ),  # parts, as streaming writers make
        ("deflate", zlib.compress(b"[]")),
        ("deflate, gzip", gzip.compress(zlib.compress(b"[]"), mtime=0)),
        ("identity", b"[]"),
    ],
)
def test_compressed_bodies_are_taken(weir: ApiWorld, encoding: str, body: bytes) -> None:
    answer = weir.admin.post("/api/v1/lineage/batch", content=body, headers={"Content-Encoding": encoding})
    assert answer.status_code == 200 and answer.json()["summary"]["received"] == 0


@pytest.mark.parametrize(
    ("encoding", "body", "status", "says"),
    [
        ("gzip", b"{}", 400, "not gzip"),
        ("gzip", gzip.compress(b"[]", mtime=0)[:-9], 400, "not gzip"),
        ("br", b"xx", 400, "'br' is not read"),
        ("gzip", gzip.compress(b" " * (65 * 1024 * 1024), mtime=0), 413, "when it is expanded"),
    ],
    ids=["plain", "cut off", "unknown", "expands to too much"],
)
def test_bodies_that_are_not_what_they_say_are_refused(
    weir: ApiWorld, encoding: str, body: bytes, status: int, says: str
) -> None:
    answer = weir.admin.post("/api/v1/lineage", content=body, headers={"Content-Encoding": encoding})
    assert answer.status_code == status and says in answer.json()["error"]["message"]


def test_a_bad_batch_reaches_only_what_was_open_then(weir: ApiWorld, cli: Any) -> None:
    def could(to: str, **more: Any) -> Any:
        return ask(weir, "lineage/reach", **{"from": node("orders"), "to": node(to), **more})

    before, after = could("mart", at=at(5)), could("mart", at=at(150))
    assert before["could"] and before["arrival"] == at(10) and len(before["path"]) == 2
    assert not after["could"] and after["path"] == []
    assert could("clean2", at=at(5))["arrival"] == at(100)  # it came when the edge opened
    assert not could("clean2", at=at(5), until=at(50))["could"]
    everywhere = ask(weir, "lineage/reach", **{"from": node("orders"), "at": at(0)})
    assert [row["id"] for row in everywhere["reached"]] == [node("clean"), node("mart"), node("clean2")]
    field = ask(
        weir,
        "lineage/reach",
        **{"from": node("orders", "value.phone"), "to": node("clean", "value.phone"), "at": at(0)},
    )
    assert field["could"] and field["raw"] is False
    unknown = ask(weir, "lineage/reach", **{"from": EMAIL, "to": node("mart"), "at": at(0)})
    assert unknown["could"]  # nobody said which columns mart takes
    assert "Yes" in cli("lineage", "reach", node("orders"), "--to", node("mart"), "--at", at(5)).stdout
    assert "No" in cli("lineage", "reach", node("orders"), "--to", node("mart"), "--at", at(150)).stdout
    assert "clean2" in cli("lineage", "reach", node("orders"), "--at", at(150)).stdout


@pytest.mark.parametrize(
    "path, params, message",
    [
        ("lineage/reach", {"from": "job:jobs:cleaner"}, "job"),
        ("lineage/reach", {"from": node("orders"), "at": "yesterday"}, "at: 'yesterday'"),
        ("lineage/paths", {"from": node("orders"), "to": EMAIL}, "a field to a field"),
        ("lineage", {"nodeId": node("orders"), "kind": "eats"}, "eats"),
        ("impact", {}, "nodeId"),
        ("impact", {"nodeId": EMAIL, "cluster": "prod"}, "nodeId"),
    ],
)
def test_questions_that_make_no_sense_are_refused(weir: ApiWorld, path: str, params: Any, message: str) -> None:
    refused = weir.admin.get(f"/api/v1/{path}", params=params)
    assert refused.status_code in (400, 422) and message in refused.json()["error"]["message"]


def test_paths_are_bounded_and_shortest_first(weir: ApiWorld) -> None:
    answer = ask(weir, "lineage/paths", **{"from": node("orders"), "to": node("mart"), "asOf": at(50)})
    assert [[edge["job"] for edge in path] for path in answer["paths"]] == [["job:jobs:cleaner", "job:jobs:marter"]]
    assert ask(weir, "lineage/paths", **{"from": node("orders"), "to": node("mart")})["paths"] == []


def test_filters_leave_out_what_only_the_others_reach(weir: ApiWorld) -> None:
    def edges(**more: Any) -> set[tuple[str, str]]:
        nodes = ask(weir, "lineage", nodeId=node("clean"), asOf=at(50), **more)["edges"]
        return {(edge["source"].rsplit(":", 1)[1], edge["target"].rsplit(":", 1)[1]) for edge in nodes}

    assert edges() == {("orders", "clean"), ("clean", "mart")}
    assert edges(job="job:jobs:marter") == {("clean", "mart")}
    assert edges(kind=["reads"]) == set() == edges(namespace="elsewhere") == edges(origin="declared")
    assert edges(namespace=KAFKA) == edges()
    few = ask(weir, "lineage", nodeId=node("clean"), asOf=at(50), nodes=2)
    assert few["truncated"] and len(few["edges"]) == 1


def test_an_impact_says_what_a_change_does_and_to_whose_commit(weir: ApiWorld) -> None:
    def effects(field: str, change: str) -> dict[str, str]:
        answer = ask(weir, "impact", nodeId=node("orders", field), change=change, asOf=at(50))
        assert answer["change"] == change
        return {row["id"].rsplit(":", 1)[1]: row["effect"] for row in answer["affected"]}

    assert effects("value.email", "drop") == {
        "value.email": "breaks",
        "cleaner": "breaks",
        "mart": "may_break",
        "marter": "may_break",
    }
    assert set(effects("value.email", "retype").values()) == {"may_break"}
    assert "value.phone" not in effects("value.phone", "mask") and "value.phone" in effects("value.phone", "drop")
    assert effects("value.status", "mask")["clean"] == "changes"
    lost = ask(weir, "impact", cluster=KAFKA)
    assert lost["root"] == f"namespace:{KAFKA}" and {row["effect"] for row in lost["affected"]} == {"loses_input"}
    job = next(row for row in ask(weir, "impact", nodeId=EMAIL)["affected"] if row["type"] == "job")
    assert job["commit"] == "0a1b2c3d4e5f6a7b" and job["owners"] == ["team:data"]
    summary = ask(weir, "impact", nodeId=EMAIL)["summary"]
    assert summary["fields"] == 2 and "team:data" in summary["owners"]  # clean still holds what came before
    last = ask(weir, "impact", nodeId=EMAIL, basis="last_run")
    assert last["summary"]["fields"] == 1 and last["basis"] == "last_run"


@pytest.mark.parametrize(
    "arguments, code",
    [
        (["--change", "drop", "--fail-on", "affected"], 3),
        (["--change", "drop", "--fail-on", "breaks"], 3),
        (["--change", "retype", "--fail-on", "breaks"], 0),
        (["--fail-on", "raw"], 3),
        ([], 0),
    ],
)
def test_the_pipeline_is_told_by_the_exit_code(cli: Any, arguments: list[str], code: int) -> None:
    done = cli("lineage", "impact", "--field", f"{KAFKA}/orders:value.email", *arguments, "-o", "markdown")
    assert done.exit_code == code, done.output
    assert "### Impact of" in done.stdout and "`0a1b2c3d4e5f`" in done.stdout and "`team:data`" in done.stdout
    unused = cli("lineage", "impact", node("mart"), "--fail-on", "affected", "--depth", "1", "-o", "json")
    assert unused.exit_code == 3 and json.loads(unused.stdout)["affected"][0]["id"] == "job:jobs:board"


def test_a_pipeline_cannot_pass_by_mistake(weir: ApiWorld, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    field = ("impact", "--field", f"{KAFKA}/orders:value.email")
    refused = cli(*field, "--fail-on", "breaks")
    assert refused.exit_code == 2 and "--change" in refused.output
    assert cli("lineage", "impact", f"cluster:{KAFKA}", "--fail-on", "breaks").exit_code == 3
    whole = weir.services[Lineage].impact
    monkeypatch.setattr(weir.services[Lineage], "impact", lambda *a, **k: replace(whole(*a, **k), truncated=True))
    cut = cli(*field, "--change", "retype", "--fail-on", "breaks")
    assert cut.exit_code == 3 and "was cut" in cut.output
    assert cli(*field, "--change", "retype").exit_code == 0


@pytest.mark.parametrize("form, begins", [("csv", "source,target,kind"), ("dot", "digraph"), ("mermaid", "flowchart")])
def test_exports(weir: ApiWorld, cli: Any, form: str, begins: str) -> None:
    answer = weir.admin.get("/api/v1/lineage", params={"nodeId": node("orders"), "format": form})
    assert answer.text.startswith(begins) and "clean2" in answer.text
    assert cli("lineage", node("orders"), "-o", form).stdout.startswith(begins)


def test_names_cannot_break_out_of_an_export(tmp_path: Path) -> None:
    odd = 'x"]; evil --> `|`\n"=1+1'
    with world(tmp_path) as weir:
        weir.admin.post("/api/v1/lineage", json=run(0, [dataset(odd, "ns")], [dataset("=cmd()", "ns")], job=odd))
        weir.fold()
        asked = {"nodeId": f"dataset:ns:{odd}"}
        lineage = {
            form: weir.admin.get("/api/v1/lineage", params={**asked, "format": form}).text
            for form in ("dot", "mermaid")
        }
        assert '\\"]; evil' in lineage["dot"] and '"]; evil' not in lineage["dot"].replace('\\"', "")
        assert "`" not in lineage["mermaid"] and lineage["mermaid"].count('"') % 2 == 0
        table = weir.admin.get("/api/v1/impact", params={**asked, "format": "markdown"}).text
        assert all(line.count("|") - line.count("\\|") == 7 for line in table.splitlines() if line.startswith("|"))


def test_runs_of_a_job(weir: ApiWorld) -> None:
    answer = ask(weir, "jobs/jobs/cleaner/runs")
    assert [run["id"] for run in answer["runs"]] == ["r3", "r1"] and answer["total"] == 2
    assert ask(weir, "jobs/jobs/cleaner/runs", limit=1, offset=1)["runs"][0]["id"] == "r1"
    assert ask(weir, "jobs/jobs/cleaner", asOf=at(50))["writes"] == [node("clean")]


def test_only_who_may_sends_events_and_not_after_their_token_ended(weir: ApiWorld) -> None:
    from api.guard import senders

    event = run(0, ["a"], ["b"], job="sent")
    assert weir.anonymous().post("/api/v1/lineage", json=event).status_code == 401
    assert weir._client("weir_wrong").post("/api/v1/lineage", json=event).status_code == 401
    assert weir.user("nobody").post("/api/v1/lineage", json=event).status_code in (201, 403)
    answer = weir.admin.post("/api/v1/tokens", json={"user": "admin"}).json()
    weir.app.state.senders = senders.Senders(trusted_s=0.0)  # the moment for which a good token is trusted is over
    client = weir._client(answer["token"])
    assert client.post("/api/v1/lineage", json=event).status_code == 201
    assert weir.admin.delete(f"/api/v1/tokens/{answer['id']}").is_success
    assert client.post("/api/v1/lineage", json=event).status_code == 401
    del weir.app.state.senders
