"""The runtimes that execute the programs of a language. Every package registers them by entry point, this one too."""

import functools
from abc import ABC, abstractmethod
from importlib.metadata import entry_points

from .workers import WorkerPool


class Runtime(ABC):
    """The runtime for the programs of one language, named as in :attr:`.Job.language`."""

    name: str

    @abstractmethod
    def sandbox(self, workers: int | None = None, hash_seed: int = 0) -> WorkerPool:
        """Return a new sandbox that runs ``workers`` programs at a time; None for the usual number.

        ``hash_seed`` is the seed of the hashes of strings and objects, where the language has one.
        """

    def shared_sandbox(self) -> WorkerPool:
        """Return the sandbox that all jobs of this process share."""
        return self.sandbox()


ENTRY_POINTS = "lm_eval_codemind.runtimes"
"""The group of the entry points."""


@functools.cache
def get_runtime(language: str) -> Runtime:
    """Return the runtime of a language; a ValueError if none is registered for it, or several."""
    loaded = [point.load() for point in entry_points(group=ENTRY_POINTS)]
    matching: list[Runtime] = [runtime for runtime in loaded if runtime.name == language]
    if len(matching) > 1:
        raise ValueError(f"there are two runtimes for {language}; uninstall the package that brings one")
    if not matching:
        raise ValueError(
            f"no runtime executes programs in {language!r}; there are runtimes for "
            f"{', '.join(sorted(runtime.name for runtime in loaded))}. A package adds one by an entry point in the "
            f"group {ENTRY_POINTS}"
        )
    return matching[0]
