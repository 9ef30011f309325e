"""Browsing a topic record by record, newest first, as governed queries of small windows.

In:  who asks, a dataset, a place to begin at, filters.
Out: a page of records as the asker may see them, and cursors to the pages before and after it.

Every page is a query of `policies.query`: gate, decision, masks, row filters and audit are those of SQL. Start reading at
`service.py`.
"""
