"""Search our text for the patterns that docs/style.md refuses; status 1 if there is a match.

usage: python utils/check_style.py [FILE ...]
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / "docs/style.md"
SEARCHED = ("lm_eval_codemind/**/*.py", "utils/*.py", "tasks/**/*.md", "docs/**/*.md", "README.md")


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
    files = [path for path in files if path.name != Path(__file__).name]
    lines = [line for path in files for line in matches(path)]
    print("\n".join(lines) or f"{len(files)} files follow docs/style.md")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
