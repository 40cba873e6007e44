"""Models for the harness that check the suite itself: replay, oracle and null."""
