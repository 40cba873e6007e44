"""Recorded responses of published studies on this suite's tasks, next to the verdicts that the studies recorded.

    python utils/compare/recorded.py RECORDED -o RESULTS

``studies.yaml`` says how each study names its files and which questions, tasks and metrics its rows belong to. The page
``RESULTS/results.md`` compares published and new scores.
"""

import dataclasses
import hashlib
import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import click
import yaml

from lm_eval_codemind import __version__
from lm_eval_codemind.commands import DIRECTORY, NEW_DIRECTORY
from lm_eval_codemind.errors import UserError, count
from lm_eval_codemind.files import write_whole
from lm_eval_codemind.harness.location import task_manager
from lm_eval_codemind.harness.recordings import answers_another_question, read_lines
from lm_eval_codemind.questions import Key
from lm_eval_codemind.results.rescoring import replay
from lm_eval_codemind.results.runs import Run, read_runs
from lm_eval_codemind.studies.traces.ces import numbered

logger = logging.getLogger(__name__)

Row = Mapping[str, Any]
RECORDED, KEPT = "published", "published, without excluded"
_PAIRS_SHOWN = 6
# Characters of a response that a message shows.
_SHOWN = 500
_INTRODUCTION = """\
Percent, with the standard error in parentheses. *Published* is the share of correct answers by the recorded judgements.
*Excluded* are answers to questions that the tasks do not ask. *To correct* and *to incorrect* count the answers for
which the last column differs from the recorded judgement."""


@dataclass(frozen=True)
class Study:
    """A study, or a part of one, as ``studies.yaml`` describes it. The comments there say what each field is."""

    title: str
    files: str
    benchmark: str
    document: Mapping[str, str]
    columns: Mapping[str, str]
    response: str = "{response}"
    recorded: str = ""
    right: Any = 1
    after: str = ""
    line: str = ""
    note: str = ""
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    def text(self, template: str, row: Row) -> str:
        """Return a template with the fields of a row in it; null is empty.

        Raises:
            UserError: If the row lacks a field.
        """
        fields = {name: self.words.get(str(value), "" if value is None else value) for name, value in row.items()}
        try:
            return template.format_map(fields)
        except KeyError as error:
            raise UserError(f"a row lacks the field {error}; it has {', '.join(row)}") from error

    def verdict(self, row: Row) -> bool | None:
        """Return the recorded verdict on a row; None if there is none."""
        value: Any = row
        for part in self.recorded.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        return None if value is None else bool(value == self.right)


@dataclass(frozen=True)
class Result:
    """The scores of one model on one part of a study.

    Attributes:
        study: Title of the study.
        model: Name of the model, from the name of the file.
        benchmark: The part of the study.
        recorded: Number of recorded answers, one a question.
        excluded: How many of them belong to no document of the tasks.
        scores: Heading -> share from 0 to 1; None where there is none.
        errors: Heading -> standard error; None where there is none.
        to_right: How many answers the study calls wrong and the last column right; None without verdicts.
        to_wrong: The other way round.
    """

    study: str
    model: str
    benchmark: str
    recorded: int
    excluded: int
    scores: Mapping[str, float | None]
    errors: Mapping[str, float | None]
    to_right: int | None = None
    to_wrong: int | None = None


@cache
def _manifest() -> Mapping[str, Any]:
    manifest: Mapping[str, Any] = yaml.safe_load(Path(__file__).with_name("studies.yaml").read_text(encoding="utf-8"))
    return manifest


def read_manifest() -> tuple[list[Study], dict[str, str]]:
    """Return the studies, and for names of files that no task scores the reason."""
    return [Study(**entry) for entry in _manifest()["studies"]], _manifest()["others"]


def model_of(name: str, pattern: str) -> str | None:
    """Return the model in the name of a file, empty if the pattern has none; None if the name does not match."""
    parts = re.escape(pattern).replace(r"\{model\}", "(?P<model>.+)").replace(r"\{\}", "[^_]+")
    match = re.fullmatch(parts, name)
    return None if match is None else match.groupdict().get("model", "")


def score(path: Path, study: Study, model: str, folder: Path) -> list[Result]:
    """Score one file of recorded responses on the tasks of a study. The harness writes its files into the folder.

    Returns:
        A result for each part of the study, in the order of the rows; none if no row belongs to the study.

    Raises:
        UserError: If a row lacks a field, or a task does not exist. The message names it.
    """
    parts: dict[str, list[Row]] = {}
    for row in map(json.loads, read_lines(path)):
        if all(row.get(name) in values for name, values in study.where.items()):
            parts.setdefault(study.text(study.benchmark, row), []).append(row)
    columns = {
        part: {heading: study.text(spec, rows[0]).split() for heading, spec in study.columns.items()}
        for part, rows in parts.items()
    }
    tasks = {spec[0] for specs in columns.values() for spec in specs.values()}
    documents = {task: _documents(task) for task in sorted(tasks)}
    pairs = {part: _asked(study, rows, documents[_last(columns[part])[0]]) for part, rows in parts.items()}
    responses = {
        key: row
        for part, rows in parts.items()
        for task in {spec[0] for spec in columns[part].values()}
        for key, row in _asked(study, rows, documents[task])
        if key is not None
    }
    run = _run(study, model, responses, documents, folder) if responses else None
    if run is not None:
        _require_answers(run, path, study)
    return [_result(study, model, part, columns[part], pairs[part], run) for part in parts]


def _require_answers(run: Run, path: Path, study: Study) -> None:
    for task in run.tasks:
        samples = task.read_samples()
        if samples and all(answer.text is None for sample in samples for answer in sample.answers):
            (first, *_), *_ = samples[0].responses
            raise UserError(
                f"{path.name}: none of the {len(samples)} responses to {task.task} has an answer; compare the form of "
                f"the first one with `response` and `after` of {study.title!r} in studies.yaml: {first[:_SHOWN]!r}"
            )


def _last(columns: Mapping[str, list[str]]) -> list[str]:
    return list(columns.values())[-1]


@cache
def _documents(task: str) -> list[Row]:
    manager = task_manager()
    if task not in manager.all_tasks:
        raise UserError(f"there is no task {task}; `where` in studies.yaml selects rows")
    return list(manager.load([task])["tasks"][task].eval_docs)


def _asked(study: Study, rows: Sequence[Row], documents: Sequence[Row]) -> list[tuple[Key | None, Row]]:
    """Return the rows with the keys of their documents, None for an excluded row. Further rows of a document go."""
    unused: dict[tuple[str, ...], list[Row]] = {}
    for document in documents:
        columns = tuple(str(document[column]) for column in study.document)
        unused.setdefault(columns, []).append(document)
    pairs: list[tuple[Key | None, Row]] = []
    seen: set[tuple[str, ...]] = set()
    for row in rows:
        columns = tuple(study.text(template, row) for template in study.document.values())
        waiting = unused.get(columns)
        if waiting and not answers_another_question(row, waiting[0]):
            pairs.append((Key.of(waiting.pop(0)).recorded(), row))
        elif columns not in seen:
            pairs.append((None, row))
        seen.add(columns)
    return pairs


def _run(
    study: Study, model: str, responses: Mapping[Key, Row], documents: Mapping[str, Sequence[Row]], folder: Path
) -> Run:
    folder.mkdir(parents=True, exist_ok=True)
    file, journal = folder / "responses.jsonl", folder / "outcomes.jsonl"
    programs = {Key.of(row).recorded(): row.get("program", "") for rows in documents.values() for row in rows}
    with file.open("w", encoding="utf-8") as lines:
        for key, row in responses.items():
            if study.line:
                row = {**row, study.line: numbered(row[study.line] or "", programs[key])}
            response = study.text(study.response, row)
            if study.after:
                response = response.rpartition(study.after)[2]
            lines.write(json.dumps({**key._asdict(), "response": response, "model": model}) + "\n")
    indices = {
        task: [index for index, document in enumerate(of_task) if Key.of(document).recorded() in responses]
        for task, of_task in documents.items()
    }
    scored = {task: numbers for task, numbers in indices.items() if numbers}
    replay([str(file)], {"model": model}, scored, folder, journal=journal)
    return max(read_runs([folder]), key=lambda run: run.date)


def _result(
    study: Study,
    model: str,
    part: str,
    columns: Mapping[str, list[str]],
    pairs: Sequence[tuple[Key | None, Row]],
    run: Run | None,
) -> Result:
    verdicts = [(key, verdict) for key, row in pairs if (verdict := study.verdict(row)) is not None]
    scores: dict[str, float | None] = {
        RECORDED: _share([verdict for _, verdict in verdicts]),
        KEPT: _share([verdict for key, verdict in verdicts if key is not None]),
    }
    errors: dict[str, float | None] = {}
    for heading, (name, metric, *filters) in columns.items():
        task = run.task(name) if run is not None else None
        metrics = (
            [m for m in task.metrics if m.name == metric and m.filter in (filters or [str(task.main_filter)])]
            if task
            else []
        )
        scores[heading] = metrics[0].value if metrics else None
        errors[heading] = metrics[0].stderr if metrics else None
    rights = _rights(run, _last(columns)) if verdicts else {}
    changed = [rights[key] for key, verdict in verdicts if key in rights and rights[key] != verdict]
    turned = (sum(changed), len(changed) - sum(changed)) if rights else (None, None)
    excluded = sum(key is None for key, _ in pairs)
    return Result(study.title, model, part, len(pairs), excluded, scores, errors, *turned)


def _share(verdicts: Sequence[bool]) -> float | None:
    return sum(verdicts) / len(verdicts) if verdicts else None


def _rights(run: Run | None, column: Sequence[str]) -> dict[Key | None, bool]:
    """Return by key whether a document is right, for metrics that are a number in each document."""
    name, metric, *filters = column
    task = run.task(name) if run is not None else None
    if task is None:
        return {}
    return {
        sample.key.recorded(): sample.scores[metric] == 1
        for sample in task.read_samples()
        if sample.filter in (filters or [str(task.main_filter)]) and isinstance(sample.scores.get(metric), (int, float))
    }


# -- the page


def page(results: Sequence[Result], studies: Sequence[Study], left_out: Mapping[str, str]) -> str:
    """Return the Markdown page: for each study a table and the order of its models, then the files without results."""
    lines = ["# Recorded responses", "", _INTRODUCTION]
    notes = {study.title: study.note for study in reversed(studies)}
    for title in dict.fromkeys(study.title for study in studies):
        of_study = [result for result in results if result.study == title]
        if of_study:
            lines += ["", f"## {title}", ""]
            lines += [notes[title], ""] if notes[title] else []
            lines += table(of_study)
            lines += ["", *of_models] if (of_models := list(orders(of_study))) else []
    if left_out:
        lines += ["", "## Not scored", "", *(f"- `{name}`: {reason}" for name, reason in left_out.items())]
    return "\n".join(lines).rstrip("\n") + "\n"


def table(results: Sequence[Result]) -> Iterator[str]:
    """Yield the lines of a study's table."""
    headings = list(results[0].scores)[2:]
    columns = ["model", "benchmark", "recorded", RECORDED, "excluded", KEPT, *headings, "to correct", "to incorrect"]
    yield f"| {' | '.join(columns)} |"
    yield f"|---|---|{'---:|' * (len(headings) + 6)}"
    for one in results:
        cells = [one.model, one.benchmark, one.recorded, _percent(one, RECORDED), one.excluded, _percent(one, KEPT)]
        cells += [_percent(one, heading) for heading in headings]
        cells += ["" if count is None else count for count in (one.to_right, one.to_wrong)]
        yield f"| {' | '.join(map(str, cells))} |"


def _percent(result: Result, heading: str) -> str:
    value, error = result.scores[heading], result.errors.get(heading)
    if value is None or value != value:
        return ""
    return f"{100 * value:.2f}" + (f" ({100 * error:.2f})" if error is not None and error == error else "")


def orders(results: Sequence[Result]) -> Iterator[str]:
    """Yield the lines about the order of the models: in the first column, and in each one with another order."""
    parts = {
        part: [one for one in results if one.benchmark == part] for part in dict.fromkeys(r.benchmark for r in results)
    }
    parts = {part: of_part for part, of_part in parts.items() if len(of_part) > 1}
    if not parts:
        return
    yield "| benchmark | column | order of the models | pairs that change |"
    yield "|---|---|---|---|"
    for part, of_part in parts.items():
        first: dict[str, float] = {}
        for heading in of_part[0].scores:
            values = {one.model: round(x, 4) for one in of_part if (x := one.scores[heading]) is not None and x == x}
            pairs = [
                f"{one} and {other}"
                for one, other in combinations(sorted(values.keys() & first.keys()), 2)
                if _sign(values, one, other) != _sign(first, one, other)
            ]
            if len(values) > 1 and (not first or pairs):
                changes = ", ".join(pairs) if len(pairs) <= _PAIRS_SHOWN else f"{len(pairs)} pairs"
                yield f"| {part} | {heading} | {_order(values)} | {changes} |"
            first = first or values


def _sign(values: Mapping[str, float], first: str, second: str) -> int:
    return (values[first] > values[second]) - (values[first] < values[second])


def _order(values: Mapping[str, float]) -> str:
    groups: dict[float, list[str]] = {}
    for model, value in values.items():
        groups.setdefault(value, []).append(model)
    return " > ".join(" = ".join(groups[value]) for value in sorted(groups, reverse=True))


@click.command()
@click.argument("recorded", type=DIRECTORY)
@click.option(
    "-o",
    "--output_path",
    required=True,
    type=NEW_DIRECTORY,
    help="Directory for results.md and for the harness's results and samples.",
)
def main(recorded: Path, output_path: Path) -> None:
    """Score the recordings in the directory RECORDED.

    Each file is scored on all tasks that it serves. Its name says which study and model it is of, such as
    `ier_MODEL.jsonl.gz`; docs/replication.md lists the names. A file that cannot be scored is named on the page. Files
    that were scored before into the same directory are not scored again.
    """
    logging.basicConfig(format="%(asctime)s %(message)s")
    logger.setLevel(logging.INFO)
    studies, others = read_manifest()
    cache_file = output_path / "results.json"
    cache: dict[str, Any] = json.loads(cache_file.read_text(encoding="utf-8")) if cache_file.is_file() else {}
    results: list[Result] = []
    left_out: dict[str, str] = {}
    files = sorted(path for path in recorded.iterdir() if path.name.endswith((".jsonl", ".jsonl.gz")))
    for number, path in enumerate(files, start=1):
        logger.info("%d of %d: %s", number, len(files), path.name)
        served = [(study, model) for study in studies if (model := model_of(path.name, study.files))]
        if not served:
            reasons = (reason for pattern, reason in others.items() if model_of(path.name, pattern) is not None)
            left_out[path.name] = next(reasons, "no study has files with such a name")
            continue
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        for part, (study, model) in enumerate(served):
            content = json.dumps([digest, __version__, dataclasses.asdict(study)])
            key = f"{path.name} {hashlib.sha256(content.encode()).hexdigest()}"
            if key not in cache:
                try:
                    scored = score(path, study, model, output_path / path.name.partition(".jsonl")[0] / str(part))
                except (Exception, SystemExit) as error:
                    logger.exception("%s is not scored", path.name)
                    reason = f"{study.title}: {type(error).__name__}: {error}"
                    left_out[path.name] = "; ".join([*filter(None, [left_out.get(path.name)]), reason])
                    continue
                cache[key] = [dataclasses.asdict(result) for result in scored]
                write_whole(cache_file, json.dumps(cache, indent=1) + "\n")
            results += [Result(**values) for values in cache[key]]
        write_whole(output_path / "results.md", page(results, studies, left_out))
    if not files:
        raise click.ClickException(f"{recorded}: no recordings (*.jsonl or *.jsonl.gz) in it")
    write_whole(output_path / "results.md", page(results, studies, left_out))
    click.echo(f"{output_path / 'results.md'}: {count(len(files), 'file')}, {len(left_out)} of them not scored")


if __name__ == "__main__":
    main()
