"""What surrounds every route: errors, limits, types of parameters, slow clients, headers, metrics, OpenAPI.

Start reading at `errors.py` and `parameters.py`.
"""
