"""Questions about decisions before they count: simulations, tests of policies, previews of masks.

In:  proposed documents, files of test cases, values of the caller's own.
Out: who gains and who loses, cases that fail, masked values. Nothing is written.

Start reading at `simulate.py`.
"""
