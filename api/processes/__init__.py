"""The processes of an instance: the HTTP server, the background worker, and the reference docs' writer."""
