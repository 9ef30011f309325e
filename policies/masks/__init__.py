"""The masks of single values.

`kinds` has one file for each mask: its names, parameters, place in the order, Spark SQL, the same in Python, its line in the
documentation. `registry` finds them, and those of other packages (entry points `weir.masks`); `kind` is what each of them
fulfils. `primitives` (Spark SQL) and `reference` (Python) are the ways in. `custom` checks CUSTOM expressions.
Masked columns are made by `policies.columns`. Start reading at `kinds/truncate_geo.py`.
"""
