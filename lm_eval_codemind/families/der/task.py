"""Dependent execution reasoning (DER): predict what the program computes that the model itself has written.

The questions are made from the responses of an earlier task, the first stage; see
:mod:`lm_eval_codemind.harness.stages`.
Prompt and reading are those of :data:`~lm_eval_codemind.families.ier.task.IER`.
"""

import dataclasses
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypedDict

from more_itertools import map_reduce

from lm_eval_codemind.answers.thinking import OPENING
from lm_eval_codemind.data import load_problem, making
from lm_eval_codemind.data.catalogue import Benchmark, labelled_form
from lm_eval_codemind.data.making import Execution
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.families import family_named
from lm_eval_codemind.families.der import score as scores
from lm_eval_codemind.families.ier.task import IER, ExecutionReasoning
from lm_eval_codemind.family import Family, Variant, seed_option
from lm_eval_codemind.harness.aggregations import Aggregation, Value, mean_stderr
from lm_eval_codemind.harness.hooks import Hooks, Reader
from lm_eval_codemind.harness.stages import PLACE, FirstStage, read_first_stage, samples_of
from lm_eval_codemind.languages import Kind, get_language, kind_of
from lm_eval_codemind.problems import SHOWN_CHARACTERS, Complexity, Problem
from lm_eval_codemind.questions import Answer, Key, Question

INPUT_SEED = 0
VIEW = "lm_eval_codemind.families.der.view:DependentView"

# Tells its questions from IER's on the same problem; it is shown in the way in which IER asks.
_SETTING = "own_program"
_SHOWN_AS = "steps"
# The item of the only document of a task whose model wrote no program that can be asked about.
NOTHING = "nothing to ask"

COUNTS = ("responses", "passed", "passed_suite", "asked")
_METRICS = ("r_der", "s_der", "pass@1", "pass@1_suite", "r_ier_same", "answered")

Record = Mapping[str, Any]


class Fields(TypedDict):
    """The columns of a document: the model's program, and the benchmark's own one.

    Attributes:
        ier_same: IER's score on the same program and input in the same run; None if there is none.
        first_stage: How many responses there were to the problems, how many passed, how many passed the suites alone,
            and how many are asked about: :data:`COUNTS`. With several responses to a problem also ``problems``, these
            counts of one problem with the number of problems that have them, and ``failed``, how many programs to this
            problem fail.
    """

    code: str
    entry_point: str
    input: str
    output: str
    complexity: Mapping[str, Any] | None
    reference: str
    reference_complexity: Mapping[str, Any] | None
    ier_same: float | None
    first_stage: Mapping[str, Any]


class DependentReasoning(ExecutionReasoning):
    """DER: one question per program of the model that passes its tests.

    Args:
        problems: All problems of a first stage, so that the few-shot examples do not depend on which programs pass.
        asked: The questions about the programs, by problem id; :func:`ask` makes them.
        recorded: What results record of the first stage.
    """

    variants: ClassVar[tuple[Variant, ...]] = (Variant("der", "DER", VIEW, authors_task="DER", paper="codemind"),)
    options: ClassVar[tuple[str, ...]] = (PLACE, "input_seed")
    metric = "r_der"
    verdict = "r_der"

    def __init__(
        self,
        problems: Sequence[Problem] = (),
        asked: Mapping[str, Sequence[Question]] | None = None,
        recorded: Mapping[str, Any] | None = None,
    ) -> None:
        self._problems, self._asked, self._recorded = list(problems), asked or {}, recorded

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        return self._problems

    def record(self, suite: dict[str, Any], benchmark: Benchmark, options: Mapping[str, Any]) -> None:
        suite["first_stage"] = self._recorded

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        return self._asked.get(problem.problem_id, ())

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return IER.prompt(kind, fields, _SHOWN_AS)

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {**IER.target(kind, fields, setting), "setting": _SHOWN_AS}

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        scored = IER.score(question, answer)
        return {"r_der": scored["r_ier"], "answered": scored["answered"]}

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a document: for each a record, which the aggregations below put together."""
        has_input, fields = question.key.item != NOTHING, question.typed(Fields)
        record = {
            "problem_id": question.key.problem_id,
            "right": means["r_der"] if has_input else None,
            "answered": means["answered"] if has_input else None,
            "ier_same": fields["ier_same"],
            **fields["first_stage"],
        }
        return dict.fromkeys(_METRICS, record)


# -- questions from a first stage


def ask(stage: FirstStage, seed: int, made: type[DependentReasoning] = DependentReasoning) -> DependentReasoning:
    """Execute the programs of a first stage and return the family that asks about those with a proven output.

    The seed draws the inputs. ``made`` is the class of the family.

    Raises:
        UserError: If the responses of the first stage are not programs.
    """
    family = family_named(str(stage.suite["family"]))
    if family is None or not family.executes:
        raise UserError(f"{stage.task}: its responses are not programs; name another first_stage_task")
    passing, passed_suite = _passing_programs(stage, family, seed)
    labelled: list[tuple[Key, Execution, str]] = []
    left_out: dict[str, list[str]] = {}
    for (key, one), label in zip(passing, making.outputs_of([one for _, one in passing]), strict=True):
        if label.output is None:
            left_out.setdefault(label.cause, []).append(key.within_task())
        else:
            labelled.append((key, one, label.output))
    counters = [
        Counter(question.key.problem_id for question, responses in stage.questions for _ in responses),
        Counter(key.problem_id for key, _ in passing),
        passed_suite,
        Counter(key.problem_id for key, *_ in labelled),
    ]
    counts = {name: counter.total() for name, counter in zip(COUNTS, counters, strict=True)}
    ier_scores = _ier_scores(stage)
    questions: dict[str, list[Question]] = {}
    for key, one, output in labelled or [_placeholder(stage)]:
        ier_same = ier_scores.get((key.problem_id, one.problem.code, one.input or ""))
        first_stage = {**counts, **_spread(key.problem_id, counters)}
        questions.setdefault(key.problem_id, []).append(_question(key, one, output, ier_same, first_stage))
    record = {
        **stage.record(),
        **counts,
        "input_seed": seed,
        "left_out": {cause: len(names) for cause, names in left_out.items()},
        "left_out_programs": {cause: " ".join(names) for cause, names in left_out.items()},
    }
    return made([family.posed(question) for question in stage.all], questions, record)


def _spread(problem_id: str, counters: Sequence[Counter[str]]) -> dict[str, Any]:
    """Return what the columns say of the problems, by which errors are clustered; nothing if each has one response."""
    responses, passed, *_ = counters
    if max(responses.values(), default=0) < 2:
        return {}
    spread = Counter(tuple(counter[problem] for counter in counters) for problem in responses)
    rows = [[*counts, problems] for counts, problems in sorted(spread.items())]
    return {"problems": rows, "failed": responses[problem_id] - passed[problem_id]}


def _passing_programs(stage: FirstStage, family: Family, seed: int) -> tuple[list[tuple[Key, Execution]], Counter[str]]:
    """Return the programs of a first stage that pass, each with the key of its question, in order.

    With them comes how many programs to each problem pass their suite, if the witnesses are left out.
    """
    opening = OPENING if stage.opened else ""
    reader = Reader(family, family.filters[0])
    running: list[tuple[Key, Execution, Answer]] = []
    problems = [with_input(family.posed(question)) for question, _ in stage.questions]
    for problem, (question, responses) in zip(problems, stage.questions, strict=True):
        for number, response in enumerate(responses, start=1):
            answer = reader.read(response, question, opening)
            if answer.pending is None:
                continue
            item = f"response {number}" if len(responses) > 1 else ""
            key = Key(problem.benchmark, problem.problem_id, _SETTING, item)
            running.append((key, Execution(problem, answer.program or "", _drawn_input(problem, seed)), answer))
    for *_, answer in running:
        answer.wait()
    passed_suite = Counter(key.problem_id for key, _, answer in running if answer.passed_suite)
    return [(key, one) for key, one, answer in running if answer.passed], passed_suite


def _drawn_input(problem: Problem, seed: int) -> str | None:
    """Return the input to ask about: of those of T that fit into a prompt, one drawn with the seed.

    The usual seed draws the problem's own input where it has one: it is what IER asks about.
    """
    known = [one for one in kind_of(problem).known_inputs(problem) if len(one) <= SHOWN_CHARACTERS]
    if not known:
        return None
    if seed == INPUT_SEED and problem.input in known:
        return problem.input
    return random.Random(f"{seed}/{problem.benchmark}/{problem.problem_id}").choice(known)


def _placeholder(stage: FirstStage) -> tuple[Key, Execution, str]:
    """Return a question about the benchmark's own program, for a model that wrote none to ask about.

    The harness needs a document. Its item is :data:`NOTHING`, and it counts for nothing.
    """
    posed = stage.questions[0][0].key
    problem = with_input(load_problem(posed.benchmark, posed.problem_id))
    key = Key(problem.benchmark, problem.problem_id, _SETTING, NOTHING)
    shown = next(iter(kind_of(problem).known_inputs(problem)), "")
    return key, Execution(problem, problem.code, shown), problem.output or "None"


def _question(
    key: Key, one: Execution, output: str, ier_same: float | None, first_stage: Mapping[str, Any]
) -> Question:
    problem = one.problem
    language = get_language(problem.language)
    fields: Fields = {
        "code": one.program,
        "entry_point": problem.entry_point,
        "input": one.input or "",
        "output": output,
        "complexity": _row(language.measure(one.program)),
        "reference": problem.code,
        "reference_complexity": _row(problem.complexity or language.measure(problem.code)),
        "ier_same": ier_same,
        "first_stage": first_stage,
    }
    return Question(key, problem.kind, problem.language, fields)


def _ier_scores(stage: FirstStage) -> dict[tuple[str, str, str], float]:
    """Return IER's scores in the same run: (problem id, program, input) -> score."""
    scored: dict[tuple[str, str, str], float] = {}
    for row in samples_of(stage.file, IER.name):
        doc, score = row["doc"], row.get(IER.metric)
        if row.get("filter") == IER.filters[0] and isinstance(score, (int, float)):
            scored[str(doc["problem_id"]), str(doc["code"]), str(doc["input"])] = float(score)
    return scored


def with_input(problem: Problem) -> Problem:
    """Return a problem with the input that IER asks about, also where another benchmark has it."""
    labelled = labelled_form(problem.benchmark)
    if problem.input or kind_of(problem).printed or not labelled:
        return problem
    try:
        original = load_problem(labelled, problem.problem_id)
    except KeyError:
        return problem
    return problem if original.category == "excluded" else dataclasses.replace(problem, input=original.input)


def _row(complexity: Complexity | None) -> dict[str, Any] | None:
    return None if complexity is None else dataclasses.asdict(complexity)


# -- aggregations


def _mean_of(field: str) -> Aggregation:
    """Return the mean of a field of the records over those that have it, clustered by problem."""
    return Aggregation(
        lambda records: [Value.of(one[field], one["problem_id"]) for one in records if one[field] is not None],
        scores.r_der,
        mean_stderr,
    )


def passes_by_problem(records: Sequence[Record], count: str) -> list[scores.ProgramScores]:
    """Return how many responses to each problem of the first stage one of :data:`COUNTS` has, of how many.

    All records have the same numbers.
    """
    if not records:
        return []
    first, column = records[0], COUNTS.index(count)
    if "problems" in first:
        return [(row[column], row[0], row[-1]) for row in first["problems"]]
    return [(1, 1, first[count]), (0, 1, first["responses"] - first[count])]


def s_der_by_problem(records: Sequence[Record]) -> list[scores.ProgramScores]:
    """Return the sum of S_DER over the programs to each problem of the first stage, and the number of the programs.

    Programs that fail have no document and are counted. Where there are fewer documents than programs to ask about, as
    under ``--limit``, as small a share of the problems without any counts.
    """
    if not records:
        return []
    asked = [record for record in records if record["right"] is not None]
    by_problem = map_reduce(asked, lambda record: record["problem_id"]).values()
    rows: list[scores.ProgramScores] = [
        (sum(record["right"] for record in group), len(group) + group[0].get("failed", 0), 1) for group in by_problem
    ]
    first = records[0]
    # Without rows each problem has one response.
    counts = first.get("problems", [[1, 0, 0, 0, first["responses"] - first["passed"]]])
    for responses, passed, _, programs, problems in counts:
        if not programs and passed < responses:
            share = problems * len(asked) / first["asked"] if first["asked"] else problems
            rows.append((0.0, responses - passed, share))
    return rows


def _mean_over(rows: Callable[[Sequence[Record]], list[scores.ProgramScores]]) -> Aggregation:
    return Aggregation(
        rows,
        scores.mean_s_der,
        scores.mean_s_der_stderr,
        lambda rows: sum(round(size * problems) for _, size, problems in rows),
    )


r_der, answered, r_ier_same = _mean_of("right"), _mean_of("answered"), _mean_of("ier_same")
s_der = _mean_over(s_der_by_problem)
first_pass = _mean_over(lambda records: passes_by_problem(records, "passed"))
first_pass_suite = _mean_over(lambda records: passes_by_problem(records, "passed_suite"))


DER = DependentReasoning()


def dataset(
    *,
    benchmark: str,
    first_stage_task: str,
    first_stage_setting: str = "",
    first_stage: str | None = None,
    input_seed: int | str = INPUT_SEED,
    suite: dict[str, Any] | None = None,
    made: type[DependentReasoning] = DependentReasoning,
    **options: Any,
) -> dict[str, Any]:
    """Return a document for each program of the first stage that passes its tests.

    The YAML names the task of the first stage and the setting of its questions that count. ``--metadata`` says where
    its responses are, and the seed of the draw of the inputs. ``made`` is the class of the family; see
    :meth:`~lm_eval_codemind.harness.hooks.Hooks.dataset` for the rest.

    Raises:
        UserError: with what is wrong and how to fix it, if the first stage is not there or does not go with this run.
    """
    seed = seed_option({"input_seed": input_seed}, "input_seed", INPUT_SEED)
    metadata = {name: value for name, value in options.items() if name not in ("version", "setting", "settings")}
    stage = read_first_stage(first_stage_task, first_stage_setting, first_stage, metadata)
    options |= {PLACE: str(stage.file), **({"input_seed": seed} if seed != INPUT_SEED else {})}
    return Hooks(ask(stage, seed, made)).dataset(benchmark=benchmark, setting=_SETTING, suite=suite, **options)


_, process_results, strict_match, flexible_extract = Hooks(DER).functions
