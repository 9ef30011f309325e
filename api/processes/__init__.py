"""The processes of an instance: the HTTP server, the background worker, and the reference docs' writer."""

from api.processes.heap import one_thread_for_vectors

# Here, since the modules of this package import numpy by what they import, and then it is too late.
one_thread_for_vectors()
