"""`weir apply`, `diff`, `get`, `delete`: declared state, as YAML in git."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NotRequired, TypedDict

import typer

from api.terminal.http import Api, ApiRefused, segment
from api.terminal.names import complete_kind, require_kind
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, errors, escape, print_text, show
from catalog.errors import InvalidInput, WeirError

Files = Annotated[list[Path], typer.Option("-f", "--file", help="YAML file or folder; - for standard input.")]


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.command(epilog="weir apply -f governance.yaml · weir apply -f policies/ --dry-run")(apply)
    app.command(epilog="weir diff -f governance.yaml")(diff)
    app.command(epilog="weir delete Policy mask-email · weir delete Dataset prod/orders")(delete)
    app.command(
        epilog="weir get Policy · weir get Policy mask-email -o yaml · weir get Dataset prod/orders -o yaml"
        " · weir get Policy --origin"
    )(get)


def apply(
    file: Files,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check and show, change nothing.")] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Delete declared things that the files no longer hold.")
    ] = False,
    allow_unknown: Annotated[
        bool, typer.Option("--allow-unknown", help="Take names that look like typing errors, with a warning.")
    ] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Make Weir's declared state what the files declare. All documents are checked before any is written."""
    _apply(file, dry_run, prune, output, user, allow_unknown)


def diff(
    file: Files,
    prune: Annotated[bool, typer.Option("--prune", help="As with `apply --prune`.")] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show what `apply` would change. Exit code 1 when something would."""
    changed = _apply(file, True, prune, output, user)
    if changed:
        raise typer.Exit(1)


def _apply(
    files: list[Path], dry_run: bool, prune: bool, output: Format, user: str | None, allow_unknown: bool = False
) -> bool:
    parts = read(files)
    flags = {"dryRun": str(dry_run).lower(), "prune": str(prune).lower()}
    if allow_unknown:
        flags["allowUnknown"] = "true"
    if not dry_run:
        flags |= _checkout(files)
    try:
        answer = api(user).post_text("/api/v1/apply", joined(parts), **flags)
    except ApiRefused as refused:
        raise in_its_file(refused, parts) from None
    if output is Format.TABLE and dry_run:
        _show_diffs(answer["changes"])
    if output is Format.TABLE:
        for change in answer["changes"]:
            for note in change["notes"]:
                console.print(f"{change['kind']} {change['name']}: {note}", markup=False)
    columns = ("action", "kind", "name") if output is Format.TABLE else ("action", "kind", "name", "diff", "notes")
    show(answer["changes"], columns, output, whole=answer, empty="No documents.")
    _warn(answer["changes"])
    for change in answer["changes"]:
        if change.get("problem"):
            text = f"{change['kind']} {change['name']}: {change['problem']}"
            errors.print(escape(text), style="yellow")
    return any(change["action"] != "unchanged" for change in answer["changes"])


def _checkout(files: Sequence[Path]) -> dict[str, str]:
    """The parameters that report the git checkout that the files are from; none where they are from none."""
    from api.features.declared.checkout import read_checkout

    checkout = read_checkout(files)
    if checkout is None:
        return {}
    if checkout.dirty:
        errors.print(f"The files differ from commit {checkout.commit[:8]}, and Weir notes it.", style="yellow")
    return {
        "repository": checkout.repository,
        "commit": checkout.commit,
        "files": checkout.path,
        "dirty": str(checkout.dirty).lower(),
    }


class _Warning(TypedDict):
    message: str
    refused: bool


class _Change(TypedDict):
    """What applying does to one document."""

    kind: str
    name: str
    diff: str
    warnings: NotRequired[list[_Warning]]


def _warn(changes: list[_Change]) -> None:
    """Names that nothing has, on standard error."""
    for change in changes:
        for each in change.get("warnings", ()):
            refused = " apply refuses this without --allow-unknown." if each["refused"] else ""
            text = f"{change['kind']} {change['name']}: {each['message']}{refused}"
            errors.print(escape(text), style="red" if each["refused"] else "yellow")


_DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def _show_diffs(changes: list[_Change]) -> None:
    """What would change, line by line, as `diff -u` writes it."""
    for change in changes:
        for line in change["diff"].splitlines():
            named = line.strip() in ("--- now", "+++ then")
            text = f"{line} {change['kind']} {change['name']}" if named else line
            console.print(text, style=_DIFF_COLOURS.get(line[:1], ""), markup=False)
    if any(change["diff"] for change in changes):
        console.print()


@dataclass(frozen=True, slots=True)
class Part:
    """The text of one file, and how many lines of the whole are before it."""

    file: str
    text: str
    before: int


def read(files: Sequence[Path]) -> list[Part]:
    """The files, and those of folders with all that is below them but hidden ones. Raises InvalidInput."""
    parts: list[Part] = []
    before = 0
    for path in files:
        for each in _files(path):
            text = sys.stdin.read() if str(each) == "-" else _text(each)
            parts.append(Part("standard input" if str(each) == "-" else str(each), text, before))
            before += len(f"{text}{_BETWEEN}".splitlines())
    return parts


_BETWEEN = "\n---\n"


def joined(parts: Sequence[Part]) -> str:
    """One text of YAML documents."""
    return _BETWEEN.join(part.text for part in parts)


def in_its_file(refused: ApiRefused, parts: Sequence[Part]) -> ApiRefused:
    """The refusal with the name and the line of the file that it is about, in place of the whole text's."""
    line = refused.details.get("line")
    part = next((p for p in reversed(parts) if isinstance(line, int) and p.before < line), None)
    if part is None or not isinstance(line, int):
        return refused
    message = refused.message.removeprefix("the document, ").replace(f"line {line}:", f"line {line - part.before}:", 1)
    refusal = ApiRefused(f"{part.file}, {message}", details={**refused.details, "line": line - part.before})
    refusal.code = refused.code
    return refusal


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    below = (p for pattern in ("*.yaml", "*.yml") for p in path.rglob(pattern) if p.is_file())
    files = sorted(p for p in below if not any(part.startswith(".") for part in p.relative_to(path).parts))
    if not files:
        raise InvalidInput(f"The folder {path} holds no .yaml file.")
    return files


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise InvalidInput(f"The file {path} cannot be read: {why}.") from None


def delete(
    kind: Annotated[str, typer.Argument(help="A kind, such as Policy.", autocompletion=complete_kind)],
    name: Annotated[str, typer.Argument(help="Which of them; CLUSTER/TOPIC for a Dataset.")],
    user: As = None,
) -> None:
    """Delete one declared document. What scans found of a dataset stays."""
    require_kind(kind)
    done = api(user).delete(f"/api/v1/declared/{segment(kind)}/{segment(name)}")
    console.print(escape(f"{done['kind']} {done['name']} is deleted."))
    if done.get("problem"):
        errors.print(escape(done["problem"]), style="yellow")


def get(
    kind: Annotated[str, typer.Argument(help="A kind, such as Policy.", autocompletion=complete_kind)],
    name: Annotated[str | None, typer.Argument(help="One of them; CLUSTER/TOPIC for a Dataset.")] = None,
    origin: Annotated[
        bool, typer.Option("--origin", help="Show which were applied from a git checkout, and changed since.")
    ] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show declared documents; `-o yaml` prints documents that `apply` takes back."""
    require_kind(kind)
    client = api(user)
    if origin:
        _show_origins(client, kind, name, output)
        return
    answer = client.get(f"/api/v1/declared/{segment(kind)}", name=name)
    documents = answer["documents"]
    if name and not documents:
        scanned = (
            f" `weir dataset show {name}` shows what scans know of it." if kind.lower().startswith("dataset") else ""
        )
        raise WeirError(f"No {kind} {name!r} is declared; `weir get {kind}` lists what there is.{scanned}")
    if output is Format.YAML:
        import yaml

        print_text(yaml.safe_dump_all(documents, sort_keys=False, allow_unicode=True))
        return
    rows = [{"kind": d["kind"], **d["metadata"], "spec": d["spec"]} for d in documents]
    show(rows, ("kind", "name", "spec"), output, whole=documents, empty=f"Nothing of kind {kind} is declared.")


def _show_origins(client: Api, kind: str, name: str | None, output: Format) -> None:
    answer = client.get(f"/api/v1/declared/{segment(kind)}/origins")
    listed = [each for each in answer["origins"] if name in (None, each["name"])]
    rows = [{**each, "state": _state(each), "commit": each["commit"][:8]} for each in listed]
    columns = ("name", "state", "commit", "path", "repository", "at", "by", "changedBy", "changedAt")
    empty = f"Nothing of kind {kind} was applied from a git checkout."
    show(rows, columns, output, whole={"origins": listed}, empty=empty)


def _state(origin: Mapping[str, object]) -> str:
    if origin["changed"]:
        return "changed since"
    return "not committed" if origin["dirty"] else "as in git"
