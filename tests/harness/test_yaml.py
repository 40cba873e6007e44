"""Every YAML file of the suite, read by the harness itself."""

from pathlib import Path

import pytest
import yaml
from lm_eval import simple_evaluate
from lm_eval.api.registry import get_model
from lm_eval.tasks import TaskManager

from lm_eval_codemind.data.catalogue import benchmarks, fixed_form
from lm_eval_codemind.harness.location import task_directory
from lm_eval_codemind.harness.models import register

FILES = sorted(path for path in task_directory().rglob("*.yaml") if not path.name.startswith("_"))


BUGGY = {"humanevalfix_buggy": "buggy", "sample_bugs_buggy": "buggy_sample"}


@pytest.fixture(scope="module")
def manager() -> TaskManager:
    return TaskManager(include_path=str(task_directory()), include_defaults=False)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_harness_indexes_every_file(path: Path, manager: TaskManager) -> None:
    # The harness skips a broken file without a word.
    assert path.stem in manager.all_tasks
    text = path.read_text()
    assert f"task: {path.stem}\n" in text or f"group: {path.stem}\n" in text


def test_groups_hold_existing_tasks(manager: TaskManager) -> None:
    assert {"codemind_ier", "codemind_sr", "codemind_dsr", "codemind_der"} <= set(manager.all_groups)
    for name in manager.all_groups:
        path = next(path for path in FILES if path.stem == name)
        members = yaml.safe_load(path.read_text())["task"]
        assert len(members) >= 2, name
        for member in members:
            assert member in manager.all_tasks, f"{name} names {member}"


def test_tags_pick_a_benchmark_across_families(manager: TaskManager) -> None:
    tasks = [yaml.safe_load(path.read_text().replace("!function", "")) for path in FILES]
    for name, benchmark in benchmarks().items():
        if fixed_form(name):
            # Of these a task is named after what it asks, and no tag picks them.
            assert benchmark.labelled == (name in BUGGY)
            for family in ("ier", "dsr") if benchmark.labelled else ():
                assert f"codemind_{family}_{BUGGY[name]}" in manager.all_tasks
        elif benchmark.labelled:
            about = [task for task in tasks if task.get("dataset_kwargs", {}).get("benchmark") == name]
            assert any(task["task"].startswith(("codemind_ier_", "codemind_lcb_")) for task in about), name
            assert name.startswith("published_") or any(task.get("tag") for task in about), name
    assert {"codemind_humaneval", "codemind_mbpp", "codemind_codenet_java", "codemind_sample"} <= set(manager.all_tags)


@pytest.mark.parametrize("task", ["codemind_ier_sample", "codemind_ier_direct_sample"])
@pytest.mark.parametrize(("model", "value"), [("codemind-oracle", 1.0), ("codemind-null", 0.0)])
@pytest.mark.parametrize("chat", [False, True])
def test_ceiling_and_floor(manager: TaskManager, task: str, model: str, value: float, chat: bool) -> None:
    register()
    results = simple_evaluate(
        model=get_model(model)(), tasks=[task], task_manager=manager, apply_chat_template=chat, bootstrap_iters=100
    )
    assert results is not None
    scores = results["results"][task]
    for metric in ("r_ier", "r_ier_text", "answered"):
        for filter_name in ("strict-match", "flexible-extract"):
            assert scores[f"{metric},{filter_name}"] == value
            assert scores[f"{metric}_stderr,{filter_name}"] == 0.0
    assert results["n-samples"][task]["effective"] == 24
    suite = results["configs"][task]["metadata"]["suite"]
    assert suite["benchmark"] == "sample" and suite["prompts"] == "packaged"


@pytest.mark.parametrize(("model", "value"), [("codemind-oracle", 1.0), ("codemind-null", 0.0)])
def test_ceiling_and_floor_on_all_benchmarks(manager: TaskManager, model: str, value: float, built: Path) -> None:
    register()
    groups = ["codemind_ier", "codemind_ier_direct", "codemind_ier_published"]
    results = simple_evaluate(model=get_model(model)(), tasks=groups, task_manager=manager, bootstrap_iters=100)
    assert results is not None
    assert len(results["results"]) == 12 + 3
    for name, scores in results["results"].items():
        metrics = {key: score for key, score in scores.items() if "," in key and "stderr" not in key}
        assert metrics and set(metrics.values()) == {value}, name
    sizes = {name: count["effective"] for name, count in results["n-samples"].items()}
    assert sizes["codemind_ier_humaneval"] == 164 and sizes["codemind_ier_cruxeval"] == 800
    assert sizes["codemind_ier_avatar"] == 86 and sizes["codemind_ier_published_classeval"] == 400
    suite = results["configs"]["codemind_ier_classeval"]["metadata"]["suite"]
    assert suite["problems"] - suite["excluded"] == sizes["codemind_ier_classeval"] < 400


def test_fewshot_examples_are_turns_of_their_own(manager: TaskManager) -> None:
    task = manager.load(["codemind_ier_sample"])["tasks"]["codemind_ier_sample"]
    task.set_fewshot_seed(1234)
    turns: list[dict[str, str]] = []
    task.fewshot_context(
        task.eval_docs[0],
        3,
        apply_chat_template=True,
        fewshot_as_multiturn=True,
        chat_template=lambda messages, **_: turns.extend(messages) or "",
    )
    assert [turn["role"] for turn in turns] == ["user", "assistant"] * 3 + ["user"]
    assert turns[-1]["content"] == task.eval_docs[0]["prompt"]
    plain = task.fewshot_context(task.eval_docs[0], 3)
    assert plain.endswith("### Answer")
    assert plain.count("### Problem") == 4
    assert task.fewshot_context(task.eval_docs[0], 0) == task.eval_docs[0]["prompt"]


def test_own_prompts_and_repeats(tmp_path: Path) -> None:
    (tmp_path / "ier").mkdir()
    for kind in ("function", "method", "script"):
        (tmp_path / "ier" / f"{kind}.txt").write_text("MINE {{ code }} {{ input }}")
    (tmp_path / "ier" / "response.txt").write_text("[{{ output }}]")
    config = f"include: {task_directory()}/ier/codemind_ier_sample.yaml\ntask: mine\nrepeats: 3\n"
    (tmp_path / "mine.yaml").write_text(config)
    manager = TaskManager(include_path=str(tmp_path), include_defaults=False, metadata={"prompts": str(tmp_path)})
    register()
    results = simple_evaluate(
        model=get_model("codemind-oracle")(), tasks=["mine"], task_manager=manager, bootstrap_iters=100
    )
    assert results is not None
    assert results["samples"]["mine"][0]["arguments"][0][0].startswith("MINE")
    assert results["configs"]["mine"]["metadata"]["suite"]["prompts"] == str(tmp_path)
    assert {f"pass@{k},strict-match" for k in (1, 2)} < set(results["results"]["mine"])
    assert results["results"]["mine"]["pass@1,strict-match"] == results["results"]["mine"]["r_ier,strict-match"]
    assert "pass@5,strict-match" not in results["results"]["mine"]
