"""What every detector uses: the base type, the quick pass over a column, the close look, caches, tallies.

Start reading at `base.py`.
"""
