"""Notices to people: one for each event, person and channel."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant, Json

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notices",
        sa.Column("id", AnyText(), nullable=False),
        sa.Column("event", AnyText(), nullable=False),
        sa.Column("type", AnyText(), nullable=False),
        sa.Column("subject", AnyText(), nullable=False),
        sa.Column("user_name", AnyText(), nullable=False),
        sa.Column("channel", AnyText(), nullable=False),
        sa.Column("topic", AnyText(), nullable=False),
        sa.Column("why", AnyText(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("batch", AnyText(), nullable=False),
        sa.Column("due_at", Instant(), nullable=False),
        sa.Column("data", Json, nullable=False),
        sa.Column("state", AnyText(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_try_at", Instant(), nullable=True),
        sa.Column("problem", AnyText(), nullable=True),
        sa.Column("done_at", Instant(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("worker", AnyText(), nullable=True),
        sa.Column("leased_until", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_notices"),
    )
    op.create_index("ix_notices_state_due_at", "notices", ["state", "due_at"])
    op.create_index("ix_notices_batch", "notices", ["batch"])
    op.create_index("ix_notices_user_name_at", "notices", ["user_name", "at"])


def downgrade() -> None:
    op.drop_table("notices")
