"""The masks of Weir, one in each file. `policies.masks.registry` finds them; no list names them."""
