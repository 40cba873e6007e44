"""Search our text for the patterns and the names of variables that docs/style.md refuses; status 1 for a match.

usage: python utils/check_style.py [FILE ...]
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / "docs/style.md"
SEARCHED = ("lm_eval_codemind/**/*.py", "utils/*.py", "tests/**/*.py", "tasks/**/*.md", "docs/**/*.md", "README.md")
EXAMPLES = ("check_style.py", "test_style.py")  # They hold refused text on purpose.
PARTICIPLES = {"found", "given", "kept"}


def patterns() -> dict[re.Pattern[str], str]:
    """Return each pattern of the table in docs/style.md and what to write instead."""
    table = RULES.read_text(encoding="utf-8").split("## Patterns that the check refuses")[1]
    rows = re.findall(r"^\| `(.+)` \| (.+) \|$", table, flags=re.MULTILINE)
    return {re.compile(pattern.replace(r"\|", "|"), re.IGNORECASE): instead for pattern, instead in rows}


def prose(path: Path) -> str:
    """Return a file's text; of Markdown without code, of docs/style.md without its tables."""
    text = path.read_text(encoding="utf-8")
    if path == RULES:
        text = re.sub(r"^\|.*", "", text, flags=re.MULTILINE)
    if path.suffix == ".md":
        text = re.sub(r"^(`{3,}).*?^\1", "", text, flags=re.MULTILINE | re.DOTALL)
        text = re.sub(r"`[^`\n]*`", "``", text)
    return text


def participles(path: Path) -> list[str]:
    """Return one line for each variable and each argument of a Python file that a participle names."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if path.suffix == ".py" else ()
    names = [
        (node.lineno, node.arg if isinstance(node, ast.arg) else node.id)
        for node in nodes
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    ]
    return [f"{path}:{line}: the variable {name!r}: name it with a noun" for line, name in names if name in PARTICIPLES]


def matches(path: Path) -> list[str]:
    """Return one line for each match in a file."""
    rules = patterns()
    return [
        f"{path}:{number}: {match.group()!r}: write {instead}"
        for number, line in enumerate(prose(path).splitlines(), 1)
        for rule, instead in rules.items()
        for match in rule.finditer(line)
    ]


def main(arguments: list[str]) -> int:
    """Check the files named, or all files; return the exit status."""
    files = [Path(name) for name in arguments] or [path for pattern in SEARCHED for path in sorted(ROOT.glob(pattern))]
    files = [path for path in files if path.name not in EXAMPLES]
    lines = [line for path in files for line in [*matches(path), *participles(path)]]
    print("\n".join(lines) or f"{len(files)} files follow docs/style.md")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
