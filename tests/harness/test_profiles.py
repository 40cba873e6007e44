"""``--profile``: what a run with it sends, records, plans and submits, and the warning where it is missing."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from lm_eval_codemind.harness import preflight
from tests.chat_server import chat_server
from tests.cli import codemind, refused, said
from tests.run_files import read_run


class AutoTokenizer:
    """Its template is the file ``template`` of its directory."""

    def __init__(self, folder: str) -> None:
        self.template = (Path(folder) / "template").read_text()

    from_pretrained = classmethod(lambda cls, folder: cls(folder))

    def apply_chat_template(self, messages, tokenize, add_generation_prompt, enable_thinking=True) -> str:
        assert not tokenize and add_generation_prompt
        return messages[0]["content"] + self.template * enable_thinking


def arguments(server, *more: object) -> list[object]:
    model = f"model=org/thinker,base_url={server.url},num_concurrent=4,tokenizer_backend=None"
    chat = ["run", "--model", "local-chat-completions", "--model_args", model, "--apply_chat_template"]
    return [*chat, "--log_samples", *more]


@pytest.fixture
def thinker():
    """A server whose responses think first, and are right for one in two requests."""
    numbers = iter(range(10_000))
    with chat_server(lambda messages: f"<think>\nSo.\n</think>\n<output>\n{next(numbers) % 2}\n</output>") as server:
        yield server


def test_a_run_with_a_profile_is_sampled_recorded_and_submitted(thinker, tmp_path):
    run = tmp_path / "run"
    said(*arguments(thinker, "--tasks", "codemind_ier_sample", "--profile", "reasoning", "--output_path", run))
    assert len(thinker.requests) == 24 * 4
    for request in thinker.requests:
        assert (request["temperature"], request["top_p"], request["max_tokens"]) == (0.6, 0.95, 32768)
    config = read_run(run)[0]["configs"]["codemind_ier_sample"]
    assert (config["repeats"], config["metadata"]["suite"]["profile"]) == (4, "reasoning")
    assert config["generation_kwargs"]["do_sample"] is True
    assert "equal (1 task" in said("verify", run)
    cited = said("cite", run)
    assert "sampling (temperature 0.6, top_p 0.95), 4 responses to a question, at most 32,768 tokens each" in cited
    submit = ["submit", run, "--model", "org/thinker", "--dataset", "org/codemind", "-o", tmp_path / "submission"]
    said(*submit)
    (entry,) = yaml.safe_load((tmp_path / "submission" / ".eval_results" / "codemind.yaml").read_text())
    assert "sampled by profile reasoning" in entry["notes"] and "mean over 4 responses" in entry["notes"]


def test_other_sampling_is_not_submitted(thinker, tmp_path):
    run = tmp_path / "run"
    options = ["--tasks", "codemind_ier_sample", "--output_path", run, "--gen_kwargs", "do_sample=True,temperature=0.6"]
    said(*arguments(thinker, *options))
    submit = ["submit", run, "--model", "org/thinker", "--dataset", "org/codemind", "-o", tmp_path / "submission"]
    assert "only greedy decoding and runs with --profile are submitted" in refused(*submit)
    options = ["--tasks", "codemind_ier_sample", "--profile", "reasoning", "--gen_kwargs", "temperature=1.0"]
    said(*arguments(thinker, *options, "--output_path", tmp_path / "warmer"))
    submit[1] = tmp_path / "warmer"
    assert "not the default settings: generation_kwargs is" in refused(*submit)


def test_a_profile_is_planned():
    usual = said("plan", "--tasks", "codemind_ier_sample")
    assert "24 " in usual and str(24 * 2048) in usual
    planned = said("plan", "--tasks", "codemind_ier_sample", "--profile", "reasoning")
    assert str(24 * 4) in planned and str(24 * 4 * 32768) in planned


@pytest.mark.usefixtures("built")
def test_tasks_that_sample_in_their_own_way_have_no_profile():
    task = "codemind_cruxeval_output_direct_08"
    result = codemind("run", "--model", "codemind-oracle", "--tasks", task, "--profile", "reasoning")
    assert result.exit_code == 1
    assert f"{task}: samples in a way of its own; leave it out of a run with --profile" in result.output


@pytest.mark.parametrize(
    ("template", "options", "warned"),
    [
        ("<think>\n", "", True),
        ("<think>\n", "--gen_kwargs max_gen_toks=8192", False),
        ("<think>\n", "--profile reasoning", False),
        ("assistant:", "", False),
    ],
)
def test_a_template_that_opens_thinking_is_warned_of(template, options, warned, tmp_path, monkeypatch, caplog):
    (tmp_path / "template").write_text(template)
    # datasets asks for the second class where there is a module of this name.
    module = SimpleNamespace(AutoTokenizer=AutoTokenizer, PreTrainedTokenizerBase=type("Base", (), {}))
    monkeypatch.setitem(sys.modules, "transformers", module)
    monkeypatch.setattr(preflight, "find_spec", lambda name: name)
    # The oracle needs no package; its arguments name the tokenizer as those of `hf` do.
    names = f"tokenizer={tmp_path}"
    codemind(
        *("run", "--model", "codemind-oracle", "--model_args", names, "--tasks", "codemind_ier_sample"),
        *("--apply_chat_template", *options.split()),
    )
    assert ("codemind_ier_sample: the chat template opens thinking" in caplog.text) is warned
