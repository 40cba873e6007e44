"""`codemind plan` counts what a run sends: requests, prompts and the most output tokens."""

import io
import logging
import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.harness import contract, planning, preflight
from lm_eval_codemind.harness.cli import prepare
from lm_eval_codemind.harness.planning import plan
from lm_eval_codemind.languages.python import importable
from tables import UNPINNED, published_requests, shown_requests
from tests.chat_server import chat_server
from tests.cli import codemind, said
from tests.docs.test_readme import SHORT
from tests.run_files import read_rows

ROOT = Path(__file__).parents[2]
# Several families, with repeats or settings, programs to execute, and one about the responses to another.
TASKS = "codemind_ier_sample,codemind_sr_sample,codemind_input_sample,codemind_runtime_sample,codemind_der_sample"


def words(text: str) -> list[str]:
    """The tokens of a tokenizer of this test: one a word."""
    return text.split()


def number_of_words(text: Any) -> int:
    return len(words(text))


def test_the_harness_s_hint_for_each_task_is_not_logged():
    names, logged = ["codemind_ier_sample"], io.StringIO()
    handler = logging.StreamHandler(logged)
    logging.getLogger("lm_eval.api.task").addHandler(handler)
    try:
        with ExitStack() as stack:
            manager = prepare(["--model", "codemind-oracle", "--tasks", *names], stack).manager
            manager.load(names)
            assert "--metadata" not in logged.getvalue()
        manager.load(names)
        assert "--metadata" in logged.getvalue()
    finally:
        logging.getLogger("lm_eval.api.task").removeHandler(handler)


@pytest.mark.parametrize(("options", "requests"), [
    (["--limit", "0.25"], [6, 10]),
    (["--limit", "5"], [5, 5]),
    (["--samples", '{"codemind_ier_sample": [1, 3], "codemind_sr_sample": [0]}'], [2, 1]),
])  # fmt: skip
def test_requests_are_those_of_a_run(options, requests):
    tasks = "codemind_ier_sample,codemind_sr_sample"
    assert [task.requests for task in plan(["--tasks", tasks, *options]).tasks] == requests
    run = said("run", "--model", "codemind-null", "--tasks", tasks, "--confirm_run_unsafe_code", *options)
    for task, count in zip(tasks.split(","), requests, strict=True):
        assert f"{task}: {count} requests\n" in run


@pytest.mark.parametrize(
    "options",
    [
        pytest.param([], marks=pytest.mark.proof),
        ["--num_fewshot", "1", "--system_instruction", "Think twice.", "--metadata", '{"hint_seed": 3}'],
    ],
)
def test_an_endpoint_gets_what_was_planned(options, monkeypatch):
    pytest.importorskip("tenacity", reason="the extra `api` is not installed")
    tiktoken = pytest.importorskip("tiktoken", reason="the extra `api` is not installed")
    encoding = SimpleNamespace(encode=lambda text, disallowed_special: words(text))
    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: encoding)
    arguments = ["--tasks", TASKS, "--apply_chat_template", "--confirm_run_unsafe_code", *options]
    with chat_server(lambda messages: "I do not know.") as server:
        said("run", "--model", "local-chat-completions", "--model_args", f"model=m,base_url={server.url}", *arguments)
        # None of the programs passes, and the harness needs a document: the second stage sends one request, the last.
        *sent, _ = server.requests
    counted = plan(arguments, planning.tokenizer("tiktoken:words"))
    assert sum(task.requests for task in counted.tasks) == len(sent)
    contents = [message["content"] for body in sent for message in body["messages"]]
    assert sum(task.prompts for task in counted.tasks) == sum(map(number_of_words, contents))
    assert sum(task.output_tokens or 0 for task in counted.tasks) == sum(body["max_tokens"] for body in sent)
    (later,) = counted.later
    assert (later.task, later.most_requests, later.output_tokens) == ("codemind_der_sample", 19, 19 * 2048)
    characters = plan(arguments)
    assert sum(task.prompts for task in characters.tasks) == sum(map(len, contents))


NAMES = ("max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens")


@pytest.mark.parametrize("model", ["local-completions", "local-chat-completions", "openai-chat-completions"])
@pytest.mark.parametrize("names", [(name,) for name in NAMES] + [NAMES[::-1]])
def test_the_limit_is_the_one_that_an_endpoint_gets(model, names):
    """By each of its names, and by all with different values."""
    models = pytest.importorskip("lm_eval.models.openai_completions")
    classes = {
        "local-completions": models.LocalCompletionsAPI,
        "local-chat-completions": models.LocalChatCompletion,
        "openai-chat-completions": models.OpenAIChatCompletion,
    }
    plain = {"base_url": "http://x", "model": "m", "tokenizer_backend": None, "tokenized_requests": False}
    lm = classes[model](**plain)
    options = {"max_gen_toks": 2048, **{name: 300 + number for number, name in enumerate(names)}}
    messages = [{"role": "user", "content": "?"}]
    body = lm._create_payload(messages, generate=True, gen_kwargs=dict(options))
    sent = body["max_completion_tokens"] if model.startswith("openai") else body["max_tokens"]
    assert contract.token_limit(model, options) == sent


@pytest.mark.parametrize("names", [(name,) for name in NAMES] + [NAMES[::-1]])
def test_the_limit_is_the_one_that_a_loaded_model_gets(names):
    from lm_eval.models.utils import normalize_gen_kwargs

    options = {name: 300 + number for number, name in enumerate(names)}
    assert contract.token_limit("hf", options) == normalize_gen_kwargs({**options})["max_gen_toks"]


def test_an_endpoint_gets_the_limit_of_the_command_line(tmp_path):
    pytest.importorskip("tenacity", reason="the extra `api` is not installed")
    arguments = ["--tasks", "codemind_ier_sample", "--apply_chat_template", "--gen_kwargs", "max_tokens=300"]
    with chat_server(lambda messages: "?") as server:
        arguments += ["--model", "local-chat-completions", "--model_args", f"model=m,base_url={server.url}"]
        said("run", *arguments)
    (task,) = plan(arguments).tasks
    assert task.output_tokens == sum(body["max_tokens"] for body in server.requests) == 24 * 300


@pytest.fixture(scope="module")
def chat_tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer on disk with a chat template that adds tokens around each message."""
    transformers = pytest.importorskip("transformers", reason="the extra `hf` is not installed")
    tokenizers = pytest.importorskip("tokenizers")
    model = tokenizers.models.WordLevel({"<unk>": 0, "<s>": 1}, unk_token="<unk>")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>")
    fast.chat_template = (
        "{% for m in messages %} [ {{ m['role'] }} ] {{ m['content'] }} [end]{% endfor %}"
        "{% if add_generation_prompt %} [ assistant ] {% endif %}"
    )
    directory = tmp_path_factory.mktemp("tokenizer")
    fast.save_pretrained(directory)
    return directory


def test_an_endpoint_counts_the_tokens_of_the_chat_template(chat_tokenizer):
    pytest.importorskip("tenacity", reason="the extra `api` is not installed")
    from transformers import AutoTokenizer

    loaded = AutoTokenizer.from_pretrained(chat_tokenizer)
    tokens = []

    def answer(messages: list[dict[str, str]]) -> str:
        text = loaded.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        tokens.append(len(loaded(text, add_special_tokens=False)["input_ids"]))
        return ""

    arguments = ["--tasks", "codemind_ier_sample", "--apply_chat_template"]
    with chat_server(answer) as server:
        said("run", "--model", "local-chat-completions", "--model_args", f"model=m,base_url={server.url}", *arguments)
    (task,) = plan(arguments, planning.tokenizer(str(chat_tokenizer))).tasks
    assert (task.requests, task.prompts) == (len(tokens), sum(tokens))


def test_money_and_time_and_an_unknown_tokenizer(tmp_path):
    usual = ("plan", "--tasks", "codemind_ier_sample")
    (task,) = plan(["--tasks", "codemind_ier_sample"]).tasks
    shown = said(*usual, "--price-out", "10", "--tokens-per-second", "100")
    assert "Prompt characters" in shown and str(task.prompts) in shown
    assert task.output_tokens == 24 * 2048
    assert "price of the responses: at most 0.49\n" in shown and "time: at most 0.14 hours\n" in shown
    result = codemind(*usual, "--price-in", "1")
    assert result.exit_code == 1 and "add --tokenizer NAME" in result.output
    with pytest.raises(UserError, match="--tokenizer"):
        planning.tokenizer(str(tmp_path / "missing"))


def test_what_this_machine_lacks_is_named_and_all_is_counted(monkeypatch):
    tasks = ["--tasks", "codemind_repair_sample"]
    complete = plan(tasks)

    def hidden(modules: Any) -> None:
        raise importable.HiddenPackages("these packages are not visible in the sandbox")

    monkeypatch.setattr(importable, "require_importable", hidden)
    lacking = plan(tasks)
    assert complete.missing == [] and lacking.missing == ["these packages are not visible in the sandbox"]
    assert lacking.tasks == complete.tasks
    monkeypatch.setattr(preflight, "find_spec", lambda package: None)
    arguments = [
        *tasks,
        "--apply_chat_template",
        "--model",
        "local-chat-completions",
        "--model_args",
        "base_url=http://x",
    ]
    assert any("lm-eval-codemind[api]" in fault for fault in plan(arguments).missing)


@pytest.mark.parametrize("arguments", [
    # Only here are all of the harness's thousands of files read.
    pytest.param(["--tasks", "codemind_ier_smaple"], marks=pytest.mark.proof),
    ["--tasks", "codemind_ier_sample", "-L"],
    ["--tasks", "codemind_ier_sample", "--samples", "nofile.json"],
    ["--tasks", "codemind_ier_sample", "--samples", '{"codemind_ier_sample": []}'],
    ["--tasks", "codemind_ier_sample", "--gen_kwargs", "max_gen_toks=abc"],
    ["--tasks", "codemind_ier_sample", "--limit", "inf"],
])  # fmt: skip
def test_wrong_arguments(arguments):
    result = codemind("plan", *arguments)
    assert result.exit_code in (1, 2) and isinstance(result.exception, SystemExit)


def assert_sent(counted: planning.Plan, arguments: Sequence[str], directory: Path) -> None:
    """Assert that a run with the null model sends what was planned. Its second stage is not planned."""
    if counted.missing:
        pytest.skip("; ".join(counted.missing))
    said("run", "--model", "codemind-null", *arguments, "--output_path", directory, "--log_samples")
    sent = {}
    for file in directory.rglob("samples_*.jsonl"):
        # A document is logged once for each filter.
        rows = {row["doc_id"]: row for row in read_rows(file)}
        prompts = [row["arguments"]["gen_args_0"]["arg_0"] for row in rows.values() for _ in row["resps"][0]]
        sent[file.name.removeprefix("samples_").rpartition("_")[0]] = (len(prompts), sum(map(number_of_words, prompts)))
    assert {task.task: (task.requests, task.prompts) for task in counted.tasks} == {
        task: count for task, count in sent.items() if not task.startswith(tuple(later.task for later in counted.later))
    }


@pytest.mark.proof
@pytest.mark.parametrize("family", sorted({path.parent.name for path in (ROOT / "tasks").glob("*/codemind_*_sample*")}))
def test_samples_are_what_a_run_asks(family, tmp_path):
    names = [path.stem for path in sorted((ROOT / "tasks" / family).glob("codemind_*_sample*.yaml"))]
    arguments = ["--tasks", ",".join(names), "--confirm_run_unsafe_code"]
    counted = plan(arguments, number_of_words)
    assert {task.task for task in [*counted.tasks, *counted.later]} >= set(names)
    assert_sent(counted, arguments, tmp_path)


# LiveCodeBench's data set is on the Hub: tests/families/test_lcb.py counts its requests.
BUILT = {group: count for group, count in published_requests().items() if not group.startswith(UNPINNED)}


@pytest.mark.parametrize(("group", "requests"), BUILT.items())
def test_groups_are_what_a_run_asks(group, requests, built, tmp_path):
    """Every group of the table of tasks, and its number of requests there."""
    arguments = ["--tasks", group, "--confirm_run_unsafe_code"]
    counted = plan(arguments, number_of_words)
    assert shown_requests(counted) == requests, "run utils/release/tables.py requests"
    assert_sent(counted, arguments, tmp_path)


def test_what_to_run_first_takes_an_hour(built):
    """The documentation says how many requests it has, and that it needs no confirmation."""
    counted = plan(["--tasks", "codemind_first"])
    requests = sum(task.requests for task in counted.tasks)
    for page, words in (("README.md", f"asks {requests} questions"), ("docs/running.md", f"in {requests} requests")):
        assert words in (ROOT / page).read_text(encoding="utf-8")
    output = sum(task.output_tokens or 0 for task in counted.tasks)
    assert output / 320 <= 3600 and f"{output / 1e6:.2f} million tokens" in (ROOT / "docs/running.md").read_text()
    shown = said("run", "--model", "codemind-null", "--tasks", "codemind_first")
    assert shown.count(" requests\n") == len(counted.tasks) == 8


def test_the_plan_of_short_forms_is_what_readme_says(built):
    shown = said("plan", "--tasks", ",".join(name.strip("`") for name in SHORT))
    lines = re.findall(r"^(codemind_\w+): 200 of (\d+) questions; .* about ± ([\d.]+) points$", shown, re.MULTILINE)
    assert {f"`{name}`": (f"{int(of):,}", width) for name, of, width in lines} == SHORT and len(SHORT) == 5
