"""All that knows Python: code in responses, splicing, measures, kinds of programs and their jobs."""
