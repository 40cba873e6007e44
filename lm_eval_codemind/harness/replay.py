"""A model that answers from recordings."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lm_eval.api.instance import Instance

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.harness.recordings import read_recordings
from lm_eval_codemind.harness.reference import DocumentLM
from lm_eval_codemind.harness.reply import RECORDED, SKIPPED
from lm_eval_codemind.harness.state import state

MISSING = ("error", "empty", "skip")


class ReplayLM(DocumentLM):
    """``codemind-replay``: the recorded response to each document.

    Results record the prompts of such a task as ``recorded``, since the model was not given the prompts of this run.
    Where the rows name the prompts that it was given, their digests are recorded.

    With ``repeats`` in a task, the responses recorded for a problem are used in the order of their recording. Where
    the run scores recordings, the files have been read.
    """

    def __init__(
        self,
        responses: str | Path | Sequence[str | Path],
        missing: str = "error",
        model: str | None = None,
        recorded_benchmark: str | None = None,
        mark: bool = True,
        **unused: Any,
    ) -> None:
        """Read the recordings.

        Args:
            responses: A file, or several; see :func:`~lm_eval_codemind.harness.recordings.read_recordings`.
            missing: What to do where no response is recorded: ``error``, ``empty`` (the empty response), or ``skip``
                (leave the document out of the scores).
            model: Name of the recorded model; not used here, but the harness names its output directory after it.
            recorded_benchmark: The benchmark of files that name none.
            mark: Whether results say so; not where the responses of a run are scored again under its own prompts.
            unused: What the harness hands to every model.
        """
        super().__init__(**unused)
        if missing not in MISSING:
            raise UserError(f"missing={missing}: choose one of {', '.join(MISSING)}")
        self._missing = missing
        self._marks = mark
        self._files = [responses] if isinstance(responses, (str, Path)) else list(responses)
        if state.recorded is None:
            read = read_recordings(self._files, recorded_benchmark)
            read.require_scorable()
        self._recordings = (lambda task: read) if state.recorded is None else state.recorded
        self._used: Counter[tuple[object, ...]] = Counter()

    def generate_until(self, requests: Sequence[Instance], disable_tqdm: bool = False) -> list[str]:
        """Return the recorded responses to the requests, in their order, and mark the requests as recorded."""
        responses = super().generate_until(requests, disable_tqdm)
        for request in requests if self._marks else ():
            recordings = self._recordings(request.task_name)
            recorded = recordings.questions.get(recordings.key_of(request.doc))
            # None where a row names none.
            setattr(request, RECORDED, recorded.prompts if recorded and all(recorded.prompts) else [])
        return responses

    def set_cache_hook(self, cache_hook: Any) -> None:
        """Refuse the harness's cache of responses, which does not know one file of recordings from another.

        Raises:
            UserError: If there is a cache.
        """
        if getattr(cache_hook, "dbdict", None) is not None:
            raise UserError("recorded responses are not cached: leave out --use_cache, or use `codemind run`")
        super().set_cache_hook(cache_hook)

    def respond(self, request: Instance) -> str:
        """Return the next recorded response to the request's document.

        Raises:
            UserError: If none is left and ``missing`` is ``error``, or if the task is not one of this suite.
        """
        try:
            recorded = self._recordings(request.task_name).find(request.doc)
        except KeyError as error:
            raise UserError(
                f"{request.task_name}: codemind-replay answers the tasks of this suite only; "
                f"document {request.doc_id} has no column {error}"
            ) from error
        # The repeats of a request take their turns.
        turn = request.task_name, request.doc_id, request.idx
        index = self._used[turn]
        self._used[turn] += 1
        if index < len(recorded):
            return recorded[index]
        if self._missing == "empty":
            return ""
        if self._missing == "skip":
            return SKIPPED
        setting = "".join(f", {name} {request.doc[name]!r}" for name in ("setting", "item") if request.doc.get(name))
        raise UserError(
            f"{request.task_name}: {len(recorded)} responses are recorded for {request.doc['problem_id']} of "
            f"{request.doc['benchmark']}{setting}, {index + 1} are needed ({', '.join(map(str, self._files))}); "
            "add missing=empty or missing=skip to --model_args, or use `codemind score`"
        )
