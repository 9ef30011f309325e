"""By which people, datasets, fields and grants an audit entry is found."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_names",
        sa.Column("kind", AnyText(), nullable=False),
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("kind", "name", "seq", name="pk_audit_names"),
    )
    named = op.create_table(
        "audit_named",
        sa.Column("id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("until", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_named"),
    )
    last = op.get_bind().execute(sa.text("SELECT max(seq) FROM audit_entries")).scalar() or 0
    op.bulk_insert(named, [{"id": 1, "done": 0, "until": last}])


def downgrade() -> None:
    for table in ("audit_named", "audit_names"):
        op.drop_table(table)
