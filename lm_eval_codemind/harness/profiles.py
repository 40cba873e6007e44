"""Settings for kinds of models that do not answer well with the tasks' own: ``codemind run --profile NAME``."""

from collections.abc import Mapping
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
