"""Which of several processes does a duty: one at a time, another when it is gone, and never the one of before again."""
