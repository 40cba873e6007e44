"""Dependent execution reasoning (DER): predict what the program computes that the model itself has written.

The questions are made from the responses of an earlier task, the first stage; see
:mod:`lm_eval_codemind.harness.stages`.
Prompt and reading are those of :data:`~lm_eval_codemind.families.ier.IER`.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable, Mapping, Sequence
from math import isnan, nan
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_codemind.benchmarks import Benchmark, benchmarks, labelled_form
from lm_eval_codemind.data import load_problem
from lm_eval_codemind.families.ier import FLEXIBLE, IER, STRICT, ExecutionReasoning
from lm_eval_codemind.harness.hooks import Hooks, Reader
from lm_eval_codemind.harness.stages import PLACE, FirstStage, read_first_stage, run_files, samples_of
from lm_eval_codemind.languages import Kind, get_language, kind_of
from lm_eval_codemind.problems import SHOWN_CHARACTERS, Complexity, Problem, plain_lines
from lm_eval_codemind.proof.outputs import Execution, prove_outputs
from lm_eval_codemind.questions import Answer, Findings, Key, Part, Question, Unit
from lm_eval_codemind.questions.family import FindingsColumn, prompts, responses
from lm_eval_codemind.questions.samples import Sample, TaskRun
from lm_eval_codemind.scores import der as scores
from lm_eval_codemind.scores.statistics import Estimate, bootstrap, mean, proportion

INPUT_SEED = 0

# Tells its questions from IER's on the same problem; it is shown in the way in which IER asks.
_SETTING = "own_program"
_SHOWN_AS = "steps"
# The item of the only document of a task whose model wrote no program that can be asked about.
NOTHING = "nothing to ask"

_METRICS = ("r_der", "s_der", "pass@1", "r_ier_same", "answered")

Record = Mapping[str, Any]


class Written(NamedTuple):
    """A program of the model that passes all of T.

    Attributes:
        key: What the question about it goes by.
        problem: The problem that it solves.
        program: Its source.
        input: What is asked for the output of; None where nothing is known that could be.
    """

    key: Key
    problem: Problem
    program: str
    input: str | None


class DependentReasoning(ExecutionReasoning):
    """DER: one question a program of the model that passes its tests."""

    name = "der"
    title = "DER"
    options = (PLACE, "input_seed")
    metric = "r_der"
    verdict = "r_der"
    scores = ("S_DER",)
    programs: Mapping[str, tuple[str, str]] = {
        "C": ("complexity", "code"),
        "reference": ("reference_complexity", "reference"),
    }
    in_overlap = False
    authors_task = "DER"

    def variant(self, benchmark: Benchmark, settings: Sequence[str]) -> str:
        return self.name

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        """Return no questions: they come from a first stage, by :class:`_Asking`."""
        return ()

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return IER.prompt(kind, fields, _SHOWN_AS)

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return IER.target(kind, fields, _SHOWN_AS)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        scored = IER.score(question, answer)
        return {"r_der": scored["r_ier"], "answered": scored["answered"]}

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a document: for each a record, which the aggregations below put together."""
        asked = question.key.item != NOTHING
        record = {
            "right": means["r_der"] if asked else None,
            "answered": means["answered"] if asked else None,
            "ier_same": question["ier_same"],
            **{name: question["first_stage"][name] for name in ("responses", "passed", "asked")},
        }
        return dict.fromkeys([name for metric in _METRICS for name in (metric, f"{metric}_stderr")], record)

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        return [unit for unit in super().units(samples) if _record(unit[0])["right"] is not None]

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        return {self.scores[0]: float(_record(unit[0])["right"])}

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        records = [_record(sample) for sample in samples if self.metric in sample.scores]
        right, failed = _right(records), round(_failed(records))
        if metric == "s_der":
            return mean([*right, *[0.0] * failed])
        if metric == "pass@1":
            return proportion(records[0]["passed"], records[0]["responses"]) if records else mean([])
        return mean({"r_der": right, "r_ier_same": _same(records), "answered": _answered(records)}.get(metric, []))

    def leaderboard(self, task: TaskRun) -> dict[str, float]:
        found = {"RDER": task.metric("r_der"), "Pass1": task.metric("pass@1")}
        return {column: metric.value for column, metric in found.items() if metric and not isnan(metric.value)}

    def leaderboard_row(self, task: TaskRun, benchmark: Benchmark) -> dict[str, str]:
        """Return the row of the task whose programs these are, which says whether they are translations."""
        from lm_eval_codemind.families import families

        recorded = task.suite.get("first_stage") or {}
        row = super().leaderboard_row(task, benchmark)
        if recorded.get("family") not in families() or recorded.get("benchmark") not in benchmarks():
            return row
        first = families()[recorded["family"]].leaderboard_row(task, benchmarks()[recorded["benchmark"]])
        return {**first, "Task": row["Task"]}

    def options_again(self, task: TaskRun, beside: Path) -> dict[str, Any]:
        """Return the options of both stages, with the first one where it lies now."""
        recorded = task.suite.get("first_stage") or {}
        options = {**(recorded.get("options") or {}), **super().options_again(task, beside)}
        return {**options, PLACE: str(_first_stage(task, beside))}

    def companions(self, task: TaskRun, beside: Path) -> list[Path]:
        """Return the files of the first stage's run."""
        return run_files(_first_stage(task, beside))

    def reasons_against(self, task: TaskRun) -> list[str]:
        """Return why results may not be submitted: if the first stage was limited, or left nothing to ask."""
        recorded = task.suite.get("first_stage") or {}
        reasons = []
        if recorded.get("questions") != recorded.get("of"):
            reasons.append(
                f"the first stage is incomplete: {recorded.get('questions')} of {recorded.get('of')} problems"
            )
        if recorded.get("input_seed") != INPUT_SEED:
            reasons.append(f"not the default settings: input_seed is {recorded.get('input_seed')}")
        return reasons

    def findings(self, models: Mapping[str, Sequence[Unit]]) -> list[Findings]:
        """Return R'_DER of several models, and how complex their programs are beside the benchmark's."""
        return [found for found in (_common(models), _beside(models)) if found.rows]

    def outcome(self, unit: Unit) -> str:
        if self.solved(unit):
            return "understands its program"
        return "no answer" if unit[0].answer.found is None else "wrong output"

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        answer, language = sample.answer.found, str(sample.doc.get("language", ""))
        same = sample.doc.get("ier_same")
        about = {None: "", 1.0: "its output on this input was predicted", 0.0: "its output was not predicted"}
        reference = Part(
            "The benchmark's program",
            "code",
            str(sample.doc.get("reference", "")),
            beside=True,
            note=about.get(same, ""),
            language=language,
        )
        return [
            Part("The model's program", "code", str(sample.doc.get("code", "")), beside=True, language=language),
            # After a translation it is that in the other language, if there is one.
            *([reference] if reference.text else []),
            Part("Input I", "code", str(sample.doc.get("input", "")), language=language),
            Part("Output of the model's program", "text", str(sample.doc.get("output", "")), beside=True),
            Part("Answer", "text", "(none found)" if answer is None else answer, beside=True),
            *prompts(sample),
            *responses(sample),
        ]


class _Asking(DependentReasoning):
    """DER after a first stage, whose responses say what is asked.

    Args:
        stage: The first stage.
        seed: Seed of the draw of the inputs.
    """

    def __init__(self, stage: FirstStage, seed: int) -> None:
        self._stage = stage
        self._seed = seed
        self._questions: dict[str, list[Question]] = {}
        self._problems: list[Problem] = []
        self._left_out: dict[str, list[str]] = {}
        self._counts = {"responses": 0, "passed": 0, "asked": 0}
        self._ask()

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return all problems of the first stage: which worked examples are shown must not depend on what passes."""
        return self._problems

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        return self._questions.get(problem.problem_id, ())

    def record(self, suite: dict[str, Any], benchmark: Benchmark, options: Mapping[str, Any]) -> None:
        suite["first_stage"] = {
            **self._stage.record(),
            **self._counts,
            "input_seed": self._seed,
            "left_out": {cause: len(names) for cause, names in self._left_out.items()},
            "left_out_programs": {cause: " ".join(names) for cause, names in self._left_out.items()},
        }

    def _ask(self) -> None:
        written = self._written()
        proven = prove_outputs([Execution(one.problem, one.program, one.input) for one in written])
        asked = []
        for one, label in zip(written, proven, strict=True):
            if label.output is None:
                self._left_out.setdefault(label.cause, []).append(one.key.within_task())
            else:
                asked.append((one, label.output))
        self._counts["passed"], self._counts["asked"] = len(written), len(asked)
        if not asked:
            # The harness needs a document. This one counts for nothing: it asks about the benchmark's own program.
            posed = self._stage.questions[0][0].key
            first = with_input(load_problem(posed.benchmark, posed.problem_id))
            given = first.input or next(iter(kind_of(first).known_inputs(first)), "")
            key = Key(first.benchmark, first.problem_id, _SETTING, NOTHING)
            asked = [(Written(key, first, first.code, given), first.output or "None")]
        same = self._same([one for one, _ in asked])
        for (one, output), score in zip(asked, same, strict=True):
            self._questions.setdefault(one.problem.problem_id, []).append(self._question(one, output, score))

    def _written(self) -> list[Written]:
        """Return the programs that pass, in the order of the responses."""
        from lm_eval_codemind.families import families

        family = families()[str(self._stage.suite["family"])]
        if not family.executes:
            raise ValueError(f"{self._stage.task}: its responses are no programs; name another first_stage_task")
        self._problems = [family.posed(question) for question in self._stage.all]
        solved = [with_input(family.posed(question)) for question, _ in self._stage.questions]
        reader = Reader(family, family.filters[0])
        read: list[tuple[Written, Answer]] = []
        for problem, (question, given) in zip(solved, self._stage.questions, strict=True):
            for number, response in enumerate(given, start=1):
                self._counts["responses"] += 1
                answer = reader.read(response, question)
                if answer.pending is None:
                    continue
                item = f"response {number}" if len(given) > 1 else ""
                key = Key(problem.benchmark, problem.problem_id, _SETTING, item)
                read.append((Written(key, problem, answer.program or "", self._drawn(problem)), answer))
        written = []
        for one, answer in read:
            answer.wait()
            if answer.passed:
                written.append(one)
        return written

    def _drawn(self, problem: Problem) -> str | None:
        """Return the input that is asked about: of those of T that a prompt can show, one drawn with the seed.

        The usual seed draws the problem's own input where it has one: it is what IER asks about.
        """
        own = problem.input if problem.input or kind_of(problem).printed else None
        known = [given for given in kind_of(problem).known_inputs(problem) if len(given) <= SHOWN_CHARACTERS]
        if not known:
            return None
        if self._seed == INPUT_SEED and own in known:
            return own
        return random.Random(f"{self._seed}/{problem.benchmark}/{problem.problem_id}").choice(known)

    def _question(self, one: Written, output: str, ier_same: float | None) -> Question:
        problem = one.problem
        language = get_language(problem.language)
        fields = {
            "code": one.program,
            "entry_point": problem.entry_point,
            "input": one.input or "",
            "output": output,
            "complexity": _row(language.measure(one.program)),
            "reference": problem.code,
            "reference_complexity": _row(problem.complexity or language.measure(problem.code)),
            "ier_same": ier_same,
            "first_stage": dict(self._counts),
        }
        return Question(one.key, problem.kind, problem.language, fields)

    def _same(self, asked: Sequence[Written]) -> list[float | None]:
        """Return, where the model was asked for it, IER's score of the benchmark's own program on the same input."""
        found: dict[tuple[str, str, str], float] = {}
        for row in samples_of(self._stage.file, {"family": IER.name}):
            doc, score = row["doc"], row.get(IER.metric)
            if row.get("filter") == IER.filters[0] and isinstance(score, (int, float)):
                found[str(doc["problem_id"]), str(doc["code"]), plain_lines(str(doc["input"]))] = float(score)
        return [found.get((one.problem.problem_id, one.problem.code, plain_lines(one.input or ""))) for one in asked]


def with_input(problem: Problem) -> Problem:
    """Return a problem with the input that IER asks about, also where another benchmark has it."""
    labelled = labelled_form(problem.benchmark)
    if problem.input or kind_of(problem).printed or not labelled:
        return problem
    try:
        asked = load_problem(labelled, problem.problem_id)
    except KeyError:
        return problem
    return problem if asked.category == "excluded" else dataclasses.replace(problem, input=asked.input)


def _row(complexity: Complexity | None) -> dict[str, Any] | None:
    return None if complexity is None else {**dataclasses.asdict(complexity), "constructs": list(complexity.constructs)}


def _first_stage(task: TaskRun, beside: Path) -> Path:
    """Return the results file of a task's first stage: beside its own, else where it was when the task was run."""
    recorded = str((task.suite.get("options") or {}).get(PLACE, ""))
    here = beside.with_name(Path(recorded).name)
    return here if here.is_file() else Path(recorded)


def _record(sample: Sample) -> Record:
    record: Any = sample.scores[DER.metric]
    if not isinstance(record, Mapping):
        raise ValueError(f"{sample.key.within_task()}: its r_der is {record!r}, and no record of this suite")
    return record


# -- aggregations


def r_der(records: Sequence[Record]) -> float:
    """Aggregate to R_DER."""
    return scores.r_der(_right(records))


def r_der_stderr(records: Sequence[Record]) -> float:
    """Aggregate to the standard error of R_DER."""
    return scores.r_der_stderr(_right(records))


def s_der(records: Sequence[Record]) -> float:
    """Aggregate to the mean of S_DER; the programs that fail have no document and are counted."""
    return scores.mean_s_der(_right(records), _failed(records))


def s_der_stderr(records: Sequence[Record]) -> float:
    """Aggregate to the standard error of the mean of S_DER."""
    return scores.mean_s_der_stderr(_right(records), _failed(records))


def first_pass(records: Sequence[Record]) -> float:
    """Aggregate to the share of programs that pass, of all responses to the first stage."""
    return scores.r_der(_passes(records))


def first_pass_stderr(records: Sequence[Record]) -> float:
    """Aggregate to the standard error of the share of programs that pass."""
    return scores.r_der_stderr(_passes(records))


def r_ier_same(records: Sequence[Record]) -> float:
    """Aggregate to R_IER on the benchmark's own programs, for the problems and inputs asked about here."""
    return scores.r_der(_same(records))


def r_ier_same_stderr(records: Sequence[Record]) -> float:
    """Aggregate to the standard error of R_IER on the benchmark's own programs."""
    return scores.r_der_stderr(_same(records))


def answered(records: Sequence[Record]) -> float:
    """Aggregate to the share of the questions that are answered at all."""
    return scores.r_der(_answered(records))


def answered_stderr(records: Sequence[Record]) -> float:
    """Aggregate to the standard error of the share of answered questions."""
    return scores.r_der_stderr(_answered(records))


def _right(records: Sequence[Record]) -> list[float]:
    return [float(record["right"]) for record in records if record["right"] is not None]


def _answered(records: Sequence[Record]) -> list[float]:
    return [float(record["answered"]) for record in records if record["answered"] is not None]


def _same(records: Sequence[Record]) -> list[float]:
    return [float(record["ier_same"]) for record in records if record["ier_same"] is not None]


def _failed(records: Sequence[Record]) -> float:
    """Return how many programs fail, for as many that pass as there are records: fewer than all under ``--limit``."""
    if not records:
        return 0.0
    first = records[0]
    failed = float(first["responses"] - first["passed"])
    return failed * len(_right(records)) / first["asked"] if first["asked"] else failed


def _passes(records: Sequence[Record]) -> list[float]:
    if not records:
        return []
    passed, of = records[0]["passed"], records[0]["responses"]
    return [1.0] * passed + [0.0] * (of - passed)


# -- tables over several runs


def _common(models: Mapping[str, Sequence[Unit]]) -> Findings:
    columns: tuple[FindingsColumn, ...] = (
        ("benchmark", "Benchmark", "text"),
        ("model", "Model", "text"),
        ("value", "R'_DER", "percent"),
        ("low", "95% from", "percent"),
        ("high", "to", "percent"),
        ("own", "R_DER", "percent"),
        ("n", "n", "count"),
    )
    rows: list[tuple[Any, ...]] = []
    benchmarks = dict.fromkeys(unit[0].key.benchmark for units in models.values() for unit in units)
    for benchmark in benchmarks if len(models) > 1 else ():
        solved = {model: _by_problem(units, benchmark) for model, units in models.items()}
        solved = {model: found for model, found in solved.items() if found}
        if len(solved) < 2:
            continue
        common, n = scores.r_der_common(solved)
        for model, values in common.items():
            estimate = bootstrap([(value,) for value in values], lambda means: means[..., 0])
            if values and all(value in (0, 1) for value in values):
                estimate = mean(values)
            own = scores.r_der(list(solved[model].values()))
            rows.append((benchmark, model, scores.r_der(values), estimate.low, estimate.high, own, n))
    return Findings(
        "r_der_common",
        "Programs of their own, on the problems that all models solve",
        "R_DER is a mean over the problems that a model solves, which differ from model to model. R'_DER is the mean "
        "over the problems that all of the models solve and are asked about.",
        columns,
        tuple(rows),
    )


def _by_problem(units: Sequence[Unit], benchmark: str) -> dict[Any, float]:
    """Return problem -> mean over its programs of whether the output is predicted."""
    found: dict[Any, list[float]] = {}
    for (sample,) in units:
        if sample.key.benchmark == benchmark:
            found.setdefault(sample.key.problem_id, []).append(float(_record(sample)["right"]))
    return {problem: scores.r_der(values) for problem, values in found.items()}


def _beside(models: Mapping[str, Sequence[Unit]]) -> Findings:
    measures = (("cc", "CC"), ("loc", "LoC"), ("dep", "DEP"), ("nc", "NC"))
    rows: list[tuple[Any, ...]] = []
    for model, units in models.items():
        for benchmark in dict.fromkeys(unit[0].key.benchmark for unit in units):
            docs = [unit[0].doc for unit in units if unit[0].key.benchmark == benchmark]
            pairs = [
                (doc["complexity"], doc["reference_complexity"])
                for doc in docs
                if doc.get("complexity") and doc.get("reference_complexity")
            ]
            for name, title in measures:
                own, theirs = ([float(pair[side][name]) for pair in pairs] for side in (0, 1))
                if own:
                    more = sum(mine > reference for mine, reference in zip(own, theirs, strict=True))
                    rows.append(
                        (
                            benchmark,
                            model,
                            title,
                            scores.r_der(own),
                            scores.r_der(theirs),
                            more / len(own) if own else nan,
                            len(own),
                        )
                    )
    return Findings(
        "der_complexity",
        "The models' programs beside the benchmark's",
        "Mean of each complexity measure over the models' programs that were asked about, and over the benchmark's own "
        "programs for the same problems; and how often the model's is the more complex one.",
        (
            ("benchmark", "Benchmark", "text"),
            ("model", "Model", "text"),
            ("measure", "Measure", "text"),
            ("own", "Model's", "number"),
            ("reference", "Benchmark's", "number"),
            ("more", "More complex", "percent"),
            ("n", "n", "count"),
        ),
        tuple(rows),
    )


DER = DependentReasoning()


def dataset(
    *,
    benchmark: str,
    first_stage_task: str,
    first_stage_setting: str = "",
    first_stage: str | None = None,
    input_seed: int | str = INPUT_SEED,
    suite: dict[str, Any] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Return a document for each program of the first stage that passes its tests.

    Args:
        benchmark: Name of the benchmark.
        first_stage_task: Name of the task whose responses are the programs.
        first_stage_setting: The setting of its questions that count.
        first_stage: Where its responses are, from ``--metadata``.
        input_seed: Seed of the draw of the inputs, from ``--metadata``.
        suite: Where to record what the results must record.
        options: ``--metadata`` and ``--model_args``.

    Raises:
        ValueError: naming what is wrong and the mend, if the first stage is not there or does not go with this run.
    """
    try:
        seed = int(input_seed)
    except ValueError as error:
        raise ValueError(
            f"input_seed is {input_seed!r}, and must be a whole number: --metadata '{{\"input_seed\": 1}}'"
        ) from error
    metadata = {name: value for name, value in options.items() if name not in ("version", "setting", "settings")}
    stage = read_first_stage(first_stage_task, first_stage_setting, first_stage, metadata)
    options |= {PLACE: str(stage.file), **({"input_seed": seed} if seed != INPUT_SEED else {})}
    return Hooks(_Asking(stage, seed)).dataset(benchmark=benchmark, setting=_SETTING, suite=suite, **options)


_hooks = Hooks(DER)
process_results = _hooks.process_results
strict_match, flexible_extract = _hooks.filter(STRICT), _hooks.filter(FLEXIBLE)
