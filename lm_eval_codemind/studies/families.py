"""The families of the studies, in the order in which results show them."""

from lm_eval_codemind.studies.re2.published.task import PUBLISHED_RE2, PUBLISHED_RE2_INPUT
from lm_eval_codemind.studies.re2.task import RE2, RE2_INPUT
from lm_eval_codemind.studies.reval.task import PUBLISHED_RUNTIME, PUBLISHED_RUNTIME_COT
from lm_eval_codemind.studies.traces.task import CES, COCONUT

FAMILIES = (PUBLISHED_RUNTIME, PUBLISHED_RUNTIME_COT, COCONUT, CES, RE2, RE2_INPUT, PUBLISHED_RE2, PUBLISHED_RE2_INPUT)
