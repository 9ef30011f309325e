"""The HTTP API.

In:  requests.
Out: answers of the services in one error form, with limits and headers around every route.

Routes translate and decide nothing. Start reading at `app.py`, then `routes/queries.py`.
"""
