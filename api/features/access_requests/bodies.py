"""What callers send to `/access-requests` and `/request-templates`."""

from __future__ import annotations

from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.parameters import Count, Instant
from policies.requests.bundles import MOST_PARTS, Wish
from policies.requests.narrowing import Part


class AccessRequestBody(RequestBody):
    """What is requested."""

    dataset: str = Field(examples=["prod/orders"])
    fields: list[str] = Field(["*"], min_length=1, description="Field paths or tags; * for all.")
    purpose: str = Field(min_length=1, max_length=253, examples=["spring-campaign"])
    from_: Instant | None = Field(None, alias="from", description="Now when absent.")
    until: Instant | None = Field(
        None, description="The longest the workflow or setting allows by default when absent."
    )
    rows: str | None = Field(None, description="A Spark SQL condition on the stored rows.")
    unmask: list[str] | None = Field(
        None, description="Which of them to show unmasked: all when absent, none when empty."
    )
    reason: str = Field("", max_length=2000, description="A word to the approvers.")
    ticket: str = Field("", max_length=100, description="Id of a ticket in another system.", examples=["DATA-123"])
    consumer: str | None = Field(
        None,
        min_length=1,
        max_length=1000,
        description="For a Kafka consumer of the caller: its principal, document or consumer group.",
        examples=["orders-app"],
    )


class ApprovalBody(RequestBody):
    """An approver's decision. What is given of fields, unmask and until makes it an approval in part."""

    reason: str = Field("", max_length=2000)
    fields: list[str] | None = Field(
        None, min_length=1, max_length=1000, description="Which of the fields; all when absent."
    )
    unmask: list[str] | None = Field(
        None, max_length=1000, description="Which of them without masks: as requested when absent, none when empty."
    )
    until: Instant | None = Field(None, description="An earlier end than the requested one.")

    def part(self) -> Part:
        """What of the request is approved."""
        fields = tuple(self.fields) if self.fields is not None else None
        return Part(fields, tuple(self.unmask) if self.unmask is not None else None, self.until)


class DenialBody(RequestBody):
    """Why an approver denies."""

    reason: str = Field("", max_length=2000)


class BreakGlassBody(RequestBody):
    """What is needed at once."""

    dataset: str = Field(examples=["prod/orders"])
    fields: list[str] = Field(["*"], min_length=1, description="Field paths or tags; * for all.")
    purpose: str = Field(min_length=1, max_length=253, examples=["incident"])
    reason: str = Field(min_length=1, max_length=2000, description="Why it cannot wait; it is in the audit.")
    minutes: Count | None = Field(
        None, le=525_600, description="For how long; as long as the workflow allows when absent."
    )
    rows: str | None = Field(None, description="A Spark SQL condition on the stored rows.")


class MessageBody(RequestBody):
    """What somebody writes into a request's thread."""

    text: str = Field(min_length=1, max_length=2000)


class BundleBody(RequestBody):
    """What is requested of several datasets at once."""

    datasets: list[str] = Field(min_length=1, max_length=MOST_PARTS, examples=[["prod/orders", "prod/payments"]])
    fields: list[str] = Field(["*"], min_length=1, description="Field paths or tags that each of them has; * for all.")
    purpose: str = Field(min_length=1, max_length=253)
    from_: Instant | None = Field(None, alias="from", description="Now when absent.")
    until: Instant | None = None
    rows: str | None = Field(None, description="A Spark SQL condition on the stored rows of each.")
    unmask: list[str] | None = Field(None, description="All fields without masks when absent, none when empty.")
    reason: str = Field("", max_length=2000, description="A word to the approvers.")
    ticket: str = Field("", max_length=100)
    consumer: str | None = Field(
        None,
        min_length=1,
        max_length=1000,
        description="For a Kafka consumer of the caller: its principal, document or consumer group.",
        examples=["orders-app"],
    )

    def wish(self) -> Wish:
        """What is requested of each dataset."""
        return Wish(
            fields=tuple(self.fields),
            purpose=self.purpose,
            valid_from=self.from_,
            valid_to=self.until,
            rows=self.rows,
            unmask=tuple(self.unmask) if self.unmask is not None else None,
            reason=self.reason,
            ticket=self.ticket,
            consumer=self.consumer,
        )


class TemplateUseBody(RequestBody):
    """What a template leaves open."""

    reason: str = Field("", max_length=2000, description="The template's text when empty.")
    ticket: str = Field("", max_length=100)
    until: Instant | None = Field(None, description="An earlier end than the template's duration gives.")
