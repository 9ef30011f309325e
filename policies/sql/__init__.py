"""Reading SQL as Spark will read it: the inventories, the lexer, names. `policies.gate.gate` is the way in."""
