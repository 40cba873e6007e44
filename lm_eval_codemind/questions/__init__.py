"""Questions, answers, samples, and the base class of a family of tasks."""

from lm_eval_codemind.questions.family import Family, Variant
from lm_eval_codemind.questions.question import Answer, Key, Question

__all__ = ["Answer", "Family", "Key", "Question", "Variant"]
