"""The SQL of a masked column: `expression`, from its type and the decided rule of each of its leaves; `whole_null`, what is
one NULL. The mask of a single value is of `policies.masks`.
"""
