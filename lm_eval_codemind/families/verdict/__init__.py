"""Verdicts about programs, and lines with a bug."""
