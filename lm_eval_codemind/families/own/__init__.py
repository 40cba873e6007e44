"""Questions about programs of the user."""
