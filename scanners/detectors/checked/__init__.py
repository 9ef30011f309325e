"""Kinds of personal data with a validator, one in each file. `scanners.detectors.registry` finds them; no list names them."""
