"""Recorded responses: JSON lines in a format of our own, or the harness's sample files; gzip or not."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lm_eval_codemind.questions import Key

GZIP_MAGIC = b"\x1f\x8b"


@dataclass
class Recordings:
    """The responses of one model.

    Attributes:
        responses: Key -> responses in the order of their recording.
        prompts: Key -> what the model was given for each of these, where the rows say so, else the empty text.
        models: The names of the models that the rows give.
    """

    responses: dict[Key, list[str]] = field(default_factory=dict)
    prompts: dict[Key, list[str]] = field(default_factory=dict)
    models: set[str] = field(default_factory=set)

    def find(self, document: Mapping[str, Any]) -> list[str]:
        """Return the responses to a document: under its key, or recorded without its setting; none if there are none.

        Raises:
            KeyError: if the document is not one of this suite.
        """
        return self.responses.get(self._key(document), [])

    def prompts_of(self, document: Mapping[str, Any]) -> list[str]:
        """Return what the model was given for each of the responses that :meth:`find` returns; empty texts if unknown.

        Raises:
            KeyError: if the document is not one of this suite.
        """
        return self.prompts.get(self._key(document), [])

    def _key(self, document: Mapping[str, Any]) -> Key:
        key = Key.of(document).recorded()
        return key if self.responses.get(key) else key._replace(setting="")


def read_recordings(paths: Iterable[str | Path]) -> Recordings:
    """Read files of recorded responses.

    Each line is a JSON object with ``benchmark``, ``problem_id``, ``response`` (null if the model gave none) and
    optionally ``setting``, ``item``, ``model`` and ``prompt`` (what the model was given); or a line of a sample file
    that the harness wrote with ``--log_samples``.

    Raises:
        ValueError: naming the file, the line and the mend, if a line is neither, or if there are no lines.
        FileNotFoundError: if there is no such file.
    """
    recordings = Recordings()
    for path in map(Path, paths):
        filters: dict[Key, Any] = {}
        for number, line in enumerate(_lines(path), start=1):
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
            recordings.responses.setdefault(key, []).extend(new)
            recordings.prompts.setdefault(key, []).extend([prompt] * len(new))
            if row.get("model"):
                recordings.models.add(str(row["model"]))
        if not recordings.responses:
            raise ValueError(f"{path}: no recorded responses")
    return recordings


def _prompt_of(row: Mapping[str, Any]) -> str:
    """Return the prompt that a row gives: by itself, or as the request that the harness logged; empty if none."""
    prompt = row.get("prompt")
    if prompt is None and isinstance(row.get("arguments"), Mapping):
        prompt = (row["arguments"].get("gen_args_0") or {}).get("arg_0")
    return prompt if isinstance(prompt, str) else ""


def _lines(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        zipped = file.read(2) == GZIP_MAGIC
    try:
        with gzip.open(path, "rt", encoding="utf-8") if zipped else path.open(encoding="utf-8") as lines:
            yield from lines
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile) as error:
        raise ValueError(f"{path}: neither UTF-8 text nor a whole gzip file of it ({error})") from error
