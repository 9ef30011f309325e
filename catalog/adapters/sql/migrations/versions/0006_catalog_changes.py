"""A number that rises with every change of what the catalog knows of datasets, counted by the database itself.

A reader that keeps what it read compares the number first, so no writer can forget to announce a change. Figures that no decision
and no query depends on (how often a dataset is read, what is indexed) are not counted.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_TABLES = (
    "clusters",
    "namespace_aliases",
    "dataset_labels",
    "schema_versions",
    "field_notes",
    "classifications",
    "declared_documents",
)
_COLUMNS = (
    "id",
    "namespace",
    "name",
    "cluster",
    "description",
    "format",
    "declared_ddl",
    "topic",
    "scan",
    "created_at",
    "updated_at",
    "last_seen_at",
    "scanned_at",
    "deleted_at",
    "source",
    "reported",
)
_STEPS = {"added": "INSERT", "changed": "UPDATE", "removed": "DELETE"}


def upgrade() -> None:
    op.create_table(
        "catalog_changes",
        sa.Column("id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
    )
    op.execute("INSERT INTO catalog_changes (id, number) VALUES (1, 0)")
    sqlite = op.get_bind().dialect.name == "sqlite"
    if not sqlite:
        op.execute(
            "CREATE FUNCTION weir_count_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            " UPDATE catalog_changes SET number = number + 1 WHERE id = 1; RETURN NULL; END $$"
        )
    for table in ("datasets", *_TABLES):
        for word, step in _STEPS.items():
            event = f"{step} OF {', '.join(_COLUMNS)}" if (table, step) == ("datasets", "UPDATE") else step
            op.execute(f"CREATE TRIGGER {table}_{word} AFTER {event} ON {table} {_body(sqlite)}")


def _body(sqlite: bool) -> str:
    if sqlite:
        return "FOR EACH ROW BEGIN UPDATE catalog_changes SET number = number + 1 WHERE id = 1; END"
    return "FOR EACH STATEMENT EXECUTE FUNCTION weir_count_change()"


def downgrade() -> None:
    sqlite = op.get_bind().dialect.name == "sqlite"
    for table in ("datasets", *_TABLES):
        for word in _STEPS:
            op.execute(f"DROP TRIGGER {table}_{word}" + ("" if sqlite else f" ON {table}"))
    if not sqlite:
        op.execute("DROP FUNCTION weir_count_change()")
    op.drop_table("catalog_changes")
