"""Data products: datasets that are offered together, as `kind: DataProduct` declares them."""

COMMANDS = ("catalog products",)
