"""What is declared of governance, as specs and as one state ready for decisions.

In:  documents of the kinds Policy, Role, User, Group, Workflow, Grant.
Out: `state.GovernanceState`, which every service reads.

Start reading at `kinds.py`.
"""
