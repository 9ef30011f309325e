"""The gate: SQL text in; a tree that may run out, or SqlRefused before Spark is touched.

In:  the text of a query, a mask or a row condition.
Out: a checked tree and the SQL written from it; a refusal with line and column.

Start reading at `gate.py`; `tree.py` has the allow-lists, `cost` what could keep an engine busy for ever.
"""
