"""Every YAML file of the suite, read by the harness itself."""

from pathlib import Path

import pytest
import yaml
from lm_eval.tasks import TaskManager

from lm_eval_codemind.data.catalogue import benchmarks, fixed_form
from lm_eval_codemind.harness import location
from lm_eval_codemind.harness.location import keep_tasks, task_directory
from tests.families.reference import reference_run
from tests.results.harness import task_manager

FILES = sorted(path for path in task_directory().rglob("*.yaml") if not path.name.startswith("_"))


BUGGY = {"humanevalfix_buggy": "buggy", "sample_bugs_buggy": "buggy_sample"}


@pytest.fixture
def manager() -> TaskManager:
    return task_manager()


def test_a_process_reads_our_files_once_and_those_of_the_user_each_time(tmp_path, monkeypatch):
    opened = []
    usual = Path.open
    (tmp_path / "mine.yaml").write_text(f"include: {task_directory()}/ier/codemind_ier_sample.yaml\ntask: mine\n")
    location.task_manager()
    monkeypatch.setattr(Path, "open", lambda self, *a, **n: opened.append(self.name) or usual(self, *a, **n))
    first, second = (location.task_manager(include_path=tmp_path) for _ in range(2))
    assert "codemind_ier_humaneval.yaml" not in opened and opened.count("mine.yaml") == 2
    assert first.task_index.keys() == second.task_index.keys() >= {"mine", "codemind_ier"}
    assert first.task_index["mine"].cfg is not second.task_index["mine"].cfg


def test_a_manager_keeps_loaded_tasks_also_for_groups_and_tags(tmp_path):
    name = "codemind_ier_sample"
    (tmp_path / "mine.yaml").write_text(f"group: mine\ntask: [{name}]\n")
    (tmp_path / "changed.yaml").write_text(f"group: changed\ntask: [{{task: {name}, repeats: 2}}]\n")
    manager = location.task_manager(include_path=tmp_path)
    for _ in range(2):
        keep_tasks(manager)
        task = manager.load([name])["tasks"][name]
    by_name, by_group, by_tag, changed = (
        manager.load([one])["tasks"] for one in (name, "mine", "codemind_sample", "changed")
    )
    assert by_name[name] is by_group[name] is by_tag[name] is task and len(by_tag) > 1
    assert changed[name] is not task and changed[name].config.repeats == 2


def test_the_harness_indexes_every_file_and_groups_hold_existing_tasks(manager):
    for path in FILES:
        # The harness skips a broken file without a word.
        assert path.stem in manager.all_tasks
        assert {f"task: {path.stem}", f"group: {path.stem}"} & {*path.read_text().splitlines()}, path
    assert {"codemind_ier", "codemind_sr", "codemind_dsr", "codemind_der"} <= set(manager.all_groups)
    for name in manager.all_groups:
        path = next(path for path in FILES if path.stem == name)
        members = yaml.safe_load(path.read_text())["task"]
        assert len(members) >= 2, name
        for member in members:
            assert member in manager.all_tasks, f"{name} names {member}"


def test_tags_pick_a_benchmark_across_families(manager):
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


@pytest.mark.parametrize(("model", "value"), [("oracle", 1.0), ("null", 0.0)])
def test_ceiling_and_floor_on_all_benchmarks(model, value, built):
    results = reference_run(model, "codemind_ier", "codemind_ier_direct", "codemind_ier_published")
    assert len(results["results"]) == 12 + 3
    for name, scores in results["results"].items():
        metrics = {key: score for key, score in scores.items() if "," in key and "stderr" not in key}
        assert metrics and set(metrics.values()) == {value}, name
    sizes = {name: count["effective"] for name, count in results["n-samples"].items()}
    assert sizes["codemind_ier_humaneval"] == 164 and sizes["codemind_ier_cruxeval"] == 800
    assert sizes["codemind_ier_avatar"] == 86 and sizes["codemind_ier_published_classeval"] == 400
    suite = results["configs"]["codemind_ier_classeval"]["metadata"]["suite"]
    assert suite["problems"] - suite["excluded"] == sizes["codemind_ier_classeval"] < 400


def test_fewshot_examples_are_turns_of_their_own(manager):
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


def test_own_prompts_and_repeats(tmp_path):
    (tmp_path / "ier").mkdir()
    for kind in ("function", "method", "script"):
        (tmp_path / "ier" / f"{kind}.txt").write_text("MINE {{ code }} {{ input }}")
    (tmp_path / "ier" / "response.txt").write_text("[{{ output }}]")
    config = f"include: {task_directory()}/ier/codemind_ier_sample.yaml\ntask: mine\nrepeats: 3\n"
    (tmp_path / "mine.yaml").write_text(config)
    manager = TaskManager(include_path=str(tmp_path), include_defaults=False, metadata={"prompts": str(tmp_path)})
    results = reference_run("oracle", "mine", manager=manager)
    assert results["samples"]["mine"][0]["arguments"][0][0].startswith("MINE")
    assert results["configs"]["mine"]["metadata"]["suite"]["prompts"] == str(tmp_path)
    scores = results["results"]["mine"]
    assert scores["pass@1,strict-match"] == scores["r_ier,strict-match"]
    assert "pass@2,strict-match" in scores and "pass@5,strict-match" not in scores
