"""The search index in Elasticsearch.

Start reading at `index.py`. `documents.py` has what the index holds; `query.py` writes one search in Elasticsearch's
language.
"""
