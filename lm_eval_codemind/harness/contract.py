"""The parts of lm-evaluation-harness's internal code that this suite uses; written for 0.4.13.

What the harness calls, and with what, is in :mod:`lm_eval_codemind.harness.hooks`.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from math import nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.harness.aggregations import Aggregation, Mean, Value, is_drawn, mean_stderr
from lm_eval_codemind.harness.state import state

logger = logging.getLogger(__name__)

# The options that limit the tokens of a response, first those that win, as the harness's backends read them.
LIMIT_NAMES = ("max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens")
_OF_COMPLETIONS, _OF_CHATS = ("max_tokens", "max_gen_toks"), ("max_completion_tokens", "max_tokens", "max_gen_toks")
_LIMIT_NAMES_OF = {
    **dict.fromkeys(("local-completions", "local-chat-completions", "openai-completions"), _OF_COMPLETIONS),
    **dict.fromkeys(("anthropic-chat", "anthropic-chat-completions"), _OF_COMPLETIONS),
    **dict.fromkeys(("openai-chat-completions", "azure-openai-chat-completions"), _OF_CHATS),
    "sglang-generate": ("max_new_tokens", "max_tokens", "max_gen_toks"),
    **dict.fromkeys(("sglang", "anthropic-completions"), ("max_gen_toks",)),
}


def parsed_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the arguments of ``lm_eval run`` as the harness parses them. Their ``func`` runs the evaluation.

    Help and usage errors name ``codemind run``.
    """
    from lm_eval._cli import HarnessCLI

    from lm_eval_codemind.harness.profiles import PROFILES

    parser = HarnessCLI()._parser
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    run = commands.choices["run"]
    run.add_argument("--profile", choices=list(PROFILES), help="Settings for a kind of model (docs/running.md)")
    run.prog = "codemind run"
    run.usage = "%(prog)s --model MODEL --tasks TASK,... [--model_args KEY=VALUE,...] [options]"
    run.epilog = "Takes every option of `lm_eval run`. `lm_eval ls tasks` lists the tasks."
    parsed: argparse.Namespace = parser.parse_args(["run", *arguments])
    return parsed


def use_own_evaluation() -> None:
    """Have the harness evaluate with this suite's statistics, requests and reading of replies.

    Relies on ``lm_eval.evaluator.evaluate``, which ``simple_evaluate`` calls when the model and the tasks are loaded.
    It is replaced for good, and all else only while it runs. Nothing is done where the harness's tasks have not been
    imported: then nobody evaluates.

    Without a command line, as in ``simple_evaluate`` of Python, failed requests are logged as an error, and the
    harness's ``CachingLM``, which would keep them, gives way to this suite's cache in the same file.
    """
    if "lm_eval.api.task" not in sys.modules:
        return
    # The start-up hook imports this module in every process that uses the harness; these imports take long.
    from lm_eval import evaluator
    from lm_eval.api.model import CachingLM

    from lm_eval_codemind.harness.replies import all_replies_read, requests
    from lm_eval_codemind.harness.response_cache import ResponseCache

    usual = evaluator.evaluate
    if hasattr(usual, "knows_codemind"):
        return

    @wraps(usual)
    def evaluate(lm: Any, *arguments: Any, **named: Any) -> Any:
        with own_statistics(), own_requests(), all_replies_read():
            if state.checked:
                return usual(lm, *arguments, **named)
            if state.ends_process:
                try:
                    return usual(lm, *arguments, **named)
                except UserError as error:
                    raise SystemExit(f"Error: {error}") from error
            kept = isinstance(lm, CachingLM)
            requests.start()
            results = usual(ResponseCache(lm.lm, lm.cache_db) if kept else lm, *arguments, **named)
            try:
                line = requests.end(kept)
            except UserError as error:
                line = str(error)
            if line:
                logger.error(line)
            return results

    evaluate.knows_codemind = True  # type: ignore[attr-defined]
    evaluator.evaluate = evaluate


@contextmanager
def own_requests() -> Iterator[None]:
    """Have the harness build the requests of this suite's tasks in every run, and note what was answered.

    Two methods of its ``api.task.ConfigurableTask`` are replaced for a while:

    - ``build_all_requests``: the harness's cache of requests (``--cache_requests``) identifies them by task, number of
      examples and chat settings. Those of this suite also depend on the first stage, the options, the templates and
      the release, so they are not taken from the cache. Where recordings are scored, a request is sent
      as often as there are responses to it; under a profile as often as the profile says. A task's
      ``suite.system_message`` is sent under a chat template only, while the harness puts a task's description in front
      of the text for a base model as well.
    - ``apply_filters``: while it runs, :data:`state` knows which prompts open thinking. After it the
      responses and how they were read are recorded.
    """
    from lm_eval.api.task import ConfigurableTask

    from lm_eval_codemind.harness.provenance import openings, record_responses, suite_of
    from lm_eval_codemind.harness.replies import requests

    usual_build, usual_filters = ConfigurableTask.build_all_requests, ConfigurableTask.apply_filters

    @wraps(usual_build)
    def build_all_requests(self: Any, **settings: Any) -> None:
        suite = suite_of(self)
        if suite is None:
            usual_build(self, **settings)
            return
        if settings.get("apply_chat_template") and "system_message" in suite:
            self.set_config("description", suite["system_message"])
        if state.profile is not None:
            self.set_config("repeats", state.profile.repeats)
            suite["profile"] = state.profile.name
        usual_build(self, **{**settings, "cache_requests": False, "rewrite_requests_cache": False})
        if state.recorded is not None:
            recordings = state.recorded(self.config.task)
            for instance in self.instances:
                instance.repeats = max(1, len(recordings.find(instance.doc)))

    @wraps(usual_filters)
    def apply_filters(self: Any) -> Any:
        requests.note(response for instance in self.instances for response in instance.resps)
        suite = suite_of(self)
        if suite is None:
            return usual_filters(self)
        for instance in self.instances:
            # A model of the user may return None, which is an empty response.
            instance.resps = ["" if response is None else response for response in instance.resps]
        if state.recorded is not None:
            state.fewest = min((len(instance.resps) for instance in self.instances), default=None)
        with patch.object(state, "openings", openings(suite, self.instances)):
            filtered = usual_filters(self)
        record_responses(suite, self.instances)
        return filtered

    with (
        patch.multiple(ConfigurableTask, build_all_requests=build_all_requests, apply_filters=apply_filters),
        patch.object(state, "fewest", None),
    ):
        yield


@contextmanager
def own_statistics() -> Iterator[None]:
    """Have the harness use this suite's standard errors and weights, for this suite's metrics only.

    Three functions of its ``api.metrics`` are replaced for a while, since it has no other way:

    - the standard error of a metric: that of its :class:`~lm_eval_codemind.harness.aggregations.Aggregation`; for the
      harness's own mean, clustered by problem where documents say which problem they are about and share one, and that
      of a systematic draw in a short form;
    - the mean of a group and its standard error: each task weighs as much as its metric is averaged over, and a task
      with nothing to average weighs nothing.
    """
    from lm_eval import evaluator_utils
    from lm_eval.api import metrics

    usual_stderr, usual_mean = metrics.stderr_for_metric, metrics.aggregate_subtask_metrics
    usual_pooled = metrics.pooled_sample_stderr

    @wraps(usual_stderr)
    def stderr_for_metric(metric: Any, bootstrap_iters: int) -> Any:
        if isinstance(metric, Aggregation):
            return metric.stderr
        usual = usual_stderr(metric=metric, bootstrap_iters=bootstrap_iters)
        if metric is not metrics.mean or usual is None:
            return usual
        return lambda values: mean_stderr(values) if is_drawn(values) or _share_problems(values) else usual(values)

    @wraps(usual_mean)
    def mean(values: Sequence[float], sizes: Sequence[int], weight_by_size: bool = True) -> float:
        parts = _with_sizes(values, sizes)
        return float(usual_mean(*zip(*parts, strict=True), weight_by_size)) if parts else nan

    @wraps(usual_pooled)
    def pooled(stderrs: Sequence[float], sizes: Sequence[int]) -> float:
        parts = _with_sizes(stderrs, sizes)
        enough = sum(size for _, size in parts) > len(parts)
        return float(usual_pooled(*zip(*parts, strict=True))) if enough else nan

    # The module that asks for standard errors has its own name for the function.
    with (
        patch.object(metrics, "stderr_for_metric", stderr_for_metric),
        patch.object(metrics, "aggregate_subtask_metrics", mean),
        patch.object(metrics, "pooled_sample_stderr", pooled),
        patch.object(evaluator_utils, "stderr_for_metric", stderr_for_metric),
    ):
        yield


def _share_problems(values: Sequence[Any]) -> bool:
    """Whether all values say which problem they are about, and two are about the same."""
    return all(isinstance(value, Value) for value in values) and len({value.problem for value in values}) < len(values)


def _with_sizes(values: Sequence[float], sizes: Sequence[int]) -> list[tuple[float, int]]:
    """Return the values with what they are averaged over, without those that have nothing to average."""
    own = [value.size if isinstance(value, Mean) else size for value, size in zip(values, sizes, strict=True)]
    return [(value, size) for value, size in zip(values, own, strict=True) if size]


@contextmanager
def loaded_once() -> Iterator[None]:
    """Have the harness load a model once for all its runs of a while, which must ask for the same model.

    The harness goes on naming the model as the user did, so that its results are those of a separate run.
    """
    from lm_eval.api import registry

    find, loaded = registry.get_model, {}

    def keeping(name: str) -> Any:
        def load(method: str, *arguments: Any, **named: Any) -> Any:
            if name not in loaded:
                loaded[name] = getattr(find(name), method)(*arguments, **named)
            return loaded[name]

        methods = ("create_from_arg_obj", "create_from_arg_string")
        return SimpleNamespace(**{method: partial(load, method) for method in methods})

    with patch.object(registry, "get_model", keeping):
        yield


@contextmanager
def dates_of_results() -> Iterator[list[str]]:
    """Give a list to which the harness adds the date of each results file that this process writes for a while.

    The date is part of the names of the results file and of its samples. Other runs may write beside them.
    """
    from lm_eval.loggers import EvaluationTracker

    usual = EvaluationTracker.save_results_aggregated
    dates: list[str] = []

    @wraps(usual)
    def save(self: Any, *arguments: Any, **named: Any) -> None:
        usual(self, *arguments, **named)
        if hasattr(self, "date_id"):
            dates.append(self.date_id)

    with patch.object(EvaluationTracker, "save_results_aggregated", save):
        yield dates


@contextmanager
def results_written(directory: Path | None) -> Iterator[None]:
    """Check that the harness's result and sample files are complete when it has run.

    The harness logs a warning if it cannot write them, and ends with status 0. Incomplete files get the suffix
    ``.incomplete``, so that they are not read as results. Nothing is checked if the user wants no files.

    Raises:
        UserError: If files are missing or incomplete afterwards.
    """
    if directory is None:
        yield
        return
    with dates_of_results() as dates:
        yield
    if os.environ.get("RANK", "0") != "0":
        return
    written = {path for date in dates for path in directory.rglob(f"*_{date}.json*") if path.is_file()}
    results = [path for path in written if path.name.startswith("results_") or path.suffix == ".json"]
    incomplete = [path for path in written if not _complete(path)]
    for path in incomplete:
        path.rename(path.with_name(f"{path.name}.incomplete"))
    if not results or incomplete:
        named = ", ".join(path.name for path in incomplete) or "no results file was written"
        raise UserError(f"{directory}: results are incomplete ({named}); check the free space and run again")


def _complete(path: Path) -> bool:
    """Whether a file of the harness was written to its end: each line of its samples ends with a line feed."""
    if path.suffix == ".jsonl":
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 1))
            return file.read() == b"\n"
    try:
        json.loads(path.read_bytes())
    except ValueError:
        return False
    return True


def entry_of(manager: Any, name: str) -> Any:
    """Return the harness's entry of a task, a group or a tag, or of the YAML file at a path; else None."""
    entry = manager.task_index.get(name)
    if entry is None and name.endswith(".yaml") and Path(name).is_file():
        from lm_eval.tasks._index import TaskIndex
        from lm_eval.tasks._yaml_loader import load_yaml

        entry = TaskIndex.entry_from_path(Path(name))
        if entry is not None:
            entry.cfg = load_yaml(name, resolve_func=False)
    return entry


def tasks_of(manager: Any, name: str) -> list[str]:
    """Return the tasks behind the name of a task, a group or a tag; the name itself where the manager knows none."""
    entry = entry_of(manager, name)
    if entry is None or entry.kind.name in ("TASK", "PY_TASK"):
        return [name]
    if entry.kind.name == "TAG":
        return sorted(entry.tags)
    members = entry.cfg["task"] if isinstance(entry.cfg["task"], list) else [entry.cfg["task"]]
    named = [member if isinstance(member, str) else member.get("task") or member.get("group") for member in members]
    return [task for member in named if isinstance(member, str) for task in tasks_of(manager, member)]


def dataset_arguments(manager: Any, task: str) -> dict[str, Any]:
    """Return the ``dataset_kwargs`` of a task's YAML file; empty where the manager does not know the task."""
    entry = entry_of(manager, task)
    return dict((entry.cfg or {}).get("dataset_kwargs") or {}) if entry is not None else {}


def settings_of(manager: Any, task: str) -> dict[str, Any]:
    """Return what the YAML file of a task and those that it includes say, with the functions that they name."""
    from lm_eval.tasks._yaml_loader import load_yaml

    return dict(load_yaml(entry_of(manager, task).yaml_path))


def token_limit(model: str, options: Mapping[str, Any]) -> int | None:
    """Return the most tokens of a response, by the name for it that a backend reads; None if there is no usable one.

    Args:
        model: What ``--model`` names.
        options: ``generation_kwargs`` of the task with ``--gen_kwargs``.
    """
    names = _LIMIT_NAMES_OF.get(model, LIMIT_NAMES)
    limit = next((options[name] for name in names if options.get(name) is not None), None)
    return int(str(limit)) if is_limit(limit) else None


def is_limit(value: Any) -> bool:
    """Whether a value can be the most tokens of a response: a whole number above 0."""
    return str(value).isdecimal() and int(str(value)) > 0


def limit_of(config: Any, settings: Mapping[str, Any]) -> int | None:
    """Return the most tokens of a response in a run of a task with these settings; None if there is none."""
    options = {**(settings.get("generation_kwargs") or {}), **(config.gen_kwargs or {})}
    return token_limit(config.model, options)


def commit() -> str | None:
    """Return the commit of the repository in the working directory, as the harness records it; None without one."""
    try:
        done = subprocess.run(["git", "describe", "--always"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def of_first_process(value: str) -> str:
    """Return the value of the first process of a distributed run, when all have come here; else the value itself."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.distributed.is_available() or not torch.distributed.is_initialized():
        return value
    values = [value]
    torch.distributed.broadcast_object_list(values, src=0)
    return values[0]
