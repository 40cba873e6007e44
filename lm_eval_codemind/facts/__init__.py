"""What execution has shown and this package ships, and how it is applied to problems. Nothing here executes."""
