"""The programs of a seed of the horizon task, built and proven by execution.

Natural programs are reasoning-gym's CodeI/O data, read from the installed package. Chains are made of functions of
CRUXEval with one argument. Both run in the sandbox only.
"""

import ast
import gzip
import hashlib
import importlib.metadata
import importlib.util
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from importlib.resources import files
from random import Random
from typing import Any, NamedTuple

from tqdm.auto import tqdm

from lm_eval_codemind.data.facts.horizon import (
    BENCHMARK,
    BOUNDS,
    CHAIN,
    NATURAL,
    PER_LEVEL,
    STATES,
    Rung,
    Rungs,
    halves,
    level_of,
    share_of,
)
from lm_eval_codemind.data.own import literals_of
from lm_eval_codemind.errors import MissingExtra, UserError
from lm_eval_codemind.languages import get_language
from lm_eval_codemind.languages.python.names import imported_modules
from lm_eval_codemind.problems import SHOWN_CHARACTERS, Problem, beyond_prompt
from lm_eval_codemind.sandbox import Job, Limits, Sandbox
from lm_eval_codemind.workshop.facts.labels import observed_label
from lm_eval_codemind.workshop.proof.own import preludes, with_outputs
from lm_eval_codemind.workshop.proof.prove_outputs import prove_outputs
from lm_eval_codemind.workshop.python import horizon_runs
from lm_eval_codemind.workshop.python.tracing import NOT_INSIDE, TraceFailed, job_source, recorder_source, result_of

PACKAGE, RELEASE = "reasoning-gym", "0.1.25"
_DATA = "reasoning_gym/data/codeio.jsonl.gz"
_DIGEST = "a088810cf4d020279ec50dc5e64f25b7eccc8a428a6f76a25c70c126e4370f33"
_MISSING = (
    f"the horizon task reads programs from {PACKAGE} {RELEASE} and proves them with another clock, and "
    "{what}; run `pip install 'lm-eval-codemind[horizon]'`"
)

# Seeds below have a class of calls for themselves; all other seeds share the last one. So no seed that is exported for
# training has a question of theirs.
_RESERVED = horizon_runs.CLASSES - 1
_GENERATING = Limits(cpu_seconds=3, wall_seconds=60)
_CHAINING = Limits(cpu_seconds=120, wall_seconds=600)
_HASH_SEEDS = ((1, 2), (3, 4), (5, 6))
_INPUTS = 10
# Questions of a level about one program, and how many more than needed are proven.
_REPEATED = 3
_SPARE = 4
_CODE_CHARACTERS = 6_000


class _Candidate(NamedTuple):
    """A call of a program that writes the state of a level."""

    name: str
    code: str
    entry_point: str
    call: str
    state: int
    steps: int
    output: str
    links: int
    provenance: str


def make_horizon(problems: Sequence[Problem], seed: int, template: str) -> Rungs:
    """Return the programs of a seed with proven outputs, the same on every machine.

    Args:
        problems: CRUXEval's.
        seed: Not negative.
        template: The words of a prompt around program and call, in which no output stands.

    Raises:
        MissingExtra: If the extra ``horizon`` is not installed.
        UserError: If there are not so many programs for a level.
        IsolationUnavailable: If programs cannot be executed safely on this machine.
    """
    programs = _natural_programs()
    wanted = halves(PER_LEVEL)
    with Sandbox(preload=("inspect", "tempfile", "threading", "time_machine")) as sandbox:
        # Of the chains of low levels some are unfit.
        chains = [
            candidate
            for candidate in _chains(problems, sandbox, seed, wanted[1] + 2 * _SPARE)
            if _is_fit(candidate, template)
        ]
        natural = [candidate for candidate in _natural(programs, sandbox, seed) if _is_fit(candidate, template)]
    chosen, spare = _chosen(natural, chains, seed, wanted)
    rungs = [_rung(candidate, number) for number, candidate in enumerate(chosen + spare)]
    # The output is that of the tracer in each of six processes. They have another hash seed each. Two have the usual
    # clock; the others have two other ones, and each a way in which versions of Python add floats.
    runs = zip(("", *preludes()), (partial(prove_outputs, hash_seeds=seeds) for seeds in _HASH_SEEDS), strict=True)
    _, left_out = with_outputs(rungs, runs)
    proven = share_of((rung for rung in rungs if rung.problem_id not in left_out), PER_LEVEL)
    counts = Counter((rung.level, rung.source) for rung in proven)
    for level in range(1, len(BOUNDS) + 1):
        for source, half in zip((NATURAL, CHAIN), wanted, strict=True):
            if counts[level, source] < half:
                raise UserError(
                    f"seed {seed}: level {level} has {counts[level, source]} of {half} {source} programs; set another "
                    "horizon_seed in --metadata"
                )
    return Rungs(tuple(sorted(proven, key=lambda rung: (rung.level, rung.links > 0))), left_out)


# -- natural programs


def _natural_programs() -> list[tuple[str, str, str]]:
    """Return name, program and generator of inputs of the programs that need only Python's own modules.

    Raises:
        MissingExtra: If the package, or time-machine, is not installed, or the package is of another release.
    """
    for module, name in (("reasoning_gym", PACKAGE), ("time_machine", "time-machine")):
        if importlib.util.find_spec(module) is None:
            raise MissingExtra(_MISSING.format(what=f"{name} is not installed"))
    # The package itself is not imported: it imports much that is not needed here.
    package = importlib.metadata.distribution(PACKAGE)
    content = package.locate_file(_DATA).read_bytes() if package.version == RELEASE else b""  # type: ignore[attr-defined]
    if hashlib.sha256(content).hexdigest() != _DIGEST:
        raise MissingExtra(_MISSING.format(what=f"{PACKAGE} {package.version} has other data"))
    rows = map(json.loads, gzip.decompress(content).decode().splitlines())
    texts = [(row["code_sample"].strip("\n"), row["input_generator"]) for row in rows]
    return [
        (f"codeio_{number}", code, generator)
        for number, (code, generator) in enumerate(texts)
        if len(code) <= _CODE_CHARACTERS and _is_plain(code) and _is_plain(generator)
    ]


def _is_plain(source: str) -> bool:
    """Whether a program imports only Python's own modules. One without imports need not even parse."""
    try:
        modules = imported_modules(source)
    except (SyntaxError, ValueError):
        return False
    return all(name.partition(".")[0] in sys.stdlib_module_names for name in modules)


def _natural(programs: Sequence[tuple[str, str, str]], sandbox: Sandbox, seed: int) -> Iterator[_Candidate]:
    futures = [
        sandbox.submit(
            _job(
                "generated",
                [code, generator],
                _GENERATING,
                program=code,
                generator=generator,
                seed=f"{seed}:{name}",
                seed_class=min(seed, _RESERVED),
                count=_INPUTS,
                max_state=STATES[-1][-1],
            )
        )
        for name, code, generator in programs
    ]
    provenance = f"{PACKAGE}@{RELEASE}:{_DATA}"
    for (name, code, _), future in zip(programs, tqdm(futures, desc=f"programs, seed {seed}"), strict=True):
        try:
            runs: Any = result_of(future.result())
        except TraceFailed:
            continue
        # An output that two inputs have may be guessed without the input.
        outputs = Counter(output for *_, output in runs)
        for call, state, steps, output in runs:
            if outputs[output] == 1 and not horizon_runs.is_shown(code, call, output):
                yield _Candidate(name, code, "main_solution", call, state, steps, output, 0, f"{provenance}#{name}")


# -- chains


def _chains(problems: Sequence[Problem], sandbox: Sandbox, seed: int, count: int) -> Iterator[_Candidate]:
    functions = [(problem, argument) for problem in problems if (argument := _only_argument(problem)) is not None]
    sources = [problem.code.strip("\n") for problem, _ in functions]
    futures = [
        sandbox.submit(
            _job(
                "chains",
                sources,
                _CHAINING,
                sources=sources,
                starts=[argument for _, argument in functions],
                seed=f"{seed}:{level}",
                seed_class=min(seed, _RESERVED),
                low=states[0],
                high=states[-1],
                count=count,
            )
        )
        for level, states in enumerate(STATES, start=1)
    ]
    for future in tqdm(futures, desc=f"chains, seed {seed}"):
        made: Any = result_of(future.result())
        for numbers, call, state, steps, output in made:
            code = horizon_runs.chain_source([sources[number] for number in numbers])
            names = "+".join(functions[number][0].problem_id for number in numbers)
            yield _Candidate("chain", code, "chain", call, state, steps, output, len(numbers), f"cruxeval:{names}")


def _only_argument(problem: Problem) -> str | None:
    """Return the argument of a function's call as a literal; None if it has more, or its source more than itself."""
    call = ast.parse(problem.input, mode="eval").body
    body = ast.parse(problem.code).body
    if problem.category == "excluded" or len(body) != 1 or not problem.code.lstrip("\n").startswith("def f("):
        return None
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        return None
    try:
        return repr(ast.literal_eval(call.args[0]))
    except ValueError:
        return None


# -- measuring and choosing


def _job(task: str, programs: Iterable[str], limits: Limits, /, **options: Any) -> Job:
    options |= {"task": task, "stdin": ""}
    return Job.evaluate(job_source(_source(), list(programs), options), ["_traced()"], limits=limits)


@lru_cache(maxsize=1)
def _source() -> str:
    text = files("lm_eval_codemind.workshop.python").joinpath("horizon_runs.py").read_text(encoding="utf-8")
    return f"{recorder_source()}\n{NOT_INSIDE.sub('', text)}"


def _chosen(
    natural: Sequence[_Candidate], chains: Sequence[_Candidate], seed: int, wanted: tuple[int, int]
) -> tuple[list[_Candidate], list[_Candidate]]:
    """Return the calls to ask about, and more of them in case that some cannot be proven.

    No two of a level have the same output. Programs with few calls come first; the order of the others is random.
    """
    rng = Random(f"{seed}:chosen")
    levels: dict[int, list[_Candidate]] = defaultdict(list)
    for candidate in natural:
        level = level_of(candidate.state)
        if level is not None:
            levels[level].append(candidate)
    chosen: list[_Candidate] = []
    spare: list[_Candidate] = []
    programs: Counter[str] = Counter()
    for level in sorted(range(1, len(BOUNDS) + 1), key=lambda level: len(levels[level])):
        outputs: set[str] = set()
        calls = levels[level]
        rng.shuffle(calls)
        taken: Counter[str] = Counter()
        picked: list[_Candidate] = []
        # First programs that no other level asks about, then others, then a second call.
        for most_here, most_all in ((1, 1), (1, len(BOUNDS)), (_REPEATED, 2 * len(BOUNDS))):
            for candidate in calls:
                fits = taken[candidate.name] < most_here and programs[candidate.name] < most_all
                if len(picked) < wanted[0] + _SPARE and fits and candidate.output not in outputs:
                    picked.append(candidate)
                    outputs.add(candidate.output)
                    taken[candidate.name] += 1
                    programs[candidate.name] += 1
        at_level = [candidate for candidate in chains if level_of(candidate.state) == level]
        linked = [candidate for candidate in at_level if candidate.output not in outputs]
        for half, candidates in zip(wanted, (picked, linked), strict=True):
            chosen += candidates[:half]
            spare += candidates[half : half + _SPARE]
    return chosen, spare


def _is_fit(candidate: _Candidate, template: str) -> bool:
    """Whether a call can be asked about: a prompt has room for it, and its output needs the program."""
    label = observed_label(candidate.output)
    if (
        label is None
        or horizon_runs.is_shown(template, candidate.call, label)
        or len(candidate.call) + len(label) > SHOWN_CHARACTERS
    ):
        return False
    if beyond_prompt(candidate.code, candidate.call, label):
        return False
    value = ast.literal_eval(label)
    return not _has_float(value) and label not in map(repr, _plain_answers(candidate.call))


def _has_float(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_float, (*value.keys(), *value.values())))
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(map(_has_float, value))
    return isinstance(value, (float, complex))


def _plain_answers(call: str) -> Iterator[Any]:
    """Yield what needs no program: each value in a call, and what one common operation makes of it."""
    for node in literals_of(call):
        value = ast.literal_eval(node)
        yield value
        for operation in _OPERATIONS:
            try:
                yield operation(value)
            except (TypeError, ValueError, AttributeError, LookupError, OverflowError):
                continue


_OPERATIONS = (
    *(len, sum, max, min, sorted, str, list, set, bin),
    *(lambda value: value[::-1], lambda value: value[0], lambda value: value[-1]),
    *(lambda value: value.upper(), lambda value: value.lower(), lambda value: value.swapcase()),
    *(lambda value: value.title(), lambda value: value.capitalize(), lambda value: value.strip()),
    *(lambda value: value.split(), lambda value: list(value.items()), lambda value: sorted(set(value))),
    *(lambda value: value + 1, lambda value: value - 1, lambda value: value * 2, lambda value: value * value),
)


def _rung(candidate: _Candidate, number: int) -> Rung:
    level = level_of(candidate.state)
    assert level is not None
    label = observed_label(candidate.output)
    language = get_language("python")
    return Rung(
        f"{candidate.name}_{number}",
        BENCHMARK,
        "function",
        "python",
        candidate.code,
        candidate.entry_point,
        candidate.call,
        label,
        complexity=language.measure(candidate.code),
        provenance=candidate.provenance,
        level=level,
        state=candidate.state,
        steps=candidate.steps,
        links=candidate.links,
    )
