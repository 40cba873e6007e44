"""Tasks whose questions are made from the responses of an earlier task, their first stage.

The harness makes one call for all requests of a run, so such a task is a separate run. Its YAML names the first
stage::

    dataset_kwargs:
      first_stage_task: codemind_sr_humaneval
      first_stage_setting: no_test

and ``--metadata '{"first_stage": "DIR"}'`` the place where the responses lie: the value of ``--output_path``,
with ``--log_samples``. :mod:`lm_eval_codemind.harness.cli` runs both stages, one after the other, with the model loaded
once.
"""

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lm_eval_codemind.errors import UserError, shortened
from lm_eval_codemind.harness.location import task_manager
from lm_eval_codemind.harness.provenance import THINKING, templates_of
from lm_eval_codemind.harness.reply import SKIPPED
from lm_eval_codemind.harness.result_files import read_results, read_samples, result_files, samples_file
from lm_eval_codemind.questions import Key, Question, digest, sealed
from lm_eval_codemind.samples import logged_responses, response_text

logger = logging.getLogger(__name__)

# Names of a task's dataset_kwargs and of the entry of --metadata.
TASK, SETTING, PLACE = "first_stage_task", "first_stage_setting", "first_stage"

# What must be the same in the first stage and here, as the results record it, and what a reader calls it.
_SETTINGS = {
    "family": "family",
    "benchmark": "benchmark",
    "version": "release of this suite",
    "data_sha256": "data",
    "beside_sha256": "data",
    "prompts_sha256": "prompts",
    "options": "options of --metadata",
}

# Of --model_args: what says which model it is, whatever loads it.
_IDENTITY = (
    *("pretrained", "model", "path", "engine", "peft", "delta", "revision", "subfolder"),
    *("gguf_file", "lora_local_path"),
)


def first_stage_file(suite: Mapping[str, Any], file: Path) -> Path | None:
    """Return the results file of a task's first stage: next to its own, else where it was when the task was run.

    None if the task has one stage only.

    Args:
        suite: The suite's record of the task.
        file: The task's own results file.
    """
    recorded = (suite.get("options") or {}).get(PLACE)
    if recorded is None:
        return None
    here = file.with_name(Path(recorded).name)
    return here if here.is_file() else Path(recorded)


@dataclass(frozen=True)
class FirstStage:
    """The responses to the first stage, as a results file and its samples have them.

    Attributes:
        task: Name of its task.
        file: The results file.
        samples: The file with its samples.
        suite: What the results record of the task, which is what this release records of it, too.
        questions: Its questions, in order, with the responses to each; those of other settings are left out.
        all: The questions there are; more than were asked where the run was limited.
        opened: Whether the chat template opened the thinking of the responses.
    """

    task: str
    file: Path
    samples: Path
    suite: Mapping[str, Any]
    questions: Sequence[tuple[Question, tuple[str, ...]]]
    all: Sequence[Question]
    opened: bool = False

    def record(self) -> dict[str, Any]:
        """Return what the results of the second stage record of the first."""
        responses = [response for _, of_question in self.questions for response in of_question]
        return {
            "task": self.task,
            "family": self.suite.get("family"),
            "benchmark": self.suite.get("benchmark"),
            "results": self.file.name,
            "samples_sha256": hashlib.sha256(self.samples.read_bytes()).hexdigest(),
            "options": dict(self.suite.get("options") or {}),
            "questions": len(self.questions),
            "of": len(self.all),
            "responses": len(responses),
        }


_RUN_IT = "run {} with --log_samples --output_path DIR, and give that DIR"


def read_first_stage(task: str, setting: str, place: str | Path | None, metadata: Mapping[str, Any]) -> FirstStage:
    """Read the responses to the first stage of a task.

    Args:
        task: Name of its task.
        setting: The setting of the questions to take.
        place: A results file of the harness, or a directory that holds one at any depth.
        metadata: ``--metadata`` with ``--model_args``, as the harness hands them to a task.

    Raises:
        UserError: with what is wrong and how to fix it, if there are no such responses, or if they are those of
            another model or of other settings.
    """
    if place is None:
        raise UserError(
            f"no responses of the first stage {task}: use `codemind run`, which runs both stages, or run {task} with "
            f'--log_samples --output_path DIR first and then this with --metadata \'{{"{PLACE}": "DIR"}}\''
        )
    file, raw, samples = _run_of(task, place, _identity(metadata))
    here = _task_here(task, {name: value for name, value in metadata.items() if name not in (PLACE, TASK, SETTING)})
    there = raw["configs"][task].get("metadata") or {}
    _require_same_settings(file, task, there, here.config.metadata)
    documents = {Key.of(document): document for document in here.eval_docs if (document["setting"] or "") == setting}
    responses = _responses(samples, (there.get("suite") or {}).get("responses"), documents)
    if not responses:
        raise UserError(
            f"{file}: no response to a question of {task} under the setting {setting!r}; {_RUN_IT.format(task)}"
        )
    questions = {key: Question.from_document(document) for key, document in documents.items()}
    pairs = [(question, responses[key]) for key, question in questions.items() if key in responses]
    suite, opened = here.config.metadata["suite"], THINKING in (there.get("suite") or {})
    return FirstStage(task, file, samples, suite, pairs, list(questions.values()), opened)


def _run_of(task: str, place: str | Path, own: dict[str, str]) -> tuple[Path, dict[str, Any], Path]:
    """Return the results file of a task at a place, its content and the file of its samples.

    Args:
        own: The model whose results are wanted.

    Raises:
        UserError: If there are none, or several.
    """
    try:
        read = [(file, read_results(file)) for file in result_files(Path(place))]
    except ValueError as error:
        raise UserError(f"{PLACE}={place}: {error}") from error
    of_task = [(file, raw) for file, raw in read if task in raw["configs"]]
    if not of_task:
        raise UserError(f"{PLACE}={place}: no results of {task} there; {_RUN_IT.format(task)}")
    logged = [(file, raw, samples) for file, raw in of_task if (samples := samples_file(file, task))]
    if not logged:
        raise UserError(f"{PLACE}={place}: the results of {task} come without its samples; {_RUN_IT.format(task)}")
    of_model = [run for run in logged if model_identity(run[1]) == own]
    if not of_model:
        others = "; ".join(dict.fromkeys(_shown(model_identity(raw)) for _, raw, _ in logged))
        raise UserError(
            f"{PLACE}={place}: its responses to {task} are those of another model: {others}, here {_shown(own)}; "
            "give the same model to both stages"
        )
    if len(of_model) > 1:
        listed = "".join(f"\n  {file}" for file, *_ in of_model)
        raise UserError(f"{PLACE}={place}: {len(of_model)} runs of {task} are there; name one of the files:{listed}")
    return of_model[0]


def samples_of(file: Path, family: str) -> Iterator[dict[str, Any]]:
    """Yield the logged samples of the tasks of a results file that record a family, by the name of its variant."""
    for task, config in read_results(file)["configs"].items():
        suite = (config.get("metadata") or {}).get("suite") or {}
        samples = samples_file(file, task)
        if samples is not None and suite.get("family") == family:
            yield from (row for _, row in read_samples(samples, _with_key))


def model_identity(raw: Mapping[str, Any]) -> dict[str, str]:
    """Return what says which model a results file is of: the entries of ``--model_args`` that name it."""
    return _identity(model_args(raw))


def _with_key(row: dict[str, Any]) -> tuple[Key, dict[str, Any]]:
    return Key.of(row["doc"]), row


def _responses(samples: Path, recorded: object, documents: Mapping[Key, Any]) -> dict[Key, tuple[str, ...]]:
    """Return the responses to documents in a file of samples, whose digests the results may have recorded."""
    seals = sealed(str(recorded or ""))
    responses: dict[Key, tuple[str, ...]] = {}
    for key, row in read_samples(samples, _with_key):
        # A task of several filters logs a line for each; the responses are the same in all of them.
        if key not in documents or key in responses:
            continue
        texts = tuple(map(response_text, logged_responses(row["resps"])))
        if seals.get(key.within_task(), digest(texts)) != digest(texts):
            raise UserError(
                f"{samples}: the response to {key.within_task()} was changed since the run; take the file from a "
                "backup or run the first stage again"
            )
        if SKIPPED not in texts:
            responses[key] = texts
    return responses


def _task_here(task: str, metadata: Mapping[str, Any]) -> Any:
    manager = task_manager(metadata)
    if task not in manager.all_tasks:
        raise UserError(f"{TASK}={task}: there is no such task; the YAML file must name one of this suite")
    return manager.load([task])["tasks"][task]


def _require_same_settings(file: Path, task: str, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    suites = [dict(one.get("suite") or {}) for one in (there, here)]
    for suite in suites:
        suite["prompts_sha256"] = templates_of(suite)[1]
    differing = [
        f"{title} ({name} is {shortened(str(suites[0].get(name)))}, here {shortened(str(suites[1].get(name)))})"
        for name, title in _SETTINGS.items()
        if suites[0].get(name) != suites[1].get(name)
    ]
    if there.get("version") != here.get("version"):
        differing.append(f"version of the task ({there.get('version')}, here {here.get('version')})")
    if differing:
        raise UserError(
            f"{file}: its responses to {task} were given under other settings: {'; '.join(differing)}; run {task} "
            "again, or this with the release and the --metadata of that run"
        )


def model_args(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``--model_args`` of a results file."""
    arguments = (raw.get("config") or {}).get("model_args")
    if isinstance(arguments, Mapping):
        return dict(arguments)
    pairs = (part.partition("=") for part in str(arguments or "").split(","))
    return {name.strip(): value.strip() for name, equals, value in pairs if equals}


def _identity(arguments: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(arguments[name]) for name in _IDENTITY if arguments.get(name) is not None}


def _shown(identity: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in identity.items()) or "one without a name in --model_args"
