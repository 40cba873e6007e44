"""Write the tables of what is upstream's: ``python utils/release/published_forms.py``.

Programs, prompts and settings of a task are read from the task and from its family; labels, rules and what differs are
in ``published_forms.yaml``.
"""

import re
import textwrap
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from lm_eval.tasks._yaml_loader import load_yaml

from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.family import Family

TASKS = Path(__file__).resolve().parents[2] / "tasks"
HEADING = "### What is upstream's"
_SECTION = re.compile(rf"\n{HEADING}\n.*?(?=\n##|\Z)", re.DOTALL)
OUR_PROMPTS = "published labels and rules, our prompts"


@cache
def published() -> dict[str, Path]:
    """Return the tasks that replicate a study, by name."""
    files = {path.stem: path for path in sorted(TASKS.glob("*/codemind_*_published*.yaml"))}
    groups = [name for name, path in files.items() if path.read_text(encoding="utf-8").startswith("group:")]
    return {name: path for name, path in files.items() if name not in groups}


def settings_of(path: Path) -> dict[str, Any]:
    """Return a task's settings, without importing what they name."""
    settings: dict[str, Any] = load_yaml(path, resolve_func=False)
    return settings


def family_of(path: Path) -> Family:
    """Return the family whose hooks a task names."""
    family: Family = load_yaml(path, resolve_func=True)["process_results"].__self__._family
    return family


def prompts_of(family: Family) -> str:
    """Return whose prompts a family sends, as its code says."""
    if not family.prompt_texts:
        return OUR_PROMPTS
    archive = get_benchmark(family.prompt_texts).archives[0]
    forms = [f"`{form}`" for form in getattr(family, "forms", ())]
    names = f"; form{'s' if len(forms) > 1 else ''} {', '.join(forms)}" if forms else ""
    return f"upstream's: {archive.repository}@{archive.revision[:10]}{names}"


def settings_shown(settings: dict[str, Any]) -> str:
    """Return the arguments of generation."""
    arguments = settings["generation_kwargs"]
    marks = [text.replace("\n", "\\n") for text in arguments["until"] if text not in ("</s>", "<|im_end|>")]
    stop = f", stop at {', '.join(f'`{text}`' for text in marks)}" if marks else ""
    return f"temperature {arguments['temperature']:g}, {arguments['max_gen_toks']:,} tokens{stop}"


def lines_of(about: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a section."""
    yield from (HEADING, "")
    yield "| tasks | programs | labels | prompts | rules | settings | compare with |"
    yield "|---|---|---|---|---|---|---|"
    for row in about["rows"]:
        names = [name for name in published() if any(fnmatch(name, pattern) for pattern in row["tasks"])]
        if not names:
            raise ValueError(f"published_forms.yaml: there is no task {', '.join(row['tasks'])}")
        settings = [settings_of(published()[name]) for name in names]
        benchmarks = [get_benchmark(one["dataset_kwargs"]["benchmark"]) for one in settings]
        titles = "; ".join(dict.fromkeys(benchmark.title.removesuffix(" as published") for benchmark in benchmarks))
        prompts = {prompts_of(family_of(published()[name])) for name in names}
        shown = {settings_shown(one) for one in settings}
        if len(prompts) > 1 or len(shown) > 1:
            raise ValueError(f"published_forms.yaml: {', '.join(names)} differ: put them into rows of their own")
        tasks = ", ".join(f"`{name}`" for name in row["tasks"])
        cells = (tasks, titles, row["labels"], prompts.pop(), row["rules"], shown.pop(), row["compare"])
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield from ("What differs, and why:", "")
    for text in about["differs"]:
        yield from textwrap.wrap(text, 140, initial_indent="- ", subsequent_indent="  ", break_long_words=False)


def filled(readme: str, about: dict[str, Any]) -> str:
    """Return a README with its section; a new one is at the end."""
    text = "\n" + "\n".join(lines_of(about)) + "\n"
    if _SECTION.search(readme):
        return _SECTION.sub(lambda match: text, readme)
    return readme.rstrip("\n") + "\n" + text


def forms() -> dict[str, dict[str, Any]]:
    """Return what ``published_forms.yaml`` says, by the folder of the README."""
    content: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    return content


def main() -> None:
    """Write the sections."""
    for name, about in forms().items():
        file = TASKS / name / "README.md"
        file.write_text(filled(file.read_text(encoding="utf-8"), about), encoding="utf-8")


if __name__ == "__main__":
    main()
