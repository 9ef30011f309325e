"""What one of Spark's workers does with a batch of records: decode, infer, detect, count.

Start reading at `profile.py`.
"""
