"""What the registry tells of benchmarks: what they share, and which of their programs need more time."""

import dataclasses

from lm_eval_codemind.data.catalogue import Benchmark, benchmarks, get_benchmark, labelled_form, same_problems, twin_of
from lm_eval_codemind.data.catalogue.limits import limits_of
from lm_eval_codemind.data.manifest import benchmark_path
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import load_problems
from lm_eval_codemind.sandbox import Limits
from lm_eval_codemind.workshop.benchmarks import sample

MORE = Limits(cpu_seconds=60, wall_seconds=120)


def test_slow_problems_have_more_time(built_data):
    names = ("classeval", "avatar", "mbpp", "classeval_methods")
    problems = [problem for name in names for problem in load_problems(benchmark_path(built_data, name))]
    slow = [problem for problem in problems if limits_of(problem) != Limits()]
    declared = frozenset().union(*(get_benchmark(name).slow for name in names))
    assert {problem.problem_id.partition("@")[0] for problem in slow} == declared
    assert len([problem for problem in slow if problem.benchmark != "classeval_methods"]) == 5 + 3 + 1 + 3
    assert {limits_of(problem).cpu_seconds for problem in slow} == {60}
    # Whoever calls for a job gives the limits; the job has them.
    job = kind_of(slow[0]).suite_job(slow[0], "", limits=limits_of(slow[0]))
    assert job.limits.cpu_seconds == 60
    assert kind_of(slow[0]).suite_job(slow[0], "", limits=Limits(cpu_seconds=7)).limits.cpu_seconds == 7


def test_a_benchmark_declares_slow_problems_and_classes(register_benchmark):
    one = sample.read()[0]
    names = ("made_0", "made_1", "Made_2@A.f", "Made_2@A.g", "Made_20@A.f")
    problems = [dataclasses.replace(one, benchmark="made", problem_id=name) for name in names]
    assert [limits_of(problem) for problem in problems] == [Limits()] * 5
    register_benchmark(
        Benchmark("made", "Made", None, 5, lambda upstream: problems, slow=frozenset({"made_1", "Made_2"}))
    )
    assert [limits_of(problem) for problem in problems] == [Limits(), MORE, MORE, MORE, Limits()]
    # The same name in another benchmark is another problem.
    assert limits_of(dataclasses.replace(one, problem_id="made_1")) == Limits()


def test_a_published_benchmark_and_its_twin_and_benchmarks_that_share_problems(register_benchmark):
    for name in ("humaneval", "cruxeval", "classeval", "avatar"):
        published = get_benchmark(name).published_as
        assert published == f"published_{name}" and twin_of(published) == twin_of(name) == name
        assert benchmarks()[published].labels == "published"
        assert benchmarks()[published].slow == get_benchmark(name).slow
    register_benchmark(Benchmark("made", "Made", None, 0, lambda upstream: [], published_as="their_made"))
    for name, twin in {"mbpp": "mbpp", "of nobody": "of nobody", "their_made": "made"}.items():
        assert twin_of(name) == twin
    extended = {name: benchmark.extends for name, benchmark in benchmarks().items() if benchmark.extends}
    assert {name for name in benchmarks() if same_problems(name) != name} == set(extended)
    assert {*extended.values()} <= set(benchmarks())
    register_benchmark(Benchmark("more", "More", None, 0, lambda upstream: [], extends="sample"))
    for name, extends in {"more": "sample", "sample": "sample", "of nobody": "of nobody"}.items():
        assert same_problems(name) == extends


def test_where_the_inputs_of_a_benchmark_are():
    assert {name: labelled_form(name) for name in ("humaneval", "mbpp", "classeval_methods", "sample_bugs")} == {
        "humaneval": "humaneval",
        "mbpp": "mbpp_labelled",
        "classeval_methods": "classeval",
        "sample_bugs": "sample",
    }
    assert all(benchmarks()[form].labelled for name in benchmarks() if (form := labelled_form(name)))
    # What was published is proven by nobody.
    assert labelled_form("published_humaneval") == ""
