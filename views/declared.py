"""`kind: View`, as it is written in YAML."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from catalog.declared.spec_parts import OwnerSpec
from policies.sql.windows import read_offsets, read_time
from views.durations import span

_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}\Z")
_OPEN_ENDED = re.compile(r"\d{1,9}:\d{1,18}(,\d{1,9}:\d{1,18})*\Z")
MOST_SQL = 20_000
GROUP = "group:"
COPIED_KEY, COPIED_HEADERS = "weir_copied_key", "weir_copied_headers"
"""Columns of a masked copy's SQL that are not part of the value."""


def _span(text: str) -> str:
    span(text)
    return text


Span = Annotated[str, AfterValidator(_span)]
Name = Annotated[str, Field(min_length=1, max_length=253)]


class Spec(BaseModel):
    """Base of all specs: an unknown field is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RunAs(Spec):
    """Whose masks and row filters are in the view: one user, service account, or group (what its members have by it), for
    one purpose."""

    user: Name | None = None
    serviceAccount: Name | None = None
    group: Name | None = None
    purpose: Name | None = None

    @model_validator(mode="after")
    def _one(self) -> RunAs:
        if sum(each is not None for each in (self.user, self.serviceAccount, self.group)) != 1:
            raise ValueError("names one subject: user, serviceAccount or group")
        if (self.user or self.serviceAccount or "").startswith(GROUP):
            raise ValueError(f"a user's name does not begin with {GROUP}; write group")
        return self

    @property
    def subject(self) -> str:
        """The name of the user, or `group:` and the group's."""
        return self.user or self.serviceAccount or f"{GROUP}{self.group}"


class Sink(Spec):
    """The topic that others read. `cleanup`: compact keeps the newest record of each key, delete keeps all for `ttl`; when
    absent compact for rows with a key."""

    cluster: Name
    topic: str
    format: Literal["json", "avro"] = "json"
    partitions: int | None = Field(None, ge=1, le=1000)
    replication: int | None = Field(None, ge=1, le=10)
    cleanup: Literal["compact", "delete"] | None = None

    @field_validator("topic")
    @classmethod
    def _named(cls, value: str) -> str:
        if not _TOPIC.match(value) or value in (".", ".."):
            raise ValueError("a topic's name has letters, digits, dots, dashes and underscores, 249 at most")
        if value.startswith("_"):
            raise ValueError("a topic that begins with an underscore is hidden; leave out sink for a private view")
        return value


class Offsets(Spec):
    """`offsets: "0:100,1:50"`: partition and first offset, for views of one topic."""

    offsets: str

    @field_validator("offsets")
    @classmethod
    def _read(cls, value: str) -> str:
        if not _OPEN_ENDED.match(value):
            raise ValueError(f'{value!r} names no offsets; write PARTITION:FIRST, as in "0:100,1:50"')
        read_offsets(",".join(f"{each}-" for each in value.split(",")))
        return value

    def starts(self) -> dict[int, int]:
        """Partition -> first offset."""
        return {
            int(partition): int(first) for partition, first in (each.split(":") for each in self.offsets.split(","))
        }


class Watermark(Spec):
    """How late a record may be by the time in `column` (`_timestamp` when absent)."""

    column: Name | None = None
    delay: Span


class ViewSpec(Spec):
    """One view. Times are spans (`10 minutes`, `90d`). `copyOf`, in place of `sql`: `CLUSTER/TOPIC` whose records `sink` gets
    one by one, as the subject may see them. `compactedAs`: whether the newest record of each key of a followed topic with
    cleanup.policy=compact counts, or each record. `decision`: of a copy that Weir made for consumers, what is hidden in it
    (`policies.decision.restrictions`); it holds nothing while the subject may see something else."""

    sql: str = Field(min_length=1, max_length=MOST_SQL)
    copyOf: Name | None = None
    decision: str | None = Field(None, pattern=r"^[0-9a-f]{16}$")
    runAs: RunAs
    description: str = ""
    owners: list[OwnerSpec] = []
    key: list[Name] | None = Field(None, min_length=1)
    sink: Sink | None = None
    startFrom: str | Offsets = "earliest"
    watermark: Span | Watermark | None = None
    ttl: Span | None = None
    onError: Literal["deadLetter", "stop"] = "deadLetter"
    onDecisionChange: Literal["rebuild", "stop"] = "rebuild"
    trigger: Span = "1 second"
    compactedAs: Literal["table", "stream"] = "table"
    paused: bool = False

    @model_validator(mode="before")
    @classmethod
    def _copy(cls, data: Any) -> Any:
        if not isinstance(data, dict) or data.get("copyOf") is None:
            return data
        cluster, _, topic = str(data["copyOf"]).partition("/")
        if not cluster or not topic:
            raise ValueError("copyOf names a topic as CLUSTER/TOPIC")
        table = ".".join("`" + part.replace("`", "``") + "`" for part in (cluster, topic))
        sql = f"SELECT *, _key AS {COPIED_KEY}, _headers AS {COPIED_HEADERS} FROM {table}"
        if data.get("sql") not in (None, sql):
            raise ValueError("a view has sql or copyOf, not both")
        return {**data, "sql": sql}

    @model_validator(mode="after")
    def _copied(self) -> ViewSpec:
        if self.copyOf is None:
            if self.decision is not None:
                raise ValueError("decision goes with copyOf")
            return self
        if self.sink is None:
            raise ValueError("a copy needs sink: the topic that it writes")
        if self.key is not None or self.watermark is not None:
            raise ValueError("a copy keeps the keys of its records, and has neither key nor watermark")
        if self.copyOf == f"{self.sink.cluster}/{self.sink.topic}":
            raise ValueError("a copy writes another topic than it reads")
        return self

    @field_validator("startFrom")
    @classmethod
    def _start(cls, value: str | Offsets) -> str | Offsets:
        if isinstance(value, str) and value not in ("earliest", "latest"):
            try:
                read_time(value)
            except ValueError:
                raise ValueError(
                    f'{value!r} is not a start; write earliest, latest, a time as in 2026-11-20T10:00:00Z, or {{offsets: "0:100"}}'
                ) from None
        return value

    @field_validator("key")
    @classmethod
    def _distinct(cls, value: list[str] | None) -> list[str] | None:
        if value is not None and len({name.lower() for name in value}) < len(value):
            raise ValueError("names a column twice")
        return value

    @property
    def delay(self) -> timedelta | None:
        """How late a record may be; None: no watermark."""
        if self.watermark is None:
            return None
        return span(self.watermark if isinstance(self.watermark, str) else self.watermark.delay)

    @property
    def watermark_column(self) -> str | None:
        """The column that is asked for; None: the one that the query's windows are over."""
        return self.watermark.column if isinstance(self.watermark, Watermark) else None
