"""Upstream benchmarks: raw files to problems, at pinned revisions."""
