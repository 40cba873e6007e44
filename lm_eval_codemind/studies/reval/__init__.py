"""REval's own questions, labels and rules."""
