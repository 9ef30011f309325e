"""Column lineage from SQL text, over the columns that are known.

In:  SQL in one of eight dialects, and the columns of tables.
Out: for each written column the columns it is made of, and what is unknown.

Start reading at `columns.py`, then `expressions.py`.
"""
