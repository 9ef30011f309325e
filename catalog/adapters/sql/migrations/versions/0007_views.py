"""What is known of each stream view beside its document."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Json

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "view_states",
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("state", Json, nullable=False),
        sa.Column("wish", Json, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_view_states"),
    )


def downgrade() -> None:
    op.drop_table("view_states")
