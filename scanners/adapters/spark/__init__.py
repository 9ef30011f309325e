"""Scans on Spark: the job of a wave, what runs in its Python workers, checkpoints, dead letters.

Start reading at `sampler.py`, then `worker.py`.
"""
