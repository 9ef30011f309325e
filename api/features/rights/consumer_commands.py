"""`weir rights client`, `try`, `copies`: what a Kafka consumer reads by an approved request."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from api.terminal.names import complete_cluster, whole_reference
from api.terminal.options import As, Output, Topic, api
from api.terminal.output import Format, console, errors, show

if TYPE_CHECKING:
    from api.features.rights.client_try import ReadAttempt

ForConsumer = Annotated[str, typer.Option(help="The consumer: its principal, document or consumer group.")]


class Form(StrEnum):
    PYTHON = "python"
    JAVA = "java"
    CONSOLE = "console"
    SPARK = "spark"
    QUIX = "quix"
    LIBRDKAFKA = "librdkafka"


def add_to(app: typer.Typer) -> None:
    """Register this module's commands on `weir rights`."""
    app.command(epilog="weir rights client prod/orders --for-consumer orders-app --form java")(client)
    app.command("try", epilog="weir rights try prod/orders --for-consumer orders-app --config client.properties")(
        try_consumer
    )
    app.command(epilog="weir rights copies · weir rights copies -o json")(copies)


def client(
    dataset: Topic,
    for_consumer: ForConsumer,
    form: Annotated[Form, typer.Option(help="python, java, console, spark, quix or librdkafka.")] = Form.PYTHON,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Print what connects a client as a consumer, without a secret; how far its access is goes to standard error."""
    right = _right(dataset, for_consumer, user)
    if output is not Format.TABLE:
        show([right], ("principal", "state", "topic", "text"), output, whole=right)
        return
    errors.print(right["text"], markup=False)
    if right["clients"] is None:
        raise typer.Exit(1)
    typer.echo(right["clients"][form.value], nl=False)


def try_consumer(
    dataset: Topic,
    for_consumer: ForConsumer,
    config: Annotated[
        Path, typer.Option(help="librdkafka's settings as lines: weir rights client ... --form librdkafka writes them.")
    ],
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Connect by the consumer's own configuration, and show what it may read: the topic, its masked copy, the group.

    Ends with 1 where the brokers do otherwise than Weir decided.
    """
    from api.features.rights.client_try import read_settings, try_group, try_topic

    settings = read_settings(config)
    right = _right(dataset, for_consumer, user)
    source, topic, state = right["source"], right["topic"], right["state"]
    rows = [_row(try_topic(settings, source, shows=state == "unmasked"), state == "unmasked")]
    if topic is not None and topic != source:
        rows.append(_row(try_topic(settings, topic, shows=True), state == "masked"))
    problem = try_group(settings, topic or source) if state in ("masked", "unmasked") else None
    answer = {"right": right, "tried": rows, "group": problem}
    show(rows, ("topic", "asExpected", "outcome", "text", "firstRecord"), output, whole=answer)
    if output is Format.TABLE:
        console.print(right["text"], markup=False)
        if problem is not None:
            console.print(problem, markup=False)
    if problem is not None or not all(each["asExpected"] for each in rows):
        raise typer.Exit(1)


def copies(
    cluster: Annotated[str | None, typer.Option(help="Only this cluster.", autocompletion=complete_cluster)] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """List the masked copies that Weir made for consumers, who needs each, and when the others are removed."""
    answer = api(user).get("/api/v1/rights/copies", cluster=cluster)
    columns = ("dataset", "topic", "state", "readers", "removedAt", "text")
    show(answer["copies"], columns, output, whole=answer, empty="No masked copy was made for a consumer.")


class _Right(TypedDict):
    """What a consumer reads of a dataset, and from which topic."""

    state: str
    text: str
    source: str
    topic: str | None
    clients: dict[str, str] | None


def _right(dataset: str, consumer: str, user: str | None) -> _Right:
    client = api(user)
    right: _Right = client.get("/api/v1/rights/consumer", dataset=whole_reference(client, dataset), consumer=consumer)
    return right


def _row(tried: ReadAttempt, may: bool) -> dict[str, object]:
    expected = tried.outcome in (("read", "empty") if may else ("refused", "noTopic"))
    return {
        "topic": tried.topic,
        "asExpected": expected,
        "outcome": tried.outcome,
        "text": tried.text,
        "firstRecord": tried.value,
    }
