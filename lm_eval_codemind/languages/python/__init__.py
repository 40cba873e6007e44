"""All that knows Python."""
