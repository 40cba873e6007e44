"""IER on published and on fresh inputs."""
