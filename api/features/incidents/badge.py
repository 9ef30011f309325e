"""A badge of a dataset's state as SVG, for a README or a wiki. Pure."""

from __future__ import annotations

from html import escape

_LETTER = 6.6
"""Width of a letter of the badge's font, in pixels."""
_PADDING = 10
_GREEN, _RED, _GREY = "#2e7d32", "#c62828", "#555"


def badge(incidents: int) -> str:
    """`data | no incidents`, or how many are not resolved."""
    text = "no incidents" if not incidents else "1 incident" if incidents == 1 else f"{incidents} incidents"
    return _svg("data", text, _RED if incidents else _GREEN)


def _svg(label: str, text: str, colour: str) -> str:
    left, right = (round(len(each) * _LETTER) + _PADDING for each in (label, text))
    width, name = left + right, escape(f"{label}: {text}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{name}">'
        f"<title>{name}</title>"
        f'<rect width="{left}" height="20" fill="{_GREY}"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{left / 2:g}" y="14">{escape(label)}</text>'
        f'<text x="{left + right / 2:g}" y="14">{escape(text)}</text>'
        "</g></svg>"
    )
