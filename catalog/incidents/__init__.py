"""Incidents: what is wrong with datasets now, who looks after it, and how it ended.

In:  faults that checks see (rules of contracts, series of quality), and what people do about them.
Out: incidents with a history, and events, of which owners are notified.

Start reading at `fault.py`. `course.py` decides whether a fault opens, joins or reopens an incident, and is pure;
`service.py` keeps the results.
"""
