"""`weir test`: what a run consists of, how its parts run side by side, and which tests a change touches."""
