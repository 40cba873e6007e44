"""The prompts of published tasks are those that upstream's own functions make, for every question and every form."""

import csv
import hashlib
import json
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.manifest import DATA_VARIABLE
from lm_eval_codemind.families.dsr import published as dsr
from lm_eval_codemind.families.ier import published as ier
from lm_eval_codemind.families.published.prompts import FORM, plain_lines
from lm_eval_codemind.families.sr import published as sr
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.questions import Question
from lm_eval_codemind.studies.re2.published import task as re2
from lm_eval_codemind.studies.reval import task as reval
from lm_eval_codemind.studies.traces import task as traces
from lm_eval_codemind.studies.traces.ces_prompts import FORMS as CES_FORMS

pytestmark = pytest.mark.proof

# Form -> the name of a model that upstream's functions know, and that gets this form.
MODELS = {
    "gpt": "gpt-4", "codellama": "CodeLlama-13b", "deepseek": "deepseek-coder-33b", "magicoder": "Magicoder",
    "starcoder": "starcoder2-15b", "wizardcoder": "WizardCoder", "semcoder": "semcoder", "mistral": "Mistral",
    "codellama_34b": "CodeLlama-34b",
}  # fmt: skip
IER = {
    "published_humaneval": "humaneval", "published_mbpp": "mbpp", "published_cruxeval": "cruxeval",
    "published_avatar": "Avatar", "published_avatar_java": "Avatar", "published_codenet_python": "CodeNet",
    "published_codenet_java": "CodeNet",
}  # fmt: skip
# Repository -> a pattern of the files that its functions and our tests read.
_READ = {
    "CodeMind": r"scripts/|classeval/.*/(asserts.txt|transformation.py)|Synthesis/.*/(nl|assert|signature).txt",
    "CodeMind-v1": "scripts/",
    "REval": "",
    "CoCoNUT": "prompts.py|HumanEval_trace.csv",
    "CES": "src/ces/|dataset/humaneval/",
}
SETTINGS = ("coverage", "state", "path", "output")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


@pytest.fixture(scope="module")
def repositories(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the repositories of the archives, without what no function for prompts reads."""
    folder = tmp_path_factory.mktemp("upstream")
    for name, pattern in _READ.items():
        with tarfile.open(shared_data / "upstream" / f"{name}.tar.xz") as tar:
            tar.extractall(folder, [member for member in tar if re.search(pattern, member.name)])
    return folder


@pytest.fixture(scope="module", autouse=True)
def data(built_data: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_VARIABLE, str(built_data))
        yield


def upstreams(study: str, folder: Path, arguments: list[Any]) -> list[str]:
    """Return the digests of the prompts that upstream's functions make."""
    script = Path(__file__).with_name("upstream_prompts.py")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), study, str(folder)],
        input=json.dumps(arguments), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    digests: list[str] = json.loads(done.stdout)
    return digests


def in_form(family: Any, document: dict[str, Any], form: str) -> str:
    """Return the prompt of a document in another form."""
    kind = kind_of(Question.from_document(document))
    return str(family.text(kind, {**document, FORM: form}, document["setting"]))


def test_the_scripts_of_the_first_study_are_those_of_later_versions(repositories):
    for first, later in (("ier", "ier"), ("der", "sr")):
        scripts = [
            repositories / name / "scripts" / f"create_prompt_{script}.py"
            for name, script in (("CodeMind-v1", first), ("CodeMind", later))
        ]
        assert scripts[0].read_bytes() == scripts[1].read_bytes()


@pytest.mark.timeout(300)
def test_execution_reasoning(repositories):
    arguments, prompts = [], []
    for benchmark, name in IER.items():
        raw = {problem.problem_id: problem for problem in load_benchmark(benchmark)}
        documents = list(ier.dataset(benchmark=benchmark, setting="steps")["test"])
        assert len(documents) == len(raw)
        for document in documents:
            problem = raw[document["problem_id"]]
            code, given = plain_lines(problem.code), plain_lines(problem.input).strip("\n")
            for form in ier.FORMS:
                prompt = document["prompt"] if form == "gpt" else in_form(ier.PUBLISHED_IER, document, form)
                arguments.append([MODELS[form], code, given, name, problem.language.capitalize()])
                prompts.append(digest(prompt))
    assert len(prompts) == 6 * 5395
    assert upstreams("ier", repositories / "CodeMind", arguments) == prompts


@pytest.mark.timeout(300)
def test_simplification(repositories):
    documents = list(dsr.dataset(benchmark="published_classeval")["test"])
    arguments, prompts = [], []
    for document in documents:
        folder = repositories / "CodeMind/dataset/classeval" / document["problem_id"]
        code, tests = (folder / "transformation.py").read_text(), (folder / "asserts.txt").read_text()
        for form in dsr.PUBLISHED_DSR.forms:
            prompt = document["prompt"] if form == "gpt" else in_form(dsr.PUBLISHED_DSR, document, form)
            # The example of the script names a method by its bare name.
            arguments.append(["classeval", MODELS[form], code, tests, document["problem_id"].rpartition(".")[2]])
            prompts.append(digest(prompt))
    assert len(documents) == 298
    assert upstreams("dsr", repositories / "CodeMind", arguments) == prompts


def test_specification_reasoning(repositories):
    arguments, prompts, counts = [], [], {}
    for benchmark in ("humaneval", "mbpp"):
        documents = list(sr.dataset(benchmark=benchmark, settings=["no_test", "with_test"])["test"])
        counts[benchmark] = len(documents)
        for document in documents:
            name = document["problem_id"].removeprefix("MBPP_")
            folder = repositories / "CodeMind/dataset/Intermediate/Synthesis" / benchmark / name
            is_tested = document["setting"] == "with_test"
            nl, test, signature = (folder / "nl.txt").read_text(), (folder / "assert.txt").read_text(), ""
            if not is_tested and benchmark == "mbpp":
                signature = (folder / "signature.txt").read_text()
            elif not is_tested:
                # Upstream has not published its descriptions without examples: these are ours.
                nl = document["specification"]
            for form in sr.FORMS:
                prompt = document["prompt"] if form == "gpt" else in_form(sr.PUBLISHED_SR, document, form)
                arguments.append([MODELS[form], nl, signature, test if is_tested else ""])
                prompts.append(digest(prompt))
    assert counts == {"humaneval": 326, "mbpp": 758}
    assert upstreams("sr", repositories / "CodeMind", arguments) == prompts


@pytest.mark.timeout(300)
def test_runtime_behaviour(repositories):
    arguments, prompts = [], []
    for benchmark in ("reval_humaneval", "reval_classeval"):
        tasks = {
            problem.problem_id: json.loads(problem.upstream_questions)["task_id"]
            for problem in load_benchmark(benchmark)
        }
        for form, dataset in (("direct", reval.dataset), ("cot", reval.cot_dataset)):
            for document in dataset(benchmark=benchmark, settings=SETTINGS)["test"]:
                name = tasks[document["problem_id"]]
                arguments.append([name, document["run"], document["line"], form, document["setting"]])
                prompts.append(digest(document["prompt"]))
    assert len(prompts) == 20_088
    assert upstreams("reval", repositories / "REval", arguments) == prompts


def test_re2_bench(shared_data):
    files = {}
    with tarfile.open(shared_data / "upstream" / "RE2Bench.tar.xz") as tar:
        for member in tar:
            parts = member.name.split("/")
            if "prompts" in parts and member.isfile():
                file = tar.extractfile(member)
                assert file is not None
                files[parts[-3].removesuffix("_prediction"), parts[-1].removesuffix(".txt")] = digest(
                    file.read().decode()
                )
    built = {
        (task, problem.problem_id): digest(text)
        for problem in load_benchmark("re2_prompts")
        for task, text in json.loads(problem.upstream_questions).items()
    }
    assert len(files) == 1400 and built == files
    for task, count in {"output": 498, "input": 498, "loop": 197, "branch": 199}.items():
        dataset = re2.input_dataset if task == "input" else re2.dataset
        documents = list(dataset(benchmark="re2", setting=task)["test"])
        assert len(documents) == count
        for document in documents:
            assert digest(document["prompt"]) == files[task, document["problem_id"]]


def test_coconut(repositories):
    documents = list(traces.coconut_dataset(benchmark="coconut")["test"])
    with (repositories / "CoCoNUT/Dataset/HumanEval/HumanEval_trace.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    arguments = [[row["Code_Indices"], row["Name"], row["FunctionCall"]] for row in rows]
    assert len(documents) == 1083
    assert upstreams("coconut", repositories / "CoCoNUT", arguments) == [digest(one["prompt"]) for one in documents]


def test_ces(repositories):
    documents = list(traces.ces_dataset(benchmark="ces")["test"])
    assert len(documents) == 486
    arguments, prompts = [], []
    for document in documents:
        marks = json.loads(document["marks"])
        asked = any(kind != "branch" for _, kind, *_ in marks)
        folder = repositories / "CES/dataset/humaneval" / document["item"]
        code, given = (folder / "main.py").read_text(), (folder / "input.txt").read_text().strip("\n")
        # The values that the prompt asks for are in files that upstream has not published: the notes are ours.
        shown = traces.annotated(code, traces._notes(marks, hidden=True)) if asked else code
        for form in CES_FORMS:
            model = {"codellama": "CodeLlama-7b", "gpt": "gpt-4-turbo"}.get(form, MODELS[form])
            prompt = document["prompt"] if form == "gpt" else in_form(traces.CES, document, form)
            arguments.append([document["item"], model, shown, given, "humaneval", "Python", not asked])
            prompts.append(digest(prompt))
    made = upstreams("ces", repositories / "CES", arguments)
    differing = {(arguments[place][0], made[place]) for place in range(len(made)) if made[place] != prompts[place]}
    assert differing == set()
