"""What belongs to one family, or to one study, lies in its folder, and no import goes in a circle."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import lm_eval_codemind

PACKAGE = Path(lm_eval_codemind.__file__).parent


def modules() -> dict[str, Path]:
    paths = {path.relative_to(PACKAGE.parent): path for path in PACKAGE.rglob("*.py")}
    return {".".join(name.with_suffix("").parts).removesuffix(".__init__"): path for name, path in paths.items()}


def imported(name: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Yield the modules of the package that a module imports, those that a function imports included."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, [base, node.module or ""]))
            for alias in node.names:
                yield f"{module}.{alias.name}" if f"{module}.{alias.name}" in known else module


def test_nothing_outside_of_families_and_studies_names_one():
    names = [path.parent.name for path in (PACKAGE / "families").glob("*/__init__.py")]
    pattern = re.compile(rf"\b(families\.({'|'.join(names)})|studies\.\w+)\b")
    assert len(names) >= 12
    named = {
        name: match.group()
        for name, path in modules().items()
        if name.split(".")[1:2] not in (["families"], ["studies"])
        if (match := pattern.search(path.read_text(encoding="utf-8")))
    }
    assert named == {}


def test_no_import_goes_in_a_circle():
    known = modules()
    uses = {name: {each for each in imported(name, path, known) if each in known} for name, path in known.items()}
    assert sum(map(len, uses.values())) > 700
    while leaves := [name for name, others in uses.items() if not others & uses.keys() - {name}]:
        for name in leaves:
            del uses[name]
    assert uses == {}


def test_what_architecture_says_to_change_is_there():
    page = (PACKAGE.parent / "docs/architecture.md").read_text(encoding="utf-8")
    table = page.partition("| what | where |")[2].partition("\n\n")[0]
    places = re.findall(r"`([\w/.]+)`", table)
    assert len(places) > 15
    assert [place for place in places if not (PACKAGE / place).exists() and not (PACKAGE.parent / place).exists()] == []


def test_the_table_of_rooms_has_each_room():
    page = (PACKAGE.parent / "docs/architecture.md").read_text(encoding="utf-8")
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert {name for name in rooms if f"| `{name}/` |" not in page} == set()


def test_no_function_is_longer_than_fifty_lines():
    long = []
    for path in (*PACKAGE.rglob("*.py"), *(PACKAGE.parent / "utils").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                if body and (body[-1].end_lineno or 0) - body[0].lineno >= 50:
                    long.append(f"{path.relative_to(PACKAGE.parent)}: {node.name}")
    assert long == []


def test_what_docstrings_refer_to_exists():
    known = modules()
    gone = []
    for name, path in known.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for target in re.findall(r":\w+:`~?((?:lm_eval_codemind)?\.[\w.]+)`", path.read_text(encoding="utf-8")):
            dotted = f"{package}{target}" if target.startswith(".") else target
            module = dotted
            while module not in known:
                module = module.rpartition(".")[0]
            first = dotted.removeprefix(module).strip(".").partition(".")[0]
            if not re.search(rf"\b{first}\b", known[module].read_text(encoding="utf-8")):
                gone.append(f"{name}: {target}")
    assert gone == []
