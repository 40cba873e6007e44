"""What a suite looks up: found in its code's instructions as ``dis`` reads them."""

from __future__ import annotations

import dis
from pathlib import Path
from types import CodeType

import lm_eval_codemind
from lm_eval_codemind.execution.placement import names_used

PACKAGE = Path(lm_eval_codemind.__file__).parent
LOADS = {"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"}
STORES = {"STORE_NAME", "STORE_GLOBAL"}


def by_dis(code: CodeType) -> tuple[set[str], set[str]]:
    loaded = {step.argval for step in dis.get_instructions(code) if step.opname in LOADS}
    stored = {step.argval for step in dis.get_instructions(code) if step.opname in STORES}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner, made = by_dis(constant)
            loaded, stored = loaded | inner, stored | made
    return loaded, stored


MANY = "\n".join(f"name_{number} = other_{number}" for number in range(300))
IN_FUNCTION = "def f():\n" + "\n".join(
    f"    global name_{number}\n    name_{number} = other_{number}()" for number in range(300)
)


def test_names_are_those_that_dis_finds() -> None:
    package = [path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))]
    seen = set()
    for source in [MANY, IN_FUNCTION, *package]:
        found = names_used(source)
        assert found == by_dis(compile(source, "tests.py", "exec", dont_inherit=True))
        seen |= found[0]
    assert len(seen) > 1000
