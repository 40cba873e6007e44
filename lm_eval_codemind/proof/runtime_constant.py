"""What answers that never change score on questions about runtime behaviour: the floor that a model has to beat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lm_eval_codemind.answers import runtime as answers
from lm_eval_codemind.facts.runtime_labels import THE_END, InputLabels, PublishedLabel
from lm_eval_codemind.scores.runtime import METRICS, Item


@dataclass(frozen=True)
class Constant:
    """One response to every question of a kind.

    Attributes:
        coverage: Response to "is the line executed".
        state: Response to "what does the variable hold".
        path: Response to "which line is next".
        output: Response to "what is the output".
    """

    coverage: str
    state: str
    path: str
    output: str


# REval's words and ours.
PUBLISHED_NO = Constant("NO", "Nil", "-1", "")
PUBLISHED_YES = Constant("YES", "Nil", "-1", "")
NO = Constant("<answer>no</answer>", "<answer>not executed</answer>", "<answer>not executed</answer>", "")
YES = Constant("<answer>yes</answer>", "<answer>not executed</answer>", "<answer>the end</answer>", "")
GAMING = Constant(
    "<answer>yes</answer>",
    "<answer>v; type(v)</answer>",
    "<answer>the end</answer>",
    "<answer>pass # assert assert\nassertTrue(True)\nassert f(x) == f(x)</answer>",
)


def published_items(labels: Iterable[tuple[str, PublishedLabel]], constant: Constant) -> list[Item]:
    """Return what a constant answerer's answers are worth by REval's rules; it gets no output right.

    Args:
        labels: Program and label of each item.
        constant: The responses.
    """
    found = []
    for program, label in labels:
        path = constant.path.strip()
        found.append(
            Item(
                program,
                label.executed,
                any(line != -1 for line in label.next_lines),
                answers.published_coverage(constant.coverage),
                answers.published_state(constant.state, label.values),
                path == "-1" and -1 in label.next_lines,
                False,
            )
        )
    return found


def items(labels: Iterable[tuple[str, InputLabels]], constant: Constant) -> list[Item]:
    """Return what a constant answerer's answers are worth on our questions.

    Args:
        labels: Program and labels of each input; excluded inputs and items are left out.
        constant: The responses.
    """
    return list(_items(labels, constant))


def _items(labels: Iterable[tuple[str, InputLabels]], constant: Constant) -> Iterator[Item]:
    coverage = answers.read_coverage(constant.coverage)
    state, path = answers.read_state(constant.state), answers.read_path(constant.path, ())
    for program, given in labels:
        if given.reason:
            continue
        outputs = [output for output in given.outputs if output is not None]
        masked = "\n".join(f"assert {number} == ??" for number in range(len(outputs)))
        output = answers.same_outputs(answers.read_outputs(constant.output, masked), outputs)
        for label in given.labels:
            if not label.reason:
                yield Item(
                    program,
                    label.executed,
                    label.executed and label.next_line != THE_END,
                    coverage,
                    answers.same_state(state, label.value, label.type_name),
                    answers.same_path(path, label.next_line),
                    output,
                )


def scores(of: Sequence[Item]) -> dict[str, float]:
    """Return every metric of some items."""
    return {name: metric(of) for name, metric in METRICS.items()}
