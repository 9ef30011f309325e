"""The report `where is this field`: every place, who reads it, where it goes, what is unknown.

Start reading at `report.py`; `html.py` and `csv.py` render it.
"""
