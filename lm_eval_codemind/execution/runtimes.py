"""The runtimes that execute the programs of a language. Other packages register runtimes by entry point."""

from abc import ABC, abstractmethod

from lm_eval_codemind.plugins import registered

from .workers import WorkerPool

_PACKAGED = ("lm_eval_codemind.execution.sandbox:PYTHON", "lm_eval_codemind.languages.java.runtime.sandbox:JAVA")


class Runtime(ABC):
    """The runtime for the programs of one language.

    Attributes:
        name: The language, as in :attr:`.Job.language`.
    """

    name: str

    @abstractmethod
    def sandbox(self, workers: int | None = None, hash_seed: int = 0) -> WorkerPool:
        """Return a new sandbox.

        Args:
            workers: Programs at a time; None for the usual number.
            hash_seed: The seed of the hashes of strings and objects, where the language has one.
        """

    def shared_sandbox(self, workers: int | None) -> WorkerPool:
        """Return the sandbox that all jobs of this process share."""
        return self.sandbox(workers)


def get_runtime(language: str) -> Runtime:
    """Return the runtime of a language.

    Raises:
        ValueError: If nothing is registered for it; the message names the languages that can be executed.
    """
    known = registered("runtimes", _PACKAGED)
    if language not in known:
        raise ValueError(
            f"no runtime executes programs in {language!r}; there are runtimes for {', '.join(known)}. A package adds "
            "one by an entry point in the group lm_eval_codemind.runtimes"
        )
    runtime: Runtime = known[language]
    return runtime
