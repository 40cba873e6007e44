"""What the dataset hooks of all task families share: splits in the harness's form, and what the results must record.

The harness calls the function behind ``custom_dataset`` with the YAML's ``metadata`` (into which it merges
``--metadata`` and ``--model_args``) and ``dataset_kwargs``, and expects datasets by split. By our convention every
document, of whatever family, has the columns

- ``prompt``: what ``doc_to_text`` shows the model, rendered from the family's templates;
- ``target``: a complete response that gets full marks. ``doc_to_target`` shows it for few-shot examples, and the model
  ``codemind-oracle`` answers with it.
"""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from datasets import Dataset

from lm_eval_codemind import __version__
from lm_eval_codemind.answers.seal import document_key, response_digest, seal
from lm_eval_codemind.execution import Limits, Sandbox
from lm_eval_codemind.problems import Problem, digest, dump_problems
from lm_eval_codemind.prompts.templates import Templates
from lm_eval_codemind.tasks.harness import warn_of_untested_release

# Recorded with their versions where they are installed: the harness and what it may run models with.
_PACKAGES = ("lm_eval", "datasets", "transformers", "torch", "vllm")

TEST_SPLIT = "test"
FEWSHOT_SPLIT = "fewshot"


def scored(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems whose label is proven: all but the excluded ones, in their order."""
    return [problem for problem in problems if problem.category != "excluded"]


def record_suite(
    suite: dict[str, Any] | None, benchmark: str, problems: Sequence[Problem], templates: Templates
) -> None:
    """Fill in what the results must record besides the task's version.

    The YAML has ``metadata: {suite: {}}``; the harness keeps that very dict in the task's configuration and writes it
    into the results file under ``configs.TASK.metadata.suite``. So what is put into it here is recorded there.

    Args:
        suite: The dict of the YAML's metadata; None where a task's YAML has none.
        benchmark: Name of the benchmark.
        problems: All of the benchmark's problems, as they were loaded.
        templates: Those that the prompts are rendered from.
    """
    warn_of_untested_release()
    if suite is None:
        return
    suite.update(
        package="lm-eval-codemind",
        version=__version__,
        benchmark=benchmark,
        data_sha256=digest(dump_problems(problems)),
        problems=len(problems),
        excluded=len(problems) - len(scored(problems)),
        prompts="packaged" if templates.packaged else str(templates.directory),
        prompts_sha256=templates.digest(),
        python=platform.python_version(),
        packages={name: found for name in _PACKAGES if (found := _version(name))},
    )


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


# (benchmark, prompt) of a document -> the dict of its task that record_suite filled in last. Filters see documents, not
# tasks, and only filters see responses.
_SUITES: dict[tuple[str, str], dict[str, Any]] = {}


def splits(
    documents: Iterable[Mapping[str, Any]],
    examples: Iterable[Mapping[str, Any]],
    suite: dict[str, Any] | None = None,
) -> dict[str, Dataset]:
    """Return the documents and the few-shot examples as the splits ``test`` and ``fewshot``.

    Both need the same columns; the ones that an example lacks are None in it.

    Args:
        documents: Rows of the split ``test``.
        examples: Rows of the split ``fewshot``.
        suite: Where :func:`record_responses` writes the digests of the responses to these documents.
    """
    test = Dataset.from_list([dict(document) for document in documents])
    if suite is not None:
        _SUITES.update(((document["benchmark"], document["prompt"]), suite) for document in test)
    fewshot = [{column: example.get(column) for column in test.column_names} for example in examples]
    return {TEST_SPLIT: test, FEWSHOT_SPLIT: Dataset.from_list(fewshot, features=test.features)}


def record_responses(
    responses: Sequence[Sequence[str]], documents: Sequence[Mapping[str, Any]], sandbox: Sandbox | None = None
) -> None:
    """Record digests of a task's responses in its results, from a filter: ``codemind verify`` compares them.

    Args:
        responses: The responses to each document, as a filter gets them.
        documents: The documents.
        sandbox: What executes the code in them, if any does: its level and its usual limits are recorded, too.
    """
    digests: dict[int, tuple[dict[str, Any], list[tuple[str, str]]]] = {}
    for of_document, document in zip(responses, documents, strict=True):
        suite = _SUITES.get((document.get("benchmark", ""), document.get("prompt", "")))
        if suite is not None:
            digests.setdefault(id(suite), (suite, []))[1].append((document_key(document), response_digest(of_document)))
    for suite, entries in digests.values():
        suite["responses"] = seal(entries)
        if sandbox is not None:
            suite["sandbox"] = {"isolation": sandbox.isolation, "limits": dataclasses.asdict(Limits())}
