"""`weir dataset question`: ask about a dataset, answer, accept an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypedDict

import typer

from api.terminal.http import dataset_path, segment
from api.terminal.options import As, Output, Topic, api
from api.terminal.output import Format, console, show
from api.terminal.words import noun

_PATH = "/api/v1/questions"
Id = Annotated[str, typer.Argument(metavar="QUESTION", help="Its id, as list shows it.")]


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    noun(app, "dataset").add_typer(
        question_app,
        name="question",
        epilog="weir dataset question list prod/orders · weir dataset question ask prod/orders 'Is region ever null?'",
    )


question_app = typer.Typer(help="Ask about a dataset, answer, accept an answer.", no_args_is_help=True)


@question_app.command("list", epilog="weir dataset question list prod/orders")
def question_list(
    dataset: Topic,
    only_open: Annotated[bool, typer.Option("--open", help="Only those that wait for an answer.")] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List the questions about a dataset with their answers."""
    answer = api(user).get(f"{dataset_path(dataset)}/questions")
    questions = [each for each in answer["questions"] if each["state"] == "open" or not only_open]
    rows = [row for each in questions for row in _rows(each)]
    columns = ("id", "state", "by", "at", "text")
    show(rows, columns, output, whole=answer, empty="No questions; weir dataset question ask DATASET 'TEXT' asks one.")


@question_app.command("ask", epilog="weir dataset question ask prod/orders 'Is region ever null?'")
def question_ask(dataset: Topic, text: Annotated[str, typer.Argument(help="The question.")], user: As = None) -> None:
    """Ask something about a dataset. Those who answer for it are notified."""
    client = api(user)
    asked = client.post(f"{dataset_path(dataset)}/questions", {"text": text})
    notified = client.get(f"{dataset_path(dataset)}/questions")["notified"]
    console.print(f"Asked as {asked['id']}. {_notified(notified)}", markup=False)


@question_app.command("answer", epilog="weir dataset question answer 3f2a 'No, since March.'")
def question_answer(id: Id, text: Annotated[str, typer.Argument(help="The answer.")], user: As = None) -> None:
    """Answer a question."""
    answered = api(user).post(f"{_PATH}/{segment(id)}/answers", {"text": text})
    console.print(f"Answered as {answered['answers'][-1]['id']}.", markup=False)


@question_app.command("accept", epilog="weir dataset question accept 3f2a 77c1")
def question_accept(id: Id, answer: Annotated[str, typer.Argument(help="Id of the answer.")], user: As = None) -> None:
    """Take an answer as the right one, which closes the question."""
    _change(user, id, {"accepted": answer})


@question_app.command("close", epilog="weir dataset question close 3f2a · weir dataset question close 3f2a --reopen")
def question_close(
    id: Id,
    reopen: Annotated[bool, typer.Option("--reopen", help="Open it again.")] = False,
    user: As = None,
) -> None:
    """Close a question without an accepted answer."""
    _change(user, id, {"state": "open" if reopen else "closed"})


@question_app.command("edit", epilog="weir dataset question edit 3f2a 'Is region ever empty?'")
def question_edit(
    id: Id,
    text: Annotated[str, typer.Argument(help="The new text.")],
    answer: Annotated[str | None, typer.Option(help="Id of an answer of yours: edit that instead.")] = None,
    user: As = None,
) -> None:
    """Edit a question of yours, or an answer of yours."""
    if answer is None:
        _change(user, id, {"text": text})
    else:
        api(user).patch(f"{_PATH}/{segment(id)}/answers/{segment(answer)}", {"text": text})
        console.print("The answer is changed.")


@question_app.command("remove", epilog="weir dataset question remove 3f2a")
def question_remove(id: Id, user: As = None) -> None:
    """Remove a question and its answers."""
    api(user).delete(f"{_PATH}/{segment(id)}")
    console.print("The question is removed.")


def _change(user: str | None, id: str, body: dict[str, object]) -> None:
    changed = api(user).patch(f"{_PATH}/{segment(id)}", body)
    console.print(f"The question is {changed['state']}.")


class _Question(TypedDict):
    answers: list[dict[str, object]]


def _rows(question: _Question) -> list[Mapping[str, object]]:
    answers = [{**each, "state": "accepted" if each["accepted"] else "answer"} for each in question["answers"]]
    return [question, *answers]


def _notified(names: list[str]) -> str:
    return (
        f"{', '.join(names)} will be notified."
        if names
        else "Nobody owns the dataset, so those who manage are notified."
    )
