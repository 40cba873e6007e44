"""The facts that the results of a task record in addition to its version.

The YAML has ``metadata: {suite: {}}``; the harness keeps that very dict in the task's configuration and writes it into
the results file under ``configs.TASK.metadata.suite``. So what is put into it here is recorded there.

What becomes of the responses is recorded when the harness has filtered them, from its request objects: see
:func:`lm_eval_codemind.harness.contract.own_requests`. The documents carry nothing.
"""

from __future__ import annotations

import dataclasses
import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from lm_eval_codemind import __version__
from lm_eval_codemind.answers import thinking
from lm_eval_codemind.data import benchmark_digests, load_benchmark
from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.family import Family
from lm_eval_codemind.harness.reply import RECORDED, SKIPPED
from lm_eval_codemind.harness.state import state
from lm_eval_codemind.harness.templates import Templates
from lm_eval_codemind.questions import Answer, Key, digest, seal

if TYPE_CHECKING:
    from datasets import Dataset

# What a record of this suite names itself.
PACKAGE = "lm-eval-codemind"

# The name of the option of --metadata and of its record, and its only value.
THINKING, OPENED = "thinking", "opened"

# The option of --metadata with another draw of a short form.
SHORT_SEED = "short_seed"

# Recorded with their versions where they are installed: the harness and what it may run models with.
_PACKAGES = ("lm_eval", "datasets", "transformers", "torch", "vllm")


INCLUDED = "include_path"


def splits(documents: Iterable[Mapping[str, Any]], examples: Iterable[Mapping[str, Any]]) -> dict[str, Dataset]:
    """Return the documents and the few-shot examples as the splits ``test`` and ``fewshot``.

    Both need the same columns. Those that an example lacks are None in it.
    """
    # Takes a second, and who reads results needs no data sets.
    from datasets import Dataset

    asked = [dict(row) for row in documents]
    worked = [{column: example.get(column) for column in asked[0]} for example in examples]
    rows = Dataset.from_list(asked + worked)
    # A list, because `select` takes no empty range at the end.
    return {"test": rows.select(range(len(asked))), "fewshot": rows.select(list(range(len(asked), len(rows))))}


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
    problems, digests = family.data(benchmark, options)
    suite.update(
        package=PACKAGE,
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
        **({INCLUDED: state.include_path} if state.include_path else {}),
        python=platform.python_version(),
        packages={name: release for name in _PACKAGES if (release := _version(name))},
    )
    if family.witnesses:
        from lm_eval_codemind.data.facts.witnesses import witnesses_digest

        suite["witnesses_sha256"] = witnesses_digest(benchmark.name, family.witnesses)
    if family.prompt_texts:
        source = load_benchmark(family.prompt_texts)[0].provenance
        suite["prompt_texts"] = {"source": source, "sha256": benchmark_digests(family.prompt_texts)}


def openings(suite: dict[str, Any], requests: Sequence[Any]) -> list[str]:
    """Return the tag with which the chat template opens thinking after each prompt, and record that there is one.

    The prompt of a recorded response is the one that its row names. A tag that ends the task's own prompt belongs to
    the form of its answers. Of a chat endpoint only the user knows: the option ``thinking``.
    """
    usual = thinking.OPENING if suite.get(THINKING) == OPENED else ""
    tags = []
    for request in requests:
        prompt = str(next(iter(getattr(request, RECORDED, ())), request.args[0]))
        is_own = prompt.rstrip().endswith(request.doc["prompt"].rstrip())
        tags.append("" if is_own else thinking.opening_of(prompt))
    tags = [tag or usual for tag in tags]
    if any(tags):
        suite[THINKING] = OPENED
    return tags


def suite_of(task: Any) -> dict[str, Any] | None:
    """Return the record of a task of this suite, which the harness writes into its results; None for other tasks."""
    metadata = task.config.metadata
    suite = metadata.get("suite") if isinstance(metadata, dict) else None
    return suite if isinstance(suite, dict) and suite.get("package") == PACKAGE else None


def record_responses(suite: dict[str, Any], requests: Sequence[Any]) -> None:
    """Record the responses to a task: digests, which ``codemind verify`` compares, lengths, and how they were read.

    Args:
        suite: The record of the task.
        requests: The harness's request objects, with the responses and with what the filters made of them.
    """
    suite["responses"] = seal((Key.of(request.doc), digest(request.resps)) for request in requests)
    pairs = [
        (response, answer)
        for request in requests
        for response, answer in zip(request.resps, next(iter(request.filtered_resps.values())), strict=True)
        if response != SKIPPED
    ]
    if pairs:
        texts = [response for response, _ in pairs]
        tokens = [getattr(text, "tokens", None) for text in texts]
        suite["response_lengths"] = {
            "responses": len(texts),
            "characters": sum(map(len, texts)),
            "longest": max(map(len, texts)),
            # The sum is of use only if it covers all responses.
            **({} if None in tokens else {"tokens": sum(tokens)}),
        }
        suite["readings"] = readings(pairs)
    recorded = {Key.of(request.doc): getattr(request, RECORDED) for request in requests if hasattr(request, RECORDED)}
    if recorded:
        for name in ("", "_sha256"):
            suite[f"templates{name}"] = suite.pop(f"prompts{name}", None)
        suite["prompts"] = "recorded"
        if any(recorded.values()):
            suite["recorded_prompts"] = seal((key, digest(prompts)) for key, prompts in recorded.items() if prompts)
    if any(answer.pending is not None or answer.outcome is not None for _, answer in pairs):
        from lm_eval_codemind.sandbox import Limits, shared_sandbox

        suite["sandbox"] = {"isolation": shared_sandbox().isolation, "limits": dataclasses.asdict(Limits())}


def readings(pairs: Sequence[tuple[str, Answer]]) -> dict[str, int]:
    """Return how many responses of a task were read in which way.

    Args:
        pairs: The responses, each with its answer under the main filter.

    Returns:
        ``responses``, all of them; ``empty``, of which ``failed`` are requests without a response; ``no_answer``,
        ``malformed`` and ``unfinished`` (thinking), by the answer, and ``unfinished_opened``, of which the chat
        template opened the thinking; ``cut`` by the token limit, if the endpoint reports it for every response;
        ``replaced``, the lone surrogates that were replaced.
    """
    counts = Counter(answer.reading for _, answer in pairs)
    reasons = Counter(answer.details.get("unfinished") for _, answer in pairs)
    cut = [getattr(text, "cut", None) for text, _ in pairs if not getattr(text, "failed", False)]
    return {
        "responses": len(pairs),
        "empty": sum(not text.strip() for text, _ in pairs),
        "failed": sum(getattr(text, "failed", False) for text, _ in pairs),
        **{reading: counts[reading] for reading in ("no_answer", "malformed", "unfinished")},
        "unfinished_opened": reasons["opened by the chat template"],
        **({} if None in cut else {"cut": cut.count(True)}),
        "replaced": sum(getattr(text, "replaced", 0) for text, _ in pairs),
    }


def templates_of(suite: Mapping[str, Any]) -> tuple[str, str]:
    """Return where the templates of a task's documents are (``packaged``: ours), and their digest, from its record.

    A task whose responses were recorded names them apart: the model was not given these prompts.
    """
    prefix = "templates" if "templates" in suite else "prompts"
    return str(suite.get(prefix, "packaged")), str(suite.get(f"{prefix}_sha256", ""))


def prompts_sent(suite: Mapping[str, Any]) -> str:
    """Return whose prompts a task sent, for readers: ours, the user's, or upstream's with their file and their form."""
    if suite.get("prompts") == "recorded":
        return "those of the recorded responses"
    if suite.get("prompts", "packaged") != "packaged":
        return f"those in {suite['prompts']}"
    texts = suite.get("prompt_texts")
    if not texts:
        return "ours"
    form = f", form {texts['form']}" if "form" in texts else ""
    return f"upstream's, {texts.get('source')}{form}"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
