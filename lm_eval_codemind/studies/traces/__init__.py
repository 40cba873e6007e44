"""CoCoNUT (arXiv 2501.16456) and CES (arXiv 2510.15079): traces of programs, as published."""
