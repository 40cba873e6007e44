"""What a task asks and what comes back: questions, answers, samples, and what a family of tasks is."""

from lm_eval_codemind.questions.answer import Answer
from lm_eval_codemind.questions.family import Family, Variant
from lm_eval_codemind.questions.question import Key, Question

__all__ = ["Answer", "Family", "Key", "Question", "Variant"]
