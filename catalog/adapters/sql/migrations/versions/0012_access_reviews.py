"""Access reviews: campaigns, their items, and what items share."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant, Json

revision = "0012"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "access_reviews",
        sa.Column("id", AnyText(), primary_key=True),
        sa.Column("review", AnyText(), nullable=True),
        sa.Column("state", AnyText(), nullable=False),
        sa.Column("started_at", Instant(), nullable=False),
        sa.Column("due_at", Instant(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("body", Json, nullable=False),
    )
    op.create_index("ix_access_reviews_state", "access_reviews", ["state"])
    op.create_index("ix_access_reviews_review", "access_reviews", ["review"])
    op.create_table(
        "access_review_items",
        sa.Column("review", AnyText(), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("kind", AnyText(), nullable=False),
        sa.Column("person", AnyText(), nullable=True),
        *(sa.Column(name, AnyText(), nullable=False) for name in ("state", "outcome", "reviewers", "opens")),
        sa.Column("unused", sa.Boolean(), nullable=False),
        sa.Column("at_source", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("body", Json, nullable=False),
    )
    op.create_index("ix_access_review_items_state", "access_review_items", ["review", "state"])
    op.create_index("ix_access_review_items_person", "access_review_items", ["review", "person"])
    op.create_table(
        "access_review_sets",
        sa.Column("review", AnyText(), primary_key=True),
        sa.Column("kind", AnyText(), primary_key=True),
        sa.Column("set_key", AnyText(), primary_key=True),
        sa.Column("body", Json, nullable=False),
    )


def downgrade() -> None:
    for table in ("access_review_sets", "access_review_items", "access_reviews"):
        op.drop_table(table)
