"""`where` of a view's rows: one SQL condition over the columns of a row, read by sqlglot and computed as Spark has it."""
