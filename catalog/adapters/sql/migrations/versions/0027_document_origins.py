"""Where declared documents were applied from."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "document_origins",
        sa.Column("kind", AnyText(), nullable=False),
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("repository", AnyText(), nullable=False),
        sa.Column("commit_id", AnyText(), nullable=False),
        sa.Column("path", AnyText(), nullable=False),
        sa.Column("dirty", sa.Boolean(), nullable=False),
        sa.Column("digest", AnyText(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("by", AnyText(), nullable=True),
        sa.Column("changed_at", Instant(), nullable=True),
        sa.Column("changed_by", AnyText(), nullable=True),
        sa.PrimaryKeyConstraint("kind", "name"),
    )


def downgrade() -> None:
    op.drop_table("document_origins")
