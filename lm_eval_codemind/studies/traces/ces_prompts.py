"""The prompts of CES, put together from its texts as its script ``create_prompts.py`` does."""

import ast
import operator
import re
from collections.abc import Iterator, Mapping
from typing import Any

from lm_eval_codemind.families.published.prompts import filled

# The usual form first. Upstream sends GPT's also to Gemini and SemCoder.
FORMS = ("gpt", "deepseek", "magicoder", "starcoder", "codellama", "codellama_34b", "mistral")
_SMALL_LLAMA, _LLAMAS = "codellama", ("codellama", "codellama_34b")
Span = tuple[tuple[int, int], tuple[int, int]]


def ces_prompt(upstream: Mapping[str, Any], form: str, code: str, program: str, call: str, direct: bool) -> str:
    """Return a prompt as ``create_prompt`` of upstream composes it.

    Args:
        upstream: Its texts, as :func:`~lm_eval_codemind.studies.traces.ces_data.read_prompts` has them.
        form: One of :data:`FORMS`.
        code: The program, whose loops and conditions decide which examples are shown.
        program: The program as it is shown.
        call: Its input.
        direct: Whether the model is asked for reasoning and output only, without an annotated program.
    """
    folder = "prompts/prompts_codellama" if form == _SMALL_LLAMA else "prompts"
    examples = [upstream["examples"][f"{folder}/{upstream['kinds'][kind]}"] for kind in kinds_of(code)]
    usual_instruction = not (form in _LLAMAS or form == "mistral")
    shown = filled(
        upstream["examples_of_codellama" if form == _SMALL_LLAMA else "usual_examples"],
        {"instruction": upstream["instructions"][usual_instruction], "icl_examples": "\n\n".join(examples)},
    )
    name = _SMALL_LLAMA if form in _LLAMAS else form
    prompt = filled(upstream["bodies"][name], {"icl_example": shown, "new_code": program, "code_input": call})
    role = upstream["instructions"][0]
    if direct:
        for old, new in upstream["direct"].get(form, ()):
            prompt = prompt.replace(old, new)
        if form in upstream["direct"]:
            prompt = _without("ANSWER", prompt)
        if form in _LLAMAS:
            role = upstream["direct_role"]
            prompt = _without("PYTHON", _without("QUESTION", prompt))
        if form == "mistral":
            return prompt
    if name not in upstream["wrappers"]:
        return prompt
    return filled(
        upstream["wrappers"][name], {"prompt": prompt, "prompt_role": filled(upstream["role"], {"inst": role})}
    )


def annotated(code: str, notes: Mapping[int, str]) -> str:
    """Return a program with a note at the end of each line, counted from 0, that has one."""
    lines = code.splitlines(keepends=True)
    return "".join(
        f"{line.rstrip(chr(10))} ## {notes[number]}\n" if number in notes else line for number, line in enumerate(lines)
    )


def _without(mark: str, prompt: str) -> str:
    """Return a prompt without the blocks between two marks that end a line."""
    for block in re.findall(rf"\[{mark}](.*?)\[/{mark}]", prompt, re.DOTALL):
        prompt = prompt.replace(f"[{mark}]{block}[/{mark}]\n", "")
    return prompt


def kinds_of(code: str) -> list[str]:
    """Return the kinds of loops and conditions in a program, by upstream's rules: examples are chosen by them."""
    tree = ast.parse(code)
    loops, conditions = _loops(tree), _conditions(tree, code)
    if not loops and not conditions:
        return ["simple"]
    if not loops:
        found = conditions.values()
        return ["nested_if" if "nested_if" in found else "else_if" if "else_if" in found else "if"]
    if not conditions:
        # Upstream looks for positions among the names, so that no loop is left out.
        return list(loops.values())
    inside = [
        f"{condition} in {loop}"
        for outer, loop in loops.items()
        for inner, condition in conditions.items()
        if inner[0] > outer[0] and inner[1] <= outer[1]
    ]
    outside = [f"{condition} outside {loop}" for loop in loops.values() for condition in conditions.values()]
    return list(dict.fromkeys(inside or outside))


def _loops(tree: ast.AST) -> dict[Span, str]:
    """Return the outermost loops with their kinds, in order."""
    nodes = sorted((node for node in ast.walk(tree) if isinstance(node, (ast.For, ast.While))), key=_span)
    loops = {_span(node): "for_loop" if isinstance(node, ast.For) else "while_loop" for node in nodes}
    spans = list(loops)
    for inner in spans:
        for outer in spans:
            if inner[0] > outer[0] and inner[1] <= outer[1]:
                loops.pop(inner, None)
                loops[outer] = "nested_loop"
    return loops


def _conditions(tree: ast.AST, code: str) -> dict[Span, str]:
    """Return the statements ``if`` and the clauses ``elif`` that upstream counts, with their kinds, in its order."""
    found = dict(sorted(_spans_of_conditions(tree, code)))
    before = dict(found)
    for kind, joined, ends_inside in (("elif", "else_if", operator.le), ("if", "nested_if", operator.lt)):
        for inner in before:
            for outer in before:
                if before[inner] == kind and inner[0] > outer[0] and ends_inside(inner[1], outer[1]):
                    found.pop(inner, None)
                    found[outer] = joined
    return found


def _spans_of_conditions(tree: ast.AST, code: str) -> Iterator[tuple[Span, str]]:
    lines = code.split("\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.If):
            start, end = _span(node)
            if lines[node.lineno - 1].encode()[node.col_offset :].startswith(b"elif"):
                last = node.body[-1]
                yield (start, (last.end_lineno or 0, last.end_col_offset or 0)), "elif"
            else:
                yield (start, end), "if"


def _span(node: ast.stmt) -> Span:
    return (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
