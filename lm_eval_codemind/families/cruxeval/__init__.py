"""CRUXEval in its published form: output prediction and input prediction with the prompts of arXiv 2401.03065."""
