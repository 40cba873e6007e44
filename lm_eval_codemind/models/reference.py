"""The two ends of every scale: a model that answers perfectly and one that answers nothing."""

from lm_eval.api.instance import Instance

from lm_eval_codemind.models.base import DocumentLM


class OracleLM(DocumentLM):
    """``codemind-oracle``: every metric must reach its ceiling.

    Every document of this suite has a column ``target`` with a response that gets full marks.
    """

    def respond(self, request: Instance) -> str:
        """Return the document's perfect response.

        Raises:
            ValueError: If the document has none, because the task is not one of this suite.
        """
        target = request.doc.get("target")
        if not isinstance(target, str):
            raise ValueError(
                f"{request.task_name}: codemind-oracle answers the tasks of this suite only; "
                f"document {request.doc_id} has no column 'target'"
            )
        return target


class NullLM(DocumentLM):
    """``codemind-null``: an empty response to every prompt. Every metric must have its minimum."""

    def respond(self, request: Instance) -> str:
        """Return the empty text."""
        return ""
