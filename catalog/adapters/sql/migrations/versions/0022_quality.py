"""Quality over time: states, points, anomalies, marks."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant, Json

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def _dataset() -> "sa.Column[int]":
    return sa.Column("dataset_id", sa.Integer(), nullable=False)


def _of_dataset(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["dataset_id"], ["datasets.id"], name=f"fk_{table}_dataset_id_datasets", ondelete="CASCADE"
    )


def upgrade() -> None:
    op.create_table(
        "quality_states",
        _dataset(),
        sa.Column("series", Json, nullable=False),
        sa.Column("learned", sa.LargeBinary(), nullable=False),
        sa.Column("facts", Json, nullable=False),
        sa.Column("checked_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("dataset_id", name="pk_quality_states"),
        _of_dataset("quality_states"),
    )
    op.create_table(
        "quality_points",
        _dataset(),
        sa.Column("tier", AnyText(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("scans", sa.Integer(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("dataset_id", "tier", "at", name="pk_quality_points"),
        _of_dataset("quality_points"),
    )
    op.create_table(
        "quality_anomalies",
        sa.Column("id", AnyText(), nullable=False),
        _dataset(),
        sa.Column("path", AnyText(), nullable=True),
        sa.Column("measure", AnyText(), nullable=False),
        sa.Column("direction", AnyText(), nullable=False),
        sa.Column("reason", AnyText(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("low", sa.Double(), nullable=False),
        sa.Column("high", sa.Double(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("began_at", Instant(), nullable=False),
        sa.Column("seen_at", Instant(), nullable=False),
        sa.Column("ended_at", Instant(), nullable=True),
        sa.Column("ended_why", AnyText(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_quality_anomalies"),
        _of_dataset("quality_anomalies"),
    )
    op.create_index("ix_quality_anomalies_dataset_id_ended_at", "quality_anomalies", ["dataset_id", "ended_at"])
    op.create_table(
        "quality_marks",
        sa.Column("id", AnyText(), nullable=False),
        _dataset(),
        sa.Column("kind", AnyText(), nullable=False),
        sa.Column("starts_at", Instant(), nullable=False),
        sa.Column("ends_at", Instant(), nullable=False),
        sa.Column("note", AnyText(), nullable=False),
        sa.Column("marked_by", AnyText(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_quality_marks"),
        _of_dataset("quality_marks"),
    )
    op.create_index("ix_quality_marks_dataset_id", "quality_marks", ["dataset_id"])


def downgrade() -> None:
    for table in ("quality_marks", "quality_anomalies", "quality_points", "quality_states"):
        op.drop_table(table)
