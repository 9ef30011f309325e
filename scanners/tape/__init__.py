"""Batches of JSON profiled by compiled code: bodies to a tape of values, the tape to columns, columns to nodes."""
