"""Models that answer from the document, without inference: their base class, and the two ends of every scale."""

import abc
from collections.abc import Sequence
from typing import Any, NoReturn

from lm_eval.api.instance import Instance
from lm_eval.api.model import LM

from lm_eval_codemind.errors import UserError


class DocumentLM(LM):  # type: ignore[misc]
    """A model that generates its response from the request's document instead of its prompt."""

    def __init__(self, **unused: Any) -> None:
        """Take the batch size, device and the like that the harness hands to every model, and ignore them."""
        super().__init__()

    @abc.abstractmethod
    def respond(self, request: Instance) -> str:
        """Return the response to one request; it is called once for each of its repeats, in order."""

    def generate_until(self, requests: Sequence[Instance], disable_tqdm: bool = False) -> list[str]:
        """Return the responses to the requests, in their order."""
        return [self.respond(request) for request in requests]

    def loglikelihood(self, requests: Sequence[Instance]) -> NoReturn:
        """Refuse: there are no probabilities."""
        raise NotImplementedError(f"{type(self).__name__} generates responses only; the task asks for likelihoods")

    loglikelihood_rolling = loglikelihood

    @property
    def tokenizer_name(self) -> str:
        """Name of the chat template below."""
        return "codemind"

    def apply_chat_template(self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True) -> str:
        """Return the messages as plain text, so that runs with a chat template can be checked as well."""
        turns = [f"{message['role']}: {message['content']}\n" for message in chat_history]
        return "".join(turns) + ("assistant: " if add_generation_prompt else "")


class OracleLM(DocumentLM):
    """``codemind-oracle``: right answers. Scores that need a wrong answer somewhere, such as ``s_sr``, are 0.

    Every document of this suite has a column ``target`` with a response that gets full marks.
    """

    def respond(self, request: Instance) -> str:
        """Return the document's perfect response.

        Raises:
            UserError: If the document has none, because the task is not one of this suite.
        """
        target = request.doc.get("target")
        if not isinstance(target, str):
            raise UserError(
                f"{request.task_name}: codemind-oracle answers the tasks of this suite only; "
                f"document {request.doc_id} has no column 'target'"
            )
        return target


class NullLM(DocumentLM):
    """``codemind-null``: an empty response to every prompt. Every metric must have its minimum."""

    def respond(self, request: Instance) -> str:
        """Return the empty text."""
        return ""
