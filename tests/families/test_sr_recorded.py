"""Recorded responses of GPT-3.5-Turbo to ClassEval, judged by our extraction and sandbox: the published rates hold.

ClassEval publishes two rates for these responses (``published_classeval.json``), not which test classes passed. Its
own procedure, carried out on our test machine, passes 289 of the 502 test classes, against 288 published and 293 here.
These are the four that differ between that procedure and ours on one machine:

- ``HtmlUtilTestFormatLineFeed``: the procedure's five seconds include the import of gensim, which takes longer;
- ``JSONProcessorTestWriteJson``: the test expects a path not to be writable, but the procedure ran as root;
- ``LemmatizationTestRemovePunctuation``: the five seconds cut off an import of nltk, and the next test met half of it;
- ``Words2NumbersTestMain``: upstream's name of it has a blank in front, by which the procedure finds nothing.
"""

import json

import pytest

from lm_eval_codemind.languages.python.code import extract_definition
from lm_eval_codemind.sandbox import Job, Limits, shared_sandbox
from lm_eval_codemind.workshop.benchmarks.classeval import read_records
from lm_eval_codemind.workshop.proof.prove import REQUIRED_MODULES
from tests.run_files import read_rows

pytestmark = pytest.mark.proof


def test_shares_of_passed_classes_are_the_published_ones(shared_data, upstream):
    for module in REQUIRED_MODULES:
        pytest.importorskip(module, reason="needs `pip install 'lm-eval-codemind[classeval]'`")
    published = json.loads((shared_data / "recorded" / "published_classeval.json").read_text(encoding="utf-8"))
    rates = published["GPT-3.5-Turbo_class_H_greedy"]
    path = shared_data / "recorded" / "classeval_gpt-3.5-turbo_class_greedy.jsonl.gz"
    responses = {row["task_id"]: row["response"] for row in read_rows(path)}

    jobs: list[Job] = []
    without_code: dict[str, int] = {}
    for record in read_records(upstream):
        code = extract_definition(responses[record["task_id"]], record["class_name"])
        if code is None:
            without_code[record["task_id"]] = len(record["test_classes"])
            continue
        imports = "\n".join(record["import_statement"])
        for test_class in record["test_classes"]:
            jobs.append(
                Job.unittest(
                    f"{imports}\n\n{code}",
                    record["test"],
                    record["class_name"],
                    only=[test_class],
                    support=imports,
                    limits=Limits(cpu_seconds=10),
                    job_id=record["task_id"],
                )
            )
    outcomes = shared_sandbox().run(jobs)

    failed = {outcome.job_id for outcome in outcomes if not outcome.passed} | set(without_code)
    classes = len(jobs) + sum(without_code.values())
    assert (len(responses), classes) == (100, 502)
    passed = sum(outcome.passed for outcome in outcomes)
    assert abs(passed / classes - rates["fun_success"]) < 0.01, f"{passed} of {classes} test classes passed"
    share = 1 - len(failed) / len(responses)
    assert abs(share - rates["class_success"]) < 0.02, f"{share:.2f} of the classes passed all their tests"
