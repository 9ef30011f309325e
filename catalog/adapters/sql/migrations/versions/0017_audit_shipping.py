"""How far the audit was shipped to a topic."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_shipping",
        sa.Column("place", AnyText(), nullable=False),
        sa.Column("chain", AnyText(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("position", "failures", "cut", "missed")),
        *(sa.Column(name, Instant(), nullable=True) for name in ("shipped_at", "failed_at")),
        sa.Column("problem", AnyText(), nullable=True),
        sa.Column("begins", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("place", name="pk_audit_shipping"),
    )


def downgrade() -> None:
    op.drop_table("audit_shipping")
