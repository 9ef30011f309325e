"""Tables of contracts: the last check of each dataset, and breaches."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Float, Index, Integer
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText, Instant, Json


class ContractCheckRow(Base):
    """The last check of a dataset of a contract; see `catalog.contract_store`."""

    __tablename__ = "contract_checks"
    __table_args__ = (Index("ix_contract_checks_dataset", "dataset"),)

    contract: Mapped[str] = mapped_column(AnyText, primary_key=True)
    dataset: Mapped[str] = mapped_column(AnyText, primary_key=True)
    results: Mapped[Any] = mapped_column(Json)
    checked_at: Mapped[datetime | None] = mapped_column(Instant)
    version: Mapped[int] = mapped_column(Integer)


class ContractBreachRow(Base):
    """A rule that was broken from a check until another one; see `catalog.contract_store`."""

    __tablename__ = "contract_breaches"
    __table_args__ = (Index("ix_contract_breaches_contract_ended_at", "contract", "ended_at"),)

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    contract: Mapped[str] = mapped_column(AnyText)
    dataset: Mapped[str] = mapped_column(AnyText)
    rule: Mapped[str] = mapped_column(AnyText)
    text: Mapped[str] = mapped_column(AnyText)
    reason: Mapped[str] = mapped_column(AnyText)
    began_at: Mapped[datetime] = mapped_column(Instant)
    seen_at: Mapped[datetime] = mapped_column(Instant)
    ended_at: Mapped[datetime | None] = mapped_column(Instant)
    count: Mapped[int | None] = mapped_column(Integer)
    share: Mapped[float | None] = mapped_column(Float)
    first: Mapped[Any | None] = mapped_column(Json)
    last: Mapped[Any | None] = mapped_column(Json)
