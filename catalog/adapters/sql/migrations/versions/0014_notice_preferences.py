"""How each person wants to be notified."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant, Json

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notice_preferences",
        sa.Column("user_name", AnyText(), nullable=False),
        sa.Column("channels", Json, nullable=False),
        sa.Column("topics_off", Json, nullable=False),
        sa.Column("digest", AnyText(), nullable=False),
        sa.Column("time_of_day", AnyText(), nullable=False),
        sa.Column("zone", AnyText(), nullable=False),
        sa.Column("chat_kind", AnyText(), nullable=True),
        sa.Column("chat_sealed", AnyText(), nullable=True),
        sa.Column("chat_host", AnyText(), nullable=True),
        sa.Column("changed_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("user_name", name="pk_notice_preferences"),
    )


def downgrade() -> None:
    op.drop_table("notice_preferences")
