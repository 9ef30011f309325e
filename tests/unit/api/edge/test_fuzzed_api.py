"""Requests made from `/openapi.json` by schemathesis, good and bad ones: no 5xx, and every answer as it is described.

WEIR_TEST_FUZZ_REQUESTS sets how many, 1,000 where it is absent; `weir test --bench fuzz_api` asks for 50,000. They are the same
each time; WEIR_TEST_FUZZ_SEED (a number) gives others.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from catalog.search.service import Search
from tests.answer_check import differences
from tests.api_world import ApiWorld, orders, world
from tests.twins.policies.engine import MemoryEngine, MemoryTopics

REQUESTS = int(os.environ.get("WEIR_TEST_FUZZ_REQUESTS", "1000"))
SEED = os.environ.get("WEIR_TEST_FUZZ_SEED")
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ENDLESS = ("/api/v1/events/stream", "/api/v1/query/stream")
"""Their answers end when the client goes."""
AWAY = ("/readyz",)
"""Their 503 is the right answer here: no server runs."""
KNOWN: dict[str, Any] = {
    "namespace": "prod",
    "name": "orders",
    "kind": "Role",
    "what": "search",
    "dataset": "orders",
    "job": "etl",
}
DECLARED = """
apiVersion: weir/v1
kind: Role
metadata: {name: reader}
spec: {read: [{dataset: "*"}]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: mask-email}
spec: {type: mask, match: {tags: [EMAIL_ADDRESS]}, mask: {type: MASK_HASH}}
"""


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    engine = MemoryEngine(MemoryTopics({"prod/orders": [{"order_id": "O-1"}]}))
    with world(tmp_path_factory.mktemp("home"), {"orders": orders(20)}, engine=engine) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        weir.apply(DECLARED)
        yield weir


def problem_of(case: Any, answer: Any) -> str | None:
    """What is wrong with an answer, in one line."""
    path = case.operation.path
    if answer.status_code == 503 and path in AWAY:
        return None
    if answer.status_code < 400 and str(answer.status_code) not in case.operation.definition.raw["responses"]:
        return f"{answer.status_code} is not described"
    try:
        case.validate_response(answer, checks=CHECKS)
        if answer.headers.get("content-type", [""])[0].startswith("application/json"):
            sent = urlsplit(answer.request.url or "").path
            if problems := differences(case.operation.method.upper(), sent, answer.status_code, answer.json()):
                return " | ".join(problems)[:600]
    except BaseExceptionGroup as group:  # schemathesis' own group of failures is no Exception
        return " | ".join(f"{type(each).__name__}: {each}" for each in group.exceptions)[:600]
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:600]
    return None


def fuzz(weir: ApiWorld, operations: list[Any], requests: int) -> tuple[Counter[int], dict[str, str]]:
    """Ask `requests` times, a third of them with what the description forbids: counted statuses, problems by operation."""
    each_of = -(-requests // len(operations))
    statuses: Counter[int] = Counter()
    problems: dict[str, str] = {}

    def ask(operation: Any, mode: GenerationMode, count: int) -> None:
        @settings(
            max_examples=count,
            derandomize=SEED is None,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode), known=st.booleans())
        def one(case: Any, known: bool) -> None:
            if known:
                case.path_parameters = {n: KNOWN.get(n, v) for n, v in (case.path_parameters or {}).items()}
            others = {name: given for name, given in (case.headers or {}).items() if name.lower() != "authorization"}
            case.headers = {**others, "Authorization": weir.admin.headers["authorization"]}
            answer = case.call()
            statuses[answer.status_code] += 1
            problem = problem_of(case, answer)
            if problem is not None:
                key = f"{operation.method.upper()} {operation.path}"
                problems.setdefault(key, f"{problem}\n    {case.as_curl_command()[:500]}")

        (one if SEED is None else seed(int(SEED))(one))()

    for operation in operations:
        ask(operation, GenerationMode.POSITIVE, each_of - each_of // 3)
        if each_of >= 3:
            # Where nothing can be wrong, as of an operation without parameters, there is nothing to make.
            with contextlib.suppress(Unsatisfiable, pytest.skip.Exception):
                ask(operation, GenerationMode.NEGATIVE, each_of // 3)
    return statuses, problems


def operations_of(weir: ApiWorld) -> list[Any]:
    schema = schemathesis.openapi.from_asgi("/openapi.json", weir.app)
    operations = []
    for result in schema.get_all_operations():
        assert isinstance(result, Ok), result.err()
        operations.append(result.ok())
    return [each for each in operations if each.path not in ENDLESS]


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_every_answer_is_as_described(weir: ApiWorld) -> None:
    operations = operations_of(weir)
    statuses, problems = fuzz(weir, operations, REQUESTS)
    print(f"{statuses.total()} requests of {len(operations)} operations: {dict(sorted(statuses.items()))}")
    assert statuses.total() >= REQUESTS * 0.9
    assert not problems, "\n".join(f"{key}: {text}" for key, text in sorted(problems.items()))


def test_what_is_not_as_described_is_found(weir: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("no matter")

    monkeypatch.setattr(weir.services[Search], "search", broken)
    some = [each for each in operations_of(weir) if each.path in ("/api/v1/search", "/healthz")]
    _, problems = fuzz(weir, some, 12)
    assert list(problems) == ["GET /api/v1/search"] and "Server error" in problems["GET /api/v1/search"]
