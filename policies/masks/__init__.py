"""Masks as Spark SQL.

In:  a column's type and the decided rule of each of its leaves.
Out: one SQL expression for the column (`expression`), made of masks on single values (`primitives`).

`reference` states every mask a second time in plain Python; tests compare the two. `custom` checks CUSTOM expressions,
`names` knows other products' names. Start reading at `primitives.py`.
"""
