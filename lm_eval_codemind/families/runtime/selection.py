"""Which questions are asked: by default two of each kind about each problem, since those about one program agree.

The choice depends on digests of the questions' keys, so it is the same everywhere.
"""

import hashlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from more_itertools import interleave_longest, map_reduce

from lm_eval_codemind.data.facts.runtime_labels import ends_of_lines
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.families.runtime.items import COVERAGE, PATH, Fields
from lm_eval_codemind.questions import Question

ITEMS = "items"
"""The option of ``--metadata``: the most questions of a kind about a problem, or :data:`ALL`."""
ALL = "all"
USUAL = 2
# Part of every digest. With another seed other questions are asked.
_SEED = "0"

_Item = TypeVar("_Item")


def chosen(options: Mapping[str, Any]) -> int | str:
    """Return the most questions of a kind about a problem, or :data:`ALL`.

    Raises:
        UserError: If the option is something else.
    """
    value = str(options.get(ITEMS, USUAL))
    if value == ALL:
        return ALL
    if not value.isdecimal() or int(value) < 1:
        raise UserError(
            f'{ITEMS} is {value!r}, and must be "{ALL}" or a whole number from 1, the most questions of a kind about a '
            f'problem: --metadata \'{{"{ITEMS}": "{ALL}"}}\''
        )
    return int(value)


def select(questions: Sequence[Question], most: int) -> list[Question]:
    """Return at most so many questions of each kind about each problem, in their order.

    - The inputs of a problem take turns. Their order and that of their lines is the same for all kinds of questions,
      so that the questions about a line are asked together where possible.
    - Lines that are executed take turns with lines that are not, and lines whose next line follows in the program with
      others, as far as there are both: no answer about coverage or path becomes more frequent.
    """
    groups = map_reduce(questions, lambda question: question.key._replace(item=""))
    taken = {question.key for group in groups.values() for question in _in_turn(_ordered(group), _answer)[:most]}
    return [question for question in questions if question.key in taken]


def _ordered(group: Iterable[Question]) -> list[Question]:
    """Return questions of a kind about a problem in the order of their digests, the inputs in turn."""

    def digests(question: Question) -> list[str]:
        texts = (f"{_SEED}/{question.key.problem_id}/{name}" for name in (question["run"], question.key.item))
        return [hashlib.sha256(text.encode()).hexdigest() for text in texts]

    return _in_turn(sorted(group, key=digests), lambda question: question["run"])


def _in_turn(items: Iterable[_Item], by: Callable[[_Item], Hashable]) -> list[_Item]:
    """Return the first item of each class, then the second of each, and so on."""
    return list(interleave_longest(*map_reduce(items, by).values()))


def _answer(question: Question) -> bool:
    """Return the class of a question's answer that a rule might guess."""
    fields = question.typed(Fields)
    if question.key.setting == COVERAGE:
        return fields["executed"]
    return follows(fields) if question.key.setting == PATH else True


def follows(fields: Fields) -> bool:
    """Whether the line that is executed next is the one that the next statement in the program's text starts on."""
    below = (line for line in ends_of_lines(fields["code"]) if line > fields["line"])
    return fields["next_line"] == min(below, default=None)
