"""Detectors of personal data: patterns with validators, counted per column. `engine.Detector` runs them all."""
