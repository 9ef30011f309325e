"""People and their rights.

In:  tokens, subjects, references to datasets and fields.
Out: permissions in Weir, grants with who holds them, decisions for gateways that enforce them themselves.

Start reading at `identity.py`.
"""
