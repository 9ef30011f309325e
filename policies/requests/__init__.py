"""Access requests, from asking to the grant and its end.

In:  what somebody asks for, and what approvers decide.
Out: requests by stage, grants, notices, emergency access.

`policies.request_transitions` has the rules as a pure state machine. Start reading at `approvals.py`.
"""
