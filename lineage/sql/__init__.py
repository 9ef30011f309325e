"""Column lineage read off SQL text, over the columns that are known. See `columns.columns_from_sql`."""
