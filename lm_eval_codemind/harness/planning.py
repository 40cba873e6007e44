"""The requests that a run sends, counted without a model: the harness builds them as it does for the run itself."""

import io
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from lm_eval import simple_evaluate
from lm_eval.api import task as task_module
from lm_eval.api.model import LM

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.harness.cli import Prepared, prepare
from lm_eval_codemind.harness.contract import limit_of, settings_of, tasks_of, token_limit
from lm_eval_codemind.harness.location import keep_tasks
from lm_eval_codemind.harness.preflight import model_faults, unknown_tasks, value_faults
from lm_eval_codemind.harness.provenance import prompts_sent, suite_of
from lm_eval_codemind.harness.stages import SETTING, TASK
from lm_eval_codemind.harness.state import state

# The form of a chat prompt before the endpoint or the tokenizer applies the model's template.
Messages = Sequence[dict[str, str]]
Length = Callable[[str | Messages], int]

_TIKTOKEN = "tiktoken:"


@dataclass(frozen=True)
class TaskPlan:
    """The requests of one task: how many there are, with repeats, and how long they are together.

    Prompts are measured in tokens, or in characters without a tokenizer. ``output_tokens`` is the most that all
    responses can have; None if the task sets no limit. ``prompts_by`` says whose prompts are sent. ``short`` is the
    record of a short form's draw, with the name of its family; empty for any other task.
    """

    task: str
    requests: int
    prompts: int
    output_tokens: int | None
    prompts_by: str
    short: Mapping[str, Any]


@dataclass(frozen=True)
class LaterPlan:
    """A task about programs that the model writes in the run: from 1 request to one for each program, if all pass.

    ``output_tokens`` is the most that all responses can have; None if the task sets no limit.
    """

    task: str
    most_requests: int
    output_tokens: int | None


@dataclass(frozen=True)
class Plan:
    """What a run sends.

    Attributes:
        tasks: The tasks whose prompts are known before the run.
        later: Tasks about programs that the model writes in the run.
        missing: What this machine lacks for the run, with its fix.
    """

    tasks: Sequence[TaskPlan]
    later: Sequence[LaterPlan]
    missing: Sequence[str]


class _Counted(Exception):
    """Ends the harness's evaluation when all requests are built."""


class _Counting(LM):  # type: ignore[misc]
    """A stand-in for the model, which ends the evaluation. It keeps the messages of a chat as JSON."""

    tokenizer_name = "codemind-plan"

    def apply_chat_template(self, chat_history: Messages, add_generation_prompt: bool = True) -> str:
        return json.dumps(chat_history)

    def generate_until(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[str]:
        raise _Counted

    loglikelihood = loglikelihood_rolling = generate_until


def _requests_of(run: Prepared) -> dict[str, tuple[Any, list[Any]]]:
    """Return the tasks that the harness has loaded for the first stage of a run, with the requests that it has built.

    Raises:
        UserError: If an option is unusable.
    """
    config = run.config
    keep_tasks(run.manager)
    # Progress bars are of no use here.
    with patch.object(task_module, "tqdm", lambda documents, **_: documents), redirect_stdout(io.StringIO()):
        try:
            simple_evaluate(
                _Counting(),
                tasks=run.first,
                num_fewshot=config.num_fewshot,
                limit=config.limit,
                samples=config.samples,
                system_instruction=config.system_instruction,
                apply_chat_template=config.apply_chat_template,
                fewshot_as_multiturn=config.fewshot_as_multiturn,
                gen_kwargs=config.gen_kwargs,
                task_manager=run.manager,
                fewshot_random_seed=config.seed[3] if config.seed else None,
                confirm_run_unsafe_code=True,
            )
        except _Counted:
            pass
        except (ValueError, RuntimeError) as error:
            raise UserError(str(error)) from error
    tasks = run.manager.load(run.first)["tasks"]
    return {
        name: (task, [instance for instance in task.instances for _ in range(instance.repeats)])
        for name, task in tasks.items()
    }


def plan(arguments: Sequence[str], length: Length | None = None) -> Plan:
    """Count the requests of ``codemind run ARGUMENTS``. No model is loaded and no program is executed.

    Args:
        arguments: Those of ``codemind run``. Files for results and the cache of responses are ignored.
        length: The length of a prompt: a text, or the messages of a chat. Characters if None.

    Raises:
        UserError: If a task does not exist or an option is unusable.
    """
    missing: list[str] = []
    with ExitStack() as stack:
        run = prepare(arguments, stack)
        if unknown := unknown_tasks(run.manager, [*run.first, *run.later]):
            raise UserError("; ".join(unknown.values()))
        if faults := value_faults(run.config):
            raise UserError("; ".join(faults))
        # Who does not name the model yet wants to know the size of the tasks.
        if any(argument.partition("=")[0] in ("--model", "-M") for argument in arguments):
            missing += model_faults(run.config)
        stack.enter_context(patch.object(state, "faults", missing))
        requests = _requests_of(run)
        tasks = [_planned(run.config, name, *sent, length or _characters) for name, sent in requests.items()]
        later = [_later(run, name, requests) for group in run.later for name in tasks_of(run.manager, group)]
    return Plan(tasks, later, list(dict.fromkeys(missing)))


def _planned(config: Any, name: str, task: Any, sent: Sequence[Any], measure: Length) -> TaskPlan:
    # A prompt that is sent several times is measured once.
    prompts = Counter(instance.args[0] for instance in sent)
    chat = bool(config.apply_chat_template)
    length = sum(count * measure(json.loads(prompt) if chat else prompt) for prompt, count in prompts.items())
    limits = [token_limit(config.model, instance.args[1]) for instance in sent]
    known = [limit for limit in limits if limit is not None]
    most = sum(known) if len(known) == len(limits) else None
    suite = suite_of(task) or {}
    short = {**suite["short"], "family": suite["family"]} if "short" in suite else {}
    return TaskPlan(name, len(sent), length, most, prompts_sent(suite), short)


def _later(run: Prepared, name: str, requests: Mapping[str, tuple[Any, Sequence[Any]]]) -> LaterPlan:
    content = settings_of(run.manager, name)
    stage = content["dataset_kwargs"]
    _, sent = requests.get(stage[TASK], (None, ()))
    programs = sum((instance.doc["setting"] or "") == stage.get(SETTING, "") for instance in sent)
    limit = run.config.limit
    if limit is not None:
        programs = math.ceil(programs * limit) if limit < 1 else min(programs, int(limit))
    # Without any program there is a question about the benchmark's own.
    most = max(1, programs) * state.responses(content.get("repeats"))
    tokens = limit_of(run.config, content)
    return LaterPlan(name, most, None if tokens is None else most * tokens)


def _texts(prompt: str | Messages) -> list[str]:
    return [prompt] if isinstance(prompt, str) else [message["content"] for message in prompt]


def _characters(prompt: str | Messages) -> int:
    return sum(map(len, _texts(prompt)))


def tokenizer(name: str) -> Length:
    """Return a function for the number of tokens of a prompt.

    Args:
        name: A tokenizer on the Hugging Face Hub or in a directory, whose chat template counts; or ``tiktoken:`` with
            the name of one of its encodings. The latter have no chat template, so only the text of messages counts.

    Raises:
        UserError: If there is no such tokenizer, or its library is not installed.
    """
    encodes = name.startswith(_TIKTOKEN)
    try:
        return _tiktoken_length(name.removeprefix(_TIKTOKEN)) if encodes else _transformers_length(name)
    except ImportError as error:
        library, extra = ("tiktoken", "api") if encodes else ("transformers", "hf")
        raise UserError(f"--tokenizer {name} needs {library}: pip install 'lm-eval-codemind[{extra}]'") from error
    except Exception as error:  # of the library's registry, or of the download
        reason = str(error).strip().partition("\n")[0]
        raise UserError(f"--tokenizer {name} cannot be loaded ({reason}); check its name and the network") from error


def _tiktoken_length(name: str) -> Length:
    import tiktoken

    encoding = tiktoken.get_encoding(name)
    return lambda prompt: sum(len(encoding.encode(text, disallowed_special=())) for text in _texts(prompt))


def _transformers_length(name: str) -> Length:
    from transformers import AutoTokenizer

    loaded = AutoTokenizer.from_pretrained(name)

    def length(prompt: str | Messages) -> int:
        if isinstance(prompt, str):
            return len(loaded.encode(prompt))
        begun = prompt[-1]["role"] == "assistant"
        text = loaded.apply_chat_template(
            list(prompt), tokenize=False, add_generation_prompt=not begun, continue_final_message=begun
        )
        return len(loaded.encode(text, add_special_tokens=False))

    return length
