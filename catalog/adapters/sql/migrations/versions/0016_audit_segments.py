"""Sealed segments of the audit."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    texts = ("chain", "hash_before", "hash_last", "previous", "public_key", "signature")
    op.create_table(
        "audit_segments",
        sa.Column("number", sa.Integer(), nullable=False, autoincrement=False),
        *(sa.Column(name, AnyText(), nullable=False) for name in texts),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("first_seq", "last_seq")),
        *(sa.Column(name, Instant(), nullable=False) for name in ("begins", "ends", "sealed_at")),
        sa.Column("removed_at", Instant(), nullable=True),
        *(sa.Column(name, AnyText(), nullable=True) for name in ("removed_by", "removed_file", "removed_key")),
        sa.PrimaryKeyConstraint("number", name="pk_audit_segments"),
    )
    op.create_index("ix_audit_names_seq", "audit_names", ["seq"])


def downgrade() -> None:
    op.drop_index("ix_audit_names_seq", "audit_names")
    op.drop_table("audit_segments")
