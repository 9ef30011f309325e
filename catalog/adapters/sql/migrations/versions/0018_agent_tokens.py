"""Tokens of agents, and the rows they were given on a day."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Json

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_tokens", sa.Column("agent", Json, nullable=True))
    op.create_table(
        "agent_rows",
        sa.Column("token_id", AnyText(), nullable=False),
        sa.Column("day", AnyText(), nullable=False),
        sa.Column("given", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("token_id", "day", name="pk_agent_rows"),
    )


def downgrade() -> None:
    op.drop_table("agent_rows")
    op.drop_column("api_tokens", "agent")
