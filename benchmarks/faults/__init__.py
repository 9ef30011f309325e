"""What Weir keeps when something breaks: faults under load, and a comparison of all that was acknowledged with what is there.

`python -m benchmarks.faults --help` names them; docs/explanation/failures.md has what they are to show.
"""
