"""LiveCodeBench's code execution as published: output prediction in CRUXEval's form, with LiveCodeBench's own rules.

Questions and labels are those of ``lcb_execution``. Its programs start with the imports that they need; the prompts, of
``lcb_prompts``, have none, as upstream. All problems are asked about, as upstream does: upstream's rule needs only the
published label, and an answer to a problem whose label is not proven has no score by value.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.families.cruxeval.read import CLOSE, OPEN, block
from lm_eval_codemind.families.cruxeval.task import COT, DIRECT, CruxevalOutput
from lm_eval_codemind.families.ier.task import COLUMNS, Fields
from lm_eval_codemind.family import Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Question

_VIEW = "lm_eval_codemind.families.cruxeval.view:LcbExecutionView"


class LcbExecution(CruxevalOutput):
    """Complete the assertion with the output of a LeetCode solution."""

    variants = (
        Variant("lcb_execution", "LiveCodeBench execution direct", _VIEW, DIRECT, paper="jain2024livecodebench"),
        Variant("lcb_execution_cot", "LiveCodeBench execution CoT", _VIEW, COT, paper="jain2024livecodebench"),
    )
    # The score that all problems have.
    metric = "pass@1_upstream"
    prompt_texts = "lcb_prompts"

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return all problems."""
        return load_benchmark(benchmark.name)

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        yield Question.about(problem, setting, {"output": problem.published_output}, columns=COLUMNS)

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a document; without a proven label pass@1 by value is None, and pass@k is missing."""
        metrics = super().logged(question, means, pass_at_k)
        if question.typed(Fields)["category"] != "excluded":
            return metrics
        return {name: value for name, value in metrics.items() if name not in pass_at_k} | {self.verdict: None}

    def record(self, suite: dict[str, Any], benchmark: Benchmark, options: Mapping[str, Any]) -> None:
        super().record(suite, benchmark, options)
        suite["system_message"] = json.loads(load_benchmark(self.prompt_texts)[0].upstream_questions)["system"]

    def block(self, response: str, form: str) -> str | None:
        return first_block(response, form)

    def published_answer(self, response: str, form: str) -> str:
        return upstream_answer(response, form)

    def executed(self, code: str, statement: str) -> str:
        # Only a few answers are executed, and the module imports the sandbox.
        from lm_eval_codemind.data.facts.imports import with_imports

        return with_imports(code, statement)


def first_block(text: str, form: str) -> str | None:
    """Return the first block that holds an answer; None if there is none.

    Upstream does not stop at the end of a block, so base models go on with examples of their own.
    """
    parts = enumerate(text.split(CLOSE))
    blocks = (block(f"{part}{CLOSE}", form if place == 0 else COT) for place, part in parts)
    return next((content for content in blocks if content is not None), None)


def upstream_answer(text: str, form: str) -> str:
    """Return the answer that upstream cuts out of a response.

    It starts behind the first ``==`` (with CoT, behind the first mark) and ends at the mark or the end of the line.
    Source: ``extract_execution_code`` in ``lcb_runner/utils/extraction_utils.py`` of LiveCodeBench.
    """
    if form == COT and OPEN in text:
        text = text.split(OPEN)[1].strip()
    if "==" in text:
        text = text.split("==")[1].strip()
    return text.partition(CLOSE if CLOSE in text else "\n")[0].strip()


LCB_EXECUTION = LcbExecution()

dataset, process, extract = Hooks(LCB_EXECUTION).functions
