"""Reading SQL as Spark will read it: the inventories, the lexer, names, tables, windows.

In:  the text of a query, finished or not.
Out: tokens, names, the tables it names, where each of its columns comes from.

`policies.gate.gate` is the way in. Start reading at `lexer.py`.
"""
