"""Events: the outbox, and how far each receiver has come."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant, Json

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "events",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("id", AnyText(), nullable=False),
        sa.Column("type", AnyText(), nullable=False),
        sa.Column("subject", AnyText(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("data", Json, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_at", "events", ["at"])
    op.create_table(
        "event_deliveries",
        sa.Column("name", AnyText(), primary_key=True),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failed_at", Instant()),
        sa.Column("next_try_at", Instant()),
        sa.Column("problem", AnyText()),
        sa.Column("delivered_at", Instant()),
        sa.Column("dropped", sa.BigInteger(), nullable=False),
        sa.Column("worker", AnyText()),
        sa.Column("leased_until", Instant()),
    )


def downgrade() -> None:
    op.drop_table("event_deliveries")
    op.drop_table("events")
