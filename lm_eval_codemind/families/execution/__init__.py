"""Loops, branches and traces: what happens while a program runs."""
