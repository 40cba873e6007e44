"""How well does a model understand this user's code? Questions of other families on programs that the user names."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.data.facts.runtime_inputs import ONLY
from lm_eval_codemind.data.own import FORM, OwnProblem, OwnPrograms, load_own, name_and_call
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.families.execution.flow import BRANCH_REASONING, LOOP_REASONING, BranchReasoning, LoopReasoning
from lm_eval_codemind.families.execution.trace import TRACE, TraceReasoning
from lm_eval_codemind.families.ier.task import IER, ExecutionReasoning
from lm_eval_codemind.families.input.task import INPUT_PREDICTION, InputPrediction
from lm_eval_codemind.families.own.score import baselines, input_baselines, runtime_baselines
from lm_eval_codemind.families.runtime.items import SETTINGS, STATE, Fields
from lm_eval_codemind.families.runtime.task import RUNTIME, RuntimeBehaviour
from lm_eval_codemind.family import Family, Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Question

PROGRAMS = "programs"
"""The option of ``--metadata``: a file of programs, or a folder of ``codemind capture``."""

# Programs that are named when some are left out, and files that are named when something goes into prompts.
_NAMED = 10


class OwnReasoning(Family):
    """A family whose questions are those of another one, about the user's programs.

    Of several calls of a function, which are named ``NAME/1``, ``NAME/2``, the name is the problem, and the call is
    part of the item: so standard errors are over functions.
    """

    original: ClassVar[Family]
    options: ClassVar[tuple[str, ...]] = (PROGRAMS,)

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        return list(_loaded(options).problems)

    def data(self, benchmark: Benchmark, options: Mapping[str, Any]) -> tuple[Sequence[Problem], dict[str, str]]:
        programs = _loaded(options)
        return programs.problems, {benchmark.name: programs.sha256}

    def record(self, suite: dict[str, Any], benchmark: Benchmark, options: Mapping[str, Any]) -> None:
        """Add what goes into prompts, and what is left out."""
        programs = _loaded(options)
        by_file: dict[str, set[str]] = {}
        for problem in programs.problems:
            file = problem.provenance or Path(str(options[PROGRAMS])).name
            by_file.setdefault(file, set()).add(name_and_call(problem.problem_id)[0])
        suite["own"] = {
            "functions": len(set().union(*by_file.values())),
            "files": {file: len(functions) for file, functions in sorted(by_file.items())},
            "left_out": dict(programs.left_out),
        }

    def announcement(self, suite: Mapping[str, Any]) -> str:
        own = suite["own"]
        files = [f"{file} ({count})" for file, count in own["files"].items()]
        left_out = [f"  left out: {name}: {reason}" for name, reason in own["left_out"].items()]
        shares = ", ".join(f"{name} {share:.1%}" for name, share in own.get("baselines", {}).items())
        return "\n".join(
            [
                f"The source of {own['functions']} functions goes into prompts, from {_listed(files, ', ')}.",
                *([f"Without execution, of all {own['asked']} are right: {shares}."] if shares else []),
                *([_listed(left_out, "\n")] if left_out else []),
            ]
        )

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        assert isinstance(problem, OwnProblem)
        name, call = name_and_call(problem.problem_id)
        for question in self.original.own_questions(problem, problem.execution, setting):
            item = ", ".join(part for part in (f"call {call}" if call else "", question.key.item) if part)
            yield dataclasses.replace(question, key=question.key._replace(problem_id=name, item=item))

    def selected(self, questions: Sequence[Question], options: Mapping[str, Any]) -> Sequence[Question]:
        if not questions:
            raise UserError(
                f"{options[PROGRAMS]}: no program is fit for a question of codemind_{self.name}; leave the task out"
            )
        return self.original.selected(questions, options)

    def posed(self, question: Question) -> Problem:
        """Return the problem of a question, which its document holds: a run reads no programs when it scores."""
        columns = {name: question[name] for name in ("code", "entry_point", "input", "output")}
        return Problem(question.key.problem_id, question.key.benchmark, question.kind, question.language, **columns)


def _variants(name: str, title: str, setting: str, original: Family) -> tuple[Variant]:
    """Return the only variant of a family about the user's programs; the view is that of the original family."""
    view = original.variants[0].view
    return (Variant(name, f"Own code: {title}", view, setting, submittable=False),)


class OwnExecution(OwnReasoning, ExecutionReasoning):
    """IER."""

    original = IER
    variants = _variants("own_ier", "IER", "steps", original)

    def record(self, suite: dict[str, Any], benchmark: Benchmark, options: Mapping[str, Any]) -> None:
        super().record(suite, benchmark, options)
        suite["own"] |= {"asked": "outputs", "baselines": baselines(_loaded(options).problems)}


class OwnInput(OwnReasoning, InputPrediction):
    """Input prediction."""

    original = INPUT_PREDICTION
    variants = _variants("own_input", "input", "steps", original)

    def questions(self, problem: Problem, setting: str) -> list[Question]:
        assert isinstance(problem, OwnProblem)
        questions = super().questions(problem, setting)
        return [
            dataclasses.replace(question, fields={**question.fields, "plain": problem.plain}) for question in questions
        ]

    def record(self, suite: dict[str, Any], benchmark: Benchmark, options: Mapping[str, Any]) -> None:
        super().record(suite, benchmark, options)
        asked = [problem for problem in _loaded(options).problems if self.questions(problem, self.variants[0].setting)]
        suite["own"] |= {"asked": "inputs", "baselines": input_baselines(asked)}


class OwnLoops(OwnReasoning, LoopReasoning):
    """Values of loop variables."""

    original = LOOP_REASONING
    variants = _variants("own_loops", "loops", "loops", original)


class OwnBranches(OwnReasoning, BranchReasoning):
    """Conditions."""

    original = BRANCH_REASONING
    variants = _variants("own_branches", "branches", "branches", original)


class OwnTrace(OwnReasoning, TraceReasoning):
    """Executed lines."""

    original = TRACE
    variants = _variants("own_trace_lines", "trace of lines", "lines", original)


class OwnRuntime(OwnReasoning, RuntimeBehaviour):
    """Coverage, states, paths and outputs. The calls of a function are the inputs of its problem."""

    original = RUNTIME
    variants = _variants("own_runtime", "runtime", STATE, original)
    options = (*OwnReasoning.options, *RuntimeBehaviour.options)

    def questions(self, problem: Problem, setting: str) -> list[Question]:
        run = name_and_call(problem.problem_id)[1] or ONLY
        questions = super().questions(problem, setting)
        return [dataclasses.replace(question, fields={**question.fields, "run": run}) for question in questions]

    def record(self, suite: dict[str, Any], benchmark: Benchmark, options: Mapping[str, Any]) -> None:
        OwnReasoning.record(self, suite, benchmark, options)
        RuntimeBehaviour.record(self, suite, benchmark, options)
        problems = _loaded(options).problems
        every = [question for problem in problems for way in SETTINGS for question in self.questions(problem, way)]
        asked = self.selected(every, options)
        shares = runtime_baselines([(question.key.setting, question.typed(Fields)) for question in asked])
        suite["own"] |= {"asked": "answers about runtime behaviour", "baselines": shares}


def _loaded(options: Mapping[str, Any]) -> OwnPrograms:
    if PROGRAMS not in options:
        raise UserError(
            "this task asks about programs of yours: name a file, or a folder of `codemind capture`, with "
            f'--metadata \'{{"{PROGRAMS}": "DIR"}}\'; a line of the file is {FORM}'
        )
    return load_own(Path(str(options[PROGRAMS])))


def _listed(texts: Sequence[str], between: str) -> str:
    more = len(texts) - _NAMED
    return between.join([*texts[:_NAMED], *([f"  and {more} more"] if more > 0 else [])])


OWN_RUNTIME = OwnRuntime()
OWN_IER, OWN_INPUT, OWN_TRACE = OwnExecution(), OwnInput(), OwnTrace()
OWN_LOOPS, OWN_BRANCHES = OwnLoops(), OwnBranches()

ier_dataset, trace_dataset = Hooks(OWN_IER).dataset, Hooks(OWN_TRACE).dataset
runtime_dataset = Hooks(OWN_RUNTIME).dataset
loops_dataset, branches_dataset = Hooks(OWN_LOOPS).dataset, Hooks(OWN_BRANCHES).dataset

input_dataset, process_input, strict_match, flexible_extract = Hooks(OWN_INPUT).functions
