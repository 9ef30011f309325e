"""What producers report besides edges: owners, descriptions, schemas, quality; for the catalog.

Start reading at `catalog.py`.
"""
