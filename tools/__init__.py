"""Programs for those who change Weir. They are in a checkout and not in the wheel; no room imports them."""
