"""Recorded responses: JSON lines in a format of our own, or the harness's sample files; gzip or not."""

import gzip
import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lm_eval_codemind.questions import Key
from lm_eval_codemind.questions.samples import prompt_as_sent

GZIP_MAGIC = b"\x1f\x8b"

# What tokenizers put in front of a prompt, such as `<s>` and `<|begin_of_text|>`.
_FIRST_TOKENS = re.compile(r"\s*(?:(?:<s>|<[|\uff5c][^|\uff5c\n]{1,40}[|\uff5c]>)\s*)*")

logger = logging.getLogger(__name__)


@dataclass
class Recordings:
    """The responses of one model.

    Attributes:
        responses: Key -> responses in the order of their recording.
        prompts: Key -> the prompts that the rows of these responses name; empty where a row names none.
        models: The names of the models that the rows give.
    """

    responses: dict[Key, list[str]] = field(default_factory=dict)
    prompts: dict[Key, list[str]] = field(default_factory=dict)
    models: set[str] = field(default_factory=set)

    def find(self, document: Mapping[str, Any]) -> list[str]:
        """Return the responses to a document: under its key, or recorded without its setting; none if there are none.

        Raises:
            KeyError: If the document is not one of this suite.
        """
        return self.responses.get(self._key(document), [])

    def prompts_of(self, document: Mapping[str, Any]) -> list[str]:
        """Return the prompts that the rows of a document's responses name; none where a row names none."""
        prompts = self.prompts.get(self._key(document), [])
        return prompts if all(prompts) else []

    def _key(self, document: Mapping[str, Any]) -> Key:
        key = Key.of(document).recorded()
        return key if self.responses.get(key) else key._replace(setting="")


def read_recordings(
    paths: Iterable[str | Path], strip_prompt: bool = False, strip_through: str | None = None
) -> Recordings:
    """Read files of recorded responses.

    Each line is a JSON object with ``benchmark``, ``problem_id``, ``response`` (null if the model gave none) and
    optionally ``setting``, ``item``, ``model`` and ``prompt`` (what the model was given); or a line of a sample file
    that the harness wrote with ``--log_samples``.

    Args:
        paths: The files.
        strip_prompt: Whether every response begins with the ``prompt`` of its row, which is removed.
        strip_through: A regular expression: what a response has up to the end of its last match is removed.

    Raises:
        ValueError: If a line has neither form, a response does not begin with its prompt, there are no lines, or the
            regular expression is malformed or matches no response. The message names file, line and fix.
        FileNotFoundError: If there is no such file.
    """
    try:
        pattern = None if strip_through is None else re.compile(strip_through)
    except re.error as error:
        raise ValueError(f"strip_through: {strip_through!r} is not a regular expression ({error})") from error
    recordings = Recordings()
    matched = total = 0
    for path in map(Path, paths):
        filters: dict[Key, Any] = {}
        for number, line in enumerate(read_lines(path), start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                key = Key.of(row.get("doc", row)).recorded()
                if "doc" in row:
                    # A sample file has a line for each filter; the responses are the same in all of them.
                    if filters.setdefault(key, row.get("filter")) != row.get("filter"):
                        continue
                    new = [str(response) for responses in row["resps"] for response in responses]
                else:
                    new = [row["response"] or ""]
                prompt = _prompt_of(row)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ValueError(
                    f"{path}, line {number}: not a recorded response ({error!r}); a line is a JSON object with "
                    "benchmark, problem_id and response, or comes from a sample file of lm-evaluation-harness"
                ) from error
            if strip_prompt:
                try:
                    new = [_without_prompt(response, prompt) for response in new]
                except ValueError as error:
                    raise ValueError(f"{path}, line {number}: {key.problem_id} of {key.benchmark}: {error}") from error
            if pattern is not None:
                ends = [max((match.end() for match in pattern.finditer(response)), default=0) for response in new]
                new = [response[end:] for response, end in zip(new, ends, strict=True)]
                matched += sum(end > 0 for end in ends)
            total += len(new)
            recordings.responses.setdefault(key, []).extend(new)
            recordings.prompts.setdefault(key, []).append(prompt)
            if row.get("model"):
                recordings.models.add(str(row["model"]))
        if not recordings.responses:
            raise ValueError(f"{path}: no recorded responses")
    if pattern is not None:
        if not matched:
            raise ValueError(f"strip_through: {strip_through!r} matches none of the {total} responses")
        logger.warning("%d of %d responses are scored without what is up to %r", matched, total, strip_through)
    return recordings


def _prompt_of(row: Mapping[str, Any]) -> str:
    """Return the prompt that a row names: its own ``prompt``, or the request that the harness logged."""
    prompt = row.get("prompt")
    if prompt is None and isinstance(row.get("arguments"), Mapping):
        prompt, _ = prompt_as_sent(row["arguments"].get("gen_args_0") or {})
    return prompt if isinstance(prompt, str) else ""


def _without_prompt(response: str, prompt: str) -> str:
    """Return what follows the prompt that a response begins with, white space aside; an empty response is returned.

    Raises:
        ValueError: If there is no prompt, or if the response does not begin with it.
    """
    if not prompt.strip():
        raise ValueError("the row names no `prompt`, which strip_prompt needs")
    if not response:
        return response
    letters = "".join(prompt.split())
    first = _FIRST_TOKENS.match(response)
    for start in {0, first.end() if first else 0}:
        places = [place for place in range(start, len(response)) if not response[place].isspace()][: len(letters)]
        if "".join(response[place] for place in places) == letters:
            return response[places[-1] + 1 :]
    raise ValueError("the response does not begin with its `prompt`; score it without strip_prompt, or correct the row")


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file, gzipped or not.

    Raises:
        ValueError: If it is not text, or a gzip file that ends too early. The message names it.
    """
    with path.open("rb") as file:
        zipped = file.read(2) == GZIP_MAGIC
    try:
        with gzip.open(path, "rt", encoding="utf-8") if zipped else path.open(encoding="utf-8") as lines:
            yield from lines
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile) as error:
        raise ValueError(f"{path}: neither UTF-8 text nor a whole gzip file of it ({error})") from error
