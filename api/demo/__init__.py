"""The demo: a shop and its vans on real servers, and a story that runs through Weir's own HTTP interface."""
