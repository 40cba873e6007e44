"""Translation between Python and Java."""
