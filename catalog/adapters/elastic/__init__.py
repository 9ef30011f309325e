"""The search index in Elasticsearch.

Start reading at `index.py`; `query.py` writes one search in Elasticsearch's language.
"""
