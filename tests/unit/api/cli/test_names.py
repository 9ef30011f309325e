"""Names that are typed: completed, refused before anything is done; failures in the words of the command line; help."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args

import pytest
import typer
from typer.testing import CliRunner

from api import cli, features
from api.cli.old_words import OLD, current
from api.terminal import names
from api.terminal.failures import worded
from api.terminal.words import PANELS, WORDS
from catalog.errors import InvalidInput, NotFound
from tests.api_world import ApiWorld
from tests.unit.api.cli.test_cli import CLUSTER, Weir, home, served, weir  # noqa: F401

HTTP = re.compile(
    r"\b(HTTP|GET|POST|PUT|40\d|50\d|status code|request body|JSON body)\b|\b(body|query|path)\.\w|/api/v1"
)
PURPOSE = """
apiVersion: weir/v1
kind: Purpose
metadata: {name: fraud-detection}
spec: {title: Fraud}
"""


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("get polcy", "did you mean Policy?"),
        ("delete Polcy x", "did you mean Policy?"),
        ("get zzzz", "kinds are AccessReview"),
        ("where-is --entity EMAIL_ADRESS", "did you mean EMAIL_ADDRESS"),
        ("search --entity phone", "did you mean PHONE_NUMBER?"),
        ("personal-data review --entity zzzzzz", "weir search --entity PII"),
        ("search --entity iban -o json", "did you mean IBAN_CODE"),
        ("request create prod/orders --purpose fraud-detecton", "did you mean fraud-detection?"),
    ],
)
def test_an_unknown_name_ends_with_2_and_the_near_ones(weir: Weir, served: ApiWorld, line: str, near: str) -> None:  # noqa: F811
    served.apply(CLUSTER + "---" + PURPOSE)
    served.scan(cluster="prod", topics=["*"])
    ended = weir(*line.split())
    assert (ended.code, ended.out) == (2, ""), ended
    assert near in ended.err and ended.err.count("\n") == 1


def test_a_tag_of_ones_own_is_known(weir: Weir, served: ApiWorld) -> None:  # noqa: F811
    dataset = "---\napiVersion: weir/v1\nkind: Dataset\nmetadata: {cluster: prod, name: orders}\n"
    served.apply(f"{CLUSTER}{dataset}spec: {{fields: [{{path: value.region, tags: [inland]}}]}}\n")
    served.scan(cluster="prod", topics=["*"])
    assert weir("where-is", "--entity", "inland").code == 0
    assert weir("where-is", "--entity", "PII").code == 0


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("search --kind topic x", "'--kind'"),
        ("scan", "Name a cluster, or give --bootstrap-servers."),
        ("audit list --since yesterday", "--since: 'yesterday' is not a time"),
        ("where-is --entity PII --as-of never", "--as-of: 'never' is not a time"),
        ("get schema prod/nothing", "nothing"),
        ("cancel q-none", "`weir query list` lists those"),
        ("approve req-none", "req-none"),
        ("view describe none", "none"),
        ("access-review show none", "none"),
        ("grant revoke none", "none"),
        ("lineage prod/none --direction sideways", "--direction"),
        ("topic browse prod/none", "none"),
        ("review prod/none", "prod/none"),
        ("review prod/none --confirm", "prod/none"),
        ("requests --state open", "'--state'"),
        ("token revoke none", "none"),
        ("notify test --channel fax", "'--channel'"),
        ("audit list --cursor x", "--cursor"),
        ("connector describe none", "none"),
        ("session end none", "none"),
        ("rebuild everything", "everything"),
    ],
)
def test_failures_speak_of_what_was_typed(weir: Weir, line: str, sentence: str) -> None:  # noqa: F811
    ended = weir(*line.split())
    assert ended.code in (1, 2) and sentence in ended.err, ended
    assert HTTP.search(ended.err) is None and "Input should" not in ended.err, ended.err


def test_other_doors_of_the_api_are_no_words_of_the_command_line() -> None:
    gone = worded(NotFound("There is nothing at /api/v1/access/unused."), cli.tree(["access"]), ["access", "unused"])
    assert gone == "The Weir that answers does not know `weir access unused`: it is of another version."
    fields = [
        {"field": "body.spec.mask", "problem": "it is required"},
        {"field": "query.limit", "problem": "it must be 1"},
    ]
    refused = InvalidInput("body.spec.mask: it is required.", details={"fields": fields})
    assert worded(refused, cli.tree(["search"]), ["search"]) == "spec mask: it is required. --limit: it must be 1."


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("WEIR_HOME", str(tmp_path))
    monkeypatch.setenv("WEIR_TOKEN", "t")
    monkeypatch.setenv("WEIR_URL", "http://127.0.0.1:9")
    yield


COMPLETERS = [name for name in vars(names) if name.startswith("complete_")]


@pytest.mark.parametrize("name", COMPLETERS)
def test_completion_is_silent_where_nobody_answers(away: None, capsys: pytest.CaptureFixture[str], name: str) -> None:
    offered = getattr(names, name)("zz")
    assert offered == [] and capsys.readouterr() == ("", "")
    assert names.complete_kind("pol") == ["Policy"]
    assert ("EMAIL_ADDRESS", "") in names.complete_entity("EMA")


def test_completion_offers_what_there_is(weir: Weir, served: ApiWorld, home: Path) -> None:  # noqa: F811
    user = "---\napiVersion: weir/v1\nkind: User\nmetadata: {name: ana}\nspec: {}\n"
    group = "---\napiVersion: weir/v1\nkind: Group\nmetadata: {name: sales}\nspec: {members: [ana]}\n"
    served.apply(f"{CLUSTER}{user}{group}---{PURPOSE}")
    served.scan(cluster="prod", topics=["*"])
    for complete, begun, whole in (
        (names.complete_dataset, "prod/o", "prod/orders"),
        (names.complete_user, "a", "ana"),
        (names.complete_cluster, "p", "prod"),
        (names.complete_group, "s", "sales"),
        (names.complete_purpose, "fr", "fraud-detection"),
        (names.complete_entity, "EMAIL", "EMAIL_ADDRESS"),
    ):
        assert [each[0] for each in complete(begun)] == [whole]
    for complete in (
        names.complete_view,
        names.complete_connector,
        names.complete_campaign,
        names.complete_request,
        names.complete_grant,
        names.complete_template,
    ):
        assert complete("") == []


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield path, command
        return
    for name, each in inner.items():
        yield from leaves(each, (*path, name))


def groups(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, each in getattr(command, "commands", {}).items():
        if hasattr(each, "commands"):
            yield (*path, name), each
            yield from groups(each, (*path, name))


WHOLE = cli.tree()


def test_every_command_has_a_panel_and_an_example_of_itself() -> None:
    hidden = {name for name, command in WHOLE.commands.items() if command.hidden}
    assert hidden == {"test"} and set(WHOLE.commands) - hidden == set(WORDS)
    assert {
        getattr(each, "rich_help_panel", None) for name, each in WHOLE.commands.items() if name not in hidden
    } == set(PANELS)
    for path, command in leaves(WHOLE):
        assert re.match(r"Examples?:\n\n", command.epilog or ""), path
        assert f"weir {' '.join(path)}" in command.epilog, path


def test_every_example_names_commands_and_options_that_there_are() -> None:
    for path, command in (*leaves(WHOLE), *groups(WHOLE)):
        for line in re.findall(r"weir [a-z][^\n|]*", command.epilog):
            words, _ = current(shlex.split(line.replace("\\[", "["), comments=False)[1:])
            called: Any = WHOLE
            rest = words
            while rest and rest[0] in getattr(called, "commands", {}):
                called, rest = called.commands[rest[0]], rest[1:]
            assert not hasattr(called, "commands"), line
            known = {opt for param in called.params for opt in (*param.opts, *param.secondary_opts)}
            for word in rest if path != ("test",) else ():
                assert not re.match(r"-[a-z-]", word) or word in known, (line, word)


def test_every_group_has_examples_and_the_help_of_its_word() -> None:
    assert len(WORDS) <= 43
    for path, group in groups(WHOLE):
        assert re.match(r"Examples:\n\n", group.epilog or ""), path
        assert f"weir {' '.join(path)}" in group.epilog, path
        assert len(path) > 1 or group.help == WORDS[path[0]].help


def test_the_table_of_words_says_of_a_command_what_its_own_help_says() -> None:
    for name, command in WHOLE.commands.items():
        if name in WORDS and not hasattr(command, "commands"):
            first = " ".join((command.help or "").split())
            assert first.startswith(WORDS[name].help.rstrip(".")), (name, first)


ROOT = Path(__file__).resolve().parents[4]
ROOMS = ("api", "catalog", "client", "connectors", "lineage", "policies", "scanners", "stack", "views", "ui/src")
PAGES = [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
CODE = [path for room in ROOMS for end in ("py", "ts", "tsx") for path in (ROOT / room).rglob(f"*.{end}")]
COMMAND = re.compile(r"(?:^|`|\$ |: )(?:\./)?weir ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?")


def test_no_page_and_no_message_names_an_old_word() -> None:
    old: list[str] = []
    texts = [
        path
        for path in (*PAGES, *CODE)
        if "decisions" not in path.parts and path.name not in ("commands.md", "old_words.py")
    ]
    for path in texts:
        for line in path.read_text().splitlines():
            for word, second in COMMAND.findall(line):
                two = current([word, second] if second else [word])
                old += [f"{path.name}: {line.strip()}"] if two[1] is not None else []
    assert not old


@pytest.mark.parametrize("old", OLD)
def test_an_old_word_calls_a_command_that_there_is(old: str) -> None:
    called: Any = WHOLE
    for word in OLD[old].split():
        called = called.commands[word]
    assert old.split()[0] not in WORDS


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("requests --as ana", "request list --as ana"),
        ("topic browse prod/orders", "dataset browse prod/orders"),
        ("purpose list --mine", "request purposes --mine"),
        ("session list", "user sessions"),
        ("saved-query run x", "query saved run x"),
        ("get datasets -o csv", "dataset list -o csv"),
        ("get dataset prod/orders", "dataset show prod/orders"),
        ("get schema prod/orders -o avro", "dataset schema prod/orders -o avro"),
        ("get clusters", "cluster list"),
        ("worker", "server worker"),
    ],
)
def test_old_words_become_new_ones_with_one_line(line: str, new: str) -> None:
    words, note = current(line.split())
    assert words == new.split()
    assert note is not None and "\n" not in note and f"`weir {new.split()[0]}" in note
    assert current(words) == (words, None)


@pytest.mark.parametrize(
    ("line", "called"),
    [
        ("query|SELECT 1|--as|ana", "query|run|SELECT 1|--as|ana"),
        ("query|-o|json|SELECT 1", "query|run|-o|json|SELECT 1"),
        ("lineage|prod/orders", "lineage|show|prod/orders"),
        ("query|list", "query|list"),
        ("query|lst", "query|lst"),
        ("request|prod/orders|--purpose|x", "request|create|prod/orders|--purpose|x"),
        ("request|--template|x", "request|create|--template|x"),
        ("request|orders|--for-consumer|my-app", "request|create|orders|--for-consumer|my-app"),
        ("request|orders|--help", "request|create|orders|--help"),
        ("request|list|--as|ana", "request|list|--as|ana"),
        ("request|lists|--as|ana", "request|lists|--as|ana"),
        ("request|lists|--purpose=x", "request|create|lists|--purpose=x"),
        ("request|aprove|req-1", "request|aprove|req-1"),
        ("request|ls", "request|ls"),
        ("request|create|list|--purpose|x", "request|create|list|--purpose|x"),
        ("request|--help", "request|--help"),
        ("query|--help", "query|--help"),
        ("get|clusters|-o|yaml", "get|clusters|-o|yaml"),
        ("get|Dataset", "get|Dataset"),
        ("--help", "--help"),
    ],
)
def test_the_usual_command_of_a_group_needs_no_name(line: str, called: str) -> None:
    assert current(line.split("|")) == (called.split("|"), None)


def test_a_request_needs_no_word_create(weir: Weir, served: ApiWorld) -> None:  # noqa: F811
    served.apply(CLUSTER + "---" + PURPOSE)
    served.scan(cluster="prod", topics=["*"])
    without = weir("request", "orders", "--for-consumer", "my-app")
    assert (without.code, without.out) == (2, "") and "--purpose NAME" in without.err
    nobody = weir("request", "orders", "--for-consumer", "my-app", "--purpose", "fraud-detection")
    assert nobody.code != 0 and "my-app" in nobody.err and nobody.err.count("\n") == 1
    answer = weir("request", "orders", "--purpose", "fraud-detection", "-o", "json")
    assert answer.code == 0 and answer.err == "" and json.loads(answer.out)["dataset"] == "prod/orders", answer
    assert "Did you mean 'approve'?" in weir("request", "aprove", "req-1").err
    assert "weir request orders --for-consumer my-app" in CliRunner().invoke(cli.app, ["request", "--help"]).output


def test_an_old_word_prints_as_the_new_one_and_a_line_on_stderr(weir: Weir, served: ApiWorld) -> None:  # noqa: F811
    served.apply(CLUSTER)
    old, new = weir("get", "clusters", "-o", "json"), weir("cluster", "list", "-o", "json")
    assert (old.code, old.out) == (new.code, new.out) == (0, new.out) and new.err == ""
    assert old.err == "`weir get clusters` is `weir cluster list` now; the old words end with the next release.\n"


def test_a_mistyped_word_names_the_near_one(weir: Weir) -> None:  # noqa: F811
    assert "Did you mean 'list'?" in weir("query", "lst").err
    assert "Did you mean 'dataset'?" in weir("datasett").err
    assert "Did you mean 'browse'?" in weir("dataset", "messages", "prod/orders").err
    assert "Did you mean 'dataset'?" in weir("topics").err
    assert "No such command 'ls'." in weir("policy", "ls").err


def test_a_topic_needs_no_cluster_where_one_has_it(weir: Weir, served: ApiWorld) -> None:  # noqa: F811
    served.apply(CLUSTER)
    served.scan(cluster="prod", topics=["*"])
    short, whole = (
        weir("dataset", "schema", "orders", "-o", "json"),
        weir("dataset", "schema", "prod/orders", "-o", "json"),
    )
    assert (short.code, short.out) == (0, whole.out)
    near = weir("dataset", "schema", "ordrs")
    assert near.code == 2 and near.err.count("\n") == 1 and "did you mean prod/orders?" in near.err


@pytest.mark.parametrize(
    ("word", "asked"),
    [
        ("email", "EMAIL_ADDRESS"),
        ("phone", "PHONE_NUMBER"),
        ("EMAIL_ADDRESS", "EMAIL_ADDRESS"),
        ("customer.email", "customer.email"),
    ],
)
def test_where_is_takes_a_kind_or_a_field(weir: Weir, served: ApiWorld, word: str, asked: str) -> None:  # noqa: F811
    served.apply(CLUSTER)
    served.scan(cluster="prod", topics=["*"])
    option = "--entity" if asked.isupper() else "--field"
    short, whole = weir("where-is", word, "-o", "json"), weir("where-is", option, asked, "-o", "json")
    assert (short.code, whole.code) == (0, 0)
    assert [place["path"] for place in json.loads(short.out)["places"]] == [
        place["path"] for place in json.loads(whole.out)["places"]
    ]
    assert "not both" in weir("where-is", word, "--entity", "EMAIL_ADDRESS").err


def test_completion_offers_words_and_what_is_below_them() -> None:
    def offered(words: str) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-m", "api"],
            env={**os.environ, "_WEIR_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))},
            capture_output=True,
            text=True,
            timeout=120,
        )  # fmt: skip
        return set(done.stdout.split())

    assert {"dataset", "request", "apply"} <= offered("weir ") and "requests" not in offered("weir re")
    assert offered("weir request a") == {"approve", "ask-back"}


@pytest.mark.parametrize("columns", ["80", "100"])
def test_help_shows_the_panels_in_order_and_examples_whole(columns: str) -> None:
    shown = CliRunner().invoke(cli.app, ["--help"], env={"COLUMNS": columns, "TERMINAL_WIDTH": columns}).output
    places = [shown.index(f" {panel} ") for panel in PANELS]
    assert places == sorted(places)
    one = CliRunner().invoke(cli.app, ["request", "purposes", "--help"], env={"COLUMNS": columns}).output
    assert "Examples:" in one and "weir request purposes --mine --as ana" in one


def options() -> Iterator[tuple[str, Any]]:
    """Every option of every command, with the words that call the command."""
    for path, command in leaves(WHOLE):
        yield from ((" ".join(path), each) for each in command.params if each.opts[0].startswith("-"))


def has_words(option: Any) -> bool:
    """Whether it takes the words of an enumeration and no other."""
    return issubclass(_kind(option), StrEnum)


def _kind(option: Any) -> type:
    kind = getattr(getattr(option, "type_descriptor", None), "annotation", None)
    kind = get_args(kind)[0] if get_args(kind) else kind
    return kind if isinstance(kind, type) else object


CHOICES = [(line, option.opts[0]) for line, option in options() if has_words(option)]
LISTED = re.compile(r"(?:^|: )`?[a-z_-]+`?(?:, `?[a-z_-]+`?)* or `?[a-z_-]+`?(?:[.;]| \(|$)")


def test_an_option_that_lists_its_words_takes_no_other() -> None:
    listed = [(line, option) for line, option in options() if LISTED.search(getattr(option, "help", None) or "")]
    open_ended = [f"{line} {option.opts[0]}" for line, option in listed if not has_words(option)]
    assert listed
    assert not open_ended


@pytest.mark.parametrize(("line", "option"), CHOICES)
def test_another_word_ends_with_2_before_anything_is_asked(line: str, option: str) -> None:
    ended = CliRunner().invoke(cli.app, [*line.split(), option, "nosuchword"], env={"WEIR_URL": "http://127.0.0.1:1"})
    assert ended.exit_code == 2 and "nosuchword" in ended.output, ended.output
    assert "Traceback" not in ended.output and "127.0.0.1" not in ended.output


def test_each_feature_names_the_commands_that_it_adds() -> None:
    for module in features.parts("commands"):
        root = typer.Typer()
        module.add_to(root)
        root.callback()(lambda: None)
        added = {
            " ".join(path) for path, _ in (*leaves(typer.main.get_command(root)), *groups(typer.main.get_command(root)))
        }
        feature = module.__name__.split(".")[-2]
        named = {name for name, owner in features.commands().items() if owner == feature}
        assert named <= added, feature
        assert all(any(f"{each} ".startswith(f"{name} ") for name in named) for each in added if " " in each), feature


def test_one_command_imports_no_other_and_no_model_of_the_api() -> None:
    """What is imported is waited for before anything is asked: half a second for all commands."""
    program = "import sys; from api import cli; cli.tree(['whoami']); print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    imported = set(done.stdout.split())
    commands = {name for name in imported if re.fullmatch(r"api\.features\.\w+\.commands", name)}
    assert commands == {"api.features.sign_in.commands"}
    assert not imported & {"pydantic", "fastapi", "sqlalchemy", "sqlglot", "pyarrow", "stack.settings"}


def test_no_rows_of_a_filter_does_not_mean_that_there_are_none_at_all(weir: Weir, served: ApiWorld) -> None:  # noqa: F811
    served.apply(CLUSTER + "---" + PURPOSE)
    served.scan(cluster="prod", topics=["*"])
    assert (
        weir("request", "purposes", "--mine").out
        == "None of the declared purposes is carried or covered by a grant of yours.\n"
    )
    assert weir("events", "--type", "schmea.*").out == "No event fits.\n"
    assert weir("quality", "show", "prod/orders", "--path", "value.nope").out == "No series fits.\n"
