"""Names that are typed: completed, refused before anything is done; failures in the words of the command line; help."""

from __future__ import annotations

import re
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
from api.terminal import names
from api.terminal.failures import worded
from api.terminal.help_panels import PANELS
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
        ("get zzzz", "kinds are datasets"),
        ("where-is --entity EMAIL_ADRESS", "did you mean EMAIL_ADDRESS"),
        ("search --entity phone", "did you mean PHONE_NUMBER?"),
        ("review --entity zzzzzz", "weir search --entity PII"),
        ("search --entity iban -o json", "did you mean IBAN_CODE"),
        ("request prod/orders --purpose fraud-detecton", "did you mean fraud-detection?"),
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
        ("cancel q-none", "`weir queries` lists those"),
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
    gone = worded(NotFound("There is nothing at /api/v1/access/unused."), cli.app, ["access", "unused"])
    assert gone == "The Weir that answers does not know `weir access unused`: it is of another version."
    fields = [
        {"field": "body.spec.mask", "problem": "Field required"},
        {"field": "query.limit", "problem": "Input should be 1"},
    ]
    refused = InvalidInput("body.spec.mask: Field required.", details={"fields": fields})
    assert worded(refused, cli.app, ["search"]) == "spec mask: it is missing. --limit: it must be 1."


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


def test_every_command_has_a_panel_and_an_example_of_itself() -> None:
    root: Any = typer.main.get_command(cli.app)
    assert sorted(root.commands) == sorted(name for listed in PANELS.values() for name in listed)
    assert {each.rich_help_panel for each in root.commands.values()} == set(PANELS)
    for path, command in leaves(root):
        assert re.match(r"Examples?:\n\n", command.epilog or ""), path
        assert f"weir {' '.join(path)}" in command.epilog, path


@pytest.mark.parametrize("columns", ["80", "100"])
def test_help_shows_the_panels_in_order_and_examples_whole(columns: str) -> None:
    shown = CliRunner().invoke(cli.app, ["--help"], env={"COLUMNS": columns, "TERMINAL_WIDTH": columns}).output
    places = [shown.index(f" {panel} ") for panel in PANELS]
    assert places == sorted(places)
    one = CliRunner().invoke(cli.app, ["purpose", "list", "--help"], env={"COLUMNS": columns}).output
    assert "Examples:" in one and "weir purpose list --mine --as ana" in one


def options() -> Iterator[tuple[str, Any]]:
    """Every option of every command, with the words that call the command."""
    for path, command in leaves(typer.main.get_command(cli.app)):
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
        added = {
            each.name or str(getattr(each.callback, "__name__", "")).replace("_", "-")
            for each in root.registered_commands
        }
        added |= {str(each.name) for each in root.registered_groups}
        feature = module.__name__.split(".")[-2]
        assert added == {name for name, owner in features.commands().items() if owner == feature}, feature


def test_one_command_imports_no_other_and_no_model_of_the_api() -> None:
    """What is imported is waited for before anything is asked: half a second for all commands."""
    program = "import sys; from api import cli; cli.command_line('whoami'); print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    imported = set(done.stdout.split())
    commands = {name for name in imported if re.fullmatch(r"api\.features\.\w+\.commands", name)}
    assert commands == {"api.features.sign_in.commands"}
    assert not imported & {"pydantic", "fastapi", "sqlalchemy", "sqlglot", "pyarrow", "stack.settings"}
