"""CodeMind's code reasoning tasks (IER, SR, DSR) for EleutherAI's lm-evaluation-harness."""

__version__ = "0.1.0"
