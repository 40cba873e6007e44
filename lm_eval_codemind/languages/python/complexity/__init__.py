"""Static and dynamic measures of how complex a program is: what the analyses set against the scores."""

from lm_eval_codemind.languages.python.complexity.constructs import construct_tags, nested_constructs
from lm_eval_codemind.languages.python.complexity.cyclomatic import cyclomatic_complexity, unit_complexities
from lm_eval_codemind.languages.python.complexity.dependencies import dependencies
from lm_eval_codemind.languages.python.complexity.measures import measure
from lm_eval_codemind.languages.python.complexity.types import literal_type, text_type

__all__ = [
    "construct_tags",
    "cyclomatic_complexity",
    "dependencies",
    "literal_type",
    "measure",
    "nested_constructs",
    "text_type",
    "unit_complexities",
]
