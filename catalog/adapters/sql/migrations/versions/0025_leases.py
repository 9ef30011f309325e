"""Which process does which duty."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "leases",
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("holder", AnyText(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_leases"),
    )


def downgrade() -> None:
    op.drop_table("leases")
