"""Fingerprints of the keys that all processes of a record store share."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "record_keys",
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("fingerprint", AnyText(), nullable=False),
        sa.Column("host", AnyText(), nullable=False),
        sa.Column("home", AnyText(), nullable=False),
        sa.Column("stated_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_record_keys"),
    )


def downgrade() -> None:
    op.drop_table("record_keys")
