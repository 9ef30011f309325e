"""`weir apply`, `diff`, `get`, `delete`: declared state, as YAML in git."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NotRequired, TypedDict

import typer

from api.terminal.http import Api, ApiRefused, segment
from api.terminal.names import complete_kind, require_kind
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, errors, escape, print_text, show
from api.terminal.text_input import text_of
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
    _require_size(parts)
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
    if dry_run and not allow_unknown and any(w["refused"] for c in answer["changes"] for w in c.get("warnings", ())):
        raise typer.Exit(1)  # a check in a pull request fails where the apply after the merge would
    return any(change["action"] != "unchanged" for change in answer["changes"])


def _require_size(parts: Sequence[Part]) -> None:
    """Raises InvalidInput where several files are too much for one apply, though each of them is not."""
    from catalog.declared.yaml_text import MOST_BYTES

    size, most = len(joined(parts).encode(errors="replace")), MOST_BYTES / 1024**2
    if len(parts) > 1 and size > MOST_BYTES:
        raise InvalidInput(
            f"The {len(parts)} files have {size / 1024**2:.1f} MiB together, and one apply takes {most:.0f} MiB; apply them in"
            " parts, first what others refer to, and with --prune all documents of a kind in one part."
        )


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
            text = text_of(each)
            parts.append(Part("standard input" if str(each) == "-" else str(each), text, before))
            before += len(f"{text}{_BETWEEN}".splitlines())
    return parts


_BETWEEN = "\n---\n"


def joined(parts: Sequence[Part]) -> str:
    """One text of YAML documents."""
    return _BETWEEN.join(part.text for part in parts)


def in_its_file(refused: ApiRefused, parts: Sequence[Part]) -> ApiRefused:
    """The refusal with the name and the line of the file that it is about, in place of the whole text's."""
    line, first = refused.details.get("line"), refused.details.get("first")
    if not isinstance(line, int):
        return refused
    part = _part_of(line, parts)
    message = refused.message.removeprefix("the document, ").replace(f"line {line}:", f"line {line - part.before}:", 1)
    if isinstance(first, int):
        earlier = _part_of(first, parts)
        where = (
            f"line {first - earlier.before}" if earlier is part else f"{earlier.file}, line {first - earlier.before}"
        )
        message = message.replace(f"(first at line {first})", f"(first at {where})")
    refusal = ApiRefused(f"{part.file}, {message}", details={**refused.details, "line": line - part.before})
    refusal.code = refused.code
    return refusal


def _part_of(line: int, parts: Sequence[Part]) -> Part:
    """The file that a line of the whole text is in."""
    return next((part for part in reversed(parts) if part.before < line), parts[0])


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    below = (p for pattern in ("*.yaml", "*.yml") for p in path.rglob(pattern) if p.is_file())
    files = sorted(p for p in below if not any(part.startswith(".") for part in p.relative_to(path).parts))
    if not files:
        raise InvalidInput(f"The folder {path} holds no .yaml file.")
    return files


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
        from catalog.declared.yaml_text import dump

        print_text(dump(documents) if documents else "")
        return
    rows = [{"kind": d["kind"], "name": _name(d["metadata"]), "spec": d["spec"]} for d in documents]
    show(rows, ("kind", "name", "spec"), output, whole=documents, empty=f"Nothing of kind {kind} is declared.")


def _name(metadata: Mapping[str, str]) -> str:
    """As `weir get` and `weir delete` take it: a dataset by its cluster too."""
    return "/".join(metadata[part] for part in ("cluster", "name") if part in metadata)


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
