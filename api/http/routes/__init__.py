"""The HTTP routes, a module a room. They translate between HTTP and services, and decide nothing."""
