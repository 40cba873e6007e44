"""What the dataset hooks of all task families share: splits in the harness's form, and what the results must record.

The harness calls the function behind ``custom_dataset`` with the YAML's ``metadata`` (into which it merges
``--metadata`` and ``--model_args``) and ``dataset_kwargs``, and expects datasets by split. By our convention every
document, of whatever family, has the columns

- ``prompt``: what ``doc_to_text`` shows the model, rendered from the family's templates;
- ``target``: a complete response that gets full marks. ``doc_to_target`` shows it for few-shot examples, and the model
  ``codemind-oracle`` answers with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from datasets import Dataset

from lm_eval_codemind import __version__
from lm_eval_codemind.problems import Problem, digest, dump_problems
from lm_eval_codemind.prompts.templates import Templates

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
    )


def splits(documents: Iterable[Mapping[str, Any]], examples: Iterable[Mapping[str, Any]]) -> dict[str, Dataset]:
    """Return the documents and the few-shot examples as the splits ``test`` and ``fewshot``.

    Both need the same columns; the ones that an example lacks are None in it.
    """
    test = Dataset.from_list([dict(document) for document in documents])
    fewshot = [{column: example.get(column) for column in test.column_names} for example in examples]
    return {TEST_SPLIT: test, FEWSHOT_SPLIT: Dataset.from_list(fewshot, features=test.features)}
