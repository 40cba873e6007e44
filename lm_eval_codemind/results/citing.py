"""What belongs into a paper: a sentence for each result, the settings as a table, and BibTeX of what was used."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from lm_eval_codemind import __version__
from lm_eval_codemind.data.catalogue import benchmarks, read_yaml
from lm_eval_codemind.errors import count
from lm_eval_codemind.families.view import View
from lm_eval_codemind.harness.contract import token_limit
from lm_eval_codemind.harness.provenance import prompts_sent
from lm_eval_codemind.results.analysis import overall, summary
from lm_eval_codemind.results.observations import distinct
from lm_eval_codemind.results.provenance import text_of
from lm_eval_codemind.results.runs import Run
from lm_eval_codemind.results.settings import failed_requests, form_of_prompts, settings
from lm_eval_codemind.samples import TaskRun
from lm_eval_codemind.statistics import TOO_FEW

_CONTENT = read_yaml(files(__package__).joinpath("references.yaml"))
_PAPERS: Mapping[str, Mapping[str, Any]] = _CONTENT["papers"]
# Settings that nobody knows of responses that were recorded elsewhere.
_REQUEST_SETTINGS = (
    *("few-shot examples", "prompts by", "form of the prompts", "chat template", "system instruction"),
    *("generation", "prompts"),
)
# How a sentence names the usual prompts.
_PROMPTS = {"ours": "the suite's prompts"}
_LATEX = str.maketrans(
    {name: f"\\{name}" for name in "&%$#_{}"} | {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}"}
)


@dataclass(frozen=True)
class Result:
    """A model's result on a group, or on a task in no group: its scores as texts, and the tasks with their views."""

    model: str
    group: str
    scores: tuple[str, ...]
    tasks: tuple[tuple[Run, TaskRun, View], ...]

    @property
    def recorded(self) -> bool:
        """Whether the responses were recorded elsewhere."""
        return any(run.recorded for run, _, _ in self.tasks)

    @property
    def failed(self) -> str:
        """How many requests failed; empty if none did."""
        return failed_requests(task for _, task, _ in self.tasks)

    def shared(self, values: Iterable[str]) -> str:
        """Return the value of a setting; if it differs between the tasks, each value with its task."""
        texts = list(values)
        if len(set(texts)) == 1:
            return texts[0]
        return ", ".join(f"{text} ({task.task})" for text, (_, task, _) in zip(texts, self.tasks, strict=True))

    def sentence(self) -> str:
        """Return the sentence that reports the result."""
        titles = "; ".join(distinct(f"{view.title}, {_origin(view)}" for _, _, view in self.tasks))
        asked, there = (sum(getattr(task, name) for _, task, _ in self.tasks) for name in ("effective", "original"))
        suite = self.shared(text_of(task.suite.get("version")) for _, task, _ in self.tasks)
        harness = self.shared(text_of(run.raw.get("lm_eval_version")) for run, _, _ in self.tasks)
        model, questions = self.model, f"{asked:,} of {there:,} questions"
        if self.recorded:
            how = f"from recorded responses to {questions}, whose prompts and decoding are not known"
        else:
            model += f" ({self.shared(_backend(run) for run, _, _ in self.tasks)})"
            how = f"with {self.shared(_how(run, task) for run, task, _ in self.tasks)}, for {questions}"
        failed = f" ({self.failed} requests failed and count as wrong)" if self.failed else ""
        filters = self.shared(text_of(task.main_filter) for _, task, _ in self.tasks)
        *others, last = self.scores
        scores = f"{', '.join(others)} and {last}" if others else last
        return (
            f"{model} scores {scores} on {self.group} ({titles}), {how}{failed}, read by the filter {filters} "
            f"and scored by lm-eval-codemind {suite} with lm-eval {harness}."
        )

    def settings(self) -> dict[str, str]:
        """Return the settings with their values; what nobody knows of recorded responses is left out."""
        by_task = [settings(run, task) for run, task, _ in self.tasks]
        known = [name for name in by_task[0] if not (self.recorded and name in _REQUEST_SETTINGS)]
        shared = {name: self.shared(values[name] for values in by_task) for name in known}
        return shared | ({"failed requests, which count as wrong": self.failed} if self.failed else {})


def _origin(view: View) -> str:
    key = view.variant.paper
    return f"a task of {_PAPERS[key]['name']} (arXiv {_PAPERS[key]['eprint']})" if key else "a task of lm-eval-codemind"


def _backend(run: Run) -> str:
    """Return the backend of a run, and the precision where the harness recorded it or an argument gives it."""
    arguments = run.config.get("model_args")
    argument = arguments.get("dtype") if isinstance(arguments, Mapping) else None
    precision = run.config.get("model_dtype") or argument
    backend = f"backend {text_of(run.raw.get('model_source') or run.config.get('model'))}"
    return f"{backend}, {str(precision).removeprefix('torch.')}" if precision else backend


def _how(run: Run, task: TaskRun) -> str:
    """Return how the responses were made: examples, prompts, decoding and limit."""
    arguments, system = task.config.get("generation_kwargs") or {}, run.raw.get("system_instruction")
    limit = token_limit(str(run.config.get("model")), arguments)
    drawn = ", ".join(f"{name} {arguments[name]}" for name in ("temperature", "top_p", "top_k") if arguments.get(name))
    decoding = "greedy decoding"
    if arguments.get("do_sample") is False and arguments.get("temperature"):
        # These two set the temperature to 0; an API samples.
        decoding = f"{drawn} without do_sample (greedy decoding with Hugging Face and vLLM)"
    elif arguments.get("do_sample") or arguments.get("temperature"):
        decoding = f"sampling ({drawn or 'as the backend does by default'})"
    parts = [
        count(task.config.get("num_fewshot") or 0, "few-shot example"),
        f"{_PROMPTS.get(sent := prompts_sent(task.suite), sent)} {form_of_prompts(run, task)}",
        *([f"the system instruction {system!r}"] if system else []),
        decoding,
        f"{count(task.config.get('repeats') or 1, 'response')} to a question",
        f"at most {limit:,} tokens each" if limit else "no limit of tokens",
    ]
    return ", ".join(parts)


def results(runs: Sequence[Run]) -> list[Result]:
    """Return the results to report: of each group that was run, and of the tasks that are in no group."""
    table = overall(runs, summary(runs, every=False))
    scores: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row, shown in zip(table.rows, table.shown(), strict=True):
        cells = dict(zip(row, shown, strict=True))
        interval = f"95% interval {cells['low']} to {cells['high']}"
        if math.isnan(row["low"]):
            interval = "too few problems for an interval" if row["low"] is TOO_FEW else "no interval"
        scores[row["model"], row["group"]].append(f"{row['metric']} {cells['value']} ({interval})")
    reported = []
    for key, texts in scores.items():
        members = tuple(_members(runs, *key))
        further = [text for _, task, view in members for text in view.cited(task.scored_samples)]
        reported.append(Result(*key, (*further, *texts), members))
    return reported


def _members(runs: Sequence[Run], model: str, group: str) -> Iterable[tuple[Run, TaskRun, View]]:
    chosen = [run for run in runs if run.label == model]
    names = {group, *(task for run in chosen for entry in run.groups if entry.name == group for task in entry.tasks)}
    return ((run, task, view) for run in chosen for task, view in run.known_tasks if task.task in names)


def table(reported: Sequence[Result], latex: bool) -> str:
    """Return the settings as a table in Markdown or LaTeX: a row for each setting, a column for each result."""
    columns = [result.settings() for result in reported]
    names = dict.fromkeys(name for column in columns for name in column)
    header = ["setting", *(f"{result.model}, {result.group}" for result in reported)]
    rows = [[name, *(column.get(name, "not known") for column in columns)] for name in names]
    if not latex:
        lines = [header, ["---"] * len(header), *rows]
        return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
    first, *rest = [" & ".join(cell.translate(_LATEX) for cell in line) + r" \\" for line in (header, *rows)]
    body = "\n".join([first, r"\hline", *rest])
    return f"\\begin{{tabular}}{{{'l' * len(header)}}}\n{body}\n\\end{{tabular}}"


def bibtex(reported: Sequence[Result]) -> str:
    """Return BibTeX of this suite, and of the papers whose tasks or benchmarks were used."""
    keys: dict[str | None, None] = {}
    for result in reported:
        for _, task, view in result.tasks:
            benchmark = benchmarks().get(task.benchmark)
            names = [source.name for source in benchmark.sources] if benchmark else []
            keys |= dict.fromkeys([view.variant.paper, *map(_CONTENT["sources"].get, names)])
    used = distinct(text_of(task.suite.get("version")) for result in reported for _, task, _ in result.tasks)
    suite = {
        "author": "{The lm-eval-codemind authors}",
        "title": "lm-eval-codemind",
        "version": ", ".join(used) or __version__,
        "url": "https://github.com/lm-eval-codemind/lm-eval-codemind",
    }
    return "\n\n".join([_entry("software", "lm-eval-codemind", suite), *(_article(key) for key in keys if key)])


def _article(key: str) -> str:
    fields = {name: str(value) for name, value in _PAPERS[key].items() if name != "name"}
    return _entry("misc", key, {**fields, "archiveprefix": "arXiv"})


def _entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}}}"
