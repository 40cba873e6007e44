"""Recorded responses: JSON lines in a format of our own, or the harness's sample files; gzip or not."""

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.harness.reply import Reply
from lm_eval_codemind.harness.result_files import results_beside
from lm_eval_codemind.questions import Key, digest
from lm_eval_codemind.samples import logged_responses, prompt_as_sent

GZIP_MAGIC = b"\x1f\x8b"


# The columns of a document that its program and its input are in.
_QUESTION = ("code", "input")
# What tells which question a document asks, and what about.
COLUMNS = (*Key._fields, *_QUESTION)

# The names of EvalPlus' benchmarks -> ours, and how its problems are named. It asks without a test.
_EVALPLUS = {"HumanEval": ("humaneval", "HumanEval"), "Mbpp": ("mbpp", "MBPP")}
_EVALPLUS_SETTING = "no_test"


@dataclass
class Recorded:
    """What is recorded about one question.

    Attributes:
        asked: The parts of the first row that say what was asked.
        responses: The responses, in the order of their recording.
        place: Of the document in its task, if the rows are those of a sample file of the harness.
        prompts: The prompts that the rows name; empty where a row names none.
    """

    asked: Mapping[str, Any]
    place: int | None
    responses: list[str] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)


@dataclass
class Recordings:
    """The responses of one model.

    Attributes:
        questions: Key -> what is recorded about its question.
        models: The names of the models that the rows give.
        extracted: Whether the responses are answers that somebody took out of them.
        faults: Why they cannot be scored as the responses of one model to one set of prompts.
    """

    questions: dict[Key, Recorded] = field(default_factory=dict)
    models: set[str] = field(default_factory=set)
    extracted: bool = False
    faults: list[str] = field(default_factory=list)

    def add(self, row: Mapping[str, Any], key: Key, responses: Iterable[str], prompt: str, family: str = "") -> None:
        """Add the responses of a row, after those that its question has already.

        Args:
            row: The row.
            key: The key of its question.
            responses: Its responses.
            prompt: What the model was given; empty if the row does not say.
            family: Whose question it is, by the name of the variant; empty if that is not known.
        """
        place = int(row["doc_id"]) if "doc" in row else None
        recorded = self.questions.setdefault(key, Recorded({**_asked(row), "family": family}, place))
        recorded.responses += responses
        recorded.prompts.append(prompt)
        if row.get("model"):
            self.models.add(str(row["model"]))

    def require_scorable(self) -> None:
        """Check that these are the responses of one model to one set of prompts, and that no request failed.

        Raises:
            UserError: If not. The message names the file.
        """
        if self.faults:
            raise UserError("\n".join(self.faults))

    def find(self, document: Mapping[str, Any]) -> list[str]:
        """Return the responses to a document: under its key, or recorded without its setting; none if there are none.

        Raises:
            KeyError: If the document is not one of this suite.
        """
        recorded = self.questions.get(self.key_of(document))
        return recorded.responses if recorded else []

    def key_of(self, document: Mapping[str, Any]) -> Key:
        """Return the key under which a document's responses are, if there are any."""
        key = Key.of(document).recorded()
        return key if key in self.questions else key._replace(setting="")


def read_recordings(paths: Iterable[str | Path], benchmark: str | None = None) -> Recordings:
    """Read files of recorded responses.

    Each line is one of these JSON objects. Several lines about the same question are several responses to it.

    - ``benchmark``, ``problem_id``, ``response`` or ``responses`` (null or an empty list if the model gave none), and
      optionally
      ``setting``, ``item``, ``model`` and ``prompt`` (what the model was given);
    - a line of a sample file that the harness wrote with ``--log_samples``;
    - a line of EvalPlus' sample files: ``task_id``, such as ``HumanEval/0`` or ``Mbpp/2``, and ``solution``.

    Or the whole file is one JSON value, about the problems of one benchmark:

    - CRUXEval's generations: an object with a list of answers, taken out of the responses, for each problem;
    - LiveCodeBench's outputs of code execution: a list of objects with ``id`` and ``output_list``.

    Or it is a folder of the outputs that CodeMind's authors publish, ``DATASET/PROBLEM/response.txt``; its name is that
    of the model.

    Args:
        paths: The files, or folders.
        benchmark: The benchmark of files that name none.

    Raises:
        UserError: If a line has none of these forms, a file needs a benchmark and there is none, or there are no
            lines. The message names file, line and fix.
        FileNotFoundError: If there is no such file.
    """
    recordings = Recordings()
    files, runs = list(map(Path, paths)), set[str]()
    for path in files:
        filters: dict[Key, Any] = {}
        run, empty = _run_of(path), False
        runs |= {run.model} - {""}
        for place, text in _rows(path, benchmark):
            try:
                row = json.loads(text) if isinstance(text, str) else text
                key = _key_of(row)
                if _is_repeated(row, key, filters):
                    continue
                responses, prompt = _responses_of(row), _prompt_of(row)
                recordings.add(row, key, responses, prompt, run.family)
                empty = empty or "" in responses
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise UserError(
                    f"{path}, {place}: not a recorded response ({error!r}); a line is a JSON object with benchmark, "
                    "problem_id and response (a text or null) or responses (a list of these), or comes from a sample "
                    "file of lm-evaluation-harness or EvalPlus"
                ) from error
            recordings.extracted |= row.get("extracted") is True
        if not recordings.questions:
            raise UserError(f"{path}: no recorded responses{_instead(path)}")
        if run.failed and empty:
            recordings.faults.append(
                f"{path}: {run.failed} requests of this run failed, and the file does not tell them from empty "
                "responses; start the run again with --use_cache PATH, or remove the lines with an empty response"
            )
    recordings.faults += _mixed(recordings, runs, ", ".join(map(str, files)))
    return recordings


def _mixed(recordings: Recordings, runs: set[str], files: str) -> Iterator[str]:
    """Yield what is mixed in some files: models, by their rows or by the results of their runs, and prompts."""
    for models in (recordings.models, runs):
        if len(models) > 1:
            names = ", ".join(sorted(models))
            yield f"{files}: responses of {len(models)} models ({names}); score each model with its own file"
    # Rows of other forms may name several prompts; a sample file has one for each question.
    logged = ((key, one) for key, one in recordings.questions.items() if one.place is not None)
    several = next((key.within_task() for key, one in logged if len({*one.prompts} - {""}) > 1), None)
    if several:
        yield f"{files}: {several} has responses to several prompts; score each run with its own files"


def _instead(path: Path) -> str:
    """Return what to name instead of a folder of results: its sample files."""
    samples = sorted(map(str, path.rglob("samples_*.jsonl"))) if path.is_dir() else []
    return f"; name a sample file in this folder: {', '.join(samples)}" if samples else ""


class _Run(NamedTuple):
    """What results say of the run of a file of samples: of which model and family it is, and how many requests failed.

    Where there are no results beside the file, nothing is known.
    """

    model: str = ""
    family: str = ""
    failed: int = 0


def _run_of(path: Path) -> _Run:
    beside = results_beside(path)
    if beside is None:
        return _Run()
    raw, task = beside
    suite = ((raw["configs"].get(task) or {}).get("metadata") or {}).get("suite") or {}
    failed = (suite.get("readings") or {}).get("failed", 0)
    return _Run(str(raw.get("model_name") or ""), str(suite.get("family") or ""), int(failed))


def _is_repeated(row: Mapping[str, Any], key: Key, filters: dict[Key, Any]) -> bool:
    """Whether a row repeats another one: a sample file has a line for each filter, with the same responses."""
    return "doc" in row and filters.setdefault(key, row.get("filter")) != row.get("filter")


def _rows(path: Path, benchmark: str | None) -> Iterator[tuple[str, Any]]:
    """Yield the rows of a file or folder, or their text, each with its place in words."""
    if path.is_dir():
        yield from _published_outputs(path)
        return
    lines = read_lines(path)
    first = next((line for line in lines if line.strip()), "")
    if not _starts_one_value(first):
        numbered = enumerate(read_lines(path), start=1)
        yield from ((f"line {number}", line) for number, line in numbered if line.strip())
        return
    try:
        content = json.loads(first + "".join(lines))
        rows = content.items() if isinstance(content, dict) else [(row["id"], row["output_list"]) for row in content]
        for name, responses in rows:
            if not isinstance(responses, list):
                raise TypeError(f"{name} has {type(responses).__name__} instead of a list of responses")
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(
            f"{path}: not recorded responses ({error!r}); a file with one JSON value is an object with a list of "
            "responses for each problem, or a list of objects with id and output_list"
        ) from error
    if benchmark is None:
        raise UserError(f"{path} does not say of which benchmark its problems are; give --tasks of one benchmark")
    for name, responses in rows:
        row = {"benchmark": benchmark, "problem_id": name, "responses": responses}
        yield f"problem {name}", {**row, "extracted": isinstance(content, dict)}


def _published_outputs(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for file in sorted(folder.glob("*/*/response.txt")):
        dataset, problem_id, _ = file.relative_to(folder).parts
        row = {"model": folder.name, "benchmark": dataset.lower(), "problem_id": problem_id, "published": True}
        yield str(file.relative_to(folder)), {**row, "response": file.read_bytes().decode("utf-8")}


def _starts_one_value(line: str) -> bool:
    """Whether a file's first line starts a value that is the whole file: a list, or an object of lists."""
    if line.strip() == "{":
        return True
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return line.lstrip().startswith("[")
    return isinstance(value, list) or (
        isinstance(value, dict) and bool(value) and all(isinstance(part, list) for part in value.values())
    )


def _key_of(row: Any) -> Key:
    if "task_id" not in row:
        return Key.of(row.get("doc", row)).recorded()
    prefix, _, number = row["task_id"].partition("/")
    if prefix not in _EVALPLUS:
        raise UserError(f"task_id {row['task_id']}: the ones known here are of {', '.join(_EVALPLUS)}")
    if "solution" not in row:
        raise KeyError("solution")
    benchmark, stem = _EVALPLUS[prefix]
    return Key(benchmark, f"{stem}_{number}", _EVALPLUS_SETTING)


def _responses_of(row: Mapping[str, Any]) -> list[Reply]:
    if "doc" in row:
        texts = logged_responses(row["resps"])
    elif "responses" in row:
        texts = row["responses"]
    else:
        texts = [row["solution"] if "task_id" in row else row["response"]]
    if not isinstance(texts, list):
        raise TypeError(f"responses are {type(texts).__name__}, and must be a list")
    for text in texts:
        if text is not None and not isinstance(text, str):
            raise TypeError(f"the response is {type(text).__name__}, and must be a text or null")
    # Who asked and recorded none has no answer.
    return [Reply(text or "") for text in texts or [None]]


def _prompt_of(row: Mapping[str, Any]) -> str:
    """Return the prompt that a row names: its own ``prompt``, or the request that the harness logged."""
    prompt = row.get("prompt")
    if prompt is None and isinstance(row.get("arguments"), Mapping):
        prompt, _ = prompt_as_sent(row["arguments"].get("gen_args_0") or {})
    return prompt if isinstance(prompt, str) else ""


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file, gzipped or not.

    Raises:
        UserError: If it is not text, or a gzip file that ends too early. The message names it.
    """
    with path.open("rb") as file:
        zipped = file.read(2) == GZIP_MAGIC
    try:
        # Without the mark that some programs put in front of UTF-8.
        with gzip.open(path, "rt", encoding="utf-8-sig") if zipped else path.open(encoding="utf-8-sig") as lines:
            yield from lines
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile) as error:
        raise UserError(f"{path}: neither UTF-8 text nor a whole gzip file of it ({error})") from error


def answers_another_question(row: Mapping[str, Any], document: Mapping[str, Any], family: str = "") -> bool:
    """Whether a recorded row says that it answers another question than a document of the same problem asks.

    A line of a sample file holds the program and the input that it is about, and the results beside the file name the
    family, which is compared with the document's if that is given. A row of a study names the label of its
    question as ``published_label``, or says that it is ``published``; ``proofs/asked_otherwise.json`` has the digests
    of those labels whose questions changed.
    """
    asked = str(row.get("family") or "")
    if family and asked and asked.removesuffix("_short") != family.removesuffix("_short"):
        return True
    logged = row.get("doc")
    if logged is not None:
        return any(logged[name] != document[name] for name in _QUESTION if name in logged and name in document)
    changed = shipped.load("proofs/asked_otherwise.json").get(document["benchmark"], {}).get(document["problem_id"])
    return changed is not None and (bool(row.get("published")) or digest([str(row.get("published_label"))]) == changed)


def _asked(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a row that :func:`answers_another_question` looks at."""
    if row.get("doc") is not None:
        return {"doc": {name: row["doc"][name] for name in _QUESTION if name in row["doc"]}}
    return {"published_label": row.get("published_label"), "published": row.get("published")}


def without_texts(documents: Any) -> list[dict[str, Any]]:
    """Return the documents of a data set with :data:`COLUMNS` alone, a hundred times faster than row by row."""
    known = [column for column in COLUMNS if column in documents.column_names]
    rows: list[dict[str, Any]] = documents.select_columns(known).to_list()
    return rows
