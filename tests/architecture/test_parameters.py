"""What callers send is declared by the types of api/edge/parameters.py, which are bounded to what the stores can take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, get_args, get_type_hints

import pytest
from fastapi.params import Depends
from fastapi.routing import APIRoute
from pydantic import BaseModel

import api.features
from api.app import create_app
from api.bootstrap import offline
from api.edge.parameters import Bounded

NUMBERS_AND_TIMES = (int, float, datetime)
IDS = ("id", "query_id", "cursor")

Endpoint = Callable[..., Any]


def endpoints() -> Iterator[Endpoint]:
    """The functions behind every route of a feature, those of routers within routers included."""

    def inside(router: object) -> Iterator[Endpoint]:
        for route in getattr(router, "routes", []):
            if isinstance(route, APIRoute):
                if route.endpoint.__module__.startswith(f"{api.features.__name__}."):
                    yield route.endpoint
            else:
                yield from inside(getattr(route, "original_router", None))

    yield from dict.fromkeys(inside(create_app(offline())))


def bare(kind: Any, kinds: tuple[type, ...]) -> bool:
    """True when a type of `kinds` is in an annotation without the mark of the module of parameters."""
    marks = getattr(kind, "__metadata__", ())
    if any(isinstance(mark, Bounded) for mark in marks):
        return False
    if isinstance(kind, type):
        return kind in kinds
    inside = get_args(kind)[:1] if marks else get_args(kind)
    return any(bare(part, kinds) for part in inside)


def models(kind: Any) -> Iterator[type[BaseModel]]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
        for part in get_type_hints(kind, include_extras=True).values():
            yield from models(part)
    for part in get_args(kind):
        yield from models(part)


def parameters(endpoint: Endpoint) -> Iterator[tuple[str, Any]]:
    """Those of its own, and the fields of a class that is made of parameters."""
    made_by: Any = getattr(endpoint, "__init__") if isinstance(endpoint, type) else endpoint  # noqa: B009
    hints = get_type_hints(made_by, include_extras=True)
    for name in inspect.signature(endpoint).parameters:
        depends = [mark for mark in getattr(hints[name], "__metadata__", ()) if isinstance(mark, Depends)]
        if not depends:
            yield name, hints[name]
        elif depends[0].dependency is None:
            yield from parameters(get_args(hints[name])[0])


ROUTES = [pytest.param(each, id=f"{each.__module__.rpartition('.')[2]}.{each.__name__}") for each in endpoints()]


def test_every_route_is_looked_at() -> None:
    assert len(ROUTES) > 180


@pytest.mark.parametrize("endpoint", ROUTES)
def test_no_route_declares_a_bare_number_time_or_text(endpoint: Endpoint) -> None:
    wrong = [name for name, kind in parameters(endpoint) if bare(kind, (*NUMBERS_AND_TIMES, str))]
    assert not wrong, f"{endpoint.__name__}: take the types of {wrong} from api/edge/parameters.py"


@pytest.mark.parametrize("endpoint", ROUTES)
def test_no_body_declares_a_bare_number_time_or_id(endpoint: Endpoint) -> None:
    wrong = [
        f"{model.__name__}.{name}"
        for _, kind in parameters(endpoint)
        for model in models(kind)
        for name, part in get_type_hints(model, include_extras=True).items()
        if bare(part, NUMBERS_AND_TIMES) or (name in IDS and bare(part, (str,)))
    ]
    assert not wrong, f"take the types of {wrong} from api/edge/parameters.py"
