"""The demo's topics, a module a family. Each module has `plans(world)`, `PLANTED` and `TRAPS`."""
