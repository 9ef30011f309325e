"""Declared state as text: YAML documents, the kinds of the catalog, and secrets that they name.

In:  YAML.
Out: documents with the line of everything that is wrong; specs.

Start reading at `kinds.py`.
"""
