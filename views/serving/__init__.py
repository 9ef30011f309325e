"""Reading a view: which rows are asked for, and what of them the asker may see.

Enters: the parameters of a request, a decision, rows of the serving table. Leaves: JSON-ready rows.
Start reading at `reading.py`.
"""
