"""Score what needs no execution on the tasks that ask what a program does, and write the best scores for the report.

    python utils/prove/baselines.py [--benchmark NAME ...] [--family NAME ...]

Baselines are the best constant answer, the echo of the input, the last literal of the prompt, and rules on the syntax
tree. It prints a table for each family's README and writes ``baselines.json`` in the family's folder: task -> metric ->
the best baseline and its score. Run it again when a task's documents change.
"""

import ast
import copy
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import yaml

import lm_eval_codemind
from flow_rules import TREE, arguments, decisions, guesses, iterations
from line_rules import RULES, chance, has_unused_name, named
from lm_eval_codemind.answers.literals import literal_or
from lm_eval_codemind.data import load_problem
from lm_eval_codemind.families.execution.trace import written
from lm_eval_codemind.languages import get_language
from lm_eval_codemind.problems import TEST_CASES, Problem, shown_cases
from lm_eval_codemind.statistics import mean
from lm_eval_codemind.workshop.proof.carried import carried_outputs
from lm_eval_codemind.workshop.proof.runtime_questions import last_literal_of
from lm_eval_codemind.workshop.python.runtime_rules import points, reachable
from options import benchmarks_of
from surface import following, learned, named_time

PACKAGE = Path(lm_eval_codemind.__file__).parent
_TASKS = Path(__file__).parents[2] / "tasks"
# Ends the names of rules that use the length of the right answer, which no prompt shows. They are not written.
KNOWING = ", length known"
# Ends the names of rules that need the published output, which the prompt about a fresh input does not show.
REMEMBERED = ", remembered"
# Its data set has no pinned revision: nothing is shipped of it, nor measured by default.
LCB = "lcb_execution"
# At least as many as the rules of `carried_outputs`.
_CARRIED = 8
CONSTANTS = ("None", "True", "False", "0", "1", "[]", "''")
_FLIPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
_PAIRS = (("<", "<="), (">", ">="), ("==", "!="), ("+", "-"), ("and", "or"), ("&&", "||"))
_FLIPPED = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
_OPERATOR = re.compile(rf"(?<= )(?:{'|'.join(map(re.escape, sorted(_FLIPPED, key=len, reverse=True)))})(?= )")
Document = Mapping[str, Any]
Policy = Callable[[Document], str]


@dataclass(frozen=True)
class Tasks:
    """The tasks of a family, as ``baselines.yaml`` describes them."""

    prefixes: Sequence[str]
    family: str
    benchmarks: Mapping[str, str]
    arguments: Mapping[str, Any]
    filter: str
    tag: str
    metrics: Mapping[str, str | None]
    constants: int = 10
    functions: Sequence[str] = ("dataset", "process_results")
    names: Mapping[str, str] = field(default_factory=dict)


_CRUXEVAL_END = "[/ANSWER]"
# Answers that have their tags already.
_NUMBERED = "numbered"
FAMILIES = {
    name: Tasks(**tasks)
    for name, tasks in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")).items()
}


_DEFAULT = tuple(name for name in FAMILIES if name != LCB)
_NAMES = tuple(dict.fromkeys(name for tasks in FAMILIES.values() for name in tasks.benchmarks))


def policies(documents: Sequence[Document], family: str, constants: int) -> dict[str, Policy]:
    """Return the baselines of a family's documents by name; so many constants are numbered."""
    make = _POLICIES[family.partition("_")[0] if family.startswith("trace") else family]
    return make(documents, _constants(documents, constants))


def _constants(documents: Sequence[Document], constants: int) -> dict[str, Policy]:
    """Return the most frequent right answers of each setting."""
    answers: dict[str, Counter[str]] = {}
    for document in documents:
        answers.setdefault(_known(document), Counter())[_right(document)] += 1
    by_name: dict[str, Policy] = {}
    for number in range(constants):
        of_setting = {setting: counts.most_common(number + 1)[-1][0] for setting, counts in answers.items() if counts}
        by_name[f"best constant {number}"] = lambda document, of=of_setting: of[_known(document)]
    return by_name


def _of_outputs(documents: Sequence[Document], constants: dict[str, Policy]) -> dict[str, Policy]:
    return {
        **constants,
        "echo of the input": lambda document: _typed(document, _echo(_input(document))),
        "last literal": lambda document: _typed(
            document, _last_literal(_input(document)) or _last_literal(document["code"])
        ),
    }


def _of_fresh(documents: Sequence[Document], constants: dict[str, Policy]) -> dict[str, Policy]:
    frequent = {
        f"best constant {number}": lambda document, text=text: text
        for number, text in enumerate(_frequent(map(_right, documents)))
    }
    return {
        **_of_outputs(documents, frequent),
        f"the published output{REMEMBERED}": lambda document: _published(document).output or "",
        f"not the published output{REMEMBERED}": _not_published,
        **{
            f"the published output, changed{REMEMBERED} {number}": lambda document, number=number: _carried(
                document, number
            )
            for number in range(_CARRIED)
        },
    }


def _of_runtime(documents: Sequence[Document], constants: dict[str, Policy]) -> dict[str, Policy]:
    rules = {"next": "next line", "enters": "enter the body", "skips": "skip the body"}
    return {
        **_of_outputs(documents, constants),
        "surface features": _surface(documents),
        **{name: lambda document, rule=rule: following(document)[rule] for rule, name in rules.items()},
        "reachable by name": _reachable,
        "named time": _by_named_time,
    }


def _by_named_time(document: Document) -> str:
    """Return the answer if heads with a named time enter their body, others skip it, and a variable counts from 0."""
    time = named_time(document)
    if document["setting"] == "path":
        return following(document)["enters" if time else "skips"]
    return f"{max(time - 1, 0)}; int"


def _of_together(documents: Sequence[Document], constants: dict[str, Policy]) -> dict[str, Policy]:
    """Return the baselines of runtime behaviour, each for all questions of a request; and what other questions tell."""
    asked = {
        id(document): [{**document, **question, "others": document["questions"]} for question in document["questions"]]
        for document in documents
    }
    every = [question for questions in asked.values() for question in questions]
    policies = {**_of_runtime(every, _constants(every, len(constants))), "told by another question": _told}

    def blocks(document: Document, policy: Policy) -> str:
        answers = [policy(question) for question in asked[id(document)]]
        return "\n".join(f"<answer{n}>\n{answer}\n</answer{n}>" for n, answer in enumerate(answers, start=1))

    return {name: lambda document, policy=policy: blocks(document, policy) for name, policy in policies.items()}


def _told(document: Document) -> str:
    """Return yes if another question says that a line of the same block is executed on the same input."""
    first, last = _block(document["code"], document["line"])
    told = any(
        other["setting"] in ("state", "path") and other["run"] == document["run"] and first <= other["line"] <= last
        for other in document["others"]
    )
    return "yes" if told else "no"


def _block(code: str, line: int) -> tuple[int, int]:
    """Return the first and the last line of the innermost block that a line is in."""
    blocks = [
        (body[0].lineno, body[-1].end_lineno or 0)
        for node in ast.walk(ast.parse(code))
        for body in (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
        if isinstance(body, list) and body and body[0].lineno <= line <= (body[-1].end_lineno or 0)
    ]
    return min(blocks, key=lambda block: block[1] - block[0], default=(line, line))


def _of_translation(documents: Sequence[Document], constants: dict[str, Policy]) -> dict[str, Policy]:
    outputs = Counter(load_problem(one["benchmark"], one["problem_id"]).output or "" for one in documents)
    frequent = outputs.most_common(1)[0][0]
    return {
        "the shown output": shown_output,
        "the most frequent output": lambda document: printing(frequent, document["target_language"]),
    }


def _of_sr(documents: Sequence[Document], constants: dict[str, Policy]) -> dict[str, Policy]:
    bodies = {
        f"constant body {number}": lambda document, value=value: constant_body(document, value)
        for number, value in enumerate(CONSTANTS)
    }
    return {**bodies, "the shown value": shown_value}


def _of_verdict(documents: Sequence[Document], constants: dict[str, Policy]) -> dict[str, Policy]:
    return {
        **constants,
        "right if it adds one": lambda document: "yes" if "+ 1" in document["program"] else "no",
        "wrong with an unused name": lambda document: "no" if has_unused_name(document["program"]) else "yes",
    }


def _of_locate(documents: Sequence[Document], constants: dict[str, Policy]) -> dict[str, Policy]:
    longest = max(document["program"].count("\n") + 1 for document in documents)
    return {
        **{f"best constant {line}": lambda document, line=line: str(line) for line in range(1, longest + 1)},
        "last line": lambda document: flipped_line(document["program"], document["program"].count("\n") + 1),
        **{
            rule: lambda document, rule=rule: flipped_line(document["program"], named(document["program"])[rule])
            for rule in RULES
        },
    }


def _of_input(documents: Sequence[Document], constants: dict[str, Policy]) -> dict[str, Policy]:
    return {
        **constants,
        "echo of the output": lambda document: _call(document, document["output"]),
        "last literal": lambda document: _call(document, _last_literal(document["code"])),
    }


def _of_cruxeval_input(documents: Sequence[Document], constants: dict[str, Policy]) -> dict[str, Policy]:
    calls = Counter(str(document["input"]) for document in documents).most_common(len(constants))
    return {
        **{f"best constant {number}": lambda document, call=call: call for number, (call, _) in enumerate(calls)},
        "echo of the output": lambda document: f"f({document['output']})",
        "last literal": lambda document: f"f({_last_literal(document['code'])})",
    }


def _of_flow(documents: Sequence[Document], constants: dict[str, Policy]) -> dict[str, Policy]:
    by_name: dict[str, Policy] = {**constants, "never": lambda document: "[]"}
    for rule in guesses(documents[0]):
        name = rule if rule == TREE else f"{rule}{KNOWING}"
        by_name[name] = lambda document, rule=rule: str(guesses(document)[rule])
    return {**by_name, "echo of the input": lambda document: _echo(_input(document))}


def _of_trace(documents: Sequence[Document], constants: dict[str, Policy]) -> dict[str, Policy]:
    outputs = Counter(str(document["output"]) for document in documents)
    constant = outputs.most_common(1)[0][0]
    return {
        **{name: lambda document, of=of: _traced(of(document), constant) for name, of in constants.items()},
        "each statement once": lambda document: _traced(_each_once(document, "True"), _echo(_input(document))),
        "each statement once, conditions false": lambda document: _traced(
            _each_once(document, "False"), _last_literal(_input(document))
        ),
    }


def _of_re2_loop(documents: Sequence[Document], constants: dict[str, Policy]) -> dict[str, Policy]:
    return {
        "never": lambda document: _each_list(document, lambda line, name, labels: ()),
        f"0, 1, 2 and so on{KNOWING}": lambda document: _each_list(
            document, lambda line, name, labels: range(len(labels))
        ),
        "the syntax tree": _guessed_lists,
    }


def _of_re2_branch(documents: Sequence[Document], constants: dict[str, Policy]) -> dict[str, Policy]:
    always = {
        f"all {letter}{KNOWING}": lambda document, letter=letter: _each_list(
            document, lambda line, name, labels: letter * len(labels)
        )
        for letter in "YN"
    }
    once = {
        f"{letter} once": lambda document, letter=letter: _each_list(document, lambda line, name, labels: letter)
        for letter in "YN"
    }
    return {**always, **once, "the syntax tree": _guessed_lists}


def constant_body(document: Document, value: str) -> str:
    """Return a program whose function or method returns a constant."""
    name = str(document["entry_point"]).rpartition(".")[2]
    if document["kind"] != "method":
        return f"def {name}(*arguments, **named):\n    return {value}"
    text = str(load_problem(document["benchmark"], document["problem_id"]).specification)
    static = "@staticmethod" in text
    return (
        f"{'@staticmethod' * static}\ndef {name}({'' if static else 'self, '}*arguments, **named):\n    return {value}"
    )


def shown_value(document: Document) -> str:
    """Return a body that returns the last literal of the test in the prompt; None without a test."""
    return constant_body(document, _last_literal(document["test"].strip() or "None") or "None")


def shown_output(document: Document) -> str:
    """Return a script that prints the output of the first test in the prompt; an empty output without a test."""
    _, _, test = document["test"].partition("\nOutput:\n")
    return printing(test.partition("\n\nInput:\n")[0], document["target_language"])


def shown_only(document: Document) -> str:
    """Return a program that knows what the test in the prompt shows, and nothing else."""
    problem = load_problem(document["benchmark"], document["problem_id"])
    if document["kind"] == "script":
        return get_language(document["language"]).kind("script").lookup(shown_cases(problem.cases, TEST_CASES)) or ""
    return constant_body(document, problem.output or "None")


def printing(output: str, language: str) -> str:
    """Return a program in Python or Java that prints a text for every input."""
    if language == "python":
        return f"print({output!r})"
    printed = f"System.out.println({json.dumps(output)});"
    return f"public class Main {{\n    public static void main(String[] args) {{\n        {printed}\n    }}\n}}"


def flips() -> dict[str, Callable[[Document], str]]:
    """Return policies that flip one operator of the buggy program: which one -> policy."""
    return {
        f"{'first' if first else 'last'} {what} flipped": lambda document, what=what, first=first: flipped(
            document["buggy"], what, first
        )
        for what in ("comparison", "sum", "operator", "condition")
        for first in (True, False)
    }


def flipped_line(program: str, number: int) -> str:
    """Return the number of a line, and the line with its first operator flipped."""
    line = program.split("\n")[number - 1]
    return f"{number}: {_OPERATOR.sub(lambda operator: _FLIPPED[operator[0]], line, count=1)}"


def flipped(code: str, what: str, first: bool) -> str:
    """Return a program with its first or last operator of a kind flipped; unchanged if there is none."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return code
    places = list(_places(tree, what))
    if not places:
        return code
    places.sort(key=lambda place: (place[0].lineno, place[0].col_offset))
    node, field, number = places[0 if first else -1]
    value = getattr(node, field)
    if what == "condition":
        setattr(node, field, ast.UnaryOp(ast.Not(), copy.deepcopy(value)))
    elif isinstance(value, list):
        value[number] = _FLIPS[type(value[number])]()
    else:
        setattr(node, field, _FLIPS[type(value)]())
    return ast.unparse(ast.fix_missing_locations(tree))


def _places(tree: ast.AST, what: str) -> Iterator[tuple[Any, str, int]]:
    for node in ast.walk(tree):
        match node:
            case ast.Compare() if what in ("comparison", "operator"):
                yield from ((node, "ops", number) for number, op in enumerate(node.ops) if type(op) in _FLIPS)
            case ast.BinOp() | ast.AugAssign() if what in ("sum", "operator") and type(node.op) in _FLIPS:
                yield node, "op", 0
            case ast.BoolOp() if what == "operator":
                yield node, "op", 0
            case ast.If() | ast.While() if what == "condition":
                yield node, "test", 0


def _surface(documents: Sequence[Document]) -> Policy:
    """Return the policy that a classifier learned from other programs; of other settings it knows nothing."""
    answers: dict[int, str] = {}
    for setting in ("coverage", "path"):
        of_setting = [document for document in documents if document["setting"] == setting]
        if of_setting:
            answers |= dict(zip(map(id, of_setting), learned(of_setting, list(map(_right, of_setting))), strict=True))
    return lambda document: answers.get(id(document), "")


def _frequent(outputs: Iterable[str]) -> list[str]:
    """Return the texts that answer at least two questions: an output, or the bare text of a string; else a zero."""
    counts: Counter[str] = Counter()
    for output in outputs:
        value = literal_or(output, None)
        counts.update({output.strip(), value if isinstance(value, str) else output.strip()})
    return [text for text, count in counts.items() if count > 1] or ["0"]


def _published(document: Document) -> Problem:
    return load_problem(document["benchmark"], document["problem_id"])


def _change(document: Document) -> tuple[Problem, str]:
    return _published(document), document["input"]


def _carried(document: Document, number: int) -> str:
    """Return the published output with the changes of the input in it, by one of the rules."""
    outputs = list(carried_outputs(*_change(document)))
    return outputs[min(number, len(outputs) - 1)]


def _not_published(document: Document) -> str:
    """Return the other truth value, another of two numbers, or an empty value."""
    output = (_published(document).output or "").strip()
    others = {"True": "False", "False": "True", "0": "1", "1": "0", "[]": "None", "None": "True", "''": "' '"}
    return others.get(output, "0" if output.lstrip("-").isdigit() else "[]" if output[:1] == "[" else "''")


def _echoed_output(document: Document) -> str:
    """Return an input with the output as each of its arguments."""
    try:
        label = json.loads(json.dumps(ast.literal_eval(document["label"]), default=str))
    except ValueError:
        # The label constructs an object, or NaN.
        return str(document["shown"])
    if not isinstance(label, dict):
        return str(document["shown"])
    shown = json.loads(document["shown"])
    parts = {name: dict.fromkeys(label.get(name) or {}, shown) for name in ("args", "kwargs")}
    return json.dumps({**label, **parts})


def _each_list(document: Document, values: Callable[[int, str, Sequence[Any]], Iterable[Any]]) -> str:
    """Return an answer to RE2-Bench with a list for each line and variable of the label."""
    rows = []
    for line, label in json.loads(document["label"]).items():
        for name, labels in label.items() if isinstance(label, dict) else [("", label)]:
            items = ", ".join(map(str, values(int(line), name, labels)))
            rows.append(f"line {line}: {name and f'{name} = '}[{items}]")
    return "\n".join(rows)


def _guessed_lists(document: Document) -> str:
    """Return the guess of :mod:`flow_rules` for each list of a question of RE2-Bench."""
    known = arguments(document)
    if document["setting"] == "branch":
        truths = decisions(document["code"], known, last=False)
        return _each_list(document, lambda line, name, labels: ("Y" if truth else "N" for truth in truths[line]))
    values = iterations(document["code"], known)
    return _each_list(document, lambda line, name, labels: map(repr, values.get(line, {}).get(name, ())))


def _known(document: Document) -> str:
    """Return the setting of a document if its prompt shows it. No prompt shows whether its program is buggy."""
    return "" if document["setting"] in ("buggy", "correct") else str(document["setting"])


def documents_of(tasks: Tasks, benchmark: str) -> list[Document]:
    """Return the documents of a task."""
    module = import_module(f"lm_eval_codemind.{tasks.family}")
    return list(getattr(module, tasks.functions[0])(benchmark=benchmark, **tasks.arguments)["test"])


def chances(documents: Sequence[Document]) -> dict[str, float]:
    """Return metric -> the share of right answers if a line of the body is drawn at random, as a mean over programs."""
    return {"line": mean([chance(document["program"], document["lines"]) for document in documents]).value}


def scores(tasks: Tasks, documents: Sequence[Document], family: str) -> dict[str, dict[str, float]]:
    """Return metric -> baseline -> score, of constants the best one."""
    module = import_module(f"lm_eval_codemind.{tasks.family}")
    best: dict[str, dict[str, float]] = {metric: {} for metric in tasks.metrics}
    for name, policy in policies(documents, family, tasks.constants).items():
        texts = [_asserted(family, document, policy(document)) for document in documents]
        responses = [[_response(text, tasks.tag)] for text in texts]
        answers = getattr(module, tasks.filter)(responses, documents)
        process = getattr(module, tasks.functions[1])
        rows = [process(document, [read]) for document, read in zip(documents, answers, strict=True)]
        name = name.rstrip("0123456789 ")
        for metric, aggregation in tasks.metrics.items():
            values = [row[metric] for row in rows if row[metric] is not None]
            value = mean(values).value if aggregation is None else _aggregation(aggregation)(values)
            best[metric][name] = max(value, best[metric].get(name, 0.0), key=abs)
    return best


def _asserted(family: str, document: Document, text: str) -> str:
    """Return an answer as the task asks for it: in CRUXEval and LiveCodeBench an assertion."""
    if family in ("cruxeval_output", LCB):
        return f"assert {document['input']} == {text}"
    return f"assert {text} == {document['output']}" if family == "cruxeval_input" else text


def _response(text: str, tag: str) -> str:
    if tag == _CRUXEVAL_END:
        return f"{text}\n{tag}"
    if tag == _NUMBERED:
        return text
    if not tag:
        return f"```\n{text}\n```"
    return f"<{tag}>\n{text}" + f"\n</{tag}>" * (f"</{tag}>" not in text)


def _aggregation(name: str) -> Callable[[Sequence[Any]], float]:
    module, _, function = name.rpartition(".")
    aggregation: Callable[[Sequence[Any]], float] = getattr(
        import_module(f"lm_eval_codemind.families.{module}"), function
    )
    return aggregation


def _right(document: Document) -> str:
    """Return the right answer of a document, as a response writes it."""
    if "values" in document:
        if document["setting"] in ("lines", "states"):
            return written(document, document["setting"])
        return f"[{', '.join(document['values'])}]"
    if document["benchmark"] == "re2":
        return str(document["target"]).removeprefix("<answer>\n").removesuffix("\n</answer>")
    return str(document.get("answer") or document.get("output"))


def _traced(steps: str, output: str) -> str:
    return f"{steps}\n</trace>\n<output>\n{output}\n</output>"


def _each_once(document: Document, truth: str) -> str:
    """Return each statement of a program once, in order; of a function or method without definitions and imports."""
    skipped = () if document["kind"] == "script" else (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    nodes = [node for node in ast.walk(ast.parse(document["code"])) if isinstance(node, ast.stmt)]
    nodes = sorted((node for node in nodes if not isinstance(node, skipped)), key=lambda node: node.lineno)
    if document["setting"] == "lines":
        return ", ".join(str(node.lineno) for node in nodes)
    return "\n".join(f"{node.lineno}: {truth}" for node in nodes if isinstance(node, (ast.If, ast.While)))


def _input(document: Document) -> str:
    return str(document["input"])


def _typed(document: Document, value: str) -> str:
    """Return a value as the question wants it: of a state with its type."""
    if document["setting"] != "state":
        return value
    try:
        return f"{value}; {type(ast.literal_eval(value)).__name__}"
    except (ValueError, SyntaxError):
        return value


def _echo(text: str) -> str:
    """Return the first argument of the calls in an input, named only if none is positional; else the whole text."""
    try:
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    except SyntaxError:
        return text
    positional = [argument for call in calls for argument in call.args[:1]]
    named = [argument.value for call in calls for argument in call.keywords[:1]]
    return ast.unparse((positional or named)[0]) if positional or named else ""


def _last_literal(text: str) -> str:
    """Return the last literal of a source; the last word if the text is not a program."""
    try:
        ast.parse(text)
    except SyntaxError:
        return (text.split() or [""])[-1]
    node = last_literal_of(text)
    return "" if node is None else ast.unparse(node)


def _call(document: Document, argument: str) -> str:
    """Return an answer to input prediction: the masked call, or text, with an argument in it."""
    masked = str(document["masked"])
    return masked.replace("??", argument) if "??" in masked else argument


def _reachable(document: Document) -> str:
    point = points(document["code"]).get(document["line"]) if document["line"] else None
    if document["kind"] == "script" or point is None or not point.function:
        return "yes"
    return "yes" if point.function in reachable(document["code"], document["input"]) else "no"


# Family -> its baselines, from its documents and the constant answers.
_POLICIES: dict[str, Callable[[Sequence[Document], dict[str, Policy]], dict[str, Policy]]] = {
    **dict.fromkeys(("ier", "unrolled", "cruxeval_output", "der", LCB), _of_outputs),
    "fresh": _of_fresh,
    "runtime": _of_runtime,
    "together": _of_together,
    "input": _of_input,
    "cruxeval_input": _of_cruxeval_input,
    "sr": _of_sr,
    "dsr": lambda documents, constants: {
        "the program unchanged": lambda document: document["transformed"],
        "the shown output": shown_only,
    },
    "translation": _of_translation,
    "repair": lambda documents, constants: {"the program unchanged": lambda document: document["buggy"], **flips()},
    "verdict": _of_verdict,
    "locate": _of_locate,
    **dict.fromkeys(("loops", "branches"), _of_flow),
    "trace": _of_trace,
    "re2_output": lambda documents, constants: constants,
    "re2_input": lambda documents, constants: {**constants, "echo of the output": _echoed_output},
    "re2_loop": _of_re2_loop,
    "re2_branch": _of_re2_branch,
}


@click.command()
@click.option("--family", "families", multiple=True, type=click.Choice(tuple(FAMILIES)), default=_DEFAULT)
@benchmarks_of(_NAMES)
def main(families: Sequence[str], names: Sequence[str]) -> None:
    """Print what the baselines score, in percent, and write the best ones."""
    for family in families:
        tasks = FAMILIES[family]
        for name in tasks.benchmarks.keys() & set(names):
            best_of: dict[tuple[str, str], tuple[str, float]] = {}
            documents = documents_of(tasks, tasks.benchmarks[name])
            if family == "locate":
                for metric, value in chances(documents).items():
                    click.echo(f"{family} {name} {metric}: a line of the body at random {100 * value:.1f}")
            for metric, of_metric in scores(tasks, documents, family).items():
                shown = ", ".join(f"{baseline} {100 * score:.1f}" for baseline, score in of_metric.items())
                click.echo(f"{family} {name} {metric}: {shown}")
                knowing = (KNOWING, REMEMBERED)
                blind = {name: score for name, score in of_metric.items() if not name.endswith(knowing)}
                best = max(blind, key=lambda baseline: abs(blind[baseline]))
                named = (prefix for prefix in tasks.prefixes if any(_TASKS.rglob(f"{prefix}_{name}.yaml")))
                for prefix in named:
                    best_of[f"{prefix}_{name}", tasks.names.get(metric, metric)] = (best, round(of_metric[best], 6))
            _write(file_of(tasks), best_of)


def file_of(tasks: Tasks) -> Path:
    """Return the file of a family's baselines."""
    return PACKAGE.joinpath(*tasks.family.split(".")).with_name("baselines.json")


def _write(file: Path, best_of: Mapping[tuple[str, str], tuple[str, float]]) -> None:
    record = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    for (task, metric), best_one in best_of.items():
        record.setdefault(task, {})[metric] = best_one
    file.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
