"""The databases of the contract tests: one PostgreSQL server and one migrated schema of each kind for all of them."""

from tests.catalog_stores import database_url, postgres_server, postgres_template, sqlite_template

__all__ = ["database_url", "postgres_server", "postgres_template", "sqlite_template"]
