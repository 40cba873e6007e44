"""A third language in a separate package: node runs its programs in the sandbox, and no module of ours knows it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lm_eval_codemind.families.ier import task as ier
from lm_eval_codemind.sandbox import Job, Limits, SharedPool, Status
from lm_eval_codemind.sandbox.runtimes import get_runtime
from lm_eval_codemind.sandbox.workers import WorkerPool
from lm_eval_codemind.workshop.seeded import SeededPool
from tests.cli import said
from tests.house.test_extending import installed
from tests.run_files import read_run, write_rows
from tests.sandbox.conftest import level, pytest_generate_tests  # noqa: F401

pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(shutil.which("node") is None, reason="node isn't installed"),
]
TASK = "codemind_writing_js"
UNSAFE = "--confirm_run_unsafe_code"
ENTRY_POINTS = """\
[lm_eval_codemind.benchmarks]
js = javascript:JS
[lm_eval_codemind.families]
writing = javascript:WRITING
[lm_eval_codemind.languages]
javascript = javascript:JAVASCRIPT
[lm_eval_codemind.runtimes]
node = javascript:NODE
[lm_eval_codemind.tasks]
js = javascript:directory
"""
READ = 'const text = require("fs").readFileSync(0, "utf8");\n'


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a directory with the package, which its entry points name."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(Path(__file__).with_name("javascript"), folder, dirs_exist_ok=True)
    with installed(folder, ENTRY_POINTS):
        yield folder


@pytest.fixture(scope="module")
def sandbox(package: Path, level: str) -> Iterator[WorkerPool]:  # noqa: F811
    """A sandbox at each level."""
    import node_runtime

    with node_runtime.InterpreterSandbox(get_runtime("javascript"), workers=2, isolation=level) as sandbox:
        yield sandbox


def script(source: str, stdout: str | None = None, stdin: str = "", limits: Limits | None = None) -> Job:
    return Job.script(source, [(stdin, stdout)], limits=limits, language="javascript")


def test_programs_are_judged(sandbox):
    right, wrong, raised, endless = sandbox.run(
        [
            script(f"{READ}console.log(2 * text);", "42\n", "21"),
            script(f"{READ}console.log(2 * text);", "43\n", "21"),
            script('throw new TypeError("no");'),
            script("for (;;);", limits=Limits(cpu_seconds=0.5)),
        ]
    )
    assert right.passed and right.tamper_proof and right.isolation == sandbox.isolation
    assert wrong.status is Status.FAILED and wrong.stdout == "42\n"
    assert (raised.status, raised.exception_type, raised.exception_message) == (Status.ERROR, "TypeError", "no")
    assert endless.status is Status.TIMEOUT


HOSTILE = {
    "writes outside": 'require("fs").writeFileSync("/usr/codemind", "x"); console.log(1);',
    "reads secrets": f'console.log(require("fs").readFileSync({str(Path(__file__))!r}, "utf8")[0] ? 1 : 0);',
    "starts a program": 'require("child_process").execFileSync("/bin/true"); console.log(1);',
    "signals the starter": "process.kill(process.ppid, 9); console.log(1);",
    "takes all memory": "const all = []; for (;;) all.push(new Array(10000).fill(1.5));",
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_programs_reach_nothing(sandbox, source):
    hostile, honest = sandbox.run([script(source, "1\n"), script("console.log(1);", "1\n")])
    assert not hostile.passed, hostile
    assert honest.passed, honest


def test_the_network_is_out_of_reach(sandbox):
    say = '.on("error", (e) => console.log(e.code)).on("connect", () => console.log("connected"));'
    (outcome,) = sandbox.run([script(f'require("net").connect(80, "127.0.0.1"){say}')])
    assert "connected" not in outcome.stdout, outcome


def test_the_pools_run_it_by_its_name(package):
    job = script("console.log(1);", "1\n")
    assert SharedPool().run([job])[0].passed
    with SeededPool(1) as pool:
        assert pool.submit(job).result().passed


def test_the_oracle_gets_everything_and_silence_nothing(package, tmp_path):
    for model, score in (("codemind-oracle", 1.0), ("codemind-null", 0.0)):
        said("run", "--model", model, "--tasks", TASK, "--output_path", tmp_path / model, "--log_samples", UNSAFE)
        written, _ = read_run(tmp_path / model)
        assert written["results"][TASK]["passed,extract-code"] == score


def test_recorded_answers_are_scored_and_verified(package, tmp_path):
    answers = {"sum": "```javascript\nconsole.log(6)\n```", "reversed": "```js\nconsole.log('3 2 1')\n```"}
    rows = [{"benchmark": "js", "problem_id": name, "response": text, "model": "m"} for name, text in answers.items()]
    write_rows(tmp_path / "responses.jsonl", rows)
    place = str(tmp_path / "out")
    said("score", "--responses", str(tmp_path / "responses.jsonl"), "--tasks", TASK, "--output_path", place, UNSAFE)
    _, samples = read_run(tmp_path / "out")
    # One output is the right one for both inputs of the sum, and for one of the other problem's.
    passed = {row["doc"]["problem_id"]: row["passed"] for row in samples[TASK]}
    assert passed == {"sum": 1.0, "reversed": 0.0}
    assert "equal" in said("verify", place)


def test_its_scripts_never_get_the_prompt_of_another_languages_scripts(package):
    with pytest.raises(ValueError, match=r"no template javascript/script\.txt in .*ier"):
        ier.dataset(benchmark="js", setting="steps")


def test_a_language_without_a_runtime_is_named():
    message = r"no runtime executes programs in 'cobol'; there are runtimes for java, (javascript, )?python"
    with pytest.raises(ValueError, match=message):
        SharedPool().run([Job.script("", [("", "")], language="cobol")])


def test_a_missing_interpreter_is_named(package):
    from node_runtime import Interpreter

    with pytest.raises(ValueError, match="programs in cobol need cobc, and it is not on PATH"):
        Interpreter("cobol", ["cobc"], error="(?P<type>)(?P<message>)").sandbox()
