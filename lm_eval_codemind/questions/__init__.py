"""Questions, answers, samples, and the base class of a family of tasks."""

from lm_eval_codemind.questions.answer import Answer
from lm_eval_codemind.questions.family import Family, Variant
from lm_eval_codemind.questions.question import Key, Question

__all__ = ["Answer", "Family", "Key", "Question", "Variant"]
