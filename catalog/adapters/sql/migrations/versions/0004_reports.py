"""What producers of lineage report, and datasets that are known from them alone."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Json

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "producer_facts",
        sa.Column("id", AnyText(), primary_key=True),
        sa.Column("subject", AnyText(), nullable=False),
        sa.Column("kind", AnyText(), nullable=False),
        sa.Column("namespace", AnyText(), nullable=False),
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("part", AnyText(), nullable=False),
        sa.Column("key", AnyText(), nullable=False),
        sa.Column("time", sa.BigInteger(), nullable=False),
        sa.Column("digest", AnyText(), nullable=False),
        sa.Column("stamp", sa.BigInteger(), nullable=False),
        sa.Column("value", Json),
    )
    op.create_index("ix_producer_facts_subject", "producer_facts", ["subject"])
    op.create_table(
        "reported_datasets",
        sa.Column("id", AnyText(), primary_key=True),
        sa.Column("namespace", AnyText(), nullable=False),
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("home", AnyText()),
        sa.Column("home_namespace", AnyText()),
        sa.Column("home_name", AnyText()),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.Column("taken", sa.Integer(), nullable=False),
    )
    op.create_index("ix_reported_datasets_home", "reported_datasets", ["home"])
    op.add_column("datasets", sa.Column("source", AnyText(), nullable=False, server_default="catalog"))
    op.add_column("datasets", sa.Column("reported", Json, nullable=False, server_default="{}"))
    # Search shows the new facet once each dataset is indexed again.
    op.execute("UPDATE datasets SET revision = revision + 1")


def downgrade() -> None:
    op.drop_column("datasets", "reported")
    op.drop_column("datasets", "source")
    op.drop_table("reported_datasets")
    op.drop_table("producer_facts")
