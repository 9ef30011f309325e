"""What the name of a field says for or against an entity: weak evidence that never decides alone.

Start reading at `fields.py`.
"""
