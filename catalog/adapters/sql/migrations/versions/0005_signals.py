"""Answers opened for a query, and datasets read together; without people."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "search_clicks",
        sa.Column("query", AnyText(), primary_key=True),
        sa.Column("dataset_id", sa.Integer(), sa.ForeignKey("datasets.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("score", sa.Double(), nullable=False),
    )
    op.create_index("ix_search_clicks_score", "search_clicks", ["score"])
    op.create_table(
        "datasets_together",
        sa.Column("dataset_id", sa.Integer(), sa.ForeignKey("datasets.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("other_id", sa.Integer(), sa.ForeignKey("datasets.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("queries", sa.Integer(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
    )
    op.create_index("ix_datasets_together_score", "datasets_together", ["score"])


def downgrade() -> None:
    op.drop_table("datasets_together")
    op.drop_table("search_clicks")
