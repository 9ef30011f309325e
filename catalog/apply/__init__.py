"""Declared state under `weir apply`: documents become records, all or nothing.

Start reading at `apply.py`; `handlers.py` has what each kind does.
"""
