"""Languages: one package each, with all that knows a language."""
