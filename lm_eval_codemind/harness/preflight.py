"""Checks before a model is loaded: one message names everything that is missing, with its fix."""

import atexit
import json
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import wraps
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any
from unittest.mock import patch

from lm_eval_codemind.answers.thinking import opening_of
from lm_eval_codemind.errors import UserError, did_you_mean
from lm_eval_codemind.harness.contract import LIMIT_NAMES, entry_of, is_limit, limit_of, settings_of, tasks_of
from lm_eval_codemind.harness.location import keep_tasks
from lm_eval_codemind.harness.provenance import THINKING, suite_of
from lm_eval_codemind.harness.replies import requests
from lm_eval_codemind.harness.response_cache import opened, own_cache, path_for_model
from lm_eval_codemind.harness.state import state

logger = logging.getLogger(__name__)

# Tokens of a response that suffice without thinking.
_SHORT = 2048
# Less than this many bytes is not enough for results and samples.
_FREE_SPACE = 50_000_000

# The model's class for --model -> its --model_args that set the length of the context.
_CONTEXT_ARGS = {
    "hf": ("max_length",),
    "vllm": ("max_model_len", "max_length"),
    "sglang": ("context_length", "max_model_len"),
}
_HF, _VLLM = (("torch", "transformers"), "lm-eval-codemind[hf]"), (("vllm",), "lm-eval-codemind[vllm]")
_API = (("aiohttp", "tenacity", "requests"), "lm-eval-codemind[api]")
_ONNX = "lm-eval[onnxruntime]"
# --model -> the modules that the harness imports for it, and the distribution that installs them.
_PACKAGES = {
    **dict.fromkeys(("hf", "hf-auto", "huggingface", "hf-multimodal", "hf-mistral3", "steered"), _HF),
    **dict.fromkeys(("vllm", "vllm-vlm"), _VLLM),
    **dict.fromkeys(("local-completions", "local-chat-completions", "openai-chat-completions"), _API),
    **dict.fromkeys(("anthropic-chat", "anthropic-chat-completions", "sglang-generate"), _API),
    "openai-completions": ((*_API[0], "tiktoken"), _API[1]),
    "anthropic-completions": (("anthropic",), "anthropic"),
    "azure-openai-chat-completions": ((*_API[0], "openai"), "openai"),
    **dict.fromkeys(("litellm", "litellm-chat", "litellm-chat-completions"), (("litellm",), "lm-eval[litellm]")),
    "sglang": (("sglang",), "sglang"),
    "watsonx_llm": (("ibm_watsonx_ai",), "lm-eval[ibm-watsonx-ai]"),
    "mamba_ssm": (("mamba_ssm",), "mamba_ssm"),
    "onnxruntime": (("onnxruntime",), _ONNX),
    "onnxruntime-genai": (("onnxruntime_genai",), "lm-eval[onnxruntime-genai]"),
    "openvino": (("optimum",), "lm-eval[optimum]"),
    "ipex": (("optimum",), "lm-eval[ipex]"),
    "habana": (("optimum",), "lm-eval[habana]"),
    "neuronx": (("optimum",), "optimum-neuron"),
    "nemo_lm": (("nemo",), "nemo_toolkit"),
    "trtllm": (("tensorrt_llm",), "tensorrt_llm"),
}
# Models that take only messages.
_CHATS = (
    *("local-chat-completions", "openai-chat-completions", "azure-openai-chat-completions"),
    *("anthropic-chat", "anthropic-chat-completions", "litellm-chat", "litellm-chat-completions"),
)
# --model -> the environment variable with its key.
_KEYS = {
    **dict.fromkeys(("openai-completions", "openai-chat-completions"), "OPENAI_API_KEY"),
    **dict.fromkeys(("anthropic-chat", "anthropic-chat-completions"), "ANTHROPIC_API_KEY"),
    "azure-openai-chat-completions": "AZURE_OPENAI_API_KEY",
    "textsynth": "TEXTSYNTH_API_SECRET_KEY",
}
# Models that have no address of their own, and what it may look like.
_ADDRESSES = {
    "local-completions": "http://localhost:8000/v1/completions",
    "local-chat-completions": "http://localhost:8000/v1/chat/completions",
    "sglang-generate": "http://localhost:30000/generate",
    **dict.fromkeys(("gguf", "ggml"), "http://localhost:8000"),
}
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
        if state.checked:
            return usual(self, metadata)
        names = names_of(self.tasks)
        try:
            manager = usual(self, metadata)
        except ValueError:
            if not any("codemind" in name for name in names):
                raise
            # In another one the names can be looked up.
            from lm_eval.tasks import TaskManager

            manager = TaskManager(include_path=self.include_path, metadata=self.metadata or {})
        else:
            names = resolved(manager, names)
            if not any(is_ours(manager, leaf) for name in names for leaf in tasks_of(manager, name)):
                return manager
        if isinstance(self.include_path, (str, Path)):
            state.include_path = str(Path(self.include_path).resolve())
        try:
            check_run(self, manager, names)
        except UserError as error:
            raise SystemExit(f"Error: {error}") from error
        state.ends_process = True
        if self.use_cache:
            # Its process ends after the run.
            own_cache().start()
            self.use_cache = path_for_model(self)
        requests.start()
        atexit.register(_end_with_failures, bool(self.use_cache))
        return manager

    EvaluatorConfig.process_tasks = process_tasks


def names_of(tasks: Any) -> list[str]:
    """Return what ``--tasks`` names, or a file of ``--config``: names, patterns and paths of YAML files."""
    texts = [tasks] if isinstance(tasks, str) else list(tasks or ())
    return [name for text in texts for name in text.split(",")]


def resolved(manager: Any, names: Sequence[str]) -> list[str]:
    """Return the tasks, groups and tags that names select, with the paths of YAML files, as the harness does.

    A name that selects nothing stays as it is.
    """
    found = [
        one
        for name in names
        for one in manager.match_tasks([name]) or _yaml_files(name, alone=len(names) == 1) or [name]
    ]
    return list(dict.fromkeys(found))


def _yaml_files(name: str, alone: bool) -> list[str]:
    """Return the YAML files that a path or a pattern names; those of a directory if it is the only name."""
    if not name.endswith(".yaml") and not (name and alone):
        return []
    path = Path(name if name.endswith(".yaml") else f"{name}/*.yaml").absolute()
    return sorted(map(str, Path(path.anchor).glob(str(path.relative_to(path.anchor)))))


def _end_with_failures(kept: bool) -> None:
    """Print how many requests of ``lm_eval`` failed; end its process with status 1 if these are too many.

    The harness has no place for this: its command line has ended by now.
    """
    try:
        line = requests.end(kept)
    except UserError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)
    if line:
        print(line)


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
    unknown = unknown_tasks(manager, names)
    known = [name for name in names if name not in unknown]
    leaves = list(dict.fromkeys(leaf for name in resolved(manager, known) for leaf in tasks_of(manager, name)))
    own = [leaf for leaf in leaves if is_ours(manager, leaf)]
    later_leaves = [leaf for name in later for leaf in tasks_of(manager, name)]
    settings = {name: settings_of(manager, name) for name in [*own, *later_leaves]}
    limits = {name: limit for name, content in settings.items() if (limit := limit_of(config, content)) is not None}
    faults = [*unknown.values(), *model_faults(config), *value_faults(config)]
    faults += _directory_faults(config.output_path) + _cache_faults(config)
    faults += _option_faults(config, settings, limits)
    faults += _metadata_faults(config, manager, settings, alone=own == leaves)
    faults += _unasked_samples(config, [entry.name if (entry := entry_of(manager, leaf)) else leaf for leaf in leaves])
    # Other suites may download large data sets for their tasks.
    tasks = _loaded(manager, own, faults)
    for name, task in tasks.items():
        faults += _sample_faults(config, name, len(task.eval_docs))
        available, wanted = len(list(task.fewshot_docs() or ())), config.num_fewshot or 0
        if available < wanted:
            faults.append(f"{name} has {available} few-shot examples; use --num_fewshot {available} or fewer")
    if faults:
        raise UserError(_message(faults))
    if os.environ.get("RANK", "0") == "0":
        told = dict.fromkeys(line for task in tasks.values() for line in _announcement(task).splitlines())
        if told:
            print("\n".join([*told, f"The prompts go to {_model_of(config)}."]))
        _warn_of_short_thinking(config, limits)
        for name, task in tasks.items() if state.recorded is None else ():
            print(f"{name}: {_requests(config, name, task)} requests")
        for name in later_leaves:
            print(f"{name}: as many requests as programs of the first stage pass their tests")


def is_ours(manager: Any, task: str) -> bool:
    """Whether a task is one of this suite, or of a package or a file that uses its functions under another name."""
    entry = entry_of(manager, task)
    # What nearly all others lack, so that nothing is imported for them.
    if entry is None or "custom_dataset" not in (entry.cfg or {}):
        return False
    from lm_eval_codemind.harness.hooks import Hooks

    settings = settings_of(manager, task)
    functions = (settings["custom_dataset"], settings.get("process_results"))
    return any(isinstance(getattr(function, "__self__", None), Hooks) for function in functions)


def _announcement(task: Any) -> str:
    # A task about the responses to another one makes its data set with a function of its own.
    hooks = getattr(task.config.custom_dataset, "__self__", None)
    suite = suite_of(task)
    return "" if suite is None or hooks is None else str(hooks.announcement(suite))


def _model_of(config: Any) -> str:
    """Return where prompts go: the kind of model, its name and its address."""
    arguments = config.model_args or {}
    parts = [f"{name}={arguments[name]}" for name in ("pretrained", "model", "base_url") if arguments.get(name)]
    return ", ".join([config.model, *parts])


def _warn_of_short_thinking(config: Any, limits: Mapping[str, int]) -> None:
    """Warn if the chat template opens thinking, and responses may be no longer than those without it."""
    short = [name for name, limit in limits.items() if limit <= _SHORT]
    if short and ((config.metadata or {}).get(THINKING) or _opens_thinking(config)):
        logger.warning(
            "%s: the chat template opens thinking, and a response has at most %d tokens, so that many never finish it; "
            "use `codemind run --profile reasoning`, or --gen_kwargs max_gen_toks=32768",
            _listed(short),
            max(limits[name] for name in short),
        )


def _opens_thinking(config: Any) -> bool:
    """Whether the end of a chat prompt opens thinking, as far as a tokenizer that can be loaded here tells."""
    arguments = config.model_args or {}
    name = arguments.get("tokenizer") or arguments.get("pretrained")
    if not config.apply_chat_template or not name or find_spec("transformers") is None:
        return False
    usual = {} if arguments.get("enable_thinking") is None else {"enable_thinking": arguments["enable_thinking"]}
    try:
        from transformers import AutoTokenizer

        prompt = AutoTokenizer.from_pretrained(str(name)).apply_chat_template(
            [{"role": "user", "content": "?"}],
            tokenize=False,
            add_generation_prompt=True,
            **{**(arguments.get("chat_template_args") or {}), **usual},
        )
    except Exception:  # of the library, the download or the template; loading the model says what it is
        return False
    return bool(opening_of(prompt))


def unknown_tasks(manager: Any, names: Sequence[str]) -> dict[str, str]:
    """Return names of tasks that do not exist -> what is wrong, with names that resemble them."""
    return {
        name: f"unknown task {name}{did_you_mean(name, manager.all_tasks) or '; `lm_eval ls tasks` lists the tasks'}"
        if name
        else "--tasks: an empty name; name a task, or leave out the comma"
        for name in names
        if not (manager.match_tasks([name]) or _yaml_files(name, alone=len(names) == 1))
    }


def _message(faults: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(faults))
    if len(distinct) == 1:
        return distinct[0]
    return f"{len(distinct)} things are missing before the model can be loaded:" + "".join(
        f"\n  - {one}" for one in distinct
    )


def _loaded(manager: Any, names: Sequence[str], faults: list[str]) -> dict[str, Any]:
    """Return tasks, which the manager keeps; add the faults of those that cannot run here."""
    keep_tasks(manager)
    tasks: dict[str, Any] = {}
    with patch.object(state, "faults", faults):
        for name in names:
            try:
                tasks |= manager.load([name])["tasks"]
            except (ValueError, RuntimeError) as error:
                faults.append(str(error))
    return tasks


def _requests(config: Any, name: str, task: Any) -> int:
    """Return how many requests a task sends under ``--limit`` or ``--samples``."""
    from lm_eval.evaluator_utils import get_sample_size

    documents = len(task.eval_docs)
    if config.samples:
        documents = len(config.samples.get(name, task.eval_docs))
    elif config.limit is not None:
        documents = min(documents, get_sample_size(task, config.limit))
    return documents * state.responses(task.config.repeats)


def _samples(config: Any) -> dict[str, Any]:
    return config.samples if isinstance(config.samples, dict) else {}


def _are_numbers(chosen: Any) -> bool:
    """Whether an entry of ``--samples`` chooses documents. The harness asks everything if the list is empty."""
    return isinstance(chosen, list) and len(chosen) > 0 and all(isinstance(place, int) for place in chosen)


def _sample_faults(config: Any, name: str, documents: int) -> list[str]:
    chosen = _samples(config).get(name, ())
    beyond = [str(place) for place in chosen if not 0 <= place < documents] if _are_numbers(chosen) else []
    if not beyond:
        return []
    return [f"--samples: {name} has documents 0 to {documents - 1}; leave out {_listed(beyond)}"]


def _unasked_samples(config: Any, leaves: Sequence[str]) -> list[str]:
    return [
        f"--samples: the run has no task {name}{did_you_mean(name, leaves)}"
        for name in _samples(config)
        if name not in leaves
    ]


def _metadata_faults(config: Any, manager: Any, settings: Mapping[str, Any], alone: bool) -> list[str]:
    """Return the keys of ``--metadata`` that no task takes, and those that the tasks' files set.

    Keys that only tasks of other suites may know are not checked.
    """
    faults = []
    known, set_by_tasks = set[str](), {"suite", "version"}
    given = {name: value for name, value in (config.metadata or {}).items() if name not in (config.model_args or {})}
    for task, content in settings.items():
        options = getattr(getattr(content.get("custom_dataset"), "__self__", None), "options", None)
        # A task about the responses to another one makes its data set with a function of its own.
        alone = alone and options is not None
        known |= set(options or ())
        arguments = content.get("dataset_kwargs") or {}
        set_by_tasks |= arguments.keys()
        for name in given.keys() & ({"suite", "version", *arguments} - known):
            there = arguments.get(name)
            other = task.replace(str(there), str(given[name]))
            use = f"use {other}" if other != task and manager.match_tasks([other]) else "choose another task"
            faults.append(f"--metadata: {name} is set by the file of {task}; leave it out, and {use}")
            # So that its other faults are found.
            manager.metadata.pop(name, None)
    for name in given if alone else ():
        if name not in known | set_by_tasks:
            takes = ", ".join(sorted(known))
            faults.append(f"--metadata: unknown key {name}{did_you_mean(name, known) or f'; the tasks take {takes}'}")
    return faults


def model_faults(config: Any) -> list[str]:
    """Return why the harness cannot load the model or count the documents, as far as the options tell."""
    # This import fills the registry.
    import lm_eval.models  # noqa: F401
    from lm_eval.api.registry import model_registry

    faults = []
    names = list(model_registry)
    if config.model not in names:
        faults.append(f"--model {config.model}: unknown{did_you_mean(config.model, names) or '; `lm_eval run --help`'}")
    packages, distribution = _PACKAGES.get(config.model, ((), ""))
    absent = [package for package in packages if find_spec(package) is None]
    if absent:
        faults.append(f"--model {config.model} needs {' and '.join(absent)}: pip install '{distribution}'")
    arguments = config.model_args or {}
    if config.model in _ADDRESSES and not arguments.get("base_url"):
        faults.append(f"--model {config.model} has no address: add base_url={_ADDRESSES[config.model]} to --model_args")
    key = _KEYS.get(config.model)
    if key is not None and not os.environ.get(key) and "header" not in arguments:
        faults.append(f"--model {config.model} needs a key: set the environment variable {key}")
    if config.model in _CHATS and not config.apply_chat_template:
        faults.append(f"--model {config.model} takes chat messages: add --apply_chat_template")
    if config.model == "codemind-replay" and not arguments.get("responses"):
        faults.append(
            "--model codemind-replay answers from files: add --model_args responses=FILE, or use codemind score"
        )
    return faults


def value_faults(config: Any) -> list[str]:
    """Return which options have values that no run can have."""
    faults = []
    if config.limit is not None and not 0 < config.limit < inf:
        faults.append(f"--limit {config.limit:g}: must be above 0 and finite")
    if (config.num_fewshot or 0) < 0:
        faults.append(f"--num_fewshot {config.num_fewshot}: must be 0 or more")
    faults += [
        f"--gen_kwargs {name}={value}: must be a whole number above 0"
        for name, value in (config.gen_kwargs or {}).items()
        if name in LIMIT_NAMES and not is_limit(value)
    ]
    faults += [
        f"--samples: {name}: must be a list of the numbers of documents, which begin with 0"
        for name, chosen in _samples(config).items()
        if not _are_numbers(chosen)
    ]
    if isinstance(config.samples, str):
        faults.append(f"--samples {config.samples}: no such file, and no JSON object")
    elif not isinstance(config.samples or {}, dict):
        faults.append(f"--samples {config.samples}: must be a JSON object: names of tasks and numbers of documents")
    return faults


def results_directory(output_path: str) -> Path:
    """Return the directory of the results: ``--output_path``, or its parent if it names a JSON file.

    A name that ends so is the stem of the files. Other runs may have files in the same directory.
    """
    return Path(output_path).parent if output_path.endswith(".json") else Path(output_path)


def _directory_faults(output_path: str | None) -> list[str]:
    if not output_path:
        return []
    directory = results_directory(output_path)
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


def _cache_faults(config: Any) -> list[str]:
    """Return why responses cannot be kept where ``--use_cache`` says."""
    path = Path(path_for_model(config) or "") if config.use_cache else Path()
    files = {path.with_name(f"{path.name}_rank0.db"), *path.parent.glob(f"{path.name}_rank*.db")} if path.name else ()
    try:
        for file in files:
            opened(file).close()
    except UserError as error:
        return [str(error)]
    return []


def _option_faults(config: Any, settings: Mapping[str, Any], limits: Mapping[str, int]) -> list[str]:
    """Return what the command line lacks: the confirmation of programs, and room for a prompt in the context."""
    faults = []
    unsafe = [name for name, content in settings.items() if content.get("unsafe_code")]
    if unsafe and not config.confirm_run_unsafe_code:
        faults.append(
            f"{_listed(unsafe)}: programs of the model are executed (sandboxed); add --confirm_run_unsafe_code"
        )
    sampled = [name for name, content in settings.items() if int(content.get("repeats") or 1) > 1]
    if sampled and state.profile:
        faults.append(f"{_listed(sampled)}: samples in a way of its own; leave it out of a run with --profile")
    context = _context(config.model, config.model_args or {})
    crowded = [name for name, tokens in limits.items() if context is not None and tokens >= context]
    if crowded:
        faults.append(
            f"{_listed(crowded)}: responses may have {max(limits.values())} tokens, but the context has {context}, "
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
