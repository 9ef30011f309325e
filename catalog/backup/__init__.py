"""One file that holds a record store and its keys. Enters: rows of tables, as they are stored. Leaves: a file, or the rows again.

Read first: `contents` (what is in a file), then `frames` (how a change of any byte is noticed) and `encryption`.
"""
