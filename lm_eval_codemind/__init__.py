"""CodeMind's code reasoning tasks for EleutherAI's lm-evaluation-harness."""

__version__ = "1.0.0"
