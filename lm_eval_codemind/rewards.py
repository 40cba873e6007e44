"""Rewards for training: the score of a response to a row that ``codemind export`` wrote.

A row holds all that its reward needs, as JSON in its column ``scoring``. Responses are read and scored by the same code
as in an evaluation. There is no state here, so that threads and worker processes can call these functions.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval_codemind.answers.thinking import OPENING
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.families import families
from lm_eval_codemind.family import Family, problem_of
from lm_eval_codemind.harness.hooks import Reader
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Question


def reward(row: Mapping[str, Any], response: str, *, opened: bool = False) -> float:
    """Return the reward of a response. See :func:`rewards`."""
    return rewards([row], [response], opened=opened)[0]


def rewards(rows: Sequence[Mapping[str, Any]], responses: Sequence[str], *, opened: bool = False) -> list[float]:
    """Return the rewards of responses: 1.0 for a right response, 0.0 for any other.

    A reward is the metric that the row's family calls its verdict. Programs in responses are executed in this process's
    sandbox, several at a time and equal ones once.

    Args:
        rows: One row for each response. Only the column ``scoring`` is read.
        responses: The texts that a model returned, without the prompt.
        opened: Whether the chat template opened the thinking of all responses, as some templates for reasoning models
            do. A response whose thinking never ends has no answer then.

    Raises:
        UserError: If a row has no ``scoring``, or there are more rows than responses or the other way round.
        IsolationUnavailable: If programs cannot be executed safely on this machine.
    """
    readers: dict[str, Reader] = {}
    answers = []
    for row, response in zip(rows, responses, strict=True):
        family, question = _question(row)
        if family.name not in readers:
            readers[family.name] = Reader(family, family.filters[0])
        answer = readers[family.name].read(response, question, OPENING if opened else "")
        answers.append((family, question, answer))
    scores = []
    for family, question, answer in answers:
        answer.wait()
        scores.append(float(family.score(question, answer)[family.verdict]))
    return scores


def idle_responses(row: Mapping[str, Any]) -> list[str]:
    """Return responses of a model that has read nothing; a row that one of them solves teaches guessing."""
    family, question = _question(row)
    return list(family.idle_responses(question))


def scoring(family: Family, question: Question) -> str:
    """Return the column ``scoring`` of a question's row, as JSON.

    It has the name of the family, the question without its prompt, and, where responses are executed, the problem.
    """
    document = {name: value for name, value in question.document().items() if name not in ("prompt", "target")}
    problem = problem_of(question, family.witnesses).to_row() if family.executes else None
    return json.dumps({"family": family.name, "question": document, "problem": problem})


def _question(row: Mapping[str, Any]) -> tuple[Family, Question]:
    try:
        record = json.loads(row["scoring"])
        family, question = families()[record["family"]], Question.from_document(record["question"])
        problem = record["problem"]
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"the row has no usable column `scoring` ({error!r}); `codemind export` writes it: keep it unchanged"
        ) from error
    return family, question if problem is None else dataclasses.replace(question, problem=Problem.from_row(problem))
