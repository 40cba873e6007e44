"""Input prediction: does a model find an input that makes a program give an output?

``S_input(L, C, o) = 1 if I' = I or C(I') = o else 0``, where ``I'`` is the predicted input, ``I`` the recorded one, and
``o = C(I)``; ``R_input(L, B) = mean of S_input over the benchmark B``. The task is that of CRUXEval-I
(arXiv 2401.03065). The order of the two conditions spares executing what is known; they never disagree, for
``o = C(I)`` is proven. Inputs are the same if a program can tell no difference: ``1`` is
not ``1.0``, and dicts have an order.
"""

from lm_eval_codemind.answers.comparison import same_computed


def s_input(recorded: bool, computed: str | None, output: str, printed: bool) -> bool:
    """Return S_input of one response.

    Args:
        recorded: Whether the predicted input is the recorded one.
        computed: C(I'), as a Python literal or as the text that the program prints; None if the response gives no
            input, or the program gives no output on it.
        output: o, in the same form.
        printed: Which of the two forms it is.
    """
    return recorded or (computed is not None and same_computed(computed, output, printed))
