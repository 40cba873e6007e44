"""The facts that the results of a task record in addition to its version.

The YAML has ``metadata: {suite: {}}``; the harness keeps that very dict in the task's configuration and writes it into
the results file under ``configs.TASK.metadata.suite``. So what is put into it here is recorded there.

A filter of the harness gets responses and documents, and must find that dict to write digests into it. The harness does
not say which task a filter works for. So every row of the data set carries the dict. A row is a plain dict for
everything else.
"""

import dataclasses
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from datasets import Dataset

from lm_eval_codemind import __version__
from lm_eval_codemind.answers.response import SKIPPED
from lm_eval_codemind.catalogue import Benchmark
from lm_eval_codemind.data import benchmark_digests, load_benchmark
from lm_eval_codemind.harness.contract import reported_tokens
from lm_eval_codemind.prompts.templates import Templates
from lm_eval_codemind.questions import Family, Key
from lm_eval_codemind.questions.question import digest, seal

# Recorded with their versions where they are installed: the harness and what it may run models with.
_PACKAGES = ("lm_eval", "datasets", "transformers", "torch", "vllm")


class Document(dict[str, Any]):
    """A row of a data set, with what the results of its task record; None outside of the harness."""

    suite: dict[str, Any] | None = None


class Documents(Dataset):  # type: ignore[misc]
    """A data set whose rows are of the class :class:`Document`. A transform of the library gives plain dicts only."""

    suite: dict[str, Any] | None = None

    def __iter__(self) -> Iterator[Document]:
        return map(self._document, super().__iter__())

    def __getitem__(self, key: Any) -> Any:
        rows = super().__getitem__(key)
        return self._document(rows) if isinstance(key, int) else rows

    def _document(self, row: Mapping[str, Any]) -> Document:
        document = Document(row)
        document.suite = self.suite
        return document


def splits(
    documents: Iterable[Mapping[str, Any]], examples: Iterable[Mapping[str, Any]], suite: dict[str, Any] | None = None
) -> dict[str, Dataset]:
    """Return the documents and the few-shot examples as the splits ``test`` and ``fewshot``.

    Both need the same columns. Those that an example lacks are None in it.
    """
    test = Documents.from_list([dict(row) for row in documents])
    test.suite = suite
    fewshot = [{column: example.get(column) for column in test.column_names} for example in examples]
    return {"test": test, "fewshot": Dataset.from_list(fewshot, features=test.features) if fewshot else test.select([])}


def record_task(
    suite: dict[str, Any],
    family: Family,
    benchmark: Benchmark,
    settings: Sequence[str],
    options: Mapping[str, Any],
    templates: Templates,
) -> None:
    """Fill in what is known before a model is asked.

    Args:
        suite: The dict of the YAML's metadata.
        family: The task's family.
        benchmark: Its benchmark.
        settings: How the problems are posed.
        options: What ``--metadata`` set, and the family knows.
        templates: Those that the prompts are rendered from.
    """
    problems = load_benchmark(benchmark.name)
    digests = benchmark_digests(benchmark.name)
    suite.update(
        package="lm-eval-codemind",
        version=__version__,
        family=family.variant(benchmark, settings).name,
        benchmark=benchmark.name,
        data_sha256=digests.pop(benchmark.name),
        beside_sha256=digests,
        problems=len(problems),
        excluded=sum(problem.category == "excluded" for problem in problems),
        prompts="packaged" if templates.packaged else str(templates.directory.parent),
        prompts_sha256=templates.digest(benchmark.language),
        options=dict(options),
        python=platform.python_version(),
        packages={name: release for name in _PACKAGES if (release := _version(name))},
    )


def record_responses(
    responses: Sequence[Sequence[str]], documents: Sequence[Mapping[str, Any]], executes: bool
) -> None:
    """Record digests of a task's responses, which ``codemind verify`` compares, and their lengths. Called by a filter.

    Args:
        responses: The responses to each document, as a filter gets them.
        documents: The documents of the task.
        executes: Whether code in them is executed: then the sandbox's level and usual limits are recorded, too.
    """
    suite = next((document.suite for document in documents if isinstance(document, Document)), None)
    if suite is None:
        return
    suite["responses"] = seal(
        (Key.of(document), digest(of_document)) for of_document, document in zip(responses, documents, strict=True)
    )
    texts = [response for of_document in responses for response in of_document if response != SKIPPED]
    if texts:
        tokens = [reported_tokens(response) for response in texts]
        suite["response_lengths"] = {
            "responses": len(texts),
            "characters": sum(map(len, texts)),
            "longest": max(map(len, texts)),
            # The sum is of use only if it covers all responses.
            **({} if None in tokens else {"tokens": sum(count or 0 for count in tokens)}),
        }
    if executes:
        from lm_eval_codemind.execution import Limits, shared_sandbox

        suite["sandbox"] = {"isolation": shared_sandbox().isolation, "limits": dataclasses.asdict(Limits())}


def templates_of(suite: Mapping[str, Any]) -> tuple[str, str]:
    """Return where the templates of a task's documents are (``packaged``: ours), and their digest, from its record.

    A task whose responses were recorded names them apart: the model was not given these prompts.
    """
    prefix = "templates" if "templates" in suite else "prompts"
    return str(suite.get(prefix, "packaged")), str(suite.get(f"{prefix}_sha256", ""))


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
