"""A model that answers from recordings."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lm_eval.api.instance import Instance

from lm_eval_codemind.answers.response import SKIPPED
from lm_eval_codemind.models.base import DocumentLM
from lm_eval_codemind.models.recordings import read_recordings
from lm_eval_codemind.models.repeated_prompts import without_prompts

MISSING = ("error", "empty", "skip")
REPEATED_PROMPTS = ("keep", "drop")

logger = logging.getLogger(__name__)


class ReplayLM(DocumentLM):
    """``codemind-replay``: the recorded response to each document.

    With ``repeats`` in a task, the responses recorded for a problem are used in the order of their recording.
    """

    def __init__(
        self,
        responses: str | Path | Sequence[str | Path],
        missing: str = "error",
        model: str | None = None,
        repeated_prompts: str = "keep",
        **unused: Any,
    ) -> None:
        """Read the recordings.

        Args:
            responses: A file, or several; see :func:`~lm_eval_codemind.models.recordings.read_recordings`.
            missing: What to do where no response is recorded: ``error``, ``empty`` (the empty response), or ``skip``
                (leave the document out of the scores).
            model: Name of the recorded model; not used here, but the harness names its output directory after it.
            repeated_prompts: What to do with a prompt that a response repeats: ``keep`` or ``drop``, which says for how
                many it did so.
            unused: What the harness hands to every model.
        """
        super().__init__(**unused)
        if missing not in MISSING:
            raise ValueError(f"missing={missing}: choose one of {', '.join(MISSING)}")
        if repeated_prompts not in REPEATED_PROMPTS:
            raise ValueError(f"repeated_prompts={repeated_prompts}: choose one of {', '.join(REPEATED_PROMPTS)}")
        self._missing = missing
        self._drops_prompts = repeated_prompts == "drop"
        self._files = [responses] if isinstance(responses, (str, Path)) else list(responses)
        self._recordings = read_recordings(self._files)
        self._used: Counter[tuple[object, ...]] = Counter()

    def generate_until(self, requests: Sequence[Instance], disable_tqdm: bool = False) -> list[str]:
        """Return the recorded responses to the requests, in their order, without repeated prompts if asked to."""
        first = [self._used[_turn_of(request)] for request in requests]
        responses = super().generate_until(requests, disable_tqdm)
        if not self._drops_prompts:
            return responses
        prompts = []
        for request, index in zip(requests, first, strict=True):
            recorded = self._recordings.prompts_of(request.doc)[index : index + 1]
            rendered = [text for text in request.args[:1] if isinstance(text, str)]
            prompts.append([prompt for prompt in (*recorded, *rendered) if prompt])
        rests = without_prompts(responses, [request.doc for request in requests], prompts)
        found = sum(rest is not None for rest in rests)
        if found:
            logger.warning(
                "%d of %d responses repeat the prompt they were given; what follows it was scored", found, len(rests)
            )
        return [response if rest is None else rest for response, rest in zip(responses, rests, strict=True)]

    def respond(self, request: Instance) -> str:
        """Return the next recorded response to the request's document.

        Raises:
            ValueError: if none is left and ``missing`` is ``error``, or if the task is not one of this suite.
        """
        try:
            recorded = self._recordings.find(request.doc)
        except KeyError as error:
            raise ValueError(
                f"{request.task_name}: codemind-replay answers the tasks of this suite only; "
                f"document {request.doc_id} has no column {error}"
            ) from error
        turn = _turn_of(request)
        index = self._used[turn]
        self._used[turn] += 1
        if index < len(recorded):
            return recorded[index]
        if self._missing == "empty":
            return ""
        if self._missing == "skip":
            return SKIPPED
        setting = "".join(f", {name} {request.doc[name]!r}" for name in ("setting", "item") if request.doc.get(name))
        raise ValueError(
            f"{request.task_name}: {len(recorded)} responses are recorded for {request.doc['problem_id']} of "
            f"{request.doc['benchmark']}{setting}, {index + 1} are needed ({', '.join(map(str, self._files))}); "
            "add missing=empty or missing=skip to --model_args, or use `codemind score`"
        )


def _turn_of(request: Instance) -> tuple[object, ...]:
    """Return what counts the repeats of a request."""
    return request.task_name, request.doc_id, request.idx
