"""Tables of the policies room: declared documents with their history, API tokens, the audit chain."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant, Json

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "governance",
        sa.Column("version", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("kind", AnyText(), nullable=False),
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("newest", sa.Boolean(), nullable=False),
        sa.Column("label", AnyText()),
        sa.Column("changed_by", AnyText()),
        sa.Column("changed_at", Instant(), nullable=False),
        sa.Column("metadata", Json, nullable=False),
        sa.Column("spec", Json),
    )
    op.create_index("ix_governance_kind_name_version", "governance", ["kind", "name", "version"])
    op.create_index("ix_governance_kind_version", "governance", ["kind", "version"])
    op.create_index("ix_governance_newest_kind_label", "governance", ["newest", "kind", "label"])
    op.create_table(
        "api_tokens",
        sa.Column("id", AnyText(), primary_key=True),
        sa.Column("user_name", AnyText(), nullable=False),
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("digest", AnyText(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant()),
        sa.Column("revoked_at", Instant()),
        sa.UniqueConstraint("digest", name="uq_api_tokens_digest"),
    )
    op.create_index("ix_api_tokens_user_name", "api_tokens", ["user_name"])
    op.create_table(
        "audit_entries",
        sa.Column("seq", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("happened_at", Instant(), nullable=False),
        sa.Column("actor", AnyText(), nullable=False),
        sa.Column("action", AnyText(), nullable=False),
        sa.Column("target", AnyText(), nullable=False),
        sa.Column("decision", AnyText(), nullable=False),
        sa.Column("reasons", Json, nullable=False),
        sa.Column("details", Json, nullable=False),
        sa.Column("prev", AnyText(), nullable=False),
        sa.Column("hash", AnyText(), nullable=False),
    )
    for column in ("actor", "action", "target"):
        op.create_index(f"ix_audit_entries_{column}_seq", "audit_entries", [column, "seq"])
    op.create_table(
        "audit_head",
        sa.Column("id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("chain", AnyText(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("hash", AnyText(), nullable=False),
    )


def downgrade() -> None:
    for table in ("audit_head", "audit_entries", "api_tokens", "governance"):
        op.drop_table(table)
