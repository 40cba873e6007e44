"""Program verdicts: does a model tell a correct program from a buggy one, and does it find the bug?

Each problem has a correct program C and a buggy program B. ``r_C`` is 1 if the model calls C right. ``r_B`` is 1 if it
calls B wrong. A response without a verdict is right about neither. Over problems::

    verdict        = mean of (r_C + r_B) / 2    (balanced accuracy: 1/2 for an answer that never changes)
    verdict_pair   = mean of r_C * r_B          (0 for an answer that never changes)
    recall_buggy   = mean of r_B
    recall_correct = mean of r_C

D is the set of lines of B for which a change that repairs B is proven. The model names a line l and a new line; B' is B
with the new line in the place of l. Other lines than those of D, changed well, repair B, too::

    locate = mean of Pass(B', T)        line = mean of [l in D]
"""


def balanced(buggy: float, correct: float) -> float:
    """Return the accuracy on the two programs of a problem, (r_B + r_C) / 2, from r_B and r_C or their means."""
    return (buggy + correct) / 2


def both(buggy: float, correct: float) -> float:
    """Return r_B * r_C: the probability that both verdicts are right. The responses are independent."""
    return buggy * correct
