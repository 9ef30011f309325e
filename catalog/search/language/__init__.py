"""What people mean by the words of a search.

In:  the text of a search box (`query`), and what an index holds of a document (`ranking`).
Out: needles with all the ways in which a document may hold them, and the order of what was found.
The folder `vocabulary` lists words that mean the same, domain by domain; `vocabulary.py` reads it. Nothing here asks a
server.
Start reading at `query.py`.
"""
