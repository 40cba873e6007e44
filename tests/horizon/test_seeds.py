"""Two built seeds: labels by other code, levels by the tracer, live links, no question in common, floors."""

import ast
import json
import re
import time
from collections import Counter

import pytest
from lm_eval.tasks import TaskManager

from horizon_baselines import documents, guesses, scores
from lm_eval_codemind.data.facts import horizon as facts
from lm_eval_codemind.families.horizon.task import HORIZON, LEVELS, load_rungs
from lm_eval_codemind.harness.hooks import with_texts
from lm_eval_codemind.harness.templates import Templates
from lm_eval_codemind.sandbox import Job, shared_sandbox
from lm_eval_codemind.workshop.python.horizon_runs import CLASSES, class_of
from lm_eval_codemind.workshop.python.tracing import read_trace, result_of, state_written, tracing_job, units
from tests.cli import said
from tests.results.harness import TASKS, evaluate
from tests.run_files import read_run

SEEDS = (0, 1)
pytestmark = [pytest.mark.proof, pytest.mark.timeout(1800)]

# Prints what a chain gives without each link, with the value of the link before it and with that of the link after it.
WITHOUT_LINKS = """
links = [globals()[f"f{number}"] for number in range(1, COUNT + 1)]
import sys
def counted(frame, event, argument):
    global left
    left -= 1
    if left < 0:
        raise TimeoutError
    return counted
def passed(value, links):
    global left
    left = 20_000
    sys.settrace(counted)
    try:
        for link in links:
            value = link(value)
    except Exception:
        return "raises, or does not end"
    finally:
        sys.settrace(None)
    return repr(value)
def before(number):
    value = ARGUMENT
    for link in links[:number]:
        value = link(value)
    return value
print(passed(ARGUMENT, links))
for number in range(COUNT):
    print(passed(before(number), links[number + 1:]))
    print(passed(before(number + 1), links[number:]))
    if number:
        print(passed(before(number - 1), links[number:]))
"""


@pytest.fixture(autouse=True)
def data(horizon_data) -> None:
    """The data directory that keeps the seeds. The first test builds them, in minutes."""


@pytest.fixture(params=SEEDS)
def rungs(data, request) -> tuple[facts.Rung, ...]:
    return load_rungs("cruxeval", request.param).problems


def printed(programs: list[str]) -> list[str]:
    """Return what programs print, each run as a script."""
    outcomes = shared_sandbox().run([Job.script(program, [("", None)]) for program in programs])
    return [outcome.observations[0].stdout for outcome in outcomes]


def test_half_of_each_level_is_natural_and_half_are_chains(rungs):
    counts = Counter((rung.level, rung.source) for rung in rungs)
    assert counts == {(level, source): 20 for level in range(1, 9) for source in (facts.NATURAL, facts.CHAIN)}
    assert len({(rung.code, rung.input) for rung in rungs}) == len({rung.problem_id for rung in rungs}) == 320
    for level in range(1, 9):
        outputs = [rung.output for rung in rungs if rung.level == level]
        assert len(set(outputs)) == len(outputs)


def test_plain_python_gives_the_labels(rungs):
    texts = printed([f"{rung.code}\nprint(repr({rung.input}))\n" for rung in rungs])
    assert [
        rung.problem_id
        for rung, text in zip(rungs, texts, strict=True)
        if ast.literal_eval(text.splitlines()[-1]) != ast.literal_eval(rung.output)
    ] == []


def test_the_tracer_measures_the_states(rungs):
    jobs = [tracing_job(rung.code, rung.input, "", max_steps=20_000, max_value=10_000) for rung in rungs]
    for rung, outcome in zip(rungs, shared_sandbox().run(jobs), strict=True):
        seen = read_trace(result_of(outcome), units(ast.parse(rung.code)))
        bound = facts.BOUNDS[rung.level - 1]
        assert state_written(seen) == rung.state, rung.problem_id
        assert 0.9 * bound <= rung.state <= 1.1 * bound


def test_each_link_is_live(rungs):
    chains = [rung for rung in rungs if rung.links]
    programs = []
    for rung in chains:
        argument = rung.input.removeprefix("chain(").removesuffix(")")
        text = WITHOUT_LINKS.replace("COUNT", str(rung.links)).replace("ARGUMENT", argument)
        programs.append(f"{rung.code}\n{text}")
    for rung, text in zip(chains, printed(programs), strict=True):
        whole, *others = text.splitlines()
        assert len(others) == 3 * rung.links - 1 and whole not in others, rung.problem_id
        assert rung.links >= 2 and ast.literal_eval(whole) == ast.literal_eval(rung.output)


def test_no_output_stands_in_its_prompt(rungs):
    templates = Templates(HORIZON.templates)
    for rung in rungs:
        (question,) = HORIZON.questions(rung, "steps")
        assert rung.output.strip("'\"") not in with_texts(question, HORIZON, templates).prompt, rung.problem_id


def test_two_seeds_have_no_question_in_common():
    first, second = ({(one.code, one.input) for one in load_rungs("cruxeval", seed).problems} for seed in SEEDS)
    assert len(first) == len(second) == 320 and not first & second
    # The calls of a seed for evaluation have a class for themselves, so that no seed for training can have them.
    for seed, questions in zip(SEEDS, (first, second), strict=True):
        assert {class_of(call) for _, call in questions} == {seed} and seed < CLASSES - 1


def test_what_executes_nothing_is_right_for_one_in_forty():
    asked = documents(0)
    for name, answers in guesses(asked, documents(1)).items():
        shares = scores(asked, answers)
        assert all(shares[level] <= 0.03 for level in LEVELS), (name, shares)
        assert shares["horizon"] == facts.BOUNDS[0]
    best = scores(asked, [document["output"] for document in asked])
    assert best.pop("horizon") == facts.BOUNDS[-1] and set(best.values()) == {1.0}


def test_a_built_seed_loads_soon():
    load_rungs("cruxeval", 0)
    start = time.process_time()
    load_rungs("cruxeval", 0)
    assert time.process_time() - start < 3


def test_oracle_and_null_model(tmp_path):
    arguments = ["run", "--tasks", "codemind_horizon", "--metadata", '{"horizon_seed": 1}', "--log_samples"]
    for model, share, state in (("codemind-oracle", 1.0, 2048), ("codemind-null", 0.0, 16)):
        said(*arguments, "--model", model, "--output_path", tmp_path / model)
        scores = read_run(tmp_path / model)[0]["results"]["codemind_horizon"]
        assert [scores[f"{level},strict-match"] for level in LEVELS] == [share] * 8
        assert (scores["r_ier,strict-match"], scores["horizon,strict-match"]) == (share, state)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_is_planned_verified_reported_cited_and_submitted(tmp_path, seed):
    """Of a model that writes 512 characters of state without an error, and no more."""
    metadata = {"horizon_seed": seed}
    planned = said("plan", "--tasks", "codemind_horizon", "--metadata", json.dumps(metadata))
    assert re.search(r"codemind_horizon +320 ", planned) and str(320 * 8192) in planned
    manager = TaskManager(include_path=str(TASKS), include_defaults=False, metadata=metadata)
    evaluate(
        tmp_path / "run",
        "org/steady",
        lambda doc: doc["target"] if doc["state"] <= 565 else "<output>\n0\n</output>",
        ["codemind_horizon"],
        manager,
        metadata=metadata,
    )
    assert "org/steady: equal (1 task, 24 metrics, 640 samples)" in said("verify", tmp_path / "run")
    cited = said("cite", tmp_path / "run")
    found = re.search(r"horizon (\d+) characters of state \(95% interval (\d+) to (\d+)\)", cited)
    assert found and 565 < int(found[2]) <= int(found[1]) <= int(found[3]) < 1843
    said("report", tmp_path / "run", "-o", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"org/steady, horizon: {found[1]} [{found[2]}, {found[3]}], n = 320, baseline below 16" in page
    said(
        "submit", tmp_path / "run", "--model", "org/steady", "--dataset", "org/codemind", "-o", tmp_path / "submission"
    )
    results = (tmp_path / "submission" / ".eval_results" / "codemind.yaml").read_text(encoding="utf-8")
    assert "value: 0.75" in results and f"horizon_seed {seed}" in results
