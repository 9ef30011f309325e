"""May this subject read this dataset, and what of it? Pure functions, no I/O.

In:  a subject, the facts of a dataset, what is declared, a purpose and a time.
Out: a `policies.model.Decision`: each column's mask or gap with its reasons, and the row filters.

Start reading at `decide.py`; `standing.py` computes what a subject has, `column_outcome.py` what a column comes to.
"""
