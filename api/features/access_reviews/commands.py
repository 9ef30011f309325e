"""`weir access-review`: campaigns in which rights are confirmed or revoked."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from api.terminal.http import segment
from api.terminal.names import complete_campaign, complete_dataset, complete_user
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, escape, show
from api.terminal.text_input import text_of
from api.terminal.vocabularies import Unconfirmed
from catalog.declared.documents import load
from catalog.errors import InvalidInput
from policies.campaigns.model import CampaignState, ItemState
from policies.declared import kinds

reviews_app = typer.Typer(no_args_is_help=True)

Identifier = Annotated[
    str, typer.Argument(help="As `weir access-review list` shows it.", autocompletion=complete_campaign)
]
_COLUMNS = ("id", "state", "startedAt", "dueAt", "items", "open", "kept", "revoked", "toDecide")
_ITEM_COLUMNS = ("number", "right", "holder", "sees", "lastUsed", "state", "by", "reason")


class ReportFormat(StrEnum):
    """The `-o` of the evidence."""

    JSON = "json"
    CSV = "csv"
    HTML = "html"


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.add_typer(reviews_app, name="access-review")


@reviews_app.command("list", epilog="weir access-review list --state open")
def list_reviews(
    state: Annotated[CampaignState | None, typer.Option(help="open, closing, closed or failed.")] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List reviews with items for you; all of them, if you manage, report or audit."""
    answer = api(user).get("/api/v1/access-reviews", state=state)
    rows = [{**each, **each["counts"]} for each in answer["reviews"]]
    show(rows, _COLUMNS, output, whole=answer, empty="No access reviews.")
    if output is Format.TABLE and answer["toDecide"]:
        console.print(f"{answer['toDecide']} rights wait for your word.")


@reviews_app.command(epilog="weir access-review start personal-data · weir access-review start -f review.yaml")
def start(
    review: Annotated[str | None, typer.Argument(help="Name of a declared AccessReview.")] = None,
    file: Annotated[
        Path | None,
        typer.Option("-f", "--file", exists=True, dir_okay=False, help="One AccessReview that is not declared."),
    ] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Start a review now: its items are the rights of this moment."""
    if (review is None) == (file is None):
        raise InvalidInput("Name a declared review, or give a file with -f; not both.")
    body: dict[str, object] = {"review": review}
    if file is not None:
        documents = load(text_of(file), {"AccessReview": kinds.KINDS["AccessReview"]}, str(file))
        if len(documents) != 1:
            raise InvalidInput(f"{file} holds {len(documents)} documents; give one AccessReview.")
        body = {"name": documents[0].name, "spec": documents[0].spec}
    _show(api(user).post("/api/v1/access-reviews", body), output)


@reviews_app.command("show", epilog="weir access-review show personal-data-2026-06-01 --mine --unused")
def show_review(
    identifier: Identifier,
    mine: Annotated[bool, typer.Option(help="Only items that you decide.")] = False,
    state: Annotated[ItemState | None, typer.Option(help="open, kept, revoked or gone.")] = None,
    person: Annotated[str | None, typer.Option(help="Only this holder's.", autocompletion=complete_user)] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Only rights that open CLUSTER/TOPIC.", autocompletion=complete_dataset)
    ] = None,
    unused: Annotated[bool | None, typer.Option(help="Only rights that were not used, or that were.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")] = 200,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show a review and its items, with what each right lets its holder see."""
    client = api(user)
    address = f"/api/v1/access-reviews/{segment(identifier)}"
    answer = client.get(
        f"{address}/items", mine=mine or None, state=state, person=person, dataset=dataset, unused=unused, limit=limit
    )
    if output is Format.TABLE:
        _show(client.get(address), output)
    rows = [
        {**each, "sees": _sees(each["evidence"]), "lastUsed": each["evidence"]["lastUsed"] or "-"}
        for each in answer["items"]
    ]
    show(rows, _ITEM_COLUMNS, output, whole=answer, empty="No items that you may see.")
    if output is Format.TABLE and answer["total"] > len(rows):
        console.print(f"{answer['total'] - len(rows)} more items; raise --limit or narrow.")


@reviews_app.command(
    epilog="weir access-review decide ID 3 4 --revoke --reason 'left the team' · ... --keep · ... --undo"
)
def decide(
    identifier: Identifier,
    items: Annotated[list[int], typer.Argument(help="Numbers of items.", min=1)],
    keep: Annotated[bool, typer.Option("--keep", help="The right is still needed.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="End the right now; needs a reason.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take an earlier decision back.")] = False,
    reason: Annotated[str, typer.Option(help="Why; kept with the decision. To keep what was not used needs one.")] = "",
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Keep or revoke rights, or take decisions back."""
    chosen = [word for word, given in (("keep", keep), ("revoke", revoke), ("undo", undo)) if given]
    if len(chosen) != 1:
        raise InvalidInput("Choose one of --keep, --revoke, --undo.")
    body = {"items": items, "verdict": chosen[0], "reason": reason}
    answer = api(user).post(f"/api/v1/access-reviews/{segment(identifier)}/decisions", body)
    show(answer["decided"], ("number", "state", "outcome", "leftAt"), output, whole=answer)
    for each in answer["refused"] if output is Format.TABLE else ():
        console.print(f"Item {each['number']}: {escape(each['message'])}")


@reviews_app.command(epilog="weir access-review close ID --unconfirmed keep --reason 'moved to May'")
def close(
    identifier: Identifier,
    unconfirmed: Annotated[
        Unconfirmed | None, typer.Option(help="revoke or keep what nobody confirmed; as declared when absent.")
    ] = None,
    reason: Annotated[str, typer.Option(help="Why; needed where it is not as declared.")] = "",
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Close a review before its time."""
    body = {"onNoAnswer": unconfirmed, "reason": reason}
    _show(api(user).post(f"/api/v1/access-reviews/{segment(identifier)}/close", body), output)


@reviews_app.command(epilog="weir access-review report ID -o html > evidence.html")
def report(
    identifier: Identifier,
    output: Annotated[ReportFormat, typer.Option("-o", "--output", help="How to print it.")] = ReportFormat.JSON,
    user: As = None,
) -> None:
    """Print the evidence: who decided what, when, why, with its hash."""
    address = f"/api/v1/access-reviews/{segment(identifier)}/report"
    if output is ReportFormat.JSON:
        answer = api(user).get(address)
        show([answer], (), Format.JSON, whole=answer)
        return
    with api(user).file(address, format=output.value) as pieces:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
    sys.stdout.flush()


class _Review(TypedDict):
    counts: dict[str, int]


class _Evidence(TypedDict):
    """What a right shows, of the first datasets."""

    datasets: list[dict[str, str]]
    moreDatasets: int


def _show(answer: _Review, output: Format) -> None:
    show([{**answer, **answer["counts"]}], _COLUMNS, output, whole=answer)


def _sees(evidence: _Evidence) -> str:
    datasets = evidence["datasets"]
    words = [f"{each['dataset']}: {each['shows']}" for each in datasets[:3]]
    more = len(datasets) - 3 + evidence["moreDatasets"]
    return ", ".join([*words, *([f"{more} more"] if more > 0 else [])])
