"""The catalog's first tables."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant, Json

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _dataset() -> sa.Column[int]:
    return sa.Column("dataset_id", sa.Integer(), sa.ForeignKey("datasets.id", ondelete="CASCADE"), nullable=False)


def upgrade() -> None:
    op.create_table(
        "clusters",
        sa.Column("name", AnyText(), primary_key=True),
        sa.Column("namespace", AnyText(), nullable=False),
        sa.Column("cluster_id", AnyText()),
        sa.Column("bootstrap", Json, nullable=False),
        sa.Column("registry_url", AnyText()),
        sa.Column("settings", Json, nullable=False),
        sa.Column("created_at", Instant()),
        sa.Column("updated_at", Instant()),
    )
    op.create_index("ix_clusters_namespace", "clusters", ["namespace"])
    op.create_table(
        "namespace_aliases",
        sa.Column("alias", AnyText(), primary_key=True),
        sa.Column("namespace", AnyText(), nullable=False),
    )
    op.create_table(
        "datasets",
        sa.Column("id", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("namespace", AnyText(), nullable=False),
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("cluster", AnyText()),
        sa.Column("description", AnyText(), nullable=False),
        sa.Column("format", Json, nullable=False),
        sa.Column("declared_ddl", AnyText()),
        sa.Column("topic", Json, nullable=False),
        sa.Column("scan", Json, nullable=False),
        sa.Column("usage", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("indexed_revision", sa.Integer(), nullable=False),
        sa.Column("indexed_documents", sa.Integer(), nullable=False),
        sa.Column("created_at", Instant()),
        sa.Column("updated_at", Instant()),
        sa.Column("last_seen_at", Instant()),
        sa.Column("scanned_at", Instant()),
        sa.Column("deleted_at", Instant()),
        sa.UniqueConstraint("namespace", "name", name="uq_datasets_namespace_name"),
    )
    op.create_index("ix_datasets_name", "datasets", ["name"])
    op.create_index("ix_datasets_cluster", "datasets", ["cluster"])
    op.create_table(
        "dataset_labels",
        _dataset(),
        sa.Column("kind", AnyText(), nullable=False),
        sa.Column("label", AnyText(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("dataset_id", "kind", "label"),
    )
    op.create_index("ix_dataset_labels_kind_label", "dataset_labels", ["kind", "label"])
    op.create_table(
        "schema_versions",
        _dataset(),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("baseline", Json, nullable=False),
        sa.Column("current", Json, nullable=False),
        sa.Column("changes", Json, nullable=False),
        sa.PrimaryKeyConstraint("dataset_id", "version"),
    )
    op.create_table(
        "field_notes",
        _dataset(),
        sa.Column("path", AnyText(), nullable=False),
        sa.Column("description", AnyText(), nullable=False),
        sa.Column("terms", Json, nullable=False),
        sa.PrimaryKeyConstraint("dataset_id", "path"),
    )
    op.create_table(
        "classifications",
        _dataset(),
        sa.Column("path", AnyText(), nullable=False),
        sa.Column("entity", AnyText(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("state", AnyText(), nullable=False),
        sa.Column("evidence", Json, nullable=False),
        sa.Column("source", AnyText(), nullable=False),
        sa.Column("rejected_recognizers", Json, nullable=False),
        sa.Column("reviewed_by", AnyText()),
        sa.Column("reviewed_at", Instant()),
        sa.Column("reason", AnyText()),
        sa.Column("first_at", Instant()),
        sa.Column("seen_at", Instant()),
        sa.PrimaryKeyConstraint("dataset_id", "path", "entity"),
    )
    op.create_index("ix_classifications_entity", "classifications", ["entity"])
    op.create_table(
        "classification_events",
        sa.Column("id", sa.Integer(), primary_key=True, autoincrement=True),
        _dataset(),
        sa.Column("path", AnyText(), nullable=False),
        sa.Column("entity", AnyText(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("record", Json),
    )
    op.create_index("ix_classification_events_dataset_id_at", "classification_events", ["dataset_id", "at"])
    op.create_table(
        "declared_documents",
        sa.Column("kind", AnyText(), nullable=False),
        sa.Column("key", AnyText(), nullable=False),
        sa.Column("metadata", Json, nullable=False),
        sa.Column("spec", Json, nullable=False),
        sa.Column("applied_at", Instant()),
        sa.Column("applied_by", AnyText()),
        sa.PrimaryKeyConstraint("kind", "key"),
    )
    op.create_table(
        "scans",
        sa.Column("id", AnyText(), primary_key=True),
        sa.Column("state", AnyText(), nullable=False),
        sa.Column("request", Json, nullable=False),
        sa.Column("requested_by", AnyText()),
        sa.Column("progress", sa.Double(), nullable=False),
        sa.Column("datasets", Json, nullable=False),
        sa.Column("problems", Json, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("started_at", Instant()),
        sa.Column("finished_at", Instant()),
        sa.Column("heartbeat_at", Instant()),
        sa.Column("worker", AnyText()),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
    )
    op.create_index("ix_scans_state_created_at", "scans", ["state", "created_at"])
    op.create_table(
        "scan_positions",
        _dataset(),
        sa.Column("partition", sa.Integer(), nullable=False),
        sa.Column("next_offset", sa.BigInteger(), nullable=False),
        sa.Column("details", Json, nullable=False),
        sa.PrimaryKeyConstraint("dataset_id", "partition"),
    )


def downgrade() -> None:
    raise NotImplementedError("Weir's record store only moves forward; restore a copy to go back.")
