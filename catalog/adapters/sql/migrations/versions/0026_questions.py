"""Questions with answers, and what descriptions were before."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "dataset_questions",
        sa.Column("id", AnyText(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("by", AnyText(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("text", AnyText(), nullable=False),
        sa.Column("edited_at", Instant(), nullable=True),
        sa.Column("accepted", AnyText(), nullable=True),
        sa.Column("closed_at", Instant(), nullable=True),
        sa.Column("closed_by", AnyText(), nullable=True),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_dataset_questions_dataset_id", "dataset_questions", ["dataset_id"])
    op.create_table(
        "dataset_answers",
        sa.Column("id", AnyText(), nullable=False),
        sa.Column("question", AnyText(), nullable=False),
        sa.Column("by", AnyText(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("text", AnyText(), nullable=False),
        sa.Column("edited_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(["question"], ["dataset_questions.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_dataset_answers_question", "dataset_answers", ["question"])
    op.create_table(
        "description_versions",
        sa.Column("id", AnyText(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("path", AnyText(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("by", AnyText(), nullable=True),
        sa.Column("before", AnyText(), nullable=False),
        sa.Column("after", AnyText(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_description_versions_dataset_id", "description_versions", ["dataset_id"])


def downgrade() -> None:
    op.drop_table("description_versions")
    op.drop_table("dataset_answers")
    op.drop_table("dataset_questions")
