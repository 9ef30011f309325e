"""Answers of queries as JSON, CSV, Arrow and Parquet, batch by batch."""
