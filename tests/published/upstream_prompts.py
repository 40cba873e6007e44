"""Runs upstream's own functions for prompts, in a process of its own: ``python upstream_prompts.py STUDY FOLDER``.

FOLDER is upstream's repository. Standard input has a JSON list of arguments, standard output the digests of the prompts
as a JSON list. Packages that upstream's files import and that make no prompt are replaced.
"""

import ast
import hashlib
import importlib.util
import inspect
import json
import linecache
import os
import re
import sys
import types
from pathlib import Path
from typing import Any


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def module_of(path: Path, name: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def replace_module(name: str, **values: Any) -> None:
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(values)


def scripts(folder: Path, name: str, arguments: list[list[Any]]) -> list[str]:
    create = module_of(folder / "scripts" / f"create_prompt_{name}.py", name).create_prompt
    return [digest(create(*values)) for values in arguments]


class Tree(dict[str, Any]):
    """The statements of a program as tree-sitter has them: the spans of loops and conditions."""


class Parser:
    """Stands in for tree-sitter's parser."""

    def set_language(self, language: Any) -> None:
        pass

    def parse(self, source: bytes) -> Tree:
        return Tree(source=source)


def captures(tree: Tree, query: str) -> list[tuple[Any, str]]:
    """Return nodes with their names in the order of their starts, as a query of tree-sitter for Python does."""
    source = tree["source"]
    starts = [0]
    for line in source.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.For, ast.While)) and "for_statement" in query:
            found.append((span(node, starts), "for_loop" if isinstance(node, ast.For) else "while_loop"))
        if isinstance(node, ast.If) and "if_statement" in query:
            start, end = span(node, starts)
            if source[start:].startswith(b"elif"):
                found.append(((start, span(node.body[-1], starts)[1]), "elif"))
            else:
                found.append(((start, end), "if"))
    return [(types.SimpleNamespace(start_byte=start, end_byte=end), name) for (start, end), name in sorted(found)]


def span(node: Any, starts: list[int]) -> tuple[int, int]:
    return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset


def ces(folder: Path, arguments: list[list[Any]]) -> list[str]:
    language = type("Language", (), {"__init__": lambda *_: None, "build_library": staticmethod(lambda *_: None)})
    replace_module("tree_sitter", Language=language, Parser=Parser)
    utils = module_of(folder / "src/ces/utils.py", "utils")
    utils.run_query = captures
    os.chdir(folder)
    create = module_of(folder / "src/ces/create_prompts.py", "create_prompts").create_prompt
    prompts = []
    for name, *values in arguments:
        try:
            prompts.append(digest(create(f"dataset/humaneval/{name}/main.py", *values, False)))
        except KeyError as error:
            prompts.append(f"KeyError {error}")
    return prompts


def coconut(folder: Path, arguments: list[list[Any]]) -> list[str]:
    template = module_of(folder / "prompts.py", "prompts").PROMPTS["HumanEval"]
    return [digest(template.format(*values)) for values in arguments]


class Anything:
    """Stands in for what upstream executes and records."""

    status = "ok"

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: []

    def run(self, *_: Any) -> tuple[None, "Anything"]:
        return None, self


def reval(folder: Path, arguments: list[list[Any]]) -> list[str]:
    """Return the digest of the prompt of each program, input, line and question, in the order of the arguments."""
    os.chdir(folder)
    for name, values in {
        "bullet": ("Bullet", "Input"), "pytz": (), "tqdm": ("tqdm",), "dataset": ("DREval",), "pandas": (),
        "dynamics": ("Nil", "_NilType", "FunctionFactory", "ClassFactory", "Sandbox"), "inference": ("Model",),
    }.items():  # fmt: skip
        replace_module(name, **{value: type(value, (), {}) for value in values})
    module_of(folder / "prompt.py", "prompt")
    evaluation = module_of(folder / "evaluation.py", "evaluation")
    evaluation.Sandbox = lambda *_: Anything()
    evaluation.FunctionFactory = types.SimpleNamespace(
        create=lambda *_: None, create_from_answer=lambda *_: lambda *_: None
    )
    data = [json.loads(line) for line in (folder / "data/DREval_data.jsonl").read_text().splitlines()]
    rows = [json.loads(line) for line in (folder / "data/DREval_tasks.jsonl").read_text().splitlines()]
    prompts: dict[tuple[Any, ...], str] = {}
    for form in ("direct", "cot"):
        for question in ("Coverage", "State", "Path", "Output"):
            asker = evaluation.__dict__[question].__new__(evaluation.__dict__[question])
            asker.name, asker.prompt_type, asker._correct, asker._total, asker._pass = question.lower(), form, 0, 0, 0
            asker.tp = asker.tn = asker.fp = asker.fn = 0
            seen: list[str] = []
            asker._prompt_model = lambda prompt, seen=seen: (seen.append(digest(prompt)) or "ERROR", "")
            for row in rows:
                record = data[row["idx"]]
                classes = [] if record["test"] is None else test_classes(record)
                for pair in row["tasks"]:
                    shown = record["inputs"][pair["input_idx"]] if question != "Output" else pair["output_pred"]
                    seen.clear()
                    asked, index = pair["task"], pair["input_idx"]
                    if record["test"] is None:
                        asker._humaneval_task_impl(record["entry_point"], record["code"], asked, Anything(), shown)
                    else:
                        asker._classeval_task_impl(classes[index], asked, shown)
                    lines = [0] if question == "Output" else [each["lineno"] for each in asked]
                    for line, prompt in zip(lines, seen, strict=True):
                        key = (record["task_id"], str(pair["input_idx"]), line, form, question.lower())
                        assert key not in prompts
                        prompts[key] = prompt
    return [prompts[tuple(values)] for values in arguments]


def test_classes(record: dict[str, Any]) -> list[type]:
    """Return the test classes as upstream prepares them: with the program as documentation, and the source of setUp."""
    name = f"<test of {record['task_id']}>"
    source = record["test"]
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    module = types.ModuleType(re.sub(r"\W", "_", name))
    module.__file__ = name
    sys.modules[module.__name__] = module
    # What a test imports makes no prompt.
    tree = ast.parse(source)
    tree.body = [node for node in tree.body if not isinstance(node, (ast.Import, ast.ImportFrom))]
    vars(module)["unittest"] = __import__("unittest")
    exec(compile(tree, name, "exec"), vars(module))
    classes = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name.startswith(f"{record['entry_point']}Test"):
            tested = vars(module)[node.name]
            setup = inspect.getsource(tested.setUp)
            case = type(node.name, (), {
                "__doc__": record["code"], "__setup__": setup, "setUp": lambda self: None,
                "dreval_test": types.SimpleNamespace(__doc__=record["code"]),
            })  # fmt: skip
            classes.append(case)
    return classes


def main() -> None:
    study, folder = sys.argv[1], Path(sys.argv[2])
    arguments = json.load(sys.stdin)
    out = sys.stdout
    sys.stdout = sys.stderr
    makers = {"ces": ces, "coconut": coconut, "reval": reval}
    digests = makers[study](folder, arguments) if study in makers else scripts(folder, study, arguments)
    json.dump(digests, out)


if __name__ == "__main__":
    main()
