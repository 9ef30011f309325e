"""`/recognizers`: a recognizer tried before it counts."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from api.auth import ScanOperator, ServicesOf
from api.recognizers import MAX_VALUES, recognizer_of
from api.routes.names import Count
from catalog.errors import InvalidInput

router = APIRouter(prefix="/recognizers", tags=["catalog"])


class Trial(BaseModel):
    """Values of your own, or a dataset; never both."""

    model_config = ConfigDict(extra="forbid")

    recognizer: dict[str, Any] = Field(
        description="A document of kind Recognizer, its spec, or an entry of presidio's recognizers.",
        examples=[
            {"supported_entity": "EMPLOYEE_NUMBER", "patterns": [{"name": "e", "regex": "EMP-[0-9]{6}", "score": 0.6}]}
        ],
    )
    values: Annotated[list[str], Field(max_length=MAX_VALUES)] | None = None
    dataset: str | None = Field(None, examples=["prod/orders"])
    field: str | None = Field(None, examples=["value.employee"])
    records: Annotated[Count, Field(le=100_000)] = 1000


@router.post("/test")
def test(built: ServicesOf, subject: ScanOperator, body: Trial) -> dict[str, Any]:
    """How many of the values it finds, whether that makes a tag, which harmless look-alikes it flags. Nothing is kept."""
    if (body.values is None) is (body.dataset is None):
        raise InvalidInput("Give either values or a dataset to try the recognizer on.")
    recognizer = recognizer_of(body.recognizer)
    if body.values is not None:
        return built.recognizers.on_values(recognizer, body.values, body.field or "value.field")
    answer = built.recognizers.on_dataset(recognizer, str(body.dataset), body.field, body.records)
    built.record(subject, "recognizer.test", answer["dataset"], "allow", [recognizer.name])
    return answer
