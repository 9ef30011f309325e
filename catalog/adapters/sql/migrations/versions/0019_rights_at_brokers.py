"""ACLs in the care of Weir, and applies of plans."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant, Json

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rights_acls",
        sa.Column("cluster", AnyText(), nullable=False),
        sa.Column("acl_key", AnyText(), nullable=False),
        sa.Column("state", AnyText(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("made_by", AnyText(), nullable=False),
        sa.Column("acl", Json, nullable=False),
        sa.PrimaryKeyConstraint("cluster", "acl_key", name="pk_rights_acls"),
    )
    op.create_table(
        "rights_applies",
        sa.Column("id", AnyText(), nullable=False),
        sa.Column("cluster", AnyText(), nullable=False),
        sa.Column("state", AnyText(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("runner", AnyText(), nullable=True),
        sa.Column("lease_until", Instant(), nullable=True),
        sa.Column("body", Json, nullable=False),
        sa.Column("changes", Json, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rights_applies"),
    )
    op.create_index("ix_rights_applies_state", "rights_applies", ["cluster", "state"])


def downgrade() -> None:
    op.drop_table("rights_applies")
    op.drop_table("rights_acls")
