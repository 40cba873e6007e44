"""Without upstream's files for prompts, the tasks that send them are left out by name, and never send ours."""

import json
import shutil

import pytest
import requests

from lm_eval_codemind.data import manifest
from lm_eval_codemind.data.catalogue import benchmarks
from lm_eval_codemind.errors import UpstreamError
from lm_eval_codemind.families.ier import published as ier
from lm_eval_codemind.families.published.prompts import FORM
from lm_eval_codemind.workshop.commands.data import tasks_with_prompts_of
from tests.cli import codemind


def test_a_build_names_the_tasks_that_it_leaves_out(tmp_path):
    (tmp_path / "upstream").mkdir()
    done = codemind("data", "build", "--upstream", str(tmp_path / "upstream"), "-o", str(tmp_path / "built"))
    assert done.exit_code == 0
    assert manifest.intact(tmp_path / "built", "sample")
    for name in benchmarks():
        for task in tasks_with_prompts_of(name):
            assert task in done.output
    assert "prompts than those of re2_prompts: codemind_re2_published_output*" in done.output


def test_a_published_task_does_not_run_with_our_prompts(built, tmp_path, monkeypatch):
    entries = json.loads((built / "manifest.json").read_text())["benchmarks"]
    kept = {"published_humaneval": entries["published_humaneval"]}
    (tmp_path / "manifest.json").write_text(json.dumps({"benchmarks": kept}))
    for path in built.glob("published_humaneval*"):
        shutil.copy(path, tmp_path / path.name)

    def no_network(*_: object, **__: object) -> None:
        raise requests.ConnectionError("no network")

    monkeypatch.setattr(requests, "get", no_network)
    monkeypatch.setenv(manifest.DATA_VARIABLE, str(tmp_path))
    with pytest.raises(UpstreamError, match=r"CodeMind.*codemind data build"):
        ier.dataset(benchmark="published_humaneval", setting="steps")


@pytest.mark.parametrize("form", ["gpt4", "Gpt", ""])
def test_another_form_is_refused(form, built):
    with pytest.raises(ValueError, match="forms gpt, codellama, deepseek, magicoder, starcoder, wizardcoder"):
        ier.dataset(benchmark="published_humaneval", setting="steps", **{FORM: form})


def test_the_form_is_recorded_and_no_name_of_a_model_is_looked_at(built):
    suites = {}
    for form in ("gpt", "starcoder"):
        suite: dict[str, object] = {}
        rows = ier.dataset(
            benchmark="published_humaneval", setting="steps", suite=suite, model="bigcode/starcoder2", **{FORM: form}
        )
        suites[form] = suite
        assert set(rows["test"][FORM]) == {form}
        texts = suite["prompt_texts"]
        assert isinstance(texts, dict) and texts["form"] == form and texts["source"].endswith("create_prompt_ier.py")
        assert suite["options"] == {FORM: form}
    without: dict[str, object] = {}
    ier.dataset(benchmark="published_humaneval", setting="steps", suite=without, pretrained="bigcode/starcoder2")
    assert without["prompt_texts"] == suites["gpt"]["prompt_texts"]
