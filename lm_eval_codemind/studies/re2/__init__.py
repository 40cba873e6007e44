"""RE2-Bench (arXiv 2512.14917), as published and on proven labels."""
