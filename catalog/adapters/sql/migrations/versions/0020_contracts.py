"""Contracts: the last check of each dataset, and breaches."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant, Json

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "contract_checks",
        sa.Column("contract", AnyText(), nullable=False),
        sa.Column("dataset", AnyText(), nullable=False),
        sa.Column("results", Json, nullable=False),
        sa.Column("checked_at", Instant(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("contract", "dataset", name="pk_contract_checks"),
    )
    op.create_index("ix_contract_checks_dataset", "contract_checks", ["dataset"])
    op.create_table(
        "contract_breaches",
        sa.Column("id", AnyText(), nullable=False),
        sa.Column("contract", AnyText(), nullable=False),
        sa.Column("dataset", AnyText(), nullable=False),
        sa.Column("rule", AnyText(), nullable=False),
        sa.Column("text", AnyText(), nullable=False),
        sa.Column("reason", AnyText(), nullable=False),
        sa.Column("began_at", Instant(), nullable=False),
        sa.Column("seen_at", Instant(), nullable=False),
        sa.Column("ended_at", Instant(), nullable=True),
        sa.Column("count", sa.Integer(), nullable=True),
        sa.Column("share", sa.Float(), nullable=True),
        sa.Column("first", Json, nullable=True),
        sa.Column("last", Json, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_contract_breaches"),
    )
    op.create_index("ix_contract_breaches_contract_ended_at", "contract_breaches", ["contract", "ended_at"])


def downgrade() -> None:
    op.drop_table("contract_breaches")
    op.drop_table("contract_checks")
