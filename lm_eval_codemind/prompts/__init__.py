"""Prompt templates and their rendering."""
