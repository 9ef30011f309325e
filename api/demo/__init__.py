"""The demo: a shop and its vans on real servers, and a story told through Weir's own HTTP interface."""
