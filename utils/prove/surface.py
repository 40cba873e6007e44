"""The best guess about executed lines from surface features: what a classifier learns from other programs.

The features are what :mod:`~lm_eval_codemind.workshop.python.runtime_rules` says about a line, its place, its depth,
its text, and, of questions about the next line, whether the prompt names one of several executions. The classifier is
a logistic regression, trained and used on different programs.
"""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize

from lm_eval_codemind.workshop.python.runtime_rules import END, Point, points, reachable

FOLDS = 5
PENALTY = 1.0
_KINDS = ("if", "for", "while", "return", "statement")
# Pieces of text in the line, and in the head that the line belongs to.
_PIECES = (
    *("return", "raise", "break", "continue", "None", "True", "False", "[]", "''", "-1", " 0", " 1", "append", "self."),
    *("not ", "is None", "==", "!=", "<", ">", " in ", "len(", "%", " and ", " or ", "isinstance", "elif", "else"),
)
_CONTEXTS = ("", "then", "guard", "else", "loop", "handler", "after")

Document = Mapping[str, Any]


def learned(documents: Sequence[Document], answers: Sequence[str]) -> list[str]:
    """Return an answer for each document, of a classifier that was trained on other programs."""
    truth = {"yes": "yes", "no": "no"}
    candidates = [truth if document["setting"] == "coverage" else following(document) for document in documents]
    table = np.array([_features(document) for document in documents])
    programs = sorted({document["problem_id"] for document in documents})
    folds = np.array([programs.index(document["problem_id"]) % FOLDS for document in documents])
    names = list(candidates[0])
    guesses = [""] * len(documents)
    for fold in range(FOLDS):
        scores = []
        for name in names:
            right = np.array([of[name] == answer for of, answer in zip(candidates, answers, strict=True)])
            scores.append(_scores(table[folds != fold], right[folds != fold], table[folds == fold]))
        best = np.argmax(np.array(scores), axis=0)
        for place, number in zip(np.flatnonzero(folds == fold), best, strict=True):
            guesses[place] = candidates[place][names[number]]
    return guesses


def following(document: Document) -> Mapping[str, str]:
    """Return the possible next lines by the rule that gives them."""
    lines = document["code"].split("\n")
    numbers = (number for number in range(document["line"] + 1, len(lines) + 1) if lines[number - 1].strip())
    point = points(document["code"]).get(document["line"])
    enters, skips = (point.enters, point.skips) if point else (END, END)
    targets = {"enters": enters, "skips": skips, "next": next(numbers, END), "end": END}
    return {name: str(line) if line else "the end" for name, line in targets.items()}


def named_time(document: Document) -> int:
    """Return which execution of a line the prompt names; 0 if it names none, since the line is executed once."""
    is_named = document["setting"] in ("state", "path") and document["runs"] > 1
    return int(document["asked_run"]) if is_named else 0


def _features(document: Document) -> list[float]:
    code, line = document["code"], document["line"]
    lines = code.split("\n")
    point = points(code).get(line) or Point(line, "statement", "", "", END, END, ())
    text = lines[line - 1]
    indent = len(text) - len(text.lstrip())
    is_reached = document["kind"] == "script" or not point.function
    is_reached = is_reached or point.function in reachable(code, document["input"])
    body = [number for number, each in enumerate(lines, start=1) if each.strip()]
    numbers = [
        1.0,
        float(is_reached),
        float(point.function in document["input"]),
        indent / 4,
        line / len(lines),
        len(body) / 20,
        float(line == body[-1]),
        float(point.enters == point.skips),
        float(point.enters == line + 1),
        float(_functions(code)) / 5,
    ]
    numbers += [float(point.kind == kind) for kind in _KINDS]
    numbers += [float(point.context == context) for context in _CONTEXTS]
    numbers += [float(named_time(document) > 0 and point.kind == kind) for kind in _KINDS]
    heads = [each for each in lines[: line - 1] if each.strip() and len(each) - len(each.lstrip()) < indent]
    numbers += [float(piece in each) for each in (text, heads[-1] if heads else "") for piece in _PIECES]
    pairs = [(kind, context) for kind in _KINDS for context in _CONTEXTS]
    return numbers + [float((point.kind, point.context) == pair) for pair in pairs]


def _functions(code: str) -> int:
    return sum(isinstance(node, ast.FunctionDef) for node in ast.walk(ast.parse(code)))


def _scores(table: np.ndarray, right: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the log-odds of a logistic regression for other rows. Both classes have the same weight."""
    if right.all() or not right.any():
        return np.full(len(other), 20.0 if right.all() else -20.0)
    shares = np.where(right, 0.5 / right.sum(), 0.5 / (~right).sum()) * len(right)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        logits = table @ weights
        value = (shares * (np.logaddexp(0, logits) - logits * right)).sum() + PENALTY * weights @ weights / 2
        slope = table.T @ (shares * (1 / (1 + np.exp(-logits)) - right)) + PENALTY * weights
        return value, slope

    result = minimize(loss, np.zeros(table.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 2_000})
    return np.asarray(other @ result.x)
