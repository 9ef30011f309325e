"""Every way in: HTTP, command line, workers, web pages; and all wiring. No business rule."""

VERSION = "0.2.0"
