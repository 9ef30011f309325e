"""Lag of consumer groups over time; saved queries."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant, Json

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "group_lags",
        sa.Column("cluster", AnyText(), nullable=False),
        sa.Column("topic", AnyText(), nullable=False),
        sa.Column("consumer_group", AnyText(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("lag", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("cluster", "topic", "consumer_group", "at", name="pk_group_lags"),
    )
    op.create_index("ix_group_lags_at", "group_lags", ["at"])
    op.create_table(
        "saved_queries",
        sa.Column("id", AnyText(), nullable=False),
        sa.Column("owner", AnyText(), nullable=False),
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("sql", AnyText(), nullable=False),
        sa.Column("purpose", AnyText(), nullable=True),
        sa.Column("description", AnyText(), nullable=False),
        sa.Column("shared", Json, nullable=True),
        sa.Column("chart", Json, nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_saved_queries"),
        sa.UniqueConstraint("owner", "name", name="uq_saved_queries_owner_name"),
    )


def downgrade() -> None:
    op.drop_table("saved_queries")
    op.drop_table("group_lags")
