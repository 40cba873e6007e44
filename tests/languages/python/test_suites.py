from lm_eval_codemind.languages.python.suites import limits_of, suite_job

from lm_eval_codemind.benchmarks import Upstream
from lm_eval_codemind.data.build import read_proven
from lm_eval_codemind.execution import Limits
from lm_eval_codemind.languages.python import suites


def test_slow_problems_have_more_time(upstream: Upstream) -> None:
    problems = [problem for name in ("classeval", "avatar", "mbpp") for problem in read_proven(name, upstream)]
    slow = [problem for problem in problems if limits_of(problem.problem_id) != Limits()]
    assert {problem.problem_id.partition("@")[0] for problem in slow} == suites._SLOW
    assert len(slow) == 5 + 3 + 1 + 3  # two classes with their methods
    assert {suite_job(problem, "").limits.cpu_seconds for problem in slow} == {60}
    assert suite_job(slow[0], "", limits=Limits(cpu_seconds=7)).limits.cpu_seconds == 7
