"""Search over datasets and fields.

In:  what somebody types, and the records that changed.
Out: ranked results with reasons and highlights; suggestions; related datasets.

`documents.py` defines what is indexed, `language` what words mean. Start reading at `service.py`.
"""
