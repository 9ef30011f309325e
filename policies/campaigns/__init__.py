"""Access reviews: campaigns in which people confirm or revoke rights, and what nobody confirms ends.

In:  a declared `AccessReview`, or one given by hand; what is declared now; what the audit has of reading.
Out: a campaign with its items (a snapshot of rights, with evidence), decisions, ended rights, an evidence report with a hash.

Start reading at `service.py`. `rights.py` lists what there is, `snapshot.py` makes items of it, `ending.py` ends rights,
`closing.py` closes a campaign and `duty.py` does what is due.
"""
