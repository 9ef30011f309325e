"""The demo from a running, empty Weir to its story: topics, declared state, tokens, a scan beside real jobs."""

from __future__ import annotations

import string
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from rich.console import Console
from rich.markup import escape

from api.config.home import Home, write_private
from api.demo.chapters import Chapters
from api.demo.client import ApiRefusal, Person
from api.demo.consumer_chapter import ConsumerChapter
from api.demo.errors import DemoFailed
from api.demo.generator import DERIVED_TOPICS, topic_plans
from api.demo.jobs import JobDone, run_jobs
from api.demo.plan import TopicPlan
from api.demo.produce import produce
from api.demo.story import Story

PEOPLE = ("ana", "otto", "petra", "shop-jobs")
"""Whose tokens the demo makes, beside the admin's."""


class Addresses(Protocol):
    """Where the stack's Kafka (host:port) and registry (Confluent-compatible URL) answer; empty when not ours."""

    @property
    def kafka(self) -> str: ...

    @property
    def registry(self) -> str: ...

    @property
    def kafka_login(self) -> tuple[str, str] | None: ...

    @property
    def registry_login(self) -> tuple[str, str] | None: ...


@dataclass(frozen=True)
class DemoContext:
    """What the demo needs of the instance that runs it.

    home             where tokens, logs and the stream's checkpoint are kept
    job_environment  JAVA_HOME and PYSPARK_PYTHON for jobs with a JVM of their own
    jars             component names -> jars; asked for `spark-kafka` and `openlineage-spark`
    begun            `time.monotonic()` of the command's start
    consumer         user and password of an ordinary Kafka user, where the story has one
    """

    weir_url: str
    home: Home
    addresses: Addresses
    job_environment: Mapping[str, str]
    jars: Callable[..., Sequence[Path]]
    console: Console
    begun: float
    consumer: tuple[str, str] | None = None


def governance(kafka: str, registry: str, kafka_user: str | None = None, registry_user: str | None = None) -> str:
    """The demo's declared state as YAML, with the addresses of the running stack.

    The users are those of a secured one, whose passwords the server finds in its environment.
    """
    text = Path(__file__).with_name("governance.yaml").read_text(encoding="utf-8")
    security = login = ""
    if kafka_user:
        security = (
            f"\n  security: {{sasl: {{mechanism: PLAIN, username: {kafka_user},"
            " password: {env: WEIR_SECRET_STACK_KAFKA}}}"
            f'\n  authorizer: {{superUsers: ["User:{kafka_user}"], allowEveryoneIfNoAclFound: false}}'
        )
    if registry_user:
        login = f", username: {registry_user}, password: {{env: WEIR_SECRET_STACK_REGISTRY}}"
    return string.Template(text).substitute(kafka=kafka, registry=registry, security=security, registry_login=login)


def run(context: DemoContext) -> int:
    """Run the whole demo; 0 when every answer was as it should be, else 1 after one sentence on what was not."""
    try:
        _run(context)
    except DemoFailed as failed:
        context.console.print(f"\n[bold red]✗ The demo stops here.[/] {escape(str(failed))}", soft_wrap=True)
        return 1
    return 0


def _run(context: DemoContext) -> None:
    if not context.addresses.kafka or not context.addresses.registry:
        raise DemoFailed(
            "The demo needs the local Kafka and registry; unset WEIR_KAFKA__* and WEIR_SCHEMA_REGISTRY__*."
        )
    # The newest record is from now, so that "the newest records" are of today; the seed keeps the rest the same.
    plans = topic_plans(until=datetime.now(UTC).replace(microsecond=0))
    admin_token = context.home.admin_token.read_text(encoding="utf-8").strip()
    with Person("admin", admin_token, context.weir_url) as admin:
        story = Story(admin, context.console, context.begun)
        with story.step("Fifteen topics of a shop and its vans"):
            where = context.addresses
            story.topics(
                produce(
                    plans, where.kafka, where.registry, login=where.kafka_login, registry_login=where.registry_login
                )
            )
        with story.step("Who owns what, who may read what, what is masked for whom"):
            users = [login[0] if login else None for login in (where.kafka_login, where.registry_login)]
            answer = admin.apply(governance(where.kafka, where.registry, *users))
            tokens = _tokens(admin, admin_token, context.home, context.weir_url)
            story.declared(answer, context.home.tokens)
        people = {name: Person(name, token, context.weir_url) for name, token in tokens.items()}
        try:
            with story.step("A scan of every topic, and beside it the shop's own jobs"):
                _scan_beside_jobs(context, story, plans, tokens["shop-jobs"])
            # Views start while the story goes on.
            admin.apply(Path(__file__).with_name("stream_views.yaml").read_text(encoding="utf-8"))
            ana, otto, petra = (people[name] for name in ("ana", "otto", "petra"))
            Chapters(story, context.console, admin, ana, otto, petra).tell()
            if (consumer := context.consumer) is not None:
                with story.step("An ordinary consumer loses a topic, and reads a masked copy from then on"):
                    say = partial(context.console.print, soft_wrap=True)
                    ConsumerChapter(say, (admin, ana, otto, petra), context.addresses.kafka, consumer).tell()
            story.what_next(context.weir_url, context.home.tokens)
        finally:
            for person in people.values():
                person.__exit__(None, None, None)


def _tokens(admin: Person, admin_token: str, home: Home, url: str) -> dict[str, str]:
    """A token for everybody, in files only the owner of the instance can read; those that still work are kept."""
    write_private(home.token_of("admin"), admin_token + "\n")
    tokens = {}
    for name in PEOPLE:
        file = home.token_of(name)
        kept = file.read_text(encoding="utf-8").strip() if file.exists() else ""
        if not kept or not _works(kept, url):
            kept = str(admin.post("/api/v1/tokens", {"user": name})["token"])
            write_private(file, kept + "\n")
        tokens[name] = kept
    return tokens


def _works(token: str, url: str) -> bool:
    try:
        with Person("", token, url) as person:
            person.get("/api/v1/access-requests")
    except ApiRefusal as refused:
        return refused.status != 401
    return True


def _scan_beside_jobs(context: DemoContext, story: Story, plans: Sequence[TopicPlan], token: str) -> None:
    stopped = threading.Event()
    done: list[JobDone] = []
    with ThreadPoolExecutor(1, thread_name_prefix="demo-jobs") as pool:
        jobs = pool.submit(
            run_jobs,
            context.addresses.kafka,
            context.weir_url,
            token,
            context.jars("spark-kafka", "openlineage-spark"),
            context.job_environment,
            context.home.root / "data" / "demo",
            context.home.logs,
            sys.executable,
            on_done=done.append,
            stopped=stopped,
            login=context.addresses.kafka_login,
        )
        try:
            story.follow([plan.name for plan in plans], done)
            begun = time.monotonic()
            jobs.result()
            story.jobs(done, time.monotonic() - begun)
        finally:
            stopped.set()
    story.follow(DERIVED_TOPICS, done)
