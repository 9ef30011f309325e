"""Certification, deprecation, announcements and properties of datasets, and properties of fields."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import Json

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("datasets", sa.Column("curation", Json, nullable=False, server_default="{}"))
    op.add_column("field_notes", sa.Column("properties", Json, nullable=False, server_default="{}"))


def downgrade() -> None:
    with op.batch_alter_table("field_notes") as table:
        table.drop_column("properties")
    with op.batch_alter_table("datasets") as table:
        table.drop_column("curation")
