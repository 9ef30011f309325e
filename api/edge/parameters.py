"""The types of what callers send: names, texts, times, counts, places in a list. Every route takes its own from here.

Each is bounded to what every store behind the API can take, so a value outside is refused with the parameter's name
and never reaches a driver. tests/architecture/test_parameters.py refuses a route that declares a bare one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Annotated, Any, get_args, get_origin
from urllib.parse import unquote

from fastapi import Path, Query, Request
from fastapi.dependencies.models import Dependant
from pydantic import AfterValidator, BeforeValidator, Field
from starlette.datastructures import QueryParams

from api.edge.texts import seen, storable
from catalog.errors import InvalidInput
from catalog.near_names import did_you_mean

LONGEST = 4096
"""Characters of a name, an id or a filter; the longest path of a field in a nested record is far below."""
GREATEST = 2**31 - 1
"""The greatest count: Elasticsearch, Spark and Kafka's clients count in 32 bits."""
LAST = 2**63 - 1
"""The greatest place in a sequence: databases, Kafka's offsets and Neo4j count in 64 bits."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """Marks a type as one of this module's."""


_BOUNDED = Bounded()


def instant(given: Any) -> Any:
    """An RFC 3339 time in UTC; UTC where no offset is given. Raises ValueError with what to write instead."""
    if isinstance(given, str):
        try:
            # A '+' that was not percent-encoded arrives as a space.
            given = datetime.fromisoformat(given.strip().replace(" ", "+"))
        except ValueError:
            raise ValueError(f"{given[:60]!r} is not a time; write RFC 3339, as 2026-03-01T12:00:00Z") from None
    if not isinstance(given, datetime):
        raise ValueError("a time is a text in RFC 3339, as 2026-03-01T12:00:00Z")
    try:
        return given.astimezone(UTC) if given.tzinfo else given.replace(tzinfo=UTC)
    except OverflowError:
        raise ValueError(f"{given.isoformat()} is outside the years 1 to 9999 in UTC") from None


def _name(given: str) -> str:
    name = unquote(given)  # producers give names of any characters, which are asked for as they are
    if len(name) > LONGEST:
        raise ValueError(f"a name has at most {LONGEST} characters")
    return name


# In bodies and in parameters.
Text = Annotated[str, Field(max_length=LONGEST), _BOUNDED]
Instant = Annotated[datetime, BeforeValidator(instant), _BOUNDED]
Count = Annotated[int, Field(ge=1, le=GREATEST), _BOUNDED]
Bytes = Annotated[int, Field(ge=1, le=LAST), _BOUNDED]
Place = Annotated[int, Field(ge=0, le=GREATEST), _BOUNDED]
SeqNo = Annotated[int, Field(ge=0, le=LAST), _BOUNDED]
Seed = Annotated[int, Field(ge=-LAST, le=LAST), _BOUNDED]
Seconds = Annotated[float, Field(gt=0, le=GREATEST, allow_inf_nan=False), _BOUNDED]
Id = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(storable), _BOUNDED]
Label = Annotated[str, Field(max_length=200), AfterValidator(seen), _BOUNDED]
"""What people call something, and read beside what others called theirs."""

# In the path.
Name = Annotated[str, Path(description="A name, percent-encoded whole."), AfterValidator(_name), _BOUNDED]

# In the query.
Limit = Annotated[int, Query(ge=1, le=1000, description="At most this many."), _BOUNDED]
Offset = Annotated[int, Query(ge=0, le=GREATEST, description="How many to leave out first."), _BOUNDED]
Depth = Annotated[int, Query(ge=1, le=100, description="How many hops to follow."), _BOUNDED]
Cursor = Annotated[str | None, Query(pattern=r"^[0-9]{1,18}$", description="`next` of the answer before."), _BOUNDED]
AsOf = Annotated[
    Instant | None, Query(alias="asOf", description="As it was then: RFC 3339, e.g. 2026-03-01T12:00:00Z.")
]
SqlInAddress = Annotated[str, Query(max_length=20_000, description="Longer texts are sent by POST."), _BOUNDED]
NodeIdOf = Annotated[
    str,
    Query(
        alias="nodeId", max_length=LONGEST, description="dataset:NS:NAME, datasetField:NS:NAME:FIELD or job:NS:NAME."
    ),
    _BOUNDED,
]


def refuse_unknown(given: Iterable[str], known: Sequence[str]) -> None:
    """A misspelt condition would otherwise be left out, and the answer would be of another question.

    Raises InvalidInput naming the parameter and the nearest known one."""
    for name in given:
        if name not in known:
            close = next(iter(get_close_matches(name[:60], known, 1)), None)
            others = f"the parameters are {', '.join(known)}." if known else "this route takes none."
            raise InvalidInput(
                f"{name[:60]!r} is not a parameter here; {did_you_mean(close, others)}",
                details={"field": name[:60], "nearest": close},
            )


def refuse_repeated(given: QueryParams, lists: Collection[str]) -> None:
    """Of a condition that is given twice the first would be left out, and the answer would be of half the question.

    Raises InvalidInput naming the parameter. `lists`: those that may be given several times."""
    for name, times in Counter(name for name, _ in given.multi_items()).items():
        if name not in lists and times > 1:
            raise InvalidInput(f"{name!r} is given {times} times; give it once.", details={"field": name})


async def only_known(request: Request) -> None:
    """A dependency of every route that no other tool's client calls: see `refuse_unknown` and `refuse_repeated`."""
    if request.query_params:
        known = _query_parameters(request.scope["route"].dependant)
        refuse_unknown(request.query_params, sorted(known))
        refuse_repeated(request.query_params, [name for name, is_list in known.items() if is_list])


def _query_parameters(dependant: Dependant) -> dict[str, bool]:
    """What a route and what it depends on read from the query: the name, and whether it is a list."""
    own = {field.alias: _is_list(field.field_info.annotation) for field in dependant.query_params}
    for each in dependant.dependencies:
        own |= _query_parameters(each)
    return own


def _is_list(annotation: Any) -> bool:
    """Of `list[X]`, `list[X] | None`, and either with notes beside it."""
    return get_origin(annotation) is list or any(get_origin(each) is list for each in get_args(annotation))


def stamp(at: datetime | None) -> str | None:
    """A time as lineage reads it."""
    return at.isoformat() if at else None
