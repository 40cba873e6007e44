"""The view of results on REval's own questions."""

from collections.abc import Sequence

from lm_eval_codemind.families.runtime.items import COVERAGE, OUTPUT, PATH, STATE
from lm_eval_codemind.families.runtime.score import score
from lm_eval_codemind.families.runtime.view import RuntimeView, items_of
from lm_eval_codemind.families.view import Unit
from lm_eval_codemind.samples import Sample


class PublishedRuntimeView(RuntimeView):
    """REval asks all four questions about each line, so that its items have a consistency."""

    scores = ("IC", "coverage", "state", "path", "output")
    reported = ("ic",)

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        """Return the samples program by program; programs of which no item has all its answers are left out."""
        return [unit for unit in super().units(samples) if items_of(unit, "ic")]

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        """Return the means over the program's items; of outputs over its inputs."""
        answered = items_of(unit, "ic")
        means = {name: score(name, answered) for name in (COVERAGE, STATE, PATH)}
        return {"IC": score("ic", answered), **means, "output": score("output", items_of(unit, OUTPUT))}
