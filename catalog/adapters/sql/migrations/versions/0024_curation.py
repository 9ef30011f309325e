"""Certification, deprecation, announcements and properties of datasets, and properties of fields."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import Json

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


_COUNTED = (
    "id, namespace, name, cluster, description, format, declared_ddl, topic, scan, created_at, updated_at, last_seen_at,"
    " scanned_at, deleted_at, source, reported"
)
"""Columns of a dataset whose change counts as a change of the catalog, before this migration."""


def upgrade() -> None:
    op.add_column("datasets", sa.Column("curation", Json, nullable=False, server_default="{}"))
    op.add_column("field_notes", sa.Column("properties", Json, nullable=False, server_default="{}"))
    _count(f"{_COUNTED}, curation")


def downgrade() -> None:
    _count(_COUNTED)
    op.execute("ALTER TABLE field_notes DROP COLUMN properties")
    op.execute("ALTER TABLE datasets DROP COLUMN curation")


def _count(columns: str) -> None:
    sqlite = op.get_bind().dialect.name == "sqlite"
    op.execute("DROP TRIGGER datasets_changed" + ("" if sqlite else " ON datasets"))
    each = "FOR EACH ROW BEGIN UPDATE catalog_changes SET number = number + 1 WHERE id = 1; END"
    body = each if sqlite else "FOR EACH STATEMENT EXECUTE FUNCTION weir_count_change()"
    op.execute(f"CREATE TRIGGER datasets_changed AFTER UPDATE OF {columns} ON datasets {body}")
