"""The name of a field as evidence for or against an entity: weak evidence that never decides alone.

Start reading at `fields.py`.
"""
