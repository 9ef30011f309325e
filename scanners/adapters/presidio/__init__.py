"""presidio over free text, and the user's own recognizers, whose patterns can hold nothing up."""
