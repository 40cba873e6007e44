"""The harness's hooks for independent execution reasoning (IER): predict what a program computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from datasets import Dataset

from lm_eval_codemind.answers.output import likely_answer, marked_answer
from lm_eval_codemind.answers.response import SKIPPED
from lm_eval_codemind.problems import KINDS, Kind, Problem, get_benchmark
from lm_eval_codemind.prompts.templates import Templates
from lm_eval_codemind.scores.ier import r_ier, s_ier, s_ier_text
from lm_eval_codemind.scores.pass_at_k import pass_at_reported_k
from lm_eval_codemind.sources import load_benchmark
from lm_eval_codemind.tasks.dataset import record_responses, record_suite, scored, splits
from lm_eval_codemind.tasks.harness import responses_of

# What stands for "no answer" in the filtered responses, as in the harness's own regex filter.
NO_ANSWER = "[invalid]"

# The columns of a problem that a document of this family shows; the rest is found by problem_id.
_COLUMNS = (
    "problem_id",
    "benchmark",
    "kind",
    "language",
    "code",
    "entry_point",
    "input",
    "output",
    "category",
    "complexity",
)


def dataset(
    *, benchmark: str, setting: str, prompts: str | None = None, suite: dict[str, Any] | None = None, **_: object
) -> dict[str, Dataset]:
    """Return one document a problem, and as few-shot examples a worked one for each kind of program.

    Args:
        benchmark: Name of a benchmark of the registry.
        setting: ``steps`` (the model reasons step by step) or ``direct``; the templates know it.
        prompts: Directory of the user's own templates, from ``--metadata prompts=DIR``.
        suite: Where to record versions and digests; see :func:`~lm_eval_codemind.tasks.dataset.record_suite`.
    """
    templates = Templates("ier", prompts)
    problems = load_benchmark(benchmark)
    record_suite(suite, benchmark, problems, templates)
    documents = [_document(problem, templates, setting) for problem in scored(problems)]
    kind = get_benchmark(benchmark).kind
    worked = templates.examples()
    examples = [_example(one, worked[one], templates, setting) for one in ([kind] if kind else KINDS)]
    return splits(documents, examples, suite)


def _document(problem: Problem, templates: Templates, setting: str) -> dict[str, Any]:
    row = problem.to_row()
    return {
        **{column: row[column] for column in _COLUMNS},
        "setting": setting,
        "prompt": _prompt(problem.kind, row, templates, setting),
        "target": templates.render("response", output=_shown(row["output"]), reasoning="", setting=setting),
    }


def _example(kind: str, example: Mapping[str, Any], templates: Templates, setting: str) -> dict[str, Any]:
    return {
        "kind": kind,
        "output": example["output"],
        "prompt": _prompt(kind, example, templates, setting),
        "target": templates.render(
            "response", output=_shown(example["output"]), reasoning=example["reasoning"].strip(), setting=setting
        ),
    }


def _prompt(kind: str, fields: Mapping[str, Any], templates: Templates, setting: str) -> str:
    return templates.render(
        kind,
        code=fields["code"].strip("\n"),
        input=_shown(fields["input"]),
        entry_point=fields["entry_point"],
        setting=setting,
    )


def _shown(text: str) -> str:
    """Return a text as it stands between the lines around it."""
    return text.strip("\n")


def strict_match(responses: Sequence[Sequence[str]], documents: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Filter ``strict-match``: the text behind the answer marker of each response."""
    record_responses(responses, documents)
    return _filtered(marked_answer, responses, documents)


def flexible_extract(responses: Sequence[Sequence[str]], documents: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Filter ``flexible-extract``: behind the marker, or else the last text that looks like an answer."""
    return _filtered(likely_answer, responses, documents)


def published_match(responses: Sequence[Sequence[str]], documents: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Filter ``strict-match`` of the published data: the artifact takes what is behind its marker, be it nothing."""
    record_responses(responses, documents)
    return _filtered(lambda response, kind: marked_answer(response, "script"), responses, documents)


def _filtered(
    find: Callable[[str, Kind], str | None],
    responses: Sequence[Sequence[str]],
    documents: Sequence[Mapping[str, Any]],
) -> list[list[str]]:
    def answer(response: str, kind: Kind) -> str:
        if response == SKIPPED:
            return SKIPPED
        found = find(response, kind)
        return NO_ANSWER if found is None else found

    return [
        [answer(response, document["kind"]) for response in of_document]
        for of_document, document in zip(responses, documents, strict=True)
    ]


def process_results(document: Mapping[str, Any], results: Sequence[Any]) -> dict[str, float]:
    """Return the metrics of one document; over several responses (``repeats``) their means, and pass@k.

    Args:
        document: A row of the data set.
        results: The filtered responses to the document, in either shape that
            :func:`~lm_eval_codemind.tasks.harness.responses_of` reads.

    Returns:
        Metric -> value; nothing for a document that is to be left out.
    """
    responses = responses_of(results)
    if SKIPPED in responses:
        return {}
    answers = _answers(responses)
    verdicts = [s_ier(answer, document["output"], document["kind"]) for answer in answers]
    return {
        "r_ier": r_ier(verdicts),
        **_text_metrics(answers, document["output"]),
        **pass_at_reported_k(verdicts),
    }


def process_published_results(document: Mapping[str, Any], results: Sequence[Any]) -> dict[str, float]:
    """As :func:`process_results`, for the published data, whose labels are compared as text only."""
    responses = responses_of(results)
    if SKIPPED in responses:
        return {}
    return _text_metrics(_answers(responses), document["output"])


def _answers(filtered: Sequence[str]) -> list[str | None]:
    return [None if answer == NO_ANSWER else answer for answer in filtered]


def _text_metrics(answers: Sequence[str | None], output: str) -> dict[str, float]:
    return {
        "r_ier_text": r_ier([s_ier_text(answer, output) for answer in answers]),
        "answered": sum(answer is not None for answer in answers) / len(answers),
    }
