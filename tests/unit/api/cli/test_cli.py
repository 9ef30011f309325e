"""The command line over the real application on memory twins: what is printed, exit codes, one sentence a failure."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from api import VERSION, cli
from api.config.home import Home
from api.terminal.http import instance_url
from catalog.errors import InvalidInput
from tests.answer_check import CheckedClient
from tests.api_world import ApiWorld, world

ROLE = """
apiVersion: weir/v1
kind: Role
metadata: {name: reader}
spec: {read: [{dataset: "prod/*"}]}
"""
CLUSTER = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {type: kafka, bootstrapServers: "localhost:9092"}
"""


@dataclass(frozen=True)
class Said:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str


Weir = Callable[..., Said]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def served(home: Path) -> Iterator[ApiWorld]:
    home.mkdir()
    with world(home) as weir:
        yield weir


@pytest.fixture
def weir(served: ApiWorld, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Weir:
    app = served.admin.app

    def client(*, headers: dict[str, str], **_: object) -> CheckedClient:
        return CheckedClient(app, raise_server_exceptions=False, headers=headers)

    monkeypatch.setattr("api.terminal.http.Client", client)
    monkeypatch.setenv("WEIR_HOME", str(home))
    for name in ("WEIR_URL", "WEIR_TOKEN"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: str, given: str = "") -> Said:
        monkeypatch.setattr("sys.argv", ["weir", *words])
        monkeypatch.setattr("sys.stdin", io.StringIO(given))
        capsys.readouterr()
        code = 0
        try:
            cli.main()
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        ended = capsys.readouterr()
        assert "Traceback" not in ended.err + ended.out
        return Said(code, ended.out, ended.err)

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """`a.yaml` and, two folders down, `z.yaml`; with a hidden file that is not a document."""
    root = tmp_path / "declared"
    (root / "deep" / "er").mkdir(parents=True)
    (root / "a.yaml").write_text(ROLE)
    (root / "deep" / "er" / "z.yaml").write_text(CLUSTER)
    (root / ".hidden").mkdir()
    (root / ".hidden" / "workflow.yaml").write_text("on: push\n")
    return root


def test_the_version_is_told(weir: Weir) -> None:
    assert weir("--version").out == f"weir {VERSION}\n"


def test_a_folder_is_applied_with_all_that_is_below_it(weir: Weir, folder: Path) -> None:
    ended = weir("apply", "-f", str(folder))
    assert ended.code == 0, ended.err
    assert "reader" in ended.out and "prod" in ended.out
    assert weir("diff", "-f", str(folder)).code == 0
    (folder / "a.yaml").write_text(ROLE.replace("prod/*", "prod/o*"))
    changed = weir("diff", "-f", str(folder))
    assert changed.code == 1
    assert "-    - dataset: prod/*" in changed.out and "+    - dataset: prod/o*" in changed.out


def test_a_fault_is_told_with_its_own_file_and_line(weir: Weir, folder: Path) -> None:
    bad = folder / "deep" / "er" / "z.yaml"
    bad.write_text(CLUSTER.replace("bootstrapServers", "bootstrapServer"))
    ended = weir("apply", "-f", str(folder))
    assert ended.code == 1
    assert f"{bad}, line 5: " in ended.err and "did you mean bootstrapServers?" in ended.err
    # What is wrong with a document as a whole is found by another part; it names the line as well.
    bad.write_text(
        "\n\n" + CLUSTER + "---\napiVersion: weir/v1\nkind: Dataset\nmetadata: {name: x, cluster: nowhere}\n"
    )
    ended = weir("apply", "-f", str(folder))
    assert f"{bad}, line 9: Dataset nowhere/x" in ended.err


def test_a_file_of_another_editor_is_read(weir: Weir, tmp_path: Path) -> None:
    marked = tmp_path / "marked.yaml"
    marked.write_bytes(b"\xef\xbb\xbf" + ROLE.replace("\n", "\r\n").encode())
    assert weir("apply", "-f", str(marked), "-f", "-", given=CLUSTER).code == 0
    torn = tmp_path / "torn.yaml"
    torn.write_bytes(b"\xff\xfe\x00")
    assert "torn.yaml cannot be read: it is not UTF-8 text." in weir("apply", "-f", str(torn)).err


@pytest.mark.parametrize("kind", ["roles", "clusters", "cluster", "datasets", "Dataset"])
def test_what_get_prints_as_yaml_is_taken_back(weir: Weir, tmp_path: Path, kind: str) -> None:
    dataset = "apiVersion: weir/v1\nkind: Dataset\nmetadata: {name: orders, cluster: prod}\nspec: {tags: [x]}\n"
    assert weir("apply", "-f", "-", given=f"{CLUSTER}---\n{ROLE}---\n{dataset}").code == 0
    printed = weir("get", kind, "-o", "yaml").out
    assert [document["apiVersion"] for document in yaml.safe_load_all(printed)] == ["weir/v1"]
    assert weir("diff", "-f", "-", given=printed).code == 0


def test_get_lists_more_datasets_than_one_page(weir: Weir, served: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.terminal.http._PAGE", 3)
    names = [f"topic-{n}" for n in range(8)]
    one = "---\napiVersion: weir/v1\nkind: Dataset\nmetadata: {{name: {}, cluster: prod}}\nspec: {{}}\n"
    served.apply(CLUSTER + "".join(one.format(name) for name in names))
    listed = weir("dataset", "list", "-o", "csv").out.splitlines()
    assert [line.split(",")[0] for line in listed[1:]] == [f"prod/{name}" for name in names]


def test_a_document_is_deleted_by_name(weir: Weir) -> None:
    weir("apply", "-f", "-", given=ROLE)
    assert weir("delete", "role", "reader").out == "Role reader is deleted.\n"
    assert "There is no Role 'reader'." in weir("delete", "Role", "reader").err
    assert weir("get", "roles").out.startswith("Nothing of kind roles is declared")
    assert "delete" in weir("audit", "list").out


def test_a_cluster_is_deleted_after_its_declared_datasets(weir: Weir) -> None:
    dataset = "---\napiVersion: weir/v1\nkind: Dataset\nmetadata: {name: orders, cluster: prod}\n"
    weir("apply", "-f", "-", given=CLUSTER + dataset)
    ended = weir("delete", "Cluster", "prod")
    assert ended.code == 1 and "delete them first" in ended.err
    assert weir("delete", "Dataset", "prod/orders").code == 0
    assert weir("delete", "Cluster", "prod").code == 0


def test_a_token_is_made_listed_and_revoked(weir: Weir, home: Path) -> None:
    ended = weir("request", "list", "--as", "zoe")
    assert ended.code == 1 and "weir token create --user zoe --save" in ended.err
    assert weir("token", "create", "--user", "zoe", "--save").code == 0
    assert weir("request", "list", "--as", "zoe").code == 0
    line = next(line for line in weir("token", "list", "-o", "csv").out.splitlines() if ",zoe," in line)
    assert weir("token", "revoke", line.split(",")[0]).code == 0
    assert "wrong, expired or revoked" in weir("request", "list", "--as", "zoe").err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["lineage", "impact", "orders"], "'orders' names no dataset"),
        (["scan"], "Name a cluster, or give --bootstrap-servers."),
        (["apply", "-f", "/nowhere.yaml"], "/nowhere.yaml cannot be read"),
        (["request", "withdraw", "nope"], "nope"),
    ],
)
def test_wrong_words_are_one_sentence(weir: Weir, words: list[str], sentence: str) -> None:
    ended = weir(*words)
    assert ended.code == 1
    assert sentence in ended.err and "Value error" not in ended.err
    assert ended.err.count("\n") == 1


def test_a_search_without_words_lists_everything(weir: Weir, served: ApiWorld) -> None:
    served.apply(CLUSTER)
    served.scan(cluster="prod", topics=["*"])
    assert "prod/orders" in weir("search").out
    assert weir("search", "zzzzzz").out.startswith("Nothing fits.")


def test_a_report_on_a_misspelt_kind_does_not_read_as_none(weir: Weir, served: ApiWorld) -> None:
    served.apply(CLUSTER)
    served.scan(cluster="prod", topics=["*"])
    output = weir("where-is", "--entity", "EMAIL_ADDRESS").out
    assert "value.customer.email" in output and "No field" not in output
    ended = weir("where-is", "--entity", "email")
    assert ended.code == 2 and "did you mean EMAIL_ADDRESS?" in ended.err


@pytest.mark.parametrize(("given", "address"), [("localhost:9", "http://localhost:9"), ("https://w/x/", "https://w/x")])
def test_an_address_may_lack_its_scheme(monkeypatch: pytest.MonkeyPatch, given: str, address: str) -> None:
    monkeypatch.setenv("WEIR_URL", given)
    assert instance_url(Home(Path("/nowhere"))) == address


@pytest.mark.parametrize("given", ["http://", "http://[::1", "ftp://host", "://x"])
def test_what_is_no_address_is_refused(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("WEIR_URL", given)
    with pytest.raises(InvalidInput, match="http://HOST:PORT"):
        instance_url(Home(Path("/nowhere")))


def test_a_token_that_cannot_be_sent_is_refused(weir: Weir, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_TOKEN", "a\nb")
    assert "signs that no token has" in weir("cluster", "list").err


def test_no_proxy_stands_between_weir_and_this_machine() -> None:
    plain = {"PATH": "/bin"}
    cli.spare_loopback(plain)
    assert plain == {"PATH": "/bin"}
    proxied = {"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "intern, localhost", "all_proxy": "socks5://proxy:1080"}
    cli.spare_loopback(proxied)
    assert proxied["no_proxy"] == proxied["NO_PROXY"] == "intern,localhost,127.0.0.1,::1"
    assert "all_proxy" not in proxied and proxied["HTTPS_PROXY"] == "http://proxy:3128"
