"""API tokens with scopes, last use and rotation."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant, Json

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_tokens", sa.Column("scopes", Json, nullable=True))
    op.add_column("api_tokens", sa.Column("used_at", Instant(), nullable=True))
    op.add_column("api_tokens", sa.Column("rotated", AnyText(), nullable=True))


def downgrade() -> None:
    for column in ("rotated", "used_at", "scopes"):
        op.drop_column("api_tokens", column)
