"""Checks before a model is loaded: one message names everything that is missing, with its fix."""

import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lm_eval_codemind.errors import UserError, collecting, did_you_mean
from lm_eval_codemind.harness.contract import several, tasks_of
from lm_eval_codemind.harness.location import load_once, task_directories

# Less than this many bytes is not enough for results and samples.
_FREE_SPACE = 50_000_000

# The model's class for --model -> its --model_args that set the length of the context.
_CONTEXT_ARGS = {
    "hf": ("max_length",),
    "vllm": ("max_model_len", "max_length"),
    "sglang": ("context_length", "max_model_len"),
}
# --model -> the packages that the harness imports for it, and the extra that installs them.
_PACKAGES = {"hf": (("torch", "transformers"), "hf"), "vllm": (("vllm",), "vllm")}
# Models that take only messages.
_CHATS = ("local-chat-completions", "openai-chat-completions")
# In the config.json of a model's directory.
_CONTEXT_FIELDS = ("max_position_embeddings", "n_positions", "n_ctx")


def check_before_loading() -> None:
    """Have ``lm_eval`` check runs of this suite's tasks before it loads the model, as ``codemind run`` does.

    Relies on ``EvaluatorConfig.process_tasks``, which resolves the names of the tasks after ``lm_eval`` has read its
    options, and returns the task manager. Called by :mod:`lm_eval_codemind.startup`.
    """
    try:
        from lm_eval.config.evaluate_config import EvaluatorConfig

        usual = EvaluatorConfig.process_tasks
    except (ImportError, AttributeError):
        return

    @wraps(usual)
    def process_tasks(self: Any, metadata: dict[str, Any] | None = None) -> Any:
        try:
            manager = usual(self, metadata)
        except ValueError as error:
            if not checked:
                raise
            raise UserError(f"--tasks: {error}; `lm_eval ls tasks` lists the tasks") from error
        names = [name for name in self.tasks if isinstance(name, str)]
        if not checked and any(name.startswith("codemind") for name in names):
            try:
                check_run(self, manager, names)
            except UserError as error:
                raise SystemExit(f"Error: {error}") from error
        return manager

    EvaluatorConfig.process_tasks = process_tasks


# Not empty while `codemind run`, which has checked the run, is in control.
checked: list[bool] = []


def check_run(config: Any, manager: Any, names: Sequence[str], later: Sequence[str] = ()) -> None:
    """Check everything that a run needs, load its tasks and print how many requests each of them sends.

    The manager returns the same loaded tasks when the harness asks for them.

    Args:
        config: The harness's ``EvaluatorConfig``.
        manager: A task manager of the harness.
        names: Tasks, groups and tags of the run. Tasks of other suites are not checked.
        later: Tasks of a second stage, whose documents are not known yet.

    Raises:
        UserError: If something is missing. The message names everything.
    """
    leaves = list(dict.fromkeys(leaf for name in names for leaf in tasks_of(manager, name)))
    own = [leaf for leaf in leaves if _is_ours(manager, leaf)]
    later_leaves = [leaf for name in later for leaf in tasks_of(manager, name)]
    faults = _model_faults(config) + _directory_faults(config.output_path)
    faults += _option_faults(config, manager, [*own, *later_leaves])
    # Other suites may download large data sets for their tasks. --samples is compared with the number of documents.
    with collecting(faults, complete=bool(config.samples)):
        tasks = _loaded(manager, names if own == leaves else own, own, faults)
    for name, task in tasks.items():
        faults += _sample_faults(config, name, len(task.eval_docs))
        available, wanted = len(list(task.fewshot_docs() or ())), config.num_fewshot or 0
        if available < wanted:
            faults.append(f"{name} has {available} few-shot examples; use --num_fewshot {available} or fewer")
    if faults:
        raise UserError(_message(faults))
    if os.environ.get("RANK", "0") == "0":
        for name, task in tasks.items():
            print(f"{name}: {_requests(config, name, task)} requests")
        for name in later_leaves:
            print(f"{name}: as many requests as programs of the first stage pass their tests")


def _message(faults: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(faults))
    if len(distinct) == 1:
        return distinct[0]
    return f"{len(distinct)} things are missing before the model can be loaded:" + "".join(
        f"\n  - {one}" for one in distinct
    )


def _is_ours(manager: Any, name: str) -> bool:
    entry = manager.task_index.get(name)
    path = getattr(entry, "yaml_path", None)
    return path is not None and any(Path(path).is_relative_to(Path(place).resolve()) for place in task_directories())


def _loaded(manager: Any, names: Sequence[str], own: Sequence[str], faults: list[str]) -> dict[str, Any]:
    """Return this suite's tasks; add the faults of those that cannot run here."""
    known = len(faults)
    try:
        loaded = load_once(manager, names)
    except (ValueError, RuntimeError):
        del faults[known:]
        tasks: dict[str, Any] = {}
        for name in own:
            try:
                tasks |= manager.load([name])["tasks"]
            except (ValueError, RuntimeError) as error:
                faults.append(str(error))
        return tasks
    return {name: loaded["tasks"][name] for name in own}


def _requests(config: Any, name: str, task: Any) -> int:
    """Return how many requests a task sends under ``--limit`` or ``--samples``."""
    from lm_eval.evaluator_utils import get_sample_size

    places = list(range(len(task.eval_docs)))
    if config.samples:
        places = config.samples.get(name, places)
    elif config.limit is not None:
        places = places[: get_sample_size(task, config.limit)]
    recorded = several()
    if recorded is not None:
        from lm_eval_codemind.harness.recordings import documents_with
        from lm_eval_codemind.questions import Key

        return sum(recorded.count(name, documents_with(Key._fields, task.eval_docs.select(places))))
    return len(places) * int(task.config.repeats or 1)


def _sample_faults(config: Any, name: str, documents: int) -> list[str]:
    chosen = (config.samples or {}).get(name, ())
    beyond = [str(place) for place in chosen if not 0 <= place < documents]
    if not beyond:
        return []
    return [f"--samples: {name} has documents 0 to {documents - 1}; leave out {_listed(beyond)}"]


def _model_faults(config: Any) -> list[str]:
    """Return why the harness cannot load the model or count the documents, as far as the options tell."""
    # This import fills the registry.
    import lm_eval.models  # noqa: F401
    from lm_eval.api.registry import model_registry

    faults = []
    names = list(model_registry)
    if config.model not in names:
        faults.append(f"--model {config.model}: unknown{did_you_mean(config.model, names) or '; `lm_eval run --help`'}")
    packages, extra = _PACKAGES.get(config.model, ((), ""))
    absent = [package for package in packages if find_spec(package) is None]
    if absent:
        faults.append(f"--model {config.model} needs {' and '.join(absent)}: pip install 'lm-eval-codemind[{extra}]'")
    if config.model in _CHATS and not config.apply_chat_template:
        faults.append(f"--model {config.model} takes chat messages: add --apply_chat_template")
    if config.model == "codemind-replay" and not (config.model_args or {}).get("responses"):
        faults.append(
            "--model codemind-replay answers from files: add --model_args responses=FILE, or use codemind score"
        )
    if config.limit is not None and config.limit <= 0:
        faults.append(f"--limit {config.limit:g}: must be above 0")
    if (config.num_fewshot or 0) < 0:
        faults.append(f"--num_fewshot {config.num_fewshot}: must be 0 or more")
    return faults


def _directory_faults(output_path: str | None) -> list[str]:
    if not output_path:
        return []
    directory = Path(output_path).parent if output_path.endswith(".json") else Path(output_path)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
        free = shutil.disk_usage(directory).free
    except OSError as error:
        return [f"{directory}: results cannot be written there ({error.strerror}); choose another --output_path"]
    if free < _FREE_SPACE:
        return [f"{directory}: {free / 1e6:.0f} MB are free, results need {_FREE_SPACE / 1e6:.0f}; free some space"]
    return []


def _option_faults(config: Any, manager: Any, own: Sequence[str]) -> list[str]:
    """Return what the command line lacks: the confirmation of programs, and room for a prompt in the context."""
    from lm_eval.tasks._yaml_loader import load_yaml

    settings = {name: load_yaml(manager.task_index[name].yaml_path, resolve_func=False) for name in own}
    faults = []
    unsafe = [name for name, content in settings.items() if content.get("unsafe_code")]
    if unsafe and not config.confirm_run_unsafe_code:
        faults.append(
            f"{_listed(unsafe)}: programs of the model are executed (sandboxed); add --confirm_run_unsafe_code"
        )
    context = _context(config.model, config.model_args or {})
    asked = {
        name: int(limit)
        for name, content in settings.items()
        if (limit := {**(content.get("generation_kwargs") or {}), **(config.gen_kwargs or {})}.get("max_gen_toks"))
    }
    crowded = [name for name, tokens in asked.items() if context is not None and tokens >= context]
    if crowded:
        faults.append(
            f"{_listed(crowded)}: responses may have {max(asked.values())} tokens, but the context has {context}, "
            f"so that no prompt fits; add --gen_kwargs max_gen_toks={(context or 0) // 4}"
        )
    return faults


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _context(model: str, arguments: Mapping[str, Any]) -> int | None:
    """Return the length of a model's context in tokens, if the arguments or a local config.json give it."""
    if model not in _CONTEXT_ARGS:
        return None
    for name in _CONTEXT_ARGS[model]:
        if str(arguments.get(name) or "").isdigit():
            return int(arguments[name])
    try:
        content = json.loads((Path(str(arguments.get("pretrained"))) / "config.json").read_text(encoding="utf-8"))
        lengths = [length for name in _CONTEXT_FIELDS if isinstance(length := content.get(name), int)]
    except (OSError, ValueError, AttributeError):
        return None
    return lengths[0] if lengths else None
