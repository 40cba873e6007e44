"""Settings for kinds of models that do not answer well with the tasks' own: ``codemind run --profile NAME``."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Profile:
    """How the responses of a run are generated.

    Attributes:
        name: What ``--profile`` names and results record.
        generation: What replaces the tasks' ``generation_kwargs`` of these names.
        repeats: Responses to a question.
    """

    name: str
    generation: Mapping[str, Any]
    repeats: int

    def applied(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """Return the configuration that a task has under this profile."""
        generation = {**(config.get("generation_kwargs") or {}), **self.generation}
        return {**config, "generation_kwargs": generation, "repeats": self.repeats}


# DeepSeek-R1 and Qwen3 advise this temperature and this top_p, and evaluate with responses of this length.
_REASONING = {"max_gen_toks": 32_768, "do_sample": True, "temperature": 0.6, "top_p": 0.95}
PROFILES = {"reasoning": Profile("reasoning", _REASONING, repeats=4)}

# Empty outside of a run with a profile.
_active: list[Profile] = []


@contextmanager
def running(profile: Profile) -> Iterator[None]:
    """Have this suite's tasks ask for as many responses as a profile says, and record its name."""
    _active.append(profile)
    try:
        yield
    finally:
        _active.pop()


def active() -> Profile | None:
    """Return the profile of the run; None if it has none."""
    return _active[-1] if _active else None


def responses(repeats: int | None) -> int:
    """Return how many responses to a question a run asks for, where a task has ``repeats``."""
    profile = active()
    return profile.repeats if profile else int(repeats or 1)
