"""Names in declared documents: which ones a document has, and whether anything has them.

Start reading at `check.py`; `references.py` reads documents, `known.py` collects the names there are, `typos.py` compares.
"""
