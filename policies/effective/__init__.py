"""Who has access, and why: the effective rights on a dataset, of a person, those nobody uses, and what differs.

In:  what is declared, now or at a past moment, facts of datasets, what providers give signed-in people, the audit.
Out: entries (person, what is shown, the rules behind it, how the person holds each rule), with sentences on what is not known.

Start reading at `dataset_access.py`. Every answer comes from `policies.decision.decide`; `alike.py` groups people of whom it
must decide the same.
"""
