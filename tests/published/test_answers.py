"""A response in each of upstream's forms is read, with the marks that the form asks for."""

from typing import Any

import pytest

from lm_eval_codemind.families.dsr import published as dsr
from lm_eval_codemind.families.ier import published as ier
from lm_eval_codemind.families.published.prompts import FORM
from lm_eval_codemind.families.sr import published as sr
from lm_eval_codemind.studies.reval import task as reval
from lm_eval_codemind.studies.traces import task as traces

pytestmark = pytest.mark.proof


def chosen(documents: Any, count: int = 6) -> list[dict[str, Any]]:
    """Return some documents, far apart."""
    return [documents[place] for place in range(0, len(documents), max(1, len(documents) // count))][:count]


def scored(filter: Any, process: Any, documents: list[dict[str, Any]], responses: list[str]) -> list[dict[str, Any]]:
    answers = filter([[response] for response in responses], documents)
    return [process(document, [one]) for document, one in zip(documents, answers, strict=True)]


@pytest.mark.parametrize("form", ier.FORMS)
def test_outputs(form, built):
    documents = chosen(ier.dataset(benchmark="published_cruxeval", setting="steps", **{FORM: form})["test"])
    marked = [f"<<<Analysis>>>\nf returns 1.\n{document['target']}" for document in documents]
    for responses, right in ((marked, 1), ([text.replace("[END-OF-RESPONSE]", "") for text in marked], 1)):
        for metrics in scored(ier.strict_match, ier.process_results, documents, responses):
            assert metrics["r_ier_text"] == metrics["answered"] == right
    unmarked = [document["output"] for document in documents]
    assert not any(row["answered"] for row in scored(ier.strict_match, ier.process_results, documents, unmarked))


@pytest.mark.parametrize("form", sr.FORMS)
def test_programs_from_a_specification(form, built):
    rows = sr.dataset(benchmark="mbpp", settings=["no_test", "with_test"], **{FORM: form})["test"]
    documents = chosen(rows, 4)
    marks = {"codellama": "[PYTHON]", "starcoder": "[python]"}
    assert all(document["target"].startswith(marks.get(form, "```python")) for document in documents)
    responses = [f"Here is the function.\n\n{document['target']}\n\nIt passes." for document in documents]
    for document, metrics in zip(
        documents, scored(sr.extract_code, sr.process_results, documents, responses), strict=True
    ):
        assert metrics[f"pass@1_{document['setting']}"] == 1, (form, document["problem_id"])


@pytest.mark.parametrize("form", dsr.PUBLISHED_DSR.forms)
def test_simplified_programs(form, built):
    documents = chosen(dsr.dataset(benchmark="published_classeval", **{FORM: form})["test"], 3)
    responses = [f"Shorter:\n{document['target']}" for document in documents]
    for metrics in scored(dsr.extract_code, dsr.process_results, documents, responses):
        assert metrics["pass@1"] == metrics["r_dsr"] == 1


@pytest.mark.parametrize(("dataset", "filter", "process", "ended"), [
    (reval.dataset, reval.extract_answer, reval.process_results, True),
    (reval.cot_dataset, reval.extract_cot, reval.process_cot, False),
])  # fmt: skip
def test_runtime_behaviour(dataset, filter, process, ended, built):
    documents = chosen(dataset(benchmark="reval_humaneval", settings=["coverage", "state", "path"])["test"], 9)
    # The stop sequence ends the response.
    whole = [document["target"].partition("[/ANSWER]")[0] for document in documents]
    answers = [text.rpartition("[ANSWER]")[2] for text in whole]
    for responses, is_read in ((whole, True), (answers, ended)):
        metrics = scored(filter, process, documents, responses)
        assert [row["answered"] for row in metrics] == [float(is_read)] * len(documents)
        for document, row in zip(documents, metrics, strict=True):
            assert row[document["setting"]]["right"] == [is_read or (document["setting"] == "coverage"
                                                                     and not document["executed"])]  # fmt: skip


@pytest.mark.parametrize("form", traces.FORMS)
def test_annotated_programs(form, built):
    documents = chosen(traces.ces_dataset(benchmark="ces", **{FORM: form})["test"])
    fences = ("[ANSWER]", "[/ANSWER]") if form in ("deepseek", "magicoder", "starcoder") else ("[PYTHON]", "[/PYTHON]")
    responses = [
        document["target"].replace("[PYTHON]", fences[0]).replace("[/PYTHON]", fences[1]) for document in documents
    ]
    for metrics in scored(traces.extract_annotated, traces.process_ces, documents, responses):
        assert metrics["output"] == metrics["coherent"] == 1
